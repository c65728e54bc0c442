"""The drawing of the whole, small, where a page says which part of the model it is about.

It is a link to the page with the whole drawing. The script here.js of theme/assets/model_explorer
opens the drawing in its place, with the rows of the page's part.
"""

from functools import cache

from site_build.model_explorer.drawn import Drawn, draw, spelled_word

WIDE, HIGH = 660, 64  # units of what a page stretches to its width, and pixels
BLOCKS = (8, 37)  # where they begin; each is 26 high
LANES = (7, 16)  # of the heads, below the beginning of a block
JOINS, WORKS = 21, 24
RIBBON = 5
HEAD = "0.1"  # which finds the word that matters

# What a page can be about: the part that is opened, and the row in it that is lit.
STATIONS = {
    "vectors": ("vectors", "sum"),
    "queries": (HEAD, "query keys values"),
    "scores": (HEAD, "scores"),
    "weights": (HEAD, "weights"),
    "context": (HEAD, "values"),
    "MLP": ("0.mlp", "neurons"),
    "next word": ("answer", "shares"),
}


def here(stations: list[str], address: str) -> str:
    """Return the drawing with the parts of a page lit.

    Args:
        stations: What the page is about.
        address: That of the page with the whole drawing.
    """
    parts = [STATIONS[name][0] for name in stations]
    opened = parts[0] if len(set(parts)) == 1 else "0" if len(parts) == len(STATIONS) else HEAD
    rows = " ".join(STATIONS[name][1] for name in stations)
    about = "the whole model" if len(parts) == len(STATIONS) else about_of(stations)
    words = "".join(f"<i{kind}>{word}</i>" for word, kind in names())
    frames = "".join(f'<path class="lit" d="{FRAMES[part]}"/>' for part in sorted(set(parts)))
    return (
        f'<nav class="here" aria-label="Where you are"><a href="{address}" '
        f'data-needs="model_explorer/here" '
        f'data-open="{opened}" data-lit="{rows}" data-search-exclude>'
        f'<span aria-hidden="true">{words}</span>'
        f'<svg viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none" aria-hidden="true">'
        f"{small_lines()}{frames}</svg><small>You are here: <b>{about}</b></small></a></nav>"
    )


def about_of(names_of_stations: list[str]) -> str:
    """Return names as a sentence lists them."""
    if names_of_stations == ["queries"]:  # they are made in one place
        return "queries, keys and values"
    *first, last = names_of_stations
    return f"{', '.join(first)} and {last}" if first else last


@cache
def small() -> Drawn:
    """Return what is drawn."""
    return draw("muddy")


def names() -> list[tuple[str, str]]:
    """Return each word, and the class of those that a phone has room for."""
    drawn = small()
    kinds = {drawn.follow: " class=follow", drawn.at: " class=asks"}
    return [(spelled_word(word), kinds.get(j, "")) for j, word in enumerate(drawn.words)]


def middle(j: int) -> int:
    """Return where a word stands."""
    return round((j + 0.5) * WIDE / len(small().words))


@cache
def small_lines() -> str:
    """Return the lines of the drawing: a stream for each word, and where the last one looks."""
    drawn, at = small(), middle(small().at)
    streams = "".join(f"M{middle(j)} 0V{HIGH}" for j in range(len(drawn.words)))
    parts = [f'<rect y="{top}" width="{WIDE}" height="26" rx="5"/>' for top in BLOCKS]
    parts.append(f'<path d="{streams}" stroke-width="2"/>')
    for layer, top in enumerate(BLOCKS):
        for lane, look in zip(LANES, drawn.looks(layer), strict=True):
            j, weight = look.most, max(look.weights)
            kind = "core" if look.lit is not None else "rests"
            d = f"M{middle(j)} {top + lane}H{at}V{top + JOINS}"
            parts.append(f'<path class="{kind}" d="{d}" stroke-width="{RIBBON * weight:.1f}"/>')
    parts.append(f'<path class="core" d="M{at} {BLOCKS[0] + JOINS}V{HIGH}" stroke-width="3"/>')
    parts += [
        f'<path class="works" d="M{at - 9} {top + WORKS}h18" stroke-width="6"/>' for top in BLOCKS
    ]
    return "".join(parts)


def frame_of(left: int, top: int, right: int, bottom: int) -> str:
    """Return the way around a part."""
    return f"M{left} {top}H{right}V{bottom}H{left}z"


FRAMES = {
    "vectors": frame_of(1, 1, WIDE - 1, 7),
    HEAD: frame_of(1, BLOCKS[0] + 11, WIDE - 1, BLOCKS[0] + 22),
    "0.mlp": frame_of(WIDE - 60, BLOCKS[0] + 20, WIDE - 1, BLOCKS[0] + 28),
    "answer": frame_of(WIDE - 60, HIGH - 7, WIDE - 1, HIGH - 1),
}
