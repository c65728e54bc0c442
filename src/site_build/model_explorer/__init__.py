"""A fence for the whole language model in one drawing, which the reader can press.

    ````markdown
    ```whole text="muddy" film="once"
    ```
    ````

`text` is the name of a text in theme/assets/model_explorer/words.js, or a text of words that the
model knows.

`at` is the place of the word that asks, and `follow` that of the word that is coloured, both
counted from 1. `off` names parts that are switched off, such as `0.1` or `0.mlp`, and `open` the
one that is open. With `film`, the drawing plays once. With `patches`, the vector of a word can be
taken from the other text, and `patch` takes one: it names a block and the place of a word, with a
point between. With `writes`, the reader lets it write. A page without a script has the same
drawing, closed.
"""

import re
from html import escape
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from site_build.model_explorer.drawn import draw, hue
from site_build.model_explorer.picture import MORE, legend, texts, told, tray, whole_stage
from site_build.model_explorer.writes import BEGIN, story, story_told, story_tray

# The script that site.js fetches when the drawing is nearby.
NEEDS = 'data-needs="model_explorer/lazy"'
NAME = "A whole language model, from the words down to the answer"
OPTIONS = {"text", "at", "follow", "off", "open", "film", "patches", "patch", "writes"}
SWITCHES = {"0.0", "0.1", "0.mlp", "1.0", "1.1", "1.mlp"}
LINK = re.compile(r'href="#whole:([^"]+)"')
PARTS = SWITCHES | {"vectors", "0", "1", "0.plus", "1.plus", "answer"}


def whole_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Render the element, with all that is there before its script."""
    try:
        if text.strip():
            raise ValueError("it says itself what is seen: leave out the text between its marks")
        return whole(options)
    except ValueError as error:
        raise SuperFencesException(f"whole: {error}") from error


def whole(options: dict[str, str]) -> str:
    """Return the element.

    Raises:
        ValueError: If it has an option, a part or a word that there is not.
    """
    if unknown := options.keys() - OPTIONS:
        raise ValueError(f"it has no use for {', '.join(sorted(unknown))}")
    parts = {*options.get("off", "").split()} - SWITCHES | {options.get("open", "0")} - PARTS
    if parts:
        raise ValueError(f"there is no part {', '.join(sorted(parts))}")
    places = {name: int(options[name]) for name in ("at", "follow") if name in options}
    text, off, patch = (options.get(name, "") for name in ("text", "off", "patch"))
    drawn = draw(text or "rich", off=off, patch=patch, **places)
    if any(not 0 < place < len(drawn.words) for place in places.values()):
        raise ValueError(f"there is no such place in {' '.join(drawn.words[1:])!r}")
    attributes = "".join(
        f' {name}="{escape(value)}"' for name, value in options.items() if name != "film"
    )
    kind = f"whole-{hue(drawn.other if drawn.patch else drawn.words[drawn.follow])}" + " film" * (
        "film" in options
    )
    above, says, more = (
        (story(drawn) + story_tray(drawn), story_told(drawn), BEGIN)
        if "writes" in options
        else (texts(drawn) + tray(drawn), told(drawn), MORE)
    )
    return (
        f'<div><whole-model {NEEDS}{attributes} class="{kind}" role="group" aria-label="{NAME}" '
        f'data-search-exclude>{above}<p class="whole-told">{says}</p>{whole_stage(drawn)}'
        f'{more}<p class="whole-legend">{legend(drawn)}</p></whole-model></div>'
    )


def with_places(html: str) -> str:
    """Give the first drawing of a page a place for each part that a sentence links to."""
    parts = sorted(PARTS.intersection(LINK.findall(html)))
    places = "".join(f'<i id="whole:{part}"></i>' for part in parts)
    return re.sub("<whole-model[^>]*>", rf"\g<0>{places}", html, count=1) if places else html
