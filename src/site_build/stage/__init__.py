"""The fences of a page with a stage: one drawing that goes on from section to section.

The front matter of the page names its scene, `scene: scores`: a script in
theme/assets/stage/scenes. From the heading before this fence to the next, the drawing is in one
state of the scene:

    ````markdown
    ```stage six of="bank_scores"
    Six bars. “duck” and “muddy” have 3, “bank” itself has 2, and the others have nothing.
    ```
    ````

`of` names outputs of the page: the scene has its numbers from them, what it draws is compared with
them, and their numbers can be pressed. `training` is the recorded training of the small model.

The text is what the drawing says to a screen reader and on paper. There, and without scripts, a
still stands in the place of the fence, `height` high: `pytest --update-outputs` draws it with the
page's own script, and the tests compare it. The first section without a state ends the stage.

A task has a condition, which the drawing answers, and what is read once it holds:

    ````markdown
    ```task is="scores[bank, muddy] == 0"
    Drag “bank” until its score with “muddy” is 0.

    Now they have nothing in common.
    ```
    ````
"""

import json
import re
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

STILLS = Path(__file__).with_name("stills")
DRAW = "draw it with `pytest --update-outputs` and the path of the page"
HEIGHT = 560  # of a still, where its fence does not say
CONDITION = re.compile(r"(\w+)\[([\w, ]+)\] (==|<|>) (-?[\d.]+)")
SCENE = re.compile(r"---\n(?:.*\n)*?scene: *(\w+)\n(?:.*\n)*?---\n")
FIGURE = re.compile(r'<figure class="stage-still"[^>]*>(.*?)</figure>', re.DOTALL)
LINK = re.compile(r'(?P<before><a\b[^>]*) data-still="(?P<still>[\w/-]+)"(?P<after>[^>]*>)')
QUESTION = '<p class="question">'
SECTION = re.compile(r"(?=<h2\b)")
STATE = re.compile(r'<figure class="stage-still" data-state="(\w+)"')


@dataclass(frozen=True)
class Task:
    """A number of an output, by the words of its row and column, and what it shall be."""

    name: str
    words: list[str]
    sign: str
    number: float


@dataclass
class Staged:
    """What the fences of a page say of its stage."""

    scene: str = ""
    page: str = ""  # its name, without a folder
    states: dict[str, int] = field(default_factory=dict)  # with the heights of their stills
    numbers: dict[str, Any] = field(default_factory=dict)
    tasks: list[Task] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        """Where the stills of the page stand."""
        return STILLS / self.page

    def still(self, state: str) -> Path:
        """Return where the still of a state stands."""
        return self.folder / f"{state}.svg"

    def told(self) -> dict[str, Any]:
        """Return what the script of the page needs."""
        tasks = [asdict(task) for task in self.tasks]
        return {"scene": self.scene, "numbers": self.numbers, "tasks": tasks}

    def as_json(self) -> str:
        """Return what the script of the page needs, as text of the page."""
        told = json.dumps(self.told(), ensure_ascii=False, separators=(",", ":"))
        return told.replace("</", "<\\/")  # what closes the script is no text of a script


def scene_of(text: str) -> str:
    """Return the scene that the front matter of a page names, or nothing."""
    found = SCENE.match(text)
    return found[1] if found else ""


def read_state(info: str, staged: Staged) -> list[str]:
    """Note the state that a fence names, and return the names of its outputs.

    Raises:
        ValueError: If the fence cannot be read, or names a state for the second time.
    """
    found = re.fullmatch(r'stage (\w+)(?: of="([^"]*)")?(?: height="(\d+)")?', info.strip())
    if not found:
        raise ValueError(f'cannot read {info!r}: it is stage STATE of="outputs" height="560"')
    if found[1] in staged.states:
        raise ValueError(f'two sections are in the state "{found[1]}"')
    staged.states[found[1]] = int(found[3] or HEIGHT)
    return (found[2] or "").split()


def read_task(info: str, staged: Staged) -> None:
    """Note the task of a fence.

    Raises:
        ValueError: If its condition cannot be read, or is about what is not on the stage.
    """
    given = re.fullmatch(r'task is="([^"]*)"', info.strip())
    found = CONDITION.fullmatch(given[1]) if given else None
    if not found:
        raise ValueError(f'cannot read {info!r}: it is task is="scores[bank, muddy] == 0"')
    name, words = found[1], found[2].split(", ")
    if name not in staged.numbers:
        raise ValueError(f'no stage of this page has an output "{name}"')
    axes = [staged.numbers[name].get(axis, []) for axis in ("rows", "columns")][-len(words) :]
    for word, axis in zip(words, axes, strict=True):
        if word not in axis:
            raise ValueError(f'"{name}" has no "{word}", but {", ".join(axis)}')
    staged.tasks.append(Task(name, words, found[3], float(found[4])))


def stage_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Render the still of a state, which the reader of the page has noted."""
    from site_build.markdown.extension import reader_of

    staged = reader_of(md).staged
    (state,) = options.keys() - {"of", "height"}
    if not staged.scene:
        raise SuperFencesException("stage: the front matter of this page names no scene")
    still = staged.still(state)
    if not still.is_file():
        raise SuperFencesException(f'stage: the state "{state}" of this page is not drawn: {DRAW}')
    said = escape(" ".join(text.split()))
    return (
        f'<figure class="stage-still" data-state="{state}" role="img" aria-label="{said}">'
        f"{still.read_text('utf-8').strip()}</figure>"
    )


def task_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Render what to do, and what is read once it is done."""
    paragraphs = (" ".join(each.split()) for each in text.split("\n\n"))
    inner = "".join(f"<p>{escape(each, quote=False)}</p>" for each in paragraphs)
    return f'<div class="stage-task">{inner}</div>'


def with_stills(html: str) -> str:
    """Draw a still in each link that names one, by its page and its state."""

    def drawn(link: re.Match[str]) -> str:
        still = STILLS / f"{link['still']}.svg"
        if not still.is_file():
            raise ValueError(f'no still is named "{link["still"]}": {DRAW}')
        picture = f'<span aria-hidden="true">{still.read_text("utf-8").strip()}</span>'
        return f"{link['before']}{link['after']}{picture}"

    return LINK.sub(drawn, html)


def first_still(html: str) -> str:
    """Return the first drawing of a page, for the way to it, or nothing where it has none."""
    drawn = FIGURE.search(html)
    return f'<div aria-hidden="true">{drawn[1]}</div>' if drawn else ""


def with_stage(html: str, staged: Staged) -> str:
    """Return a page whose text stands beside its stage, from the title to the last state.

    On the home page, which asks no question, it is as wide as the page.
    """
    if not STATE.search(html):
        return html  # another page, or a title by itself, which Markdown writes for the contents
    aside = (
        '<aside class="stage" aria-label="The drawing" data-search-exclude>'
        f'<script type="application/json">{staged.as_json()}</script></aside>'
    )
    if len(staged.states) == 1 and QUESTION not in html:
        figure = next(FIGURE.finditer(html))[0]
        section = f'<section class="stage-alone" data-state="{next(iter(staged.states))}">'
        return html.replace(figure, f"{section}{aside}{figure}</section>")
    parts = SECTION.split(html)
    states = [found[1] if (found := STATE.search(part)) else "" for part in parts]
    last = max(place for place, state in enumerate(states) if state)
    if "" in states[: last + 1]:
        lost = parts[states.index("")][:60]
        raise ValueError(f"a section before the end of the stage has no state: {lost}")
    sections = "".join(
        f'<section data-state="{state}">{part}</section>'
        for state, part in zip(states[: last + 1], parts, strict=False)
    )
    rest = "".join(parts[last + 1 :])
    return f'<div class="stage-page"><div class="stage-text">{sections}</div>{aside}</div>{rest}'
