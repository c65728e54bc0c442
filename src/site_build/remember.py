"""While the site is served to its writer, an edit renders one page again, not all of them.

Rendering is the larger part of a build. A page is rendered again when its text has changed, or
what else it is made from: the names of all files, to which it may link, and `src`, which it shows.
"""

from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

# What rendering sets, as of MkDocs 1.6.
RESULTS = (
    "content",
    "markdown",
    "toc",
    "_title_from_render",
    "present_anchor_ids",
    "links_to_anchors",
)
remembered: dict[str, tuple[object, dict[str, Any]]] = {}


def remember(page: Page) -> None:
    """Let a page take over what it was rendered to, where nothing has changed since."""
    render = page.render

    def render_what_changed(config: MkDocsConfig, files: Files) -> None:
        state = (page.markdown, page.file.content_bytes, *surroundings(config, files))
        before, results = remembered.get(page.file.src_uri, (None, {}))
        if state != before:
            render(config, files)
            results = {name: getattr(page, name) for name in RESULTS}
        vars(page).update(results)
        remembered[page.file.src_uri] = state, results

    page.render = render_what_changed  # type: ignore[method-assign]


def surroundings(config: MkDocsConfig, files: Files) -> tuple[frozenset[str], float]:
    """Return what all pages depend on: the names of the files, and when `src` last changed."""
    watched = [config.config_file_path, *(str(path) for path in Path("src").rglob("*.py"))]
    return frozenset(files.src_uris), max(Path(path).stat().st_mtime for path in watched)
