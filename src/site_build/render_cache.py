"""While the site is served to its writer, an edit renders one page again, not all of them.

Rendering is the larger part of a build. A page is rendered again when its text has changed, or
what else it is made from: the names of all files, to which it may link, and `src`, which it shows.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

rendered: dict[str, tuple[object, dict[str, Any]]] = {}


def surroundings(names: Iterable[str], settings: Path) -> tuple[frozenset[str], float]:
    """Return what all pages depend on: the names of the files, and when the rest last changed."""
    watched = [settings, *(settings.parent / "src").rglob("*.py")]
    return frozenset(names), max(path.stat().st_mtime for path in watched)


def render_once(page: Any, around: object) -> None:
    """Let a page take over what rendering it set, where nothing has changed since."""
    render = page.render

    def render_what_changed(*arguments: object) -> None:
        state = page.markdown, around
        if rendered.get(page.file.src_uri, ("", {}))[0] != state:
            before = dict(vars(page))
            render(*arguments)
            results = {k: v for k, v in vars(page).items() if k not in before or before[k] is not v}
            rendered[page.file.src_uri] = state, results
        vars(page).update(rendered[page.file.src_uri][1])

    page.render = render_what_changed
