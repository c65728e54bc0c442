"""Cards that two devices trade, pair by pair: who holds each one before, and who after it.

Each row is a sort of cards, and in the end one device has all of them. A card that stays does not
move, and each one that comes takes the place of one that leaves.
"""

from itertools import product

from site_build.figures.desks import DEVICES, EDGE, HEAD, LEAST, ROW, desk, holder_of_rows
from site_build.figures.marks import HIGH, card, group, label, leads, outline, who, widest
from site_build.figures.motion import to, travels
from site_build.figures.svg import Drawing, Stage, path, text
from site_build.markdown.tensors import Tensor

BETWEEN = 34.0  # two desks
LINE = 22.0  # of the legend


def trade(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the cards of both devices; there are no options."""
    if len(tensors) != 2 or tensors[0].shape != tensors[1].shape:
        raise ValueError("two outputs of one shape are needed: before the trade, and after it")
    words, sorts = tensors[0].column_names(), tensors[1].row_names()
    before, owners = tensors[0].counts(len(DEVICES)), holder_of_rows(tensors[1])
    cards = list(product(range(len(sorts)), range(len(words))))
    held = [[at for at in cards if before[at[0]][at[1]] == device] for device in DEVICES]
    leave = [[at for at in held[device] if owners[at[0]] != device] for device in DEVICES]
    if len(leave[0]) != len(leave[1]):
        raise ValueError(f"{len(leave[0])} cards are traded for {len(leave[1])}")

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
    ways = {at: [to(*place)] * (len(leave[0]) + 1) for at, place in places.items()}
    stages = []
    for number, (one, other) in enumerate(zip(*leave, strict=True), 1):
        ways[one][number:], ways[other][number:] = ways[other][number:], ways[one][number:]
        moved = f"{2 * number} of {len(cards)}"
        middle = desk_wide + BETWEEN / 2
        stages.append(Stage(moved, [], [text(middle, low + 20, f"moved {moved}")]))
    parts = [
        travels(card(0, 0, words[at[1]], wide - 4), ways[at], who(owners[at[0]])) for at in cards
    ]
    start, end = desk_wide + 3, desk_wide + BETWEEN - 3
    above, below = HEAD + HIGH / 2, HEAD + HIGH / 2 + ROW * (rows - 1)
    crossing = leads((start, below), (end, above)) + leads((end, below), (start, above))
    back = [part for device in DEVICES for part in desk(device, lefts[device], 0, desk_wide, low)]
    back.append(path("leads", crossing))
    back += [outline("gap", *place, wide - 4) for place in places.values()]
    for number, (name, owner) in enumerate(zip(sorts, owners, strict=True)):
        y = low + 39.5 + LINE * number
        legend = [outline("tile", 11, y, 20, 13), label(28, y, name, "number start")]
        back.append(group(legend, who(owner)))
    high = low + 30 + LINE * len(sorts)
    return [Drawing(2 * desk_wide + BETWEEN, high, parts, stages=stages, back=back)]
