"""Where a page stands in the course, and what the page after it asks."""

import re
from collections.abc import Iterable
from html import unescape

NUMBER = re.compile(r"(\d+)\. ")  # of a step, in its title
QUESTION = re.compile(r'<p class="question">(.*?)</p>', re.DOTALL)
TAG = re.compile(r"<[^>]*>")


def place(title: str, titles: Iterable[str]) -> str:
    """Return which step a page is, and of how many: as the titles of all pages count them."""
    steps = [int(match[1]) for match in map(NUMBER.match, titles) if match]
    match = NUMBER.match(title)
    return f"Step {match[1]} of {max(steps)}" if match else ""


def question(html: str) -> str:
    """Return the question that a page answers, without its marks, or nothing."""
    match = QUESTION.search(html)
    return " ".join(unescape(TAG.sub("", match[1])).split()) if match else ""
