"""A Markdown extension that leaves out marks which no reader sees.

Pygments wraps each name, number, bracket and comma of a block of code in an element of its own.
They are most of a page's weight, and code reads better with fewer colours: keywords, strings,
definitions and comments keep theirs.
"""

import re

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor

CODE = re.compile(r'<div class="language-.*?</div>', re.DOTALL)
# names, numbers, operators, punctuation, white space, built-in functions, braces in f-strings
PLAIN_TOKEN = re.compile(r'<span class="(?:n|nn|mi|mf|o|p|w|nb|si)">([^<]*)</span>')
# a string in parts: its prefix, its quotation marks, what stands between them
STRING = re.compile(r'(?:<span class="(?:sa|s1|s2)">[^<]*</span>){2,}')
# the lines of an output in a docstring; the mark keeps them from being copied
OUTPUT = re.compile(r'<span class="go">[^<]*</span>(?:\n+<span class="go">[^<]*</span>)+')
TAG = re.compile(r"<[^>]*>")


class QuietCodePostprocessor(Postprocessor):
    """Unwraps the tokens of code that look like plain text."""

    def run(self, text: str) -> str:
        """Return the page with lighter blocks of code."""
        return CODE.sub(quiet, text)


def quiet(block: re.Match[str]) -> str:
    """Return one block of code with fewer elements, and the same text."""
    html = block.group().replace("<pre><span></span>", "<pre>")
    html = PLAIN_TOKEN.sub(r"\1", html)
    html = OUTPUT.sub(lambda lines: f'<span class="go">{TAG.sub("", lines.group())}</span>', html)
    return STRING.sub(lambda parts: f'<span class="s2">{TAG.sub("", parts.group())}</span>', html)


class QuietCodeExtension(Extension):
    """Makes blocks of code lighter, once they are back in the page."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's own name)
        """Register the postprocessor, last of all."""
        md.postprocessors.register(QuietCodePostprocessor(md), "quiet_code", -20)


def makeExtension(**options: object) -> QuietCodeExtension:  # noqa: N802 (Markdown's own name)
    """Return the extension, as Markdown asks for it."""
    return QuietCodeExtension(**options)
