"""Files with examples, as documents of Sybil's: a region for each example, and its evaluator."""

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import sybil
from sybil.typing import Parser as SybilParser

from tensor_examples.conventions import DEFAULT, Dialect
from tensor_examples.docstrings import parse_source
from tensor_examples.example import Example, Malformed, Parser
from tensor_examples.failures import ExampleFailure
from tensor_examples.markdown import parse_page


def parse_notebook_lazily(path: str, text: str, dialect: Dialect) -> Iterable[Example]:
    """Yield what is in a notebook; Jupyter is imported only where there is one."""
    try:
        from tensor_examples import notebooks
    except ModuleNotFoundError as error:
        problem = f"needs {error.name}: pip install nbclient ipykernel pillow"
        raise ExampleFailure(path, 1, problem) from None
    return notebooks.parse_notebook(path, text, dialect)


PARSERS: dict[str, Callable[..., Iterable[Example]]] = {
    ".md": parse_page,
    ".py": parse_source,
    ".ipynb": parse_notebook_lazily,
}


def parser_of(path: str, dialect: Dialect = DEFAULT) -> Parser:
    """Return what finds the examples in files of this kind."""
    return functools.partial(PARSERS[Path(path).suffix.lower()], dialect=dialect)


def parse(dialect: Dialect, document: sybil.Document) -> Iterator[sybil.Region]:
    """Yield the region of each example, from its first line to its last."""
    starts = [0, *(found.end() for found in re.finditer("\n", document.text))]
    for example in parser_of(document.path, dialect)(document.path, document.text):
        start = starts[example.line - 1]
        end = starts[example.end - 1] if example.end <= len(starts) else document.end
        yield sybil.Region(start, end, example, evaluate)


def evaluate(example: sybil.Example) -> None:
    """Check an example in the run that the namespace of its document holds."""
    example.parsed.check(example.namespace["example_run"])


class ExampleDocument(sybil.Document):
    """A document that is an example that fails, where its file cannot be read."""

    @classmethod
    def parse(cls, path: str, *parsers: SybilParser, encoding: str = "utf-8") -> sybil.Document:
        """Read a file and find its examples, or what is wrong with it."""
        try:
            document = cls(read_source(path, encoding), path)
            for parser in parsers:
                for region in parser(document):
                    document.add(region)
            return document
        except ExampleFailure as failure:
            problem = Malformed(path, int(failure.place), failure.problem)
        except Exception as error:  # a file that no one has thought of does not stop the others
            reason = f"{type(error).__name__}: {error}".partition("\n")[0]
            problem = Malformed(path, 1, f"cannot be read: {reason}")
        document = cls("", path)
        document.add(sybil.Region(0, 0, problem, evaluate))
        return document

    def raise_overlap(self, *regions: sybil.Region) -> None:
        """Let regions overlap: a comment that is refused stands within a block of code."""


def read_source(path: str, encoding: str) -> str:
    """Return the text of a file, and refuse one whose lines cannot be told."""
    content = Path(path).read_bytes()  # as bytes: only \r\n and \n end a line
    try:
        text = content.decode(encoding).removeprefix("\ufeff").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = "is not UTF-8: save it in that encoding"
        raise ExampleFailure(path, line, problem) from None
    if "\r" in text:  # which some readers of a file take for the end of a line
        line = text.count("\n", 0, text.index("\r")) + 1
        raise ExampleFailure(path, line, "has a carriage return that ends no line")
    return text
