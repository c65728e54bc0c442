"""Files with examples as Sybil's documents: each example is a region of its file."""

import functools
from collections.abc import Iterable, Iterator
from pathlib import Path

import sybil
from sybil.text import LineNumberOffsets
from sybil.typing import Parser as SybilParser

from tensor_examples.docstrings import parse_source
from tensor_examples.example import Example, Malformed, Parser
from tensor_examples.failures import ExampleFailure
from tensor_examples.markdown import parse_page


def parse_notebook(path: str, text: str) -> Iterator[Example]:
    """Yield what is in the cells of a notebook; Jupyter is imported only where there is one."""
    from tensor_examples import notebook_text, notebooks

    examples = list(notebooks.parse_notebook(path, text))
    yield from examples
    yield from notebook_text.beside_examples(path, text)
    found = [each.notebook for each in examples if isinstance(each, notebooks.CellExample)]
    yield from notebook_text.prose_of_notebook(found[0], text) if found else ()


PARSERS: dict[str, Parser] = {
    # Each suffix that makes a page of a file, for MkDocs.
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mkdn"), parse_page),
    ".py": parse_source,
    ".ipynb": parse_notebook,
}


@functools.cache
def examples_in(path: str, text: str) -> tuple[Example, ...]:
    """Return the examples of a file, parsed once however often it is asked for.

    For those who only look at them: once an example has run, it keeps what it printed.
    """
    return tuple(parser_of(path)(path, text))


def parser_of(path: str) -> Parser:
    """Return what finds the examples in files of this kind."""
    return PARSERS[Path(path).suffix.lower()]


class ExampleDocument(sybil.Document):
    """A file with examples. What its region holds as `parsed` is an `Example`."""

    @classmethod
    def parse(cls, path: str, *parsers: SybilParser, encoding: str = "utf-8") -> sybil.Document:
        """Read a file and find its examples, or what is wrong with it."""
        content, text = b"", ""
        examples: Iterable[Example]
        try:
            content = Path(path).read_bytes()  # as bytes: only \r\n and \n end a line
            text = content.decode("utf-8-sig").replace("\r\n", "\n")
            if "\r" in text:  # which some readers of a file take for the end of a line
                line = text.count("\n", 0, text.index("\r")) + 1
                raise ExampleFailure(path, line, "has a carriage return that ends no line")
            examples = list(parser_of(path)(path, text))
        except UnicodeDecodeError as error:
            text = content.decode(errors="replace")
            line = content.count(b"\n", 0, error.start) + 1
            examples = [Malformed(path, line, "is not UTF-8: save it in that encoding")]
        except ExampleFailure as failure:
            examples = [Malformed(path, int(failure.place), failure.problem)]
        except Exception as error:  # a file that no one has thought of does not stop the others
            reason = f"{type(error).__name__}: {error}".partition("\n")[0]
            examples = [Malformed(path, 1, f"cannot be read: {reason}")]
        document = cls(text, path)
        starts = LineNumberOffsets(text)
        for example in examples:
            # A place without a width: what it covers is the example's own.
            start = starts.get(example.line - 1, 0)
            document.add(sybil.Region(start, start, example, evaluate))
        return document


def evaluate(example: sybil.Example) -> None:
    """Check an example, in the way that Sybil asks for it."""
    example.parsed.check(example.namespace["settings"])
