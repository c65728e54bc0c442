"""Rows that two devices share out, and what each one finds with its own, which is added.

The first output says which device holds each row. Then there is a vector for each device, and their
sum.
"""

from site_build.figures.desks import DEVICES, EDGE, HEAD, LEAST, ROW, desk, holder_of_rows
from site_build.figures.marks import HIGH, card, group, label, outline, who
from site_build.figures.motion import to, travels
from site_build.figures.svg import SMALL, Drawing, Stage, straight, text, text_width
from site_build.figures.words import lines_of
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
    slot = max(text_width(words, SMALL) for words in labels.values()) + 8
    (line,) = lines_of([tensors[1].column_names()], slot, slot, 0, SMALL)

    strip, desk_wide = line.width, max(line.width + 2 * EDGE, LEAST)
    wide = 2 * desk_wide + BETWEEN
    middle, centers = wide / 2, [desk_wide / 2, wide - desk_wide / 2]
    left = middle - strip / 2
    top = TIGHT * len(owners) + 20
    result = top + HEAD + ROW * max(map(owners.count, DEVICES)) + HIGH / 2 + 4
    head = result + HIGH / 2 + 40
    sums = [head + 24 + HIGH / 2 + ROW * number for number in range(3)]

    def written(vector: list[str]) -> list[str]:
        pairs = zip(line.centers, vector, strict=True)
        return [label(x - strip / 2, 0, labels[digits]) for x, digits in pairs]

    back, cards, results = line.above(head, 16, left, "number faint"), [], []
    for number, (device, name) in enumerate(zip(owners, names, strict=True)):
        start = middle, TIGHT * (number + 0.5) + 2
        end = centers[device], top + HEAD + HIGH / 2 + ROW * owners[:number].count(device)
        back.append(outline("gap", *start, strip, TIGHT))
        way = [to(*start)] + [to(*end)] * len(STEPS)
        cards.append(travels(card(0, 0, name, strip, TIGHT), way, who(device)))
    for device, x in enumerate(centers):
        back += desk(device, x - desk_wide / 2, top, desk_wide, result + HIGH / 2 + EDGE - top)
        back.append(outline("gap", x, result, strip))
        way = [to(x, result)] * 3 + [to(middle, sums[device])] * 2
        tile = [outline("tile", 0, 0, strip), *written(found[device])]
        results.append(travels(tile, way, who(device)))
    back += [outline("gap", middle, y, strip) for y in sums]

    under = sums[1] + ROW / 2
    line_of_sum = straight("leads", (left - EDGE * 3, under), (left + strip, under))
    total_at = group([outline("framed", 0, 0, strip), *written(found[2])], at=(middle, sums[2]))
    plus = text(left - EDGE * 2, sums[1] + 5, "+")
    parts = [[], results, [plus], [line_of_sum, total_at]]
    stages = [Stage(*both) for both in zip(STEPS, parts, strict=True)]
    return [Drawing(wide, sums[2] + HIGH / 2 + 2, cards, stages=stages, back=back)]
