"""What the fences of this site say to a reader, for the example checks.

A number in a caption is compared, and so is a name. So each option that writes what its
author likes is listed here.
"""

from collections.abc import Iterator, Sequence
from string import ascii_lowercase

from tensor_examples.conventions import Dialect, Illustration
from tensor_examples.fences import Fence


def drawings(fences: Sequence[Fence]) -> Iterator[Illustration]:
    """Yield each stage and heat map, with what it is drawn from and the names of the axes."""
    for fence in fences:
        own, is_stage = fence.options, fence.language == "stage"
        if is_stage or "heat" in own:
            of = own.get("of", "").split()
            outputs = [each for each in fences if each.options.get("name") in of] or [fence]
            axes = {
                axis: " ".join(each.options.get(axis, "") for each in outputs)
                for axis in ("rows", "columns", "heat")
            }
            rows = f"{axes['rows']} {axes['heat']}"
            lines = [line for each in outputs if each.language != "stage" for line in each.lines]
            says = "\n".join(fence.lines) if is_stage else ""
            drawn = "\n".join([*lines, rows, axes["columns"]])
            yield Illustration(fence.opening, says, drawn)


DIALECT = Dialect(
    captions=frozenset({"caption", "says"}),
    names=frozenset({"rows", "columns", "heat", "tensors"})
    | frozenset(ascii_lowercase),  # the places of a letter in a card
    prose=frozenset({"stage", "task"}),
    questions={"guess": "**The guess.**"},
    drawings=drawings,
    formulas="formulas.page",
)
