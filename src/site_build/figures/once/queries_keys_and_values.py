"""A query that meets keys: a socket on the left, and on the right a plug for each word.

A plug is as long as its word's key, and a ribbon to it as thick as the share of its word. In the
browser the reader chooses which word asks, and how much one word describes
(theme/assets/keys/keys.js). The script knows no place of the picture: a plug that has a slider
brings its outline and its ribbon for each stop of it.

The outputs print the queries, the keys and the shares, which are those of the word that `asks`, and
a matrix of values. `slides` names the word whose key has a slider.
"""

from html import escape

from site_build.figures.controls import live, slider
from site_build.figures.marks import level, ribbon
from site_build.figures.svg import Drawing, path, short, text, through
from site_build.markdown.tensors import Tensor, index_of, two_decimals, value

ROW, TOP = 34.0, 44.0
SOCKET, BASE = 62.0, 226.0  # where the ribbons begin, and where the plugs do
UNIT = 26.0  # how much longer a plug is for a key of one more
HALF = 8.0  # of a plug's height
STOP = 0.5  # of the slider
KEY, WORD, SHARE = BASE + 15, BASE + 32, BASE + 122  # where these are written


def keys(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the words, with what the reader changes below them."""
    if len(tensors) != 4:
        raise ValueError("queries, keys, shares and values are needed")
    query, key, shares = (list(map(value, tensor.vector())) for tensor in tensors[:3])
    values, names = tensors[3].values(), tensors[1].column_names()
    asks, slides = (index_of(options.pop(name, ""), names) for name in ("asks", "slides"))
    if min(key) < 0:
        raise ValueError("a plug for a key below 0 cannot be drawn")
    if {len(one) for one in (query, shares, values)} != {len(key)}:
        raise ValueError("each word needs a query, a key, a share and a value")

    middle = TOP + ROW * (len(key) - 1) / 2
    parts = [
        *(text(x, 14, head, "faint") for x, head in ((SOCKET / 2, "query"), (KEY, "key"))),
        text(SHARE, 14, "share", "faint end"),
        socket(middle),
        text(SOCKET / 2 - 6, middle - 30, names[asks], "asks"),
        text(SOCKET / 2 - 6, middle + 5, short(query[asks]), "asks"),
    ]
    start = SOCKET - HALF, middle
    for number, name in enumerate(names):
        y, end = TOP + ROW * number, tip(key[number])
        stops = range(round(key[number] / STOP) + 1) if number == slides else ()
        tips = [tip(STOP * stop) for stop in stops]
        ribbons, plugs = [level(start, (x, y)) for x in tips], [plug(x, y) for x in tips]
        marks = [
            ribbon("pull", level(start, (end, y)), shares[number], at_stops(ribbons)),
            path("head", plug(end, y), at_stops(plugs)),
            text(KEY, y + 5, short(key[number]), "number"),
            text(WORD, y + 5, name, "start"),
            text(SHARE, y + 5, two_decimals(tensors[2].vector()[number]), "number end"),
        ]
        row = " ".join(map(short, [query[number], key[number], *values[number]]))
        parts.append(f'<g data-row="{row}">{"".join(marks)}</g>')
    columns = zip(*values, strict=True)
    sums = [sum(a * b for a, b in zip(shares, column, strict=True)) for column in columns]
    shares_held = [str(one / sum(sums)) for one in sums]
    words = "".join(
        f"<button type=button aria-pressed={str(at == asks).lower()}>{escape(name)}</button>"
        for at, name in enumerate(names)
    )
    held = f'<div role=group aria-label="Which word asks?">{words}</div>'
    held += slider(f"“{escape(names[slides])}” describes", key[slides], key[slides], STOP)
    data, titles = f" data-slides={slides}", tensors[3].column_names()
    below = live("keys/keys", "next", held, titles, shares_held, data)
    wide, high = SHARE + 4, TOP + ROW * (len(key) - 0.5)
    return [Drawing(wide, high, parts, below=below)]


def at_stops(outlines: list[str]) -> str:
    """Return the outlines of a mark at the stops of a slider, for the script."""
    return f' data-ways="{"|".join(outlines)}"' if outlines else ""


def tip(key: float) -> float:
    """Return where a plug ends."""
    return BASE - UNIT * key


def socket(middle: float) -> str:
    """Return a box that a plug fits into from the right."""
    top, low = (SOCKET, middle - 20), (SOCKET, middle + 20)
    notch = (SOCKET, middle - HALF), (SOCKET - HALF, middle), (SOCKET, middle + HALF)
    return path("box", f"{through((0, middle - 20), top, *notch, low, (0, middle + 20))}Z")


def plug(end: float, y: float) -> str:
    """Return the outline of a plug that points to the left."""
    neck = min(end + HALF, BASE)
    ends = (BASE, y - HALF), (neck, y - HALF), (end, y), (neck, y + HALF), (BASE, y + HALF)
    return f"{through(*ends)}Z"
