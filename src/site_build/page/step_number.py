"""Where a page stands in the course, and what the page after it asks."""

import re
from collections.abc import Container, Mapping, Sequence
from html import unescape

PART = re.compile(r"\d+ · ")  # of the course, in the navigation
QUESTION = re.compile(r'<p class="question">(.*?)</p>', re.DOTALL)
TAG = re.compile(r"<[^>]*>")


def turns(
    sections: Mapping[str, Sequence[str]], branches: Container[str]
) -> dict[str, tuple[int, int]]:
    """Return which page of how many each one is, by its source.

    The steps are counted through the parts of the course, and the pages of a branch by themselves.

    Args:
        sections: The titles of the navigation's sections, each with the sources of its pages.
        branches: The titles of those that are branches.
    """
    steps = [page for title, pages in sections.items() if PART.match(title) for page in pages]
    ways = [steps, *(pages for title, pages in sections.items() if title in branches)]
    return {page: (i, len(way)) for way in ways for i, page in enumerate(way, start=1)}


def places(sections: Mapping[str, Sequence[str]], branches: Mapping[str, str]) -> dict[str, str]:
    """Return what pages say of their place, by their sources.

    A step says which one it is, and of how many. Behind the course, a page names its branch, and
    the first one says for whom it is and what for.

    Args:
        sections: The titles of the navigation's sections, each with the sources of its pages.
        branches: For each branch, by its title, for whom it is and what for.
    """
    said = {page: f"Step {i} of {n}" for page, (i, n) in turns(sections, ()).items()}
    for branch, purpose in branches.items():
        pages = sections.get(branch, [])
        said |= dict.fromkeys(pages, branch) | dict.fromkeys(pages[:1], f"{branch}. {purpose}")
    return said


def question_of_page(html: str) -> str:
    """Return the question that a page answers, without its marks, or nothing."""
    match = QUESTION.search(html)
    return " ".join(unescape(TAG.sub("", match[1])).split()) if match else ""
