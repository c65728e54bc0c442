"""Arcs from a word that asks to all words: a vector of weights, or one `row` of a matrix.

`query` says which word asks, where `row` does not. An arc is as thick as its weight.
"""

from site_build.figures.svg import Drawing, line_of, path, short, text
from site_build.figures.tensors import Tensor, find, rounded, value

THICKNESS = 18.0  # of a weight of 1
LABELLED = 0.095  # weights from here on are written below their words


def arcs(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw an arc for each weight."""
    row = options.pop("row", None)
    query = options.pop("query", row)
    if query is None:
        raise ValueError('choose the word that asks, with row="..." or query="..."')
    return [one_line(tensor, row, query) for tensor in tensors]


def one_line(tensor: Tensor, row: str | None, query: str) -> Drawing:
    """Draw the arcs of one sentence, or from a word of another sentence that stands above."""
    weights = tensor.vector(query if row is None and tensor.shape[1:] else row)
    words = tensor.column_names()
    line = line_of(words, 40)
    own = not tensor.shape[1:] or tensor.rows == words
    asks = find(query, words) if own else None
    start = line.centers[asks] if asks is not None else line.width / 2
    reach = max(abs(x - start) for x in line.centers)
    base = high(reach) + THICKNESS / 2 if own else 110.0
    parts, labels = [], []
    for number, (x, digits) in enumerate(zip(line.centers, weights, strict=True)):
        weight = value(digits)
        if not 0 <= weight <= 1:
            raise ValueError(f"{digits} is not a weight: it is not between 0 and 1")
        if weight:
            style = f' style="--weight:{weight:g};stroke-width:{weight * THICKNESS:.3g}"'
            way = curve(start, x, base) if own else drop(start, x, base)
            parts.append(path("arc", way, style))
        if weight >= LABELLED:
            at = base + 38 + line.depth(number, 38)
            labels.append(text(x, at, rounded([digits, "0.5"])[0], "number"))
    if not own:
        name = tensor.row_names()[find(query, tensor.row_names())]
        parts.append(text(start, 14, name, "asks"))
    parts += line.draw(base + 20, 38, asks) + labels
    return Drawing(line.width, base + 44 + (38 if line.low else 0), parts)


def high(across: float) -> float:
    """Return how high an arc between two words is."""
    return 18 + 0.42 * across


def curve(start: float, end: float, base: float) -> str:
    """Return an arc between two words, or a loop."""
    if start == end:
        return f"M{short(start - 5)},{short(base)}c-22,-42 32,-42 10,0"
    # The curve is as high as three quarters of what pulls it.
    pull = short(base - high(abs(end - start)) / 0.75)
    ends = short(start), short(end)
    return f"M{ends[0]},{short(base)}C{ends[0]},{pull} {ends[1]},{pull} {ends[1]},{short(base)}"


def drop(start: float, end: float, base: float) -> str:
    """Return a curve from a word that stands above to one of the line."""
    middle = short(base / 2 + 10)
    return (
        f"M{short(start)},22C{short(start)},{middle} {short(end)},{middle} "
        f"{short(end)},{short(base)}"
    )
