"""Code without marks that no reader sees.

Pygments wraps each name, number, bracket and comma of a block of code in an element of its own.
They are most of a page's weight, and code reads better with fewer colours: keywords, strings,
definitions and comments keep theirs.
"""

import re

CODE = re.compile(r'<div class="language-.*?</div>', re.DOTALL)
# names, numbers, operators, punctuation, white space, built-in functions, braces in f-strings
PLAIN_TOKEN = re.compile(r'<span class="(?:n|nn|mi|mf|o|p|w|nb|si)">([^<]*)</span>')
# a string in parts: its prefix, its quotation marks, what stands between them
STRING = re.compile(r'(?:<span class="(?:sa|s1|s2)">[^<]*</span>){2,}')
# the lines of an output in a docstring; the mark keeps them from being copied
OUTPUT = re.compile(r'<span class="go">[^<]*</span>(?:\n+<span class="go">[^<]*</span>)+')
TAG = re.compile(r"<[^>]*>")


def with_quiet_code(html: str) -> str:
    """Return a page whose code has no marks on what looks like plain text."""
    return CODE.sub(quiet, html)


def quiet(block: re.Match[str]) -> str:
    """Return one block of code with fewer elements, and the same text."""
    html = block.group().replace("<pre><span></span>", "<pre>")
    html = PLAIN_TOKEN.sub(r"\1", html)
    html = OUTPUT.sub(lambda lines: f'<span class="go">{TAG.sub("", lines.group())}</span>', html)
    return STRING.sub(lambda parts: f'<span class="s2">{TAG.sub("", parts.group())}</span>', html)
