"""Files with examples as Sybil's documents: each example is a region of its file."""

from collections.abc import Iterator
from pathlib import Path

import sybil
from sybil.typing import Parser as SybilParser

from tensor_examples.docstrings import parse_source
from tensor_examples.example import Example, Malformed
from tensor_examples.failures import ExampleFailure
from tensor_examples.markdown import parse_page
from tensor_examples.text import line_starts


def parse_notebook(path: str, text: str) -> Iterator[Example]:
    """Yield the code cells of a notebook; Jupyter is imported only where there is one."""
    from tensor_examples import notebooks

    return notebooks.parse_notebook(path, text)


PARSERS = {
    ".md": parse_page,
    ".markdown": parse_page,
    ".py": parse_source,
    ".ipynb": parse_notebook,
}


class ExampleDocument(sybil.Document):
    """A file with examples. What its region holds as `parsed` is an `Example`."""

    @classmethod
    def parse(cls, path: str, *parsers: SybilParser, encoding: str = "utf-8") -> "ExampleDocument":
        """Read a file and find its examples, or what is wrong with it."""
        content = Path(path).read_bytes()  # as bytes: its line ends must stay as they are
        try:
            document = cls(content.decode(encoding), path)
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            problem = "is not UTF-8: save it in that encoding"
            document = cls("", path)
            document.add(region(0, Malformed(path, line, problem)))
            return document
        starts = line_starts(document.text)
        try:
            examples = list(PARSERS[Path(path).suffix.lower()](path, document.text))
        except ExampleFailure as failure:
            examples = [Malformed(failure.path, failure.place, failure.problem)]
        for example in examples:
            document.add(region(starts[example.line - 1], example))
        return document


def region(start: int, example: Example) -> sybil.Region:
    """Return the place of an example. It has no width: what it covers is the example's own."""
    return sybil.Region(start, start, example, evaluate)


def evaluate(example: sybil.Example) -> None:
    """Check an example, in the way that Sybil asks for it."""
    example.namespace["outputs"] = example.parsed.check(example.namespace["settings"])
