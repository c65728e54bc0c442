"""What a known mistake is called and says, and how a message names a page or an exception."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

# The distributions that know where the course is published: the site builds their wheels.
DISTRIBUTIONS = ("attention-verify", "attention-practice", "attention-steps")


@dataclass(frozen=True)
class Mistake:
    """A known mistake.

    Attributes:
        name: What it is called.
        says: What one sees in the numbers, then what is meant.
        page: The address that explains it, with the section.
    """

    name: str
    says: str
    page: str


EDIT = re.compile(r"`([^`]*)` -> `([^`]*)`")
ENTRY = re.compile(rf"([^`:]+?)((?:,? {EDIT.pattern.replace('(', '(?:')})*)(?:: (.*))?")


def read(text: str) -> Iterator[tuple[Mistake, tuple[tuple[str, str], ...]]]:
    """Read mistakes, with their edits, under the pages that explain them.

    All lines of an entry but the first are indented:

        Read: page
        name `old` -> `new`, `old` -> `new`: what it says

    Raises:
        ValueError: If an entry is written otherwise.
    """
    page = ""
    for entry in re.split(r"\n+(?! )", inspect.cleandoc(text)):
        found = ENTRY.fullmatch(" ".join(entry.split()))
        if not found:
            raise ValueError(f"a mistake is written with its edits and words, not {entry!r}")
        name, edits, says = found.groups()
        if name == "Read":
            page = says
        else:
            yield Mistake(name, says or "", page), tuple(EDIT.findall(edits))


KNOWN = {
    mistake.name: mistake
    for mistake, _ in read(Path(__file__).with_name("words.txt").read_text("utf-8"))
}


class FormError(Exception):
    """What a function returned cannot be compared, for the reason in this sentence."""


@cache
def published_at() -> str:
    """Return the address of the course, which a wheel has from the site; else nothing."""
    for distribution in DISTRIBUTIONS:
        try:
            urls = metadata(distribution).get_all("Project-URL", [])
        except PackageNotFoundError:
            continue
        if course := dict(url.split(", ", 1) for url in urls).get("Course", ""):
            return f"{course.rstrip('/')}/"
    return ""


def link_to(page: str) -> str:
    """Return where a page is, as a link if it is known where the course is published."""
    return f"{published_at()}{page}"


def headline(error: BaseException) -> str:
    """Name an exception, with the first line of what it says."""
    first_line = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {first_line}".removesuffix(": ")
