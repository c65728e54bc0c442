"""What a page says of the reader's guess, where it has the answer: theme/assets/progress shows it.

The sentences for all answers lie on one another, in place of the words "The guess." So nothing
moves when one of them is shown.
"""

from collections.abc import Sequence
from html import escape

from tensor_examples.guesses import Answer, right_one

NEEDS = (
    'data-needs="progress/progress"'  # the script that site.js fetches when the question is nearby
)
ANSWER_BEGINS = "<p><strong>The guess.</strong>"


def with_guessed(html: str, answers: Sequence[Answer]) -> str:
    """Return a page that can say which of some answers was guessed, and which is right."""
    if not answers:
        return html
    right, lines = right_one(answers), ['<b class="on">The guess.</b>']
    for each in answers:
        said = f"{each.text}: right." if each is right else f"{each.text}. It is {right.text}."
        lines.append(f"<b data-search-exclude>You guessed {escape(said, quote=False)}</b>")
    guessed = f'<p><span class="guessed" {NEEDS}>{"".join(lines)}</span>'
    return html.replace(ANSWER_BEGINS, guessed)
