"""Changes printed outputs on purpose, to see whether the checks find every change.

The outputs that stand in the files are taken as what the code prints: that they are is what
the run of the examples themselves has shown. So a file is only read here, changed, read again
by the parser of its kind, and compared through the same code that the plugin calls.
"""

import base64
import contextlib
import copy
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import nbformat
from nbformat import NotebookNode

from tensor_examples.docstrings import parse_source
from tensor_examples.example import Settings
from tensor_examples.failures import ExampleFailure
from tensor_examples.images import image_difference
from tensor_examples.isolation import results_of
from tensor_examples.markdown import parse_page
from tensor_examples.notebooks import CellExample, parse_notebook
from tensor_examples.refresh import edited
from tensor_examples.script import ScriptExample

T = TypeVar("T")
NUMBER = re.compile(r"(?P<mantissa>\d+(?:\.\d*)?|\.\d+)(?:e[-+](?P<exponent>\d+))?(?!\w)")
IMAGE_KINDS = {"digit in an image", "colour in an image"}


@dataclass(frozen=True)
class Mutant:
    """An output with one change."""

    kind: str
    output: str
    line: int  # of the change, from 0
    forgivable: bool = False  # by one unit in the last digit of a rounded number


@dataclass(frozen=True)
class Verdict:
    """The verdict of the checks on a mutant."""

    mutant: Mutant
    path: str
    exact: bool
    caught: bool
    at_its_line: bool


def mutants_of(output: str) -> list[Mutant]:
    """Return an output with one change each."""
    made = [*digits(output), *signs(output), *booleans(output), *rows(output), *shapes(output)]
    return [mutant for mutant in made if mutant.output != output]


def some_of(found: Sequence[T]) -> list[T]:
    """Return the first, the middle and the last of what was found."""
    return [found[place] for place in sorted({0, len(found) // 2, len(found) - 1} if found else ())]


def replaced(
    kind: str, output: str, start: int, end: int, by: str, forgive: bool = False
) -> Mutant:
    """Return an output in which something is replaced."""
    return Mutant(kind, output[:start] + by + output[end:], output.count("\n", 0, start), forgive)


def digits(output: str) -> Iterator[Mutant]:
    """Change the first and the last digit of some numbers, and the last of an exponent."""
    for number in some_of(list(NUMBER.finditer(output))):
        mantissa = number["mantissa"]
        rounded = len(mantissa.partition(".")[2]) >= 2
        places = [number.start() + match.start() for match in re.finditer(r"\d", mantissa)]
        changes = [("first digit", places[0], False)]
        changes += [("last digit", places[-1], rounded)] * (len(places) > 1)
        changes += [("exponent", number.end() - 1, False)] * bool(number["exponent"])
        for kind, place, forgive in changes:
            digit = int(output[place])
            by = str(digit + 1 if digit < 9 else 8)
            yield replaced(kind, output, place, place + 1, by, forgive)


def signs(output: str) -> Iterator[Mutant]:
    """Flip the sign of some numbers. A rounded zero is the same number with either."""
    numbers = [n for n in NUMBER.finditer(output) if not output[: n.start()][-1:].isalnum()]
    for number in some_of(numbers):
        start = number.start()
        minus = output[:start].endswith("-")
        zero = "." in number.group() and not float(number.group())
        yield replaced("sign", output, start - minus, start, "" if minus else "-", zero)


def booleans(output: str) -> Iterator[Mutant]:
    """Swap True and False."""
    for word in some_of(list(re.finditer(r"\b(True|False)\b", output))):
        yield replaced("boolean", output, *word.span(), str(word.group() != "True"))


def rows(output: str) -> Iterator[Mutant]:
    """Drop the first, the middle or the last row."""
    lines = output.rstrip("\n").split("\n")
    if len(lines) > 1:
        # An empty line between two matrices of a tensor is no row, nor is one that would be last.
        for number in some_of([number for number, line in enumerate(lines) if line.strip()]):
            changed = "\n".join(lines[:number] + lines[number + 1 :]).rstrip("\n")
            yield Mutant("row", changed, first_change(output, changed))


def first_change(output: str, changed: str) -> int:
    """Return the number of the first line that is not the same, or of the last one."""
    pairs = zip(output.split("\n"), changed.split("\n"), strict=False)
    differ = (number for number, (before, after) in enumerate(pairs) if before != after)
    return next(differ, changed.count("\n"))


def shapes(output: str) -> Iterator[Mutant]:
    """Put one more pair of brackets around a tensor or a shape."""
    start, end = output.find("["), output.rfind("]") + 1
    if -1 < start < end:
        yield replaced("shape", output, start, end, f"[{output[start:end]}]")


def verdicts(path: Path) -> Iterator[Verdict]:
    """Yield the verdicts on the mutants of every output of a file."""
    text = path.read_bytes().decode()
    judge = of_notebook if path.suffix == ".ipynb" else of_text
    number = 0
    while found := list(judge(str(path), text, number)):  # one mutant of each output at a time
        yield from found
        number += 1


def of_text(path: str, text: str, number: int) -> Iterator[Verdict]:
    """Yield the verdicts on one mutant of each output of a page or a source file.

    The first mutants are written into the file, and read from it by its parser. That shows where
    the parser finds an output; the others take the place of what it found.
    """
    originals, mutants = originals_of(path, text)
    made = {place: some[number] for place, some in enumerate(mutants) if number < len(some)}
    for place, example in (reread if number == 0 else replaced_in)(path, text, made):
        mutant, output = made[place], example.block.output
        assert output is not None
        compare = partial(example.compare, printed(originals[place]))
        yield from judged(path, compare, mutant, str(output.line + mutant.line))


Changed = Iterator[tuple[int, ScriptExample]]


def reread(path: str, text: str, made: Mapping[int, Mutant]) -> Changed:
    """Yield the examples of a file into which mutants were written, by their places."""
    originals, _ = originals_of(path, text)
    changed = edited(text, [originals[place].edit(mutant.output) for place, mutant in made.items()])
    lines, found = changed.split("\n"), list(islice(scripts(path, changed), len(originals)))
    for place, mutant in made.items():
        output = found[place].block.output
        assert output is not None
        # The mutant stands where we think, whatever the parser thinks.
        stands = lines[output.line + mutant.line - 1].rstrip()
        assert stands.endswith(mutant.output.split("\n")[mutant.line].rstrip())
        yield place, found[place]


def replaced_in(path: str, text: str, made: Mapping[int, Mutant]) -> Changed:
    """Yield the examples of a file with mutants in place of their outputs."""
    originals, _ = originals_of(path, text)
    for place, mutant in made.items():
        block = originals[place].block
        assert block.output is not None
        output = replace(block.output, text=mutant.output)
        yield place, replace(originals[place], block=replace(block, output=output))


@lru_cache(maxsize=1)  # a file is asked for once for each number
def originals_of(path: str, text: str) -> tuple[list[ScriptExample], list[list[Mutant]]]:
    """Return the blocks of code of a file, and the mutants of what each prints."""
    originals = list(scripts(path, text))
    return originals, [mutants_of(printed(original)) for original in originals]


def scripts(path: str, text: str) -> Iterator[ScriptExample]:
    """Yield the examples that are blocks of code. The rules of a text are looked at after them."""
    parse = parse_source if path.endswith(".py") else parse_page
    return (example for example in parse(path, text) if isinstance(example, ScriptExample))


def printed(example: ScriptExample) -> str:
    """Return what stands below a block of code."""
    return example.block.output.text if example.block.output else ""


def of_notebook(path: str, text: str, number: int) -> Iterator[Verdict]:
    """Yield the verdicts on one mutant of each cell of a notebook."""
    stored = nbformat.reads(text, 4)
    changed = copy.deepcopy(stored)
    made: dict[int, Mutant] = {}
    for place, cell in enumerate(changed.cells):
        mutants = [*mutants_in(cell), *images_in(cell, images_of(text).get(place, []))]
        if number < len(mutants):
            holder, key, made[place] = mutants[number]
            holder[key] = made[place].output
    for example in parse_notebook(path, nbformat.writes(changed)):
        if isinstance(example, CellExample) and example.number in made:
            mutant = made[example.number]
            part = "image 1" if mutant.kind in IMAGE_KINDS else f"line {mutant.line + 1}"
            compare = partial(example.compare, stored.cells[example.number].outputs)
            yield from judged(path, compare, mutant, f"{part} of its output")


Placed = tuple[NotebookNode, str, Mutant]  # what is to change, its key, and the change


def mutants_in(cell: NotebookNode) -> Iterator[Placed]:
    """Yield the mutants of a cell's outputs, and where each output keeps its text."""
    holders = [
        (output, "text") if "text" in output else (output.data, "text/plain")
        for output in cell.get("outputs", [])
    ]
    texts = [holder[key].rstrip("\n") for holder, key in holders]
    for number, (holder, key) in enumerate(holders):
        for mutant in mutants_of(texts[number]):
            changed = [*texts[:number], mutant.output, *texts[number + 1 :]]
            line = first_change("\n".join(texts), "\n".join(changed))
            yield holder, key, Mutant(mutant.kind, mutant.output, line, mutant.forgivable)


def images_in(cell: NotebookNode, mutants: list[Mutant]) -> Iterator[Placed]:
    """Yield the mutants of a cell's image, and where it is kept."""
    for mutant in mutants:
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                yield output.data, "image/png", mutant


@cache
def images_of(notebook: str) -> dict[int, list[Mutant]]:
    """Return the mutants of the images that a notebook draws, by the number of the cell."""
    found: dict[int, list[Mutant]] = {}
    for place, mutant in results_of(partial(redraw, notebook), seconds=60):
        found.setdefault(place, []).append(mutant)
    return found


def redraw(notebook: str, namespace: dict[str, Any]) -> Iterator[tuple[int, Mutant]]:
    """Run a notebook, and draw each figure again with one change each."""
    cells = nbformat.reads(notebook, 4).cells
    if not any("image/png" in str(cell.get("outputs")) for cell in cells):
        return
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    vars(pyplot)["show"] = lambda: None  # the figure stays open, to be changed
    for place, cell in enumerate(cells):
        if cell.cell_type == "code":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(cell.source, namespace)
            for number in pyplot.get_fignums():
                stored = [each.data["image/png"] for each in cell.outputs if "data" in each]
                yield from ((place, mutant) for mutant in changed_figures(number, stored))
            pyplot.close("all")


def changed_figures(number: int, stored: list[str]) -> Iterator[Mutant]:
    """Change a digit of some labels of a figure, or swap the colours of two of its squares."""
    from matplotlib import pyplot

    figure = pyplot.figure(number)

    def drawn() -> str:
        file = io.BytesIO()
        figure.savefig(file, bbox_inches="tight")  # as Jupyter does
        return base64.b64encode(file.getvalue()).decode()

    # What is changed below is the image that is stored.
    assert image_difference(*map(base64.b64decode, [*stored, drawn()]), exact=True) is None
    for axes in figure.axes:
        for label in some_of(axes.texts):
            text = label.get_text()
            for mutant in digits(text):
                label.set_text(mutant.output)
                yield Mutant("digit in an image", drawn(), 0)
            label.set_text(text)
        for image in axes.images:
            squares = image.get_array()
            assert squares is not None
            low, high = squares.argmin(), squares.argmax()
            swapped, squares = squares.copy(), squares.copy()
            swapped.flat[low], swapped.flat[high] = squares.flat[high], squares.flat[low]
            image.set_array(swapped)
            yield Mutant("colour in an image", drawn(), 0)
            image.set_array(squares)


def judged(
    path: str, compare: Callable[..., None], mutant: Mutant, place: str
) -> Iterator[Verdict]:
    """Yield the verdicts on a mutant in both modes."""
    for exact in (True, False):
        try:
            compare(settings=Settings(exact=exact))
        except ExampleFailure as failure:
            told = (failure.path, str(failure.place).split(", ")[-1])
            yield Verdict(mutant, path, exact, True, told == (path, place))
        else:
            yield Verdict(mutant, path, exact, False, False)


def counts(found: list[Verdict]) -> dict[str, dict[str, int]]:
    """Return how many mutants there were, and how many of them were caught."""
    counted = {}
    for mode in ("exact", "default"):
        of_mode = [verdict for verdict in found if verdict.exact == (mode == "exact")]
        counted[mode] = {
            "tried": len(of_mode),
            "caught": sum(verdict.caught for verdict in of_mode),
            "of_last_digits_tried": sum(verdict.mutant.forgivable for verdict in of_mode),
            "of_last_digits_caught": sum(v.mutant.forgivable and v.caught for v in of_mode),
        }
    return counted
