"""A shelf of places on which cards are put, one step after another.

A card that is put where one stands lifts that one out, and it stays below the shelf, on a pile. The
cards of the last step are framed.

- `shelf`: each row of a matrix is a step, and 1 says that the word of that column is written in it.
- `slots`: each row says which word stands in which place; a negative number says that none does.
"""

from collections.abc import Sequence
from itertools import chain, pairwise

from site_build.figures.marks import HIGH, card, outline, widest
from site_build.figures.motion import to, travels
from site_build.figures.svg import Drawing, Stage, straight, text
from site_build.markdown.tensors import Tensor

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
        shelf_of(new_words(tensor), tensor.row_names(), tensor.column_names()) for tensor in tensors
    ]


def written(tensor: Tensor) -> Steps:
    """Return the words of the columns where a matrix has 1."""
    names = tensor.column_names()
    return [
        [name if one else "" for name, one in zip(names, row, strict=True)]
        for row in tensor.counts(below=2)
    ]


def new_words(tensor: Tensor) -> Steps:
    """Return the words that stand where another or none stood before."""
    words = tensor.row_names()
    rows = tensor.counts(len(words), least=-1)
    before = [[-1] * len(rows[0]), *rows]
    return [
        [words[now] if now not in (-1, old) else "" for now, old in zip(row, last, strict=True)]
        for row, last in zip(rows, before, strict=False)
    ]


def shelf_of(steps: Steps, names: list[str], places: Sequence[str] = ()) -> Drawing:
    """Draw one shelf, on which cards are put step by step.

    Args:
        steps: The cards.
        names: What the steps are called.
        places: What the places are called, unless each has a word of its own.
    """
    columns = list(zip(*steps, strict=True))
    wide = max(widest([*places, *chain(*steps)]) - 1, LEAST / len(columns))
    # When a card is put in each place, and the end: the next one lifts it out.
    times = [[*(n for n, word in enumerate(column) if word), len(steps)] for column in columns]
    floor = PILE + HIGH / 2 + EDGE * max(max(map(len, times)) - 3, 0) + 4
    stages, back = [Stage(name, []) for name in names], []
    for number, (column, turns) in enumerate(zip(columns, times, strict=True)):
        x = wide * (number + 0.5)
        back.append(outline("gap", x, SHELF, wide - 4))
        for below, (put, lifted) in enumerate(pairwise(turns)):
            way = [to(x, ABOVE)] * (put + 1) + [to(x, SHELF)] * (lifted - put)
            way += [to(x, PILE + EDGE * below)] * (len(steps) - lifted)
            stages[put].parts.append(travels(card(0, 0, column[put], wide - 4), way))
            stages[put].now.append(outline("framed", x, SHELF, wide - 4))
    count = 0
    for number, stage in enumerate(stages):
        count += len(stage.parts)
        lost = count - sum(turns[0] <= number for turns in times)
        counted = f"{count} written" + (f", {lost} lifted out" if lost else "")
        stage.now.append(text(0, floor + 14, counted, "start"))
    board, long = SHELF + HIGH / 2 + 5, wide * len(columns)
    back.append(straight("leads", (0, board), (long, board)))
    back += [text(wide * (n + 0.5), 13, name, "number faint") for n, name in enumerate(places)]
    return Drawing(long, floor + 20, [], stages=stages, back=back)
