"""A function in lines to choose from, and the programs that they allow.

The lines stand in the file of the exercise, as its `lines`.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from zlib import crc32

NOTHING = "# nothing"
INDENT = "    "
Choice = tuple[int, ...]  # for each place, the number of its line


@dataclass(frozen=True)
class Puzzle:
    """A function of which each place has lines to choose from.

    Attributes:
        exercise: The name of the exercise that judges it.
        head: What stands above the places: the `def`.
        places: The lines of each place. The first one is right.
    """

    exercise: str
    head: str
    places: tuple[tuple[str, ...], ...]

    def choices(self) -> Iterator[Choice]:
        """Yield every program that can be built, the last place changing first."""
        yield from product(*(range(len(lines)) for lines in self.places))

    def program(self, choice: Sequence[int]) -> str:
        """Return a program as text."""
        chosen = [lines[i] for lines, i in zip(self.places, choice, strict=True)]
        return "\n".join([self.head, *(line for line in chosen if line.strip() != NOTHING)])

    def orders(self) -> Iterator[Choice]:
        """Yield every order of the right lines, the right order first, if they are few."""
        if self.can_be_ordered:
            yield from permutations(range(len(self.places)))

    @property
    def can_be_ordered(self) -> bool:
        """Whether the right lines, three to five, can stand in any order: none holds others."""
        right = [lines[0] for lines in self.places]
        few = 3 <= len(right) <= 5 and self.head.count("\n") == 0
        return few and not any("\n" in line or line.strip() == NOTHING for line in right)

    def in_order(self, order: Sequence[int]) -> str:
        """Return the right lines in this order, as text."""
        return "\n".join([self.head, *(self.places[number][0] for number in order)])

    @property
    def right(self) -> str:
        """The program of all first lines."""
        return self.program([0] * len(self.places))


def read_puzzle(exercise: str, text: str, stub: str = "") -> Puzzle:
    """Read the lines of an exercise.

    Args:
        exercise: Its name.
        text: Paragraphs: a head, if it is another than the stub, and the places.
        stub: The head of the exercise's solution.

    Raises:
        ValueError: If it has no head, no place with a choice, or a line twice in a place.
    """
    text = textwrap.dedent(text).strip("\n")
    if not re.match("def |class ", text):
        text = f"{stub}\n\n{textwrap.indent(text, INDENT)}"
    head, *paragraphs = re.split(r"\n\s*\n", text)
    places = tuple(lines_of_place(paragraph) for paragraph in paragraphs)
    if not re.match(r"(?:def|class) .*:", head, re.DOTALL):
        raise ValueError(f"the first paragraph is the head of a function, not {head!r}")
    if not any(len(lines) > 1 for lines in places):
        raise ValueError("no place has a line to choose")
    if twice := [lines for lines in places if len(set(lines)) < len(lines)]:
        raise ValueError(f"a place has the same line twice: {', '.join(twice[0])}")
    return Puzzle(exercise, head, places)


def lines_of_place(paragraph: str) -> tuple[str, ...]:
    """Return the lines of a place, each with what is indented deeper below it."""
    margin = re.match(" *", paragraph)
    assert margin is not None
    return tuple(re.split(rf"\n(?={margin[0]}\S)", paragraph))


def in_an_order_that_tells_nothing(lines: Sequence[str]) -> list[int]:
    """Return the numbers of lines in an order that is the same for everybody."""
    return sorted(range(len(lines)), key=lambda number: crc32(lines[number].encode()))
