"""A fence for the whole language model in one drawing, which the reader can press.

    ````markdown
    ```whole text="muddy"
    ```
    ````

`text` is the name of a text in theme/assets/model_explorer/words.js, or a text of words that the
model knows.

`at` is the place of the word that asks, and `follow` that of the word that is coloured, both
counted from 1. `off` names parts that are switched off, a head as `BLOCK.HEAD`, or `0.mlp`, and
`open` the one that is open. With `patches`, the vector of a
word can be taken from the other text, and `patch` takes one: it names a block and the place of a
word, with a point between.

What stands in the page before the script comes, without scripts and on paper, was drawn by the same
script, with no part open: `pytest --update-outputs` writes it into `prerendered`, and the tests
compare it. The build only reads it.
"""

import json
import re
from pathlib import Path
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from tiny_lm.recipe import RECIPE

DRAWN = Path(__file__).with_name("prerendered")
DRAW = "draw it with `pytest --update-outputs` and the path of the page"
WORDS = Path(__file__).parents[1] / "theme" / "assets" / "model_explorer" / "words.js"
LINK = re.compile(r'href="#whole:([^"]+)"')
IN_BLOCK = ["", ".plus", ".mlp", *(f".{head}" for head in range(RECIPE.heads))]
PARTS = {f"{layer}{part}" for layer in range(RECIPE.layers) for part in IN_BLOCK}


def whole_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Render the element, with all that is there before its script."""
    drawn = drawing_path(options)
    if text.strip():
        raise SuperFencesException(
            "whole: it says itself what is seen: leave out the text between its marks"
        )
    if not drawn.is_file():
        raise SuperFencesException(f"whole: {options} is not drawn: {DRAW}")
    return f"<div>{drawn.read_text('utf-8').strip()}</div>"


def drawing_path(options: dict[str, str]) -> Path:
    """Return where the drawing with some options stands."""
    spelled = "-".join(f"{name}-{value}" for name, value in options.items())
    return DRAWN / f"{re.sub('[^a-z0-9]+', '-', spelled)}.html"


def drawing_words() -> dict[str, Any]:
    """Return all that words.js exports."""
    data: dict[str, Any] = json.loads(WORDS.read_text("utf-8").partition("export default ")[2])
    return data


def with_places(html: str) -> str:
    """Give the first drawing of a page a place for each part that a sentence links to."""
    parts = sorted({*PARTS, "vectors", "answer"}.intersection(LINK.findall(html)))
    places = "".join(f'<i id="whole:{part}"></i>' for part in parts)
    return re.sub("<whole-model[^>]*>", rf"\g<0>{places}", html, count=1) if places else html
