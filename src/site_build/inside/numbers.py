"""A Markdown extension that hides where the numbers in prose come from.

A comment behind a number, such as `0.5473<!-- scores[0, 4] -->`, is for the checks
(tensor_examples.numbers) and for whoever writes the page. It would be weight to the reader.
"""

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

from tensor_examples.markdown import without_comments


class NumbersPreprocessor(Preprocessor):
    """Takes the comments away before any fence or caption is read."""

    def run(self, lines: list[str]) -> list[str]:
        """Return the page without them."""
        return without_comments("\n".join(lines)).split("\n")


class NumbersExtension(Extension):
    """Hides the comments behind numbers."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's own name)
        """Register the preprocessor, before the one that reads named outputs, which has 28."""
        md.preprocessors.register(NumbersPreprocessor(md), "numbers", 29)


def makeExtension(**options: object) -> NumbersExtension:  # noqa: N802 (Markdown's own name)
    """Return the extension, as Markdown asks for it."""
    return NumbersExtension(**options)
