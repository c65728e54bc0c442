"""What the fences of this site say to a reader, for the example checks.

A number in a caption is compared, and so is a name. So each option of a figure that writes what
its author likes is listed here.
"""

from collections.abc import Iterator, Sequence
from string import ascii_lowercase

from tensor_examples.conventions import Dialect, Illustration
from tensor_examples.fences import Fence

DRAWN = {"figure", "stage"}


def drawings(fences: Sequence[Fence]) -> Iterator[Illustration]:
    """Yield each figure and heat map, with what it is drawn from and the names of the axes."""
    for fence in fences:
        own, is_figure = fence.options, fence.language in DRAWN
        if is_figure or "heat" in own:
            of = own.get("of", "").split()
            outputs = [each for each in fences if each.options.get("name") in of] or [fence]
            axes = {
                axis: " ".join(each.options.get(axis, "") for each in outputs)
                for axis in ("rows", "columns", "heat")
            }
            rows = f"{axes['rows']} {axes['heat']}"
            lines = [line for each in outputs if each.language not in DRAWN for line in each.lines]
            caption, says = own.get("caption", ""), "\n".join(fence.lines) if is_figure else ""
            drawn = "\n".join([*lines, rows, axes["columns"]])
            yield Illustration(fence.opening, caption, says, own.get("row", ""), rows, drawn)


DIALECT = Dialect(
    captions=frozenset({"caption", "title", "titles", "says"}),
    names=frozenset({"rows", "columns", "heat", "tensors", "titles", "names", "words", "halves"})
    | frozenset(ascii_lowercase),  # the places of a letter in a card
    prose=frozenset({"figure", "hand", "stage", "task"}),
    questions={"guess": "**The guess.**"},
    drawings=drawings,
    formulas="formulas.page",
)
