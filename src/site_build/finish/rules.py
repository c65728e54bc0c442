"""Turns the style attributes of a page into rules of a sheet in its head.

A content security policy can name a sheet by its hash, but can only allow all style attributes or
none. Templates, fences and other packages write them all the same: for the share of a cell, the
width of a line.
"""

import re
from functools import lru_cache
from html import unescape
from pathlib import Path

STYLED = re.compile(r'(<[a-z][^<>]*) style="([^"]*)"')
# As strong as an attribute: stronger than what a sheet says of classes, weaker than a script.
SHEET = "<style>:not(#_){{{}}}</style></head>"


def write_rules(site: Path) -> None:
    """Leave no page of a built site a style attribute."""
    pages = {path: path.read_text("utf-8") for path in site.rglob("*.html")}
    ruled = {path: with_rules(text) for path, text in pages.items()}
    if ruled == pages:
        raise ValueError("no page has a style attribute")
    for path, text in ruled.items():
        path.write_text(text, "utf-8")


@lru_cache(500)  # while the site is served, most pages stay as they were
def with_rules(page: str) -> str:
    """Return a page whose elements say by number which rule of its own they take."""
    numbers: dict[str, int] = {}

    def numbered(styled: re.Match[str]) -> str:
        number = numbers.setdefault(unescape(styled[2]), len(numbers))
        return f'{styled[1]} data-rule="{number}"'

    page = STYLED.sub(numbered, page)
    rules = "".join(f'&[data-rule="{number}"]{{{style}}}' for style, number in numbers.items())
    return page.replace("</head>", SHEET.format(rules), 1) if rules else page
