"""A fence that asks the reader to guess, before the page tells.

    ````markdown
    ```guess
    Which word has the highest score with “muddy”?

    - “bank”
    - “muddy” itself<!-- tokens[scores[4].argmax()] -->
    ```
    ````

Further down, a paragraph that begins with `**The guess.**` has the answer. In the browser,
theme/assets/progress makes buttons of the answers, and shows in place of these words what the
reader had guessed. Without a script and on paper, the question has its answers as a list.
"""

from html import escape
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from site_build.markdown.extension import reader_of
from site_build.markdown.guessed import NEEDS
from tensor_examples.fences import Fence
from tensor_examples.guesses import Answer, answers_of, problem_of_answers

TITLE = "Guess first"


def guess_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Render the question and its answers."""
    reader = reader_of(md)
    try:
        if options or reader.answers:
            raise ValueError("it has no options" if options else "a page asks for one guess")
        question, reader.answers = parts_of(text)
    except ValueError as error:
        raise SuperFencesException(f"guess: {error}") from error
    items = "".join(f"<li>{escape(answer.text, quote=False)}</li>" for answer in reader.answers)
    return (
        f'<div class="admonition question guess" {NEEDS} role="group" aria-label="{TITLE}">'
        f'<p class="admonition-title">{TITLE}</p><p>{escape(question, quote=False)}</p>'
        f"<ul data-search-exclude>{items}</ul>"
        f'<p class="for-scripts" role="status" data-search-exclude></p></div>'
    )


def parts_of(text: str) -> tuple[str, list[Answer]]:
    """Return the question of a fence, in one line, and its answers.

    Raises:
        ValueError: If it has no question, or answers of which not one is right.
    """
    lines = text.split("\n")
    answers = answers_of(Fence(0, len(lines) + 1, "", "", "guess", lines, None))
    if problem := problem_of_answers(answers):
        raise ValueError(problem)
    listed = {answer.line for answer in answers}
    question = " ".join(
        " ".join(line for n, line in enumerate(lines, 1) if n not in listed).split()
    )
    if not question:
        raise ValueError("it asks nothing")
    return question, answers


def as_markdown(text: str) -> str:
    """Return the question and its answers as Markdown, where no one can press."""
    question, answers = parts_of(text)
    return "\n".join([f"**{TITLE}**", "", question, "", *(f"- {each.text}" for each in answers)])
