"""How a known mistake is written: its words, and the steps that make it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from attention_verify.oracle import Given, Steps
from attention_verify.words import Mistake

TILES = (1, 2, 4, 8, 16, 32, 64, 128)  # the sizes of tiles for which a mistake is looked for


@dataclass(frozen=True)
class Known(Mistake):
    """A mistake with its ways: each puts steps in the place of the right ones."""

    ways: tuple[Steps, ...] = ()


def known(name: str, says: str, *ways: Steps) -> Known:
    """Return a mistake that `explained_on` gives its page."""
    return Known(name, says, "", ways)


def explained_on(page: str, *mistakes: Known) -> tuple[Known, ...]:
    """Return the mistakes that a section explains."""
    return tuple(replace(mistake, page=page) for mistake in mistakes)


def given_with(given: Given, **changes: Callable[[Any], Any]) -> Given:
    """Change what is given, where it is given."""
    old = {name: getattr(given, name) for name in changes}
    return replace(given, **{name: changes[name](x) for name, x in old.items() if x is not None})
