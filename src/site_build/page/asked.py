"""All questions in one list, by their subject, which is the page that answers them."""

import re
from collections.abc import Iterable
from posixpath import relpath

INDEX = "guides/questions.md"
OTHERS = "guides/other-code.md"  # all of whose sections are questions

SIGN = re.compile(r'<a class="headerlink".*?</a>')
QUESTION = re.compile(r'<h3 id="([^"]*)">(.*?)</h3>', re.DOTALL)
FOLDED = re.compile(
    r'<details class="question">\s*<summary>\s*<h3 id="([^"]*)">(.*?)</h3>', re.DOTALL
)


def asked(pages: Iterable[tuple[str, str, str]], index: str) -> str:
    """Return the list of all questions as HTML.

    Args:
        pages: Of those in the order of the navigation, the address, the title and the HTML.
        index: The address of the list.
    """
    parts = []
    for url, title, html in pages:
        found = (QUESTION if url.startswith(OTHERS[:-3]) else FOLDED).findall(html)
        links = (
            f'<li><a href="{relpath(url, index)}/#{anchor}">{SIGN.sub("", question)}</a></li>'
            for anchor, question in found
        )
        if found:
            parts.append(f'<h2 id="{url.split("/")[-2]}">{title}</h2><ul>{"".join(links)}</ul>')
    return "".join(parts)
