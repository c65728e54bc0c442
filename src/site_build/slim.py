"""A Markdown extension that leaves out marks which no reader sees.

Pygments wraps each name, number, bracket and comma of a block of code in an element of its own.
They are most of a page's weight, and code reads better with fewer colours: keywords, calls,
strings and comments keep theirs.
"""

import re

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor

CODE = re.compile(r'<div class="language-.*?</div>', re.DOTALL)
# names, numbers, operators, punctuation, white space
PLAIN_TOKEN = re.compile(r'<span class="(?:n|nn|mi|mf|o|p|w)">([^<]*)</span>')
# every line of an output, whose block has a colour of its own
OUTPUT = re.compile(r'(?<=<div class="language-output ).*?</div>', re.DOTALL)
OUTPUT_LINE = re.compile(r'<span class="go">([^<]*)</span>')


class SlimCodePostprocessor(Postprocessor):
    """Unwraps the tokens of code that look like plain text."""

    def run(self, text: str) -> str:
        """Return the page with lighter blocks of code."""
        text = CODE.sub(lambda block: PLAIN_TOKEN.sub(r"\1", block.group()), text)
        return OUTPUT.sub(lambda block: OUTPUT_LINE.sub(r"\1", block.group()), text)


class SlimExtension(Extension):
    """Makes blocks of code lighter, once they are back in the page."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's own name)
        """Register the postprocessor, last of all."""
        md.postprocessors.register(SlimCodePostprocessor(md), "slim", -20)


def makeExtension(**options: object) -> SlimExtension:  # noqa: N802 (Markdown's own name)
    """Return the extension, as Markdown asks for it."""
    return SlimExtension(**options)
