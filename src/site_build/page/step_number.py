"""Where a page stands in the course, and what the page after it asks."""

import re
from collections.abc import Iterable, Mapping
from html import unescape

from markdown.extensions.toc import slugify

PART = re.compile(r"\d+ · ")  # of the course, in the navigation
QUESTION = re.compile(r'<p class="question">(.*?)</p>', re.DOTALL)
TAG = re.compile(r"<[^>]*>")


def step_numbers(sections: Iterable[tuple[str, Iterable[str]]]) -> dict[str, int]:
    """Return the numbers of the steps by their sources: they are counted through the parts.

    Args:
        sections: The titles of the navigation's sections, each with the sources of its pages.
    """
    steps = [source for title, sources in sections if PART.match(title) for source in sources]
    return {source: number for number, source in enumerate(steps, start=1)}


def with_number(text: str, number: int | None) -> str:
    """Return the Markdown of a page with its number in its title, not in its anchor."""
    if not number:
        return text
    return re.sub(
        "^# (.*)",
        lambda title: f"# {number}. {title[1]} {{: #{slugify(title[1], '-')} }}",
        text,
        count=1,
        flags=re.MULTILINE,
    )


def places(
    sections: Iterable[tuple[str, Iterable[str]]], branches: Mapping[str, str]
) -> dict[str, str]:
    """Return what pages say of their place, by their sources.

    A step says which one it is, and of how many. Behind the course, a page names its branch, and
    the first one says for whom it is and what for.

    Args:
        sections: The titles of the navigation's sections, each with the sources of its pages.
        branches: For each branch, by its title, for whom it is and what for.
    """
    pages = {title: list(sources) for title, sources in sections}
    numbers = step_numbers(pages.items())
    steps = {source: f"Step {number} of {len(numbers)}" for source, number in numbers.items()}
    there = branches.keys() & pages.keys()
    behind = {source: branch for branch in there for source in pages[branch]}
    doors = {pages[branch][0]: f"{branch}. {branches[branch]}" for branch in there}
    return steps | behind | doors


def question_of_page(html: str) -> str:
    """Return the question that a page answers, without its marks, or nothing."""
    match = QUESTION.search(html)
    return " ".join(unescape(TAG.sub("", match[1])).split()) if match else ""
