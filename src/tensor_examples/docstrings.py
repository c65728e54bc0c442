"""Finds the `>>>` examples in the docstrings of a Python file.

The file is read, not imported: an example has no name that it did not import itself, so that
whoever copies it can run it.
"""

import doctest
import re
import textwrap
from collections.abc import Iterator
from functools import partial

from sybil.document import PythonDocStringDocument
from sybil.parsers.abstract.doctest import DocTestStringParser

from tensor_examples.asides import in_order, run_in
from tensor_examples.checks import Contents, refused
from tensor_examples.conventions import DEFAULT, Dialect
from tensor_examples.equations import formulas_in
from tensor_examples.example import Example, Malformed
from tensor_examples.failures import ExampleFailure
from tensor_examples.fences import find_fences, text_outside
from tensor_examples.markdown import problem_with_fence
from tensor_examples.prose import lines_with_numbers
from tensor_examples.script import CodeBlock, Output, Script, ScriptExample, Style

BLANK_LINE = "<BLANKLINE>"  # doctest's word for an empty line of an output
# A prompt at the beginning of a line, of a comment or of a string.
PROMPT = re.compile(r"""(^|\#|["'])[ \t]*>>>[ ]""", re.VERBOSE)


def parse_source(path: str, text: str, dialect: Dialect = DEFAULT) -> Iterator[Example]:
    """Yield each example in the docstrings of a file, and each prompt that stands elsewhere."""
    # Sybil takes the columns of ast for characters; they are bytes.
    ascii_text = re.sub(r"[^\x00-\x7f]", "x", text)
    try:
        docstrings = sorted(PythonDocStringDocument.extract_docstrings(ascii_text))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise ExampleFailure(path, line, f"is not Python: {error}") from None
    except AttributeError:  # Sybil's, at u""" or R"""
        problem = 'has a docstring that begins with neither """ nor r"""'
        raise ExampleFailure(path, 1, problem) from None
    code: list[tuple[int, str]] = []
    beside: list[tuple[int, str]] = []
    shown: list[str] = []  # the code and the outputs of the examples
    documented: set[int] = set()
    for start, end, value in docstrings:
        first, last = (text.count("\n", 0, place) + 1 for place in (start, end))
        documented.update(range(first, last + 1))
        is_raw = ascii_text[start:end] == value
        found = list(docstring_blocks(path, text[start:end], first, last, is_raw))
        blocks = tuple(each for each in found if isinstance(each, CodeBlock))
        own = [*[""] * (first - 1), *text[start:end].split("\n")]  # at their lines of the file
        sources = [(block.line, block.source) for block in blocks]
        displayed = list(formulas_in(path, own, list(find_fences(own)), sources, dialect))
        parse = partial(parse_source, dialect=dialect)
        script = Script(path, text, parse, in_order(blocks, displayed))
        yield from run_in(script, displayed)
        for each in found:
            yield (
                ScriptExample(path, each.line, script, each)
                if isinstance(each, CodeBlock)
                else each
            )
        shown += [f"{b.source}\n{b.output.text if b.output else ''}" for b in blocks]
        code += sources
        taken = {line for block in blocks for line in range(block.line, block.end)}
        beside += [each for each in docstring_text(text[start:end], first) if each[0] not in taken]
    lines = dict(enumerate(text.split("\n"), 1))
    undocumented = {number: line for number, line in lines.items() if number not in documented}
    examples = "\n".join([*undocumented.values(), *shown])
    yield from refused(path, Contents(code, beside, (), (), examples))
    prose_at = dict(beside)
    told_lines = "\n".join(prose_at.get(n, "") for n in lines)
    for prose in lines_with_numbers(path, told_lines, examples):
        problem = "a comment in a docstring is not computed: print the number in an example"
        yield Malformed(path, prose.line, problem, rule="prose") if prose.code else prose
    for number, line in undocumented.items():
        if PROMPT.search(line):
            problem = "a prompt outside a docstring is not run: move it into one"
            yield Malformed(path, number, problem)


def docstring_blocks(
    path: str, docstring: str, first: int, last: int, is_raw: bool
) -> Iterator[CodeBlock | Malformed]:
    """Yield each example of a docstring between two lines, and each that would not run."""
    lines = docstring.split("\n")
    fences = list(find_fences(lines))
    # An output ends where its fence does.
    marks = {line for fence in fences for line in (fence.opening, fence.closing)}
    unfenced = ("" if number in marks else line for number, line in enumerate(lines, 1))
    try:
        session = "\n".join(unfenced).expandtabs()  # as doctest does
        examples = [region.parsed for region in DocTestStringParser()(session, path)]
    except ValueError as error:
        yield Malformed(path, first, str(error).replace(f"for {path} ", ""))
        return
    if examples and not is_raw:
        problem = 'a docstring with an example and a backslash must be raw: r"""'
        yield Malformed(path, first, problem)
        return
    for example in examples:
        block = block_of(example, first + example.lineno)
        if example.options:
            problem = "a doctest directive: an example is run as it stands"
            yield Malformed(path, block.line, problem)
        elif block.end > last:
            problem = "put the closing quotes on a line of their own"
            yield Malformed(path, block.line, problem)
        else:
            yield block
    for fence in fences:
        if fence.language == "python" or problem_with_fence(fence, None):
            problem = "a fence in a docstring is not run: write the example with prompts, >>>"
            yield Malformed(path, first + fence.opening - 1, problem)


def block_of(example: doctest.Example, line: int) -> CodeBlock:
    """Return an example at the prompt as a block of code with its output."""
    wanted = example.exc_msg or example.want  # the traceback above an exception is not compared
    end = line + example.source.count("\n") + example.want.count("\n")
    output = Output(wanted.replace(BLANK_LINE, ""), end - wanted.count("\n"), end)
    style = Style(" " * example.indent, empty=BLANK_LINE)
    written, raises = output if wanted else None, bool(example.exc_msg)
    return CodeBlock(example.source, line, written, end, style, echo=True, raises=raises)


def docstring_text(docstring: str, first: int) -> Iterator[tuple[int, str]]:
    """Yield each line of a docstring outside its fences, without the prompts, without its indent.

    doctest has seen the prompts.
    """
    lines = docstring.split("\n")
    dedented = [lines[0].strip(), *textwrap.dedent("\n".join(lines[1:])).split("\n")]
    for number, _ in text_outside(lines, list(find_fences(lines))):
        if not lines[number - 1].lstrip().startswith(">>>"):
            yield first + number - 1, dedented[number - 1]
