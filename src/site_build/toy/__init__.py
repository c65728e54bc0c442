"""A fence for the toy: a sentence whose words the reader swaps.

    ````markdown
    ```toy step="scores"
    Swap "muddy" for an adjective that has nothing in common with "bank".
    ```
    ````

The text is the first task, in a sentence. `step` names what the page switches on, a module in
theme/assets/toy/steps. Without it, the toy has all that the home page has, and a picture that
stands without a script. `sentence` is the one that it starts with, `other` the one that its last
button brings, `start` is where its first button leads.
"""

from html import escape
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from site_build.handouts import handout
from site_build.toy.picture import choices, stage
from site_build.toy.words import SOURCE, Sentence, course

NEEDS = 'data-needs="toy/toy"'  # the script that site.js fetches when the toy is nearby
MONEY = "the bank likes money"  # the sentence that the last button brings, if no other is given
NAME = "A sentence to play with"
OPTIONS = {"step", "sentence", "other", "start"}


def toy_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Render the element, with all that is there before its script."""
    try:
        return toy(text, options)
    except ValueError as error:
        raise SuperFencesException(f"toy: {error}") from error


def toy(task: str, options: dict[str, Any]) -> str:
    """Return the element.

    Raises:
        ValueError: If it has an option, a step or a word that the toy does not know.
    """
    if unknown := options.keys() - OPTIONS:
        raise ValueError(f"it has no use for {', '.join(sorted(unknown))}")
    step, start = options.get("step"), options.get("start")
    if step and not (SOURCE.parent / "steps" / f"{step}.js").is_file():
        raise ValueError(f'there is no step "{step}" in theme/assets/toy/steps')
    sentence = Sentence(options.get("sentence", course()["sent"][0]))
    if unknown := set(sentence.words) - course()["words"].keys():
        raise ValueError(f"it does not know {', '.join(sorted(unknown))}")
    other = options.get("other", MONEY if sentence.text != MONEY else course()["sent"][0])
    attributes = "".join(
        f' {name}="{escape(value)}"'
        for name, value in {**options, "other": other}.items()
        if name in ("step", "sentence", "other")
    )
    above = f'<p class="toy-task">{escape(task.strip(), quote=False)}</p>' if task.strip() else ""
    link = (
        f'<a href="{escape(start)}"><span class="toy-wide">Start with step 1</span>'
        '<span class="toy-narrow">Step 1</span></a>'
        if start
        else ""
    )
    opened = 4 if len(sentence.words) == 6 else len(sentence.words) - 1
    picture, verdict, words = ("", "", "")
    if not step:  # a step's toy is not there without its script
        picture, verdict = stage(sentence, opened), sentence.verdict
        words = chips(sentence.words[opened])
    # What the script fills later has its place now, so that nothing moves when it comes.
    parts = [
        above,
        f'<div class="toy-stages"><div class="toy-stage">{picture}</div></div>',
        f'<p class="toy-verdict">{verdict}</p>',
        '<div class="toy-controls"></div>',
        '<p class="toy-hint"></p>',
        f'<div class="toy-tray" inert>{words}</div>',
        '<p class="toy-refusal" role="alert"></p>',
        f'<div class="toy-bar">{link}{buttons(other)}</div>',
        handout(step) if step else "",
    ]
    return (
        f'<div><attention-toy {NEEDS}{attributes} role="group" aria-label="{NAME}" '
        f"data-search-exclude>{''.join(parts)}</attention-toy></div>"
    )


def chips(word: str) -> str:
    """Return the words to swap in for one, and what else can be done with it."""
    swaps = [
        f'<button aria-pressed="{str(each == word).lower()}">{each}</button>'
        for each in choices(word)
    ]
    more = [f"follow “{word}”", "your word…"]
    return "".join(swaps + [f"<button class=quiet>{text}</button>" for text in more])


def buttons(other: str) -> str:
    """Return the buttons below the toy; a phone has shorter names for them."""
    names = [("Show the numbers", "Numbers"), ("Copy link", ""), (f"“{other}”", "Other sentence")]
    spans = '<span class="toy-wide">{}</span><span class="toy-narrow">{}</span>'
    texts = [spans.format(*name) if name[1] else name[0] for name in names]
    return "".join(f"<button type=button>{text}</button>" for text in texts)
