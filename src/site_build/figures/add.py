"""Rows that two devices share out, and what each one finds with its own, which is added.

The first output says which device holds each row. Then there is a vector for each device, and their
sum.
"""

from site_build.figures.cards import HIGH, card, outline, to, travels
from site_build.figures.desks import DEVICES, EDGE, HEAD, LEAST, ROW, desk, holder_of_rows
from site_build.figures.svg import SMALL, Drawing, Stage, lines_of, path, short, text, text_width
from site_build.markdown.tensors import Tensor, rounded, value

BETWEEN = 17.0  # two desks
TIGHT = HIGH - 2  # a row of the matrix
STEPS = ("cut", "computed", "sent", "added")
ROUNDING = 0.0151  # of three numbers with two decimals


def add(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw, from above, the matrix, the desks and the sum; there are no options."""
    if len(tensors) != 4:
        raise ValueError("the devices of rows, two vectors and their sum are needed")
    owners, names = holder_of_rows(tensors[0]), tensors[0].row_names()
    found = [tensor.vector() for tensor in tensors[1:]]
    for one, other, total in zip(*found, strict=True):
        if abs(value(one) + value(other) - value(total)) > ROUNDING:
            raise ValueError(f"{one} and {other} are not {total} together")
    labels = rounded(digits for vector in found for digits in vector)
    slot = max(text_width(label, SMALL) for label in labels.values()) + 8
    (line,) = lines_of([tensors[1].column_names()], slot, slot, 0, SMALL)

    strip, desk_wide = line.width, max(line.width + 2 * EDGE, LEAST)
    wide = 2 * desk_wide + BETWEEN
    middle, centers = wide / 2, [desk_wide / 2, wide - desk_wide / 2]
    top = TIGHT * len(owners) + 20
    result = top + HEAD + ROW * max(map(owners.count, DEVICES)) + HIGH / 2 + 4
    desk_high = result + HIGH / 2 + EDGE - top
    head = result + HIGH / 2 + 40
    sums = [head + 24 + HIGH / 2 + ROW * number for number in range(3)]

    back, cards = [], []
    for number, (device, name) in enumerate(zip(owners, names, strict=True)):
        start = middle, TIGHT * (number + 0.5) + 2
        end = centers[device], top + HEAD + HIGH / 2 + ROW * owners[:number].count(device)
        back.append(outline("gap", *start, strip, TIGHT))
        way = [to(*start)] + [to(*end)] * len(STEPS)
        cards.append(travels(card(name, strip, TIGHT), way, f"who-{device}"))
    strips = [
        "".join(
            text(x - strip / 2, 4.5, labels[digits], "number")
            for x, digits in zip(line.centers, vector, strict=True)
        )
        for vector in found
    ]
    results = []
    for device in DEVICES:
        back += desk(device, centers[device] - desk_wide / 2, top, desk_wide, desk_high)
        back.append(outline("gap", centers[device], result, strip))
        way = [to(centers[device], result)] * 3 + [to(middle, sums[device])] * 2
        tile = outline("tile", 0, 0, strip)
        results.append(travels([tile, strips[device]], way, f"who-{device}"))
    for number, (x, name) in enumerate(zip(line.centers, line.words, strict=True)):
        high = head + line.depth(number, 16)
        back.append(text(middle - strip / 2 + x, high, name, "number faint"))
    back += [outline("gap", middle, y, strip) for y in sums]

    left = middle - strip / 2
    rule = f"M{short(left - EDGE * 3)},{short(sums[1] + ROW / 2)}h{short(strip + EDGE * 3)}"
    whole = f"{outline('framed', 0, 0, strip)}{strips[2]}"
    total_at = f'<g transform="translate({short(middle)} {short(sums[2])})">{whole}</g>'
    plus = text(left - EDGE * 2, sums[1] + 5, "+")
    parts = [[], results, [plus], [path("leads", rule), total_at]]
    stages = [Stage(*both) for both in zip(STEPS, parts, strict=True)]
    return [Drawing(wide, sums[2] + HIGH / 2 + 2, cards, stages=stages, back=back)]
