"""Cards that two devices trade, pair by pair: who holds each one before, and who after it.

Each row is a sort of cards, and in the end one device has all of them. A card that stays does not
move, and each one that comes takes the place of one that leaves.
"""

from site_build.figures.cards import HIGH, card, outline, to, travels, widest
from site_build.figures.desks import DEVICES, EDGE, HEAD, LEAST, ROW, desk, holder_of_rows, holders
from site_build.figures.svg import Drawing, Stage, path, rectangle, short, text
from site_build.markdown.tensors import Tensor

BETWEEN = 34.0  # two desks
LINE = 22.0  # of the legend

Cell = tuple[int, int]  # a row and a column


def trade(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the cards of both devices; there are no options."""
    if len(tensors) != 2 or tensors[0].shape != tensors[1].shape:
        raise ValueError("two outputs of one shape are needed: before the trade, and after it")
    words, sorts = tensors[0].column_names(), tensors[1].row_names()
    before, owners = holders(tensors[0]), holder_of_rows(tensors[1])
    held: list[list[Cell]] = [[], []]
    for row, line in enumerate(before):
        for column, device in enumerate(line):
            held[device].append((row, column))
    leave = [[at for at in held[device] if owners[at[0]] != device] for device in DEVICES]
    if len(leave[0]) != len(leave[1]):
        raise ValueError(f"{len(leave[0])} cards are traded for {len(leave[1])}")
    pairs = list(zip(*leave, strict=True))

    columns, wide = before[0].count(0) or 1, widest(words)
    desk_wide = max(columns * wide + 2 * EDGE, LEAST)
    rows = -(-max(map(len, held)) // columns)
    low = HEAD + ROW * rows + EDGE
    lefts = [0.0, desk_wide + BETWEEN]
    places = {
        at: (
            lefts[device] + EDGE + wide * (number % columns + 0.5),
            HEAD + ROW * (number // columns) + HIGH / 2,
        )
        for device in DEVICES
        for number, at in enumerate(held[device])
    }
    ways = {at: [to(*place)] * (len(pairs) + 1) for at, place in places.items()}
    for number, (one, other) in enumerate(pairs, 1):
        ways[one][number:], ways[other][number:] = ways[other][number:], ways[one][number:]
    cards = [
        travels(card(words[at[1]], wide - 4), way, f"who-{owners[at[0]]}")
        for at, way in sorted(ways.items())
    ]
    middle = desk_wide + BETWEEN / 2
    stages = [
        Stage(moved, [], [text(middle, low + 20, f"moved {moved}")])
        for moved in (f"{2 * number} of {len(places)}" for number in range(1, len(pairs) + 1))
    ]
    back = [part for device in DEVICES for part in desk(device, lefts[device], 0, desk_wide, low)]
    back.append(crossing(desk_wide, HEAD + HIGH / 2, HEAD + HIGH / 2 + ROW * (rows - 1)))
    back += [outline("gap", *place, wide - 4) for place in places.values()]
    for number, (name, owner) in enumerate(zip(sorts, owners, strict=True)):
        mark = path("tile", rectangle(1, low + 33 + LINE * number, 20, 13))
        line_of_it = text(28, low + 44 + LINE * number, name, "number start")
        back.append(f'<g class="who-{owner}">{mark}{line_of_it}</g>')
    high = low + 30 + LINE * len(sorts)
    return [Drawing(2 * desk_wide + BETWEEN, high, cards, stages=stages, back=back)]


def crossing(left: float, above: float, below: float) -> str:
    """Return the two ways between two desks: up to the right, and up to the left."""
    start, end = short(left + 3), short(left + BETWEEN - 3)
    return path(
        "leads",
        f"M{start},{short(below)}L{end},{short(above)}m-6,0l6,0l-2,6"
        f"M{end},{short(below)}L{start},{short(above)}m6,0l-6,0l2,6",
    )
