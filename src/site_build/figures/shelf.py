"""A shelf of places on which cards are put, one step after another.

A card that is put where one stands lifts that one out, and it stays below the shelf, on a pile. The
cards of the last step are framed.

- `shelf`: each row of a matrix is a step, and 1 says that the word of that column is written in it.
- `slots`: each row says which word stands in which place; a negative number says that none does.
"""

from collections.abc import Sequence

from site_build.figures.cards import HIGH, card, outline, to, travels, widest
from site_build.figures.svg import Drawing, Stage, path, short, text
from site_build.markdown.tensors import Tensor, value

ABOVE = 22.0  # from where a card comes
SHELF = ABOVE + HIGH  # the middle of the cards on it
PILE = SHELF + HIGH + 12
LEAST = 210.0  # how wide a shelf is
EDGE = 5.0  # how much is seen of a card that another one lies on

Steps = list[list[str]]  # what is put in each place at each step, or nothing


def shelf(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw a shelf for each matrix of ones and zeros; there are no options."""
    return [shelf_of(written(tensor), tensor.row_names()) for tensor in tensors]


def slots(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the named places of a cache for each matrix of words; there are no options."""
    return [
        shelf_of(stored(tensor), tensor.row_names(), tensor.column_names()) for tensor in tensors
    ]


def written(tensor: Tensor) -> Steps:
    """Return the words of the columns where a matrix has 1."""
    names, rows = tensor.column_names(), tensor.matrix()
    if not {value(digits) for row in rows for digits in row} <= {0, 1}:
        raise ValueError("a card is written, 1, or it is not, 0")
    return [
        [name if value(digits) else "" for name, digits in zip(names, row, strict=True)]
        for row in rows
    ]


def stored(tensor: Tensor) -> Steps:
    """Return the words that stand where another or none stood before."""
    words = tensor.row_names()
    rows = [[place(digits, len(words)) for digits in row] for row in tensor.matrix()]
    before = [[-1] * len(rows[0]), *rows]
    return [
        [words[now] if now not in (-1, old) else "" for now, old in zip(row, last, strict=True)]
        for row, last in zip(rows, before, strict=False)
    ]


def place(digits: str, count: int) -> int:
    """Return the place of a word in its sentence, or -1 for none."""
    number = value(digits)
    if number != int(number) or number >= count:
        raise ValueError(f"{digits} is not the place of one of {count} words")
    return max(int(number), -1)


def shelf_of(steps: Steps, names: list[str], places: Sequence[str] = ()) -> Drawing:
    """Draw one shelf, on which cards are put step by step.

    Args:
        steps: The cards.
        names: What the steps are called.
        places: What the places are called, unless each has a word of its own.
    """
    wide = widest([*places, *(word for step in steps for word in step)]) - 1
    wide = max(wide, LEAST / len(steps[0]))
    centers = [wide * (number + 0.5) for number in range(len(steps[0]))]
    at: list[list[int]] = [
        [number for number, step in enumerate(steps) if step[column]]
        for column in range(len(centers))
    ]
    pile = max(max(map(len, at)) - 1, 0)
    floor = PILE + HIGH / 2 + EDGE * max(pile - 1, 0) + 4
    stages, count = [], 0
    for number, (name, step) in enumerate(zip(names, steps, strict=True)):
        cards, frames = [], []
        for x, word, times in zip(centers, step, at, strict=True):
            if word:
                turn = times.index(number)
                lifted = times[turn + 1] if turn + 1 < len(times) else None
                cards.append(one_card(word, wide - 4, x, number, len(steps), lifted, turn))
                frames.append(outline("framed", x, SHELF, wide - 4))
        count += len(cards)
        lost = count - sum(bool(times) and times[0] <= number for times in at)
        counted = f"{count} written" + (f", {lost} lifted out" if lost else "")
        stages.append(Stage(name, cards, [*frames, text(0, floor + 14, counted, "start")]))
    back = [outline("gap", x, SHELF, wide - 4) for x in centers]
    back.append(path("leads", f"M0,{short(SHELF + HIGH / 2 + 5)}h{short(wide * len(centers))}"))
    back += [text(x, 13, name, "number faint") for x, name in zip(centers, places, strict=False)]
    return Drawing(wide * len(centers), floor + 20, [], stages=stages, back=back)


def one_card(
    word: str, wide: float, x: float, put: int, steps: int, lifted: int | None, turn: int
) -> str:
    """Return a card that comes from above, stands on the shelf, and may be lifted out."""
    way = [to(x, ABOVE)] * (put + 1) + [to(x, SHELF)] * (steps - put)
    if lifted is not None:
        way[lifted + 1 :] = [to(x, PILE + EDGE * turn)] * (steps - lifted)
    return travels(card(word, wide), way)
