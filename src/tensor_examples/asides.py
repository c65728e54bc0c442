"""What stands beside the code of a file, and is computed with its names.

It is a number in a sentence, the right answer of a question, or a displayed formula. Its code runs
between the blocks of the file, which go on without it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tensor_examples.example import Example, Run
from tensor_examples.script import CodeBlock, Script, Style


@dataclass(frozen=True)
class Aside(Example):
    """A piece of a file that has code of its own beside the examples."""

    runs_at: int = field(default=0, kw_only=True)  # the line before which it runs, if not its own
    printed: Callable[[Run], str] = field(default=lambda run: "", kw_only=True)  # what it prints


def in_order(blocks: Sequence[CodeBlock], found: Iterable[Example]) -> tuple[CodeBlock, ...]:
    """Return the blocks of a page and the code beside them, in the order in which they run.

    Code beside them that stands above the first block runs after the last one.
    """
    first = blocks[0].line if blocks else 0
    placed = [(block.line, block) for block in blocks]
    for each in found:
        if isinstance(each, Aside) and each.code:
            beside = CodeBlock(each.code, each.line, None, each.line + 1, Style(), aside=True)
            placed.append((each.runs_at or each.line, beside))
    return tuple(block for _, block in sorted(placed, key=lambda each: (each[0] < first, each[0])))


def run_in(script: Script, found: Iterable[Example]) -> Iterator[Example]:
    """Yield what was found, each with what its code prints in a script, of which it is a part."""
    for each in found:
        if isinstance(each, Aside):
            each = replace(each, printed=partial(script.shown, each.line))
        yield each
