"""A fence for the model that learns in the reader's browser.

    ````markdown
    ```learn more="steps/guess-the-next-word.md"
    ```
    ````

It shows the model before and after a recorded training, and lets the reader train it. With `more`,
an address, it is short: two texts and one button. First it plays a recorded training.
"""

from html import escape
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from site_build.training_demo.picture import both_texts, loss_curve
from site_build.training_demo.world import recorded, world_of
from tiny_lm.recipe import RECIPE

# The script that site.js fetches when the element is nearby.
NEEDS = 'data-needs="training_demo/watch"'
NUMBERS = "This small model has 4,944 numbers, all random. It has read no story yet."
LEARNED = "The same words in another order, and another answer. Nobody told it where to look."
KINDS = {
    "the bank's": "which bank?",
    "the duck's": "which duck?",
    "adjective": "muddy → water",
    "who": "duck → water",
    "pronoun": "ducks → they",
}
GUESSES = [
    "It still finds the right adjective.",
    "It finds the right one sometimes.",
    "It cannot tell which adjective counts.",
]


def learn_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Render the element, with all that is there before its script."""
    if text.strip() or options.keys() - {"more"}:
        raise SuperFencesException("learn: it has no text, and no option but more")
    inner = short_form(options["more"]) if "more" in options else whole_form()
    attributes = f'{NEEDS} role="group" aria-label="A language model that learns"'
    attributes += " compact" * ("more" in options)
    return f"<div><watch-it-learn {attributes} data-search-exclude>{inner}</watch-it-learn></div>"


def sentence_and_step(sentence: str, step: str) -> str:
    """Return the sentence that says what is seen, and where the training is."""
    return f'<p class="learn-told">{sentence}</p><p class="learn-step">{step}</p>'


def short_form(more: str) -> str:
    """Return two texts and one button. Where there is no film, the model has learned."""
    moments = recorded()["run"]["moments"]
    first, last = moments[0], moments[-1]
    sentence = f'<span class="before">{NUMBERS}</span><span class="after">{LEARNED}</span>'
    step = f'<span class="before">{step_of(first)}</span><span class="after">{step_of(last)}</span>'
    return (
        both_texts(last, first)
        + sentence_and_step(sentence, step)
        + '<div class="learn-controls"><button type="button" class="go">Train it yourself</button>'
        f'<a href="{escape(more)}">Take it apart</a></div>'
    )


def step_of(moment: dict[str, Any]) -> str:
    """Return where a training is."""
    return f"step {moment['step']:,} of {RECIPE.steps:,}"


def whole_form() -> str:
    """Return all there is: before, after, what it wrote, the loss, and what can be left out."""
    run = recorded()["run"]
    first, last = run["moments"][0], run["moments"][-1]
    names = "".join(f"<option>{name}</option>" for name in [*RECIPE.without][1:])
    controls = (
        '<button type="button" class="go">Train</button>'
        '<button type="button" class="once">One step</button>'
        '<button type="button" class="again">Another start</button>'
        '<label>Leave out <select class="without"><option value="whole">nothing</option>'
        f"{names}</select></label>"
        '<button type="button" class="copy">copy link</button>'
    )
    guesses = "".join(
        f'<label><input type="radio" name="learn-guess" value="{value}"> {text}</label>'
        for value, text in enumerate(GUESSES)
    )
    written = "".join(
        f"<dt>{each['step']:,}</dt><dd>{each['words'].replace(' .', '.')}"
        f"{' <b>a story</b>' if each['story'] else ''}</dd>"
        for each in run["written"]
    )
    nonsense = run["written"][0]["words"].replace(" .", ".")
    skills = "".join(
        f'<li data-kind="{kind}"><span>{text}</span><i></i><b></b></li>'
        for kind, text in KINDS.items()
    )
    world = world_of()
    return (
        sentence_and_step(NUMBERS, step_of(first))
        + f'<div class="learn-controls">{controls}</div>'
        + f'<fieldset class="learn-guess" hidden><legend></legend>{guesses}</fieldset>'
        + both_texts(first)
        + f'<div class="learn-after"><p>After {step_of(last)}:</p>{both_texts(last, least=3)}</div>'
        + '<div class="learn-verdict" role="status" hidden></div>'
        + '<div class="learn-more"><div><p class="learn-name">It writes</p>'
        + f'<p class="wrote">{nonsense}</p><dl class="recorded">{written}</dl></div>'
        + '<div><p class="learn-name">How wrong it is: the loss</p>'
        + f"{loss_curve(run['moments'], world['floors'], len(world['words']))}"
        + '<p class="learn-name">What it answers</p>'
        + f'<ul class="learn-skills">{skills}</ul></div></div>'
    )
