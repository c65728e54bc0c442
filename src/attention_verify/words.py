"""What a known mistake is called and says, and how a message names a page or an exception."""

from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

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
