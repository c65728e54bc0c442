"""Where a step is: the drawing of the whole model below its title, small, with its parts lit.

The front matter of a step says which parts it is about.
"""

from collections.abc import Mapping
from html import escape
from posixpath import relpath

from site_build.model_explorer.here import STATIONS, here

WHOLE = "steps/the-whole-model.md"


def where(page: str, stations: str, says: str, html: str, pages: Mapping[str, str]) -> str:
    """Return the small drawing with the parts of a step lit; nothing for other pages.

    A page with the whole drawing needs no small one.

    Args:
        page: The path of its source, relative to the folder of the pages.
        stations: Those that it is about, as its front matter lists them: "scores, weights".
        says: What the page is about, in the words of the drawing, or nothing.
        html: What the page has become.
        pages: The addresses of all pages, by their sources.

    Raises:
        ValueError: If there is no such station.
    """
    about = stations.split(", ") if stations else []
    if unknown := {*about} - STATIONS.keys():
        raise ValueError(f"{page}: stations are {', '.join(STATIONS)}, not {min(unknown)}")
    if not about or "<whole-model" in html:
        return ""
    told = f'<p class="here-told">{escape(says)}</p>' if says else ""
    return here(about, address(WHOLE, page, pages)) + told


def address(source: str, page: str, pages: Mapping[str, str]) -> str:
    """Return the address of a source, relative to that of a page."""
    return f"{relpath(pages[source], pages[page] or '.')}/"
