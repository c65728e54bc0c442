"""The map of the course: the way from a text to its next word, and which step is about what.

A page has the whole map where its source says `<!-- map -->`. Each other step has a strip of the
stations below its title; its front matter says which of them it is about.
"""

import re
from collections.abc import Mapping
from functools import partial
from posixpath import relpath

MARK = "<!-- map -->"
# Each name in brackets becomes a link to the step that has this number, or else this name.
WHOLE = """
<nav class="map" aria-label="Map: from a text to its next word" data-search-exclude><ol>
<li><q>the duck likes the muddy bank. the bank is full of …</q></li>
<li class=station><b>vectors</b>
<p>Each word becomes numbers, and so does its place. [1] [12] [position-by-rotation]</p></li>
<li class=block><ol>
<li class=station><b>attention</b><p>Words ask one another, and take shares of what they find.</p>
<ol>
<li>queries, keys, values [5] [7]</li>
<li>scores [2] [6] [8] [9]</li>
<li>weights [3]</li>
<li>context [4]</li>
</ol>
<p>With several heads [10], with a second text [11], for long texts [13] to [22].</p></li>
<li class=station><b>MLP</b><p>Each word works on what it took in. [you-are-here]</p></li>
</ol><p>Again, block after block: [induction] [24]</p></li>
<li class=station><b>next word</b>
<p>Each word that the model knows gets a share. One is written, and the text is read again.
[23] [25] [26] Many texts at once: [27] to [30]</p></li>
<li><q>… water</q></li>
</ol></nav>
"""
NAME = re.compile(r"\[([\w-]+)\]")
WORDS = {  # what the map calls steps without a number
    "position-by-rotation": "by rotation",
    "you-are-here": "the block",
    "induction": "two layers",
}

# The stations of the strip, and the step to which each leads.
STATIONS = {
    "vectors": "1",
    "queries": "5",
    "scores": "2",
    "weights": "3",
    "context": "4",
    "MLP": "you-are-here",
    "next word": "23",
}


def with_map(page: str, text: str, pages: Mapping[str, str]) -> str:
    """Return the Markdown of a page with the whole map in place of its mark.

    Args:
        page: The path of its source, relative to the folder of the pages.
        text: Its Markdown.
        pages: The addresses of all pages, by their sources.
    """
    return text.replace(MARK, whole(page, pages)) if MARK in text else text


def whole(page: str, pages: Mapping[str, str]) -> str:
    """Return the whole map in one line, so that the lines after it keep their numbers."""
    return NAME.sub(partial(link, page, pages), " ".join(WHOLE.split()))


def link(page: str, pages: Mapping[str, str], name: re.Match[str]) -> str:
    """Return a link from a page to the step that a match names."""
    step = name[1]
    source = source_of(step, pages)
    label = f' aria-label="step {step}"' if step.isdigit() else ""
    here = " aria-current=page" if source == page else ""
    text = "you are here" if here else WORDS.get(step, step)
    return f'<a href="{address(source, page, pages)}"{label}{here}>{text}</a>'


def strip(page: str, stations: str, pages: Mapping[str, str]) -> str:
    """Return the stations as one line, with those of a step marked; nothing for other pages.

    Args:
        page: The path of its source, relative to the folder of the pages.
        stations: Those that it is about, as its front matter lists them: "scores, weights".
        pages: The addresses of all pages, by their sources.

    Raises:
        ValueError: If there is no such station.
    """
    about = set(stations.split(", ")) - {""}
    if not about:
        return ""
    if unknown := about - STATIONS.keys():
        raise ValueError(f"{page}: stations are {', '.join(STATIONS)}, not {min(unknown)}")
    stops = "".join(
        f'<a href="{address(source_of(step, pages), page, pages)}"'
        f"{' aria-current=step' * (name in about)}>{name}</a>"
        for name, step in STATIONS.items()
    )
    return f'<nav class="strip" aria-label="Where you are">{stops}</nav>'


def source_of(step: str, pages: Mapping[str, str]) -> str:
    """Return the source of a step, by its number or its name."""
    start = f"steps/{int(step):02}-" if step.isdigit() else f"steps/{step}."
    return next(source for source in pages if source.startswith(start))


def address(source: str, page: str, pages: Mapping[str, str]) -> str:
    """Return the address of a source, relative to that of a page."""
    return f"{relpath(pages[source], pages[page] or '.')}/"
