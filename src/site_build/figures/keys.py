"""A query that meets keys: a socket on the left, and on the right a plug for each word.

A plug is as long as its word's key, and a ribbon to it as thick as the share of its word. In the
browser the reader chooses which word asks, and how much one word describes
(theme/assets/keys/keys.js).

The outputs print the queries, the keys and the shares, which are those of the word that `asks`, and
a matrix of values. `slides` names the word whose key has a slider.
"""

from html import escape

from site_build.figures.drag import percent
from site_build.figures.svg import Drawing, path, short, text
from site_build.markdown.tensors import NO_BREAK, Tensor, find, two_decimals, value

ROW, TOP = 34.0, 44.0
SOCKET, BASE = 62.0, 226.0  # where the ribbons begin, and where the plugs do
UNIT = 26.0  # how much longer a plug is for a key of one more
HALF = 8.0  # of a plug's height
THICK = 26.0  # a ribbon of all shares
KEY, WORD, SHARE = BASE + 15, BASE + 32, BASE + 122  # where these are written


def keys(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the words, with what the reader changes below them."""
    if len(tensors) != 4:
        raise ValueError("queries, keys, shares and values are needed")
    query, key, shares = (list(map(value, tensor.vector())) for tensor in tensors[:3])
    values = [list(map(value, row)) for row in tensors[3].matrix()]
    names = tensors[1].column_names()
    asks, slides = (find(options.pop(name, ""), names) for name in ("asks", "slides"))
    if min(key) < 0:
        raise ValueError("a plug for a key below 0 cannot be drawn")
    if {len(one) for one in (query, shares, values)} != {len(key)}:
        raise ValueError("each word needs a query, a key, a share and a value")

    middle = TOP + ROW * (len(key) - 1) / 2
    width, height = SHARE + 4, TOP + ROW * (len(key) - 0.5)
    parts = [
        *(text(x, 14, head, "faint") for x, head in ((SOCKET / 2, "query"), (KEY, "key"))),
        text(SHARE, 14, "share", "faint end"),
        path("box", socket(middle)),
        text(SOCKET / 2 - 6, middle - 30, names[asks], "asks"),
        text(SOCKET / 2 - 6, middle + 5, short(query[asks]), "asks"),
    ]
    for number, name in enumerate(names):
        y = TOP + ROW * number
        tip = BASE - UNIT * key[number]
        ribbon = path("pull", ribbon_to(tip, y, middle), f' style="{thickness(shares[number])}"')
        marks = [
            ribbon,
            path("head", plug(tip, y)),
            text(KEY, y + 5, short(key[number]), "number"),
            text(WORD, y + 5, name, "start"),
            text(SHARE, y + 5, two_decimals(tensors[2].vector()[number]), "number end"),
        ]
        row = " ".join(map(short, [query[number], key[number], *values[number]]))
        parts.append(f'<g data-row="{row}">{"".join(marks)}</g>')
    columns = zip(*values, strict=True)
    sums = [sum(a * b for a, b in zip(shares, column, strict=True)) for column in columns]
    shown = dict(zip(tensors[3].column_names(), (one / sum(sums) for one in sums), strict=True))
    return [Drawing(width, height, parts, below=below(names, asks, slides, key[slides], shown))]


def socket(middle: float) -> str:
    """Return the outline of a box that a plug fits into from the right."""
    left, right, high = 0.0, SOCKET, 20.0
    return (
        f"M{short(left)},{short(middle - high)}H{short(right)}V{short(middle - HALF)}"
        f"l{short(-HALF)},{short(HALF)}l{short(HALF)},{short(HALF)}V{short(middle + high)}"
        f"H{short(left)}Z"
    )


def plug(tip: float, y: float) -> str:
    """Return a plug that points to the left."""
    neck = min(tip + HALF, BASE)
    return (
        f"M{short(BASE)},{short(y - HALF)}H{short(neck)}L{short(tip)},{short(y)}"
        f"L{short(neck)},{short(y + HALF)}H{short(BASE)}Z"
    )


def ribbon_to(tip: float, y: float, middle: float) -> str:
    """Return the way from the socket to a plug."""
    start = SOCKET - HALF
    half = (start + tip) / 2
    return (
        f"M{short(start)},{short(middle)}C{short(half)},{short(middle)} {short(half)},{short(y)} "
        f"{short(tip)},{short(y)}"
    )


def thickness(share: float) -> str:
    """Return how thick a ribbon is."""
    return f"stroke-width:{short(share * THICK)}"


def below(names: list[str], asks: int, slides: int, most: float, shown: dict[str, float]) -> str:
    """Return the words as buttons, the slider, and what the asking word holds in the end."""
    words = "".join(
        f"<button type=button aria-pressed={str(number == asks).lower()}>{escape(name)}</button>"
        for number, name in enumerate(names)
    )
    numbers = "".join(
        f'<span class=who-{who} style="--share:{share:.3f}">{escape(name.replace(NO_BREAK, " "))} '
        f"<b>{percent(str(share))}</b></span>"
        for who, (name, share) in enumerate(shown.items())
    )
    return (
        f'<div class="figure-live" data-needs="keys/keys" data-does="next" data-slides={slides} '
        f'data-search-exclude><div class="for-scripts"><div role=group aria-label="Which word '
        f'asks?">{words}</div><label>“{escape(names[slides])}” describes '
        f"<input type=range max={short(most)} step=0.5 value={short(most)}></label></div>"
        f"{numbers}<output></output></div>"
    )
