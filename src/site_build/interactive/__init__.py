"""A fence for a figure in the reader's hands.

    ````markdown
    ```hand figure="guess-ahead" of="measured"
    ```
    ````

`figure` is a folder in theme/assets/interactive: its script draws, says in a sentence what is seen,
and lets the reader choose. `of` names outputs of the page, from which alone the script has its
numbers.

What stands in the page before the script comes, without scripts and on paper, was drawn by the same
script: `pytest --update-outputs` writes it into `prerendered`, and the tests compare it. The build
only reads it.
"""

import json
from html import escape
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from site_build.markdown.extension import FencedOutput, Options, PageReader, reader_of
from site_build.markdown.states import drawn_path
from site_build.markdown.tensors import as_json

WRITE = "draw it with `pytest --update-outputs` and the path of the page"


def hand_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Render the element, with what stands in it before its script comes."""
    try:
        if text.strip():
            raise ValueError("it says itself what is seen: leave out the text between its marks")
        return hand(dict(options), reader_of(md))
    except ValueError as error:
        raise SuperFencesException(f"hand: {error}") from error


def hand(options: Options, page: PageReader) -> str:
    """Return the element.

    Raises:
        ValueError: If it has another option, no such output, or was not drawn yet.
    """
    name = escape(options.get("figure", ""))
    drawn = drawn_path(name)
    if not drawn.is_file():
        raise ValueError(f'the figure "{name}" is not drawn: {WRITE}')
    numbers = json.dumps(numbers_of(options, page), ensure_ascii=False, separators=(",", ":"))
    # What closes the script is no text of a script.
    numbers = numbers.replace("</", "<\\/")
    return (
        f'<div><hand-figure figure="{name}" data-needs="interactive/{name}/{name}" '
        f'role="group" aria-label="A figure to try" data-search-exclude>'
        f'<script type="application/json">{numbers}</script>'
        f'<div class="hand-body">{drawn.read_text("utf-8")}</div></hand-figure></div>'
    )


def numbers_of(options: Options, page: PageReader) -> dict[str, Any]:
    """Return the outputs that a figure is drawn from, by their names, for its script.

    Raises:
        ValueError: If the fence has another option, or names an output that there is not.
    """
    if unknown := options.keys() - {"figure", "of"}:
        raise ValueError(f"it has no use for {', '.join(sorted(unknown))}")
    names = options.get("of", "").split()
    if missing := [name for name in names if name not in page.named]:
        raise ValueError(f"no output of this page is named {', '.join(missing)}")
    return {name: in_output(page.named[name], page) for name in names}


def in_output(output: FencedOutput, page: PageReader) -> Any:
    """Return the tensor of an output, all of several, or else its text."""
    tensors = page.tensors_of(output)
    if not tensors:
        return output.text
    return as_json(tensors[0]) if len(tensors) == 1 else [*map(as_json, tensors)]
