"""Writes a page as a notebook: its prose, its code, and what the code printed."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from site_build.markdown.guess_fence import as_markdown
from site_build.markdown.mathml import KNOWN
from site_build.markdown.source_fence import shown_source
from site_build.puzzle import known_outcomes
from tensor_examples.fences import Fence, find_fences
from tensor_examples.script import CodeBlock

Link = Callable[[str], str]
NewCells = Iterator[NotebookNode]

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# Which a notebook does not have.
DRAWINGS = {"card", "stage", "task"}
EMPTY_LINES = re.compile(r"\n{3,}")
HEADING = re.compile(r"^(?=#{1,6} )", re.MULTILINE)
# An admonition, one that is folded, or a tab. What belongs to it is indented.
BOX = re.compile(r'(?:!!!|\?\?\?\+?|===\+?) *(?P<kind>[\w-]*)[^"]*(?:"(?P<title>.*)")? *')
# What only this site understands, and what must not be mistaken for it.
SITE_ONLY = re.compile(
    r"""
      (?P<kept> (?P<ticks>`+) (?!`) .*? (?<!`) (?P=ticks) (?!`)   # code
        | \$\$ .*? \$\$ | \$ (?!\s) [^$]+ (?<!\s) \$ )            # a formula
    | <p [ ] class="question" [^>]* > (?P<question> .*? ) </p>
    | \]\( (?P<target> [^()\s]+ )
    | ^::: [ ] (?P<object> [\w.]+ )                               # of the reference
    | <!-- .*? -->
    | </? [a-z][\w-]* (?: \s [^<>]* )? >
    | [ ]* \{ :? [ ]* (?: [.\#] [\w-]+ | [\w-]+= ) [^{}\n]* \}    # attributes
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


def to_notebook(
    markdown: str, blocks: Mapping[int, CodeBlock], root: Path, link: Link, source: str, setup: str
) -> str:
    """Return a page as a notebook.

    Args:
        markdown: The page.
        blocks: The code of the page that is run, by its first line.
        root: The project's root folder, from which `source` fences name files.
        link: Makes a link absolute.
        source: Says where the notebook is from, below its title.
        setup: The code that goes before that of the page, if any.
    """
    first, *others = cells_of(markdown, blocks, root, link)
    first.source += f"\n\n{source}"
    cells = [first, *([code_cell(setup, "")] if setup else []), *others]
    for number, cell in enumerate(cells, 1):
        cell.id = f"cell-{number}"
    code = (cell for cell in cells if cell.cell_type == "code")
    for number, cell in enumerate(code, 1):
        cell.execution_count = number
    parts = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    return f"{nbformat.writes(nbformat.from_dict(parts))}\n"  # `writes` validates it


def cells_of(markdown: str, blocks: Mapping[int, CodeBlock], root: Path, link: Link) -> NewCells:
    """Yield the cells of a page. A heading begins a new one."""
    written = markdown.replace(KNOWN, "").split("\n")
    fences = list(find_fences(written))
    lines = list(without_boxes(written, fences))
    printed = {block.output.line for block in blocks.values() if block.output}
    text: list[str] = []
    end = 0
    for fence in fences:
        yield from sections("\n".join(lines[end : fence.opening - 1]), link, text)
        end = fence.closing
        first = fence.opening + 1
        if first in blocks:
            yield from markdown_cell(text)
            output = blocks[first].output
            yield code_cell(blocks[first].source, output.text if output else "")
        elif fence.language == "build":
            yield from markdown_cell(text)
            yield from (code_cell(code, "") for code in to_build(fence, root))
        elif fence.language == "source":
            path, code = shown_source("\n".join(fence.lines), root)
            text.append(f"`{path}`:\n\n```python\n{code}\n```")
        elif fence.language == "guess":
            text.append(readable(as_markdown("\n".join(fence.lines)), link))
        elif fence.language not in DRAWINGS and first not in printed:
            text.append("\n".join(lines[fence.opening - 1 : fence.closing]))
    yield from sections("\n".join(lines[end:]), link, text)
    yield from markdown_cell(text)


def stubs_in(markdown: str, root: Path) -> list[str]:
    """Return the code of the cells that a notebook has in place of what its page lets build."""
    fences = find_fences(markdown.split("\n"))
    built = (fence for fence in fences if fence.language == "build")
    return [code for fence in built for code in to_build(fence, root)]


def to_build(fence: Fence, root: Path) -> tuple[str, str]:
    """Return the cells in which a reader writes what the page lets build from lines."""
    name = fence.options["exercise"]
    head = known_outcomes(root, name)["head"]
    imported = f'from attention_practice import check, hint, solution, task\n\ntask("{name}")'
    function = re.search(r"(?:def|class) (\w+)", head)
    assert function is not None
    # A signature may have several lines; of a class, only the first one stays.
    signature = r"((?:def \w+\([^)]*\)|class )[^\n]*:)(?:\n.*)?$"
    stub = re.sub(signature, r"\1\n    ...", head, flags=re.DOTALL)
    return imported, f'{stub}\n\n\ncheck("{name}", {function[1]})'


def sections(prose: str, link: Link, text: list[str]) -> NewCells:
    """Add prose to the text of a cell; yield the cells that end with it at a heading."""
    before, *headed = HEADING.split(readable(prose, link))
    text.append(before)
    for section in headed:
        yield from markdown_cell(text)
        text.append(section)


def markdown_cell(text: list[str]) -> NewCells:
    """Yield the parts of a text as a cell, if there is anything in them, and empty it."""
    source = "\n\n".join(part.strip("\n") for part in text if part.strip())
    text.clear()
    if source:
        yield NotebookNode(cell_type="markdown", metadata=NotebookNode(), source=source)


def code_cell(source: str, printed: str) -> NotebookNode:
    """Return a cell of code, with what it printed."""
    stream = NotebookNode(output_type="stream", name="stdout", text=f"{printed}\n")
    return NotebookNode(
        cell_type="code",
        execution_count=None,
        metadata=NotebookNode(),
        source=source,
        outputs=[stream] if printed else [],
    )


def without_boxes(lines: list[str], fences: list[Fence]) -> Iterator[str]:
    """Yield the lines of a page, those of admonitions at the margin and below their titles."""
    fenced = {n for fence in fences for n in range(fence.opening, fence.closing + 1)}
    indent = 0
    for number, line in enumerate(lines, 1):
        while line.strip() and not line.startswith(" " * indent):
            indent -= 4
        box = BOX.fullmatch(line, indent) if number not in fenced else None
        if box:
            yield f"**{box['title'] or box['kind'].capitalize()}**"
            indent += 4
        else:
            yield line[indent:]


def readable(prose: str, link: Link) -> str:
    """Return prose without what only this site understands, and with absolute links."""

    def replace(found: re.Match[str]) -> str:
        if found["kept"]:
            return found["kept"]
        if found["question"]:
            return "> " + " ".join(found["question"].split())
        if found["object"]:
            return f"[`{found['object']}`]({link('#' + found['object'])})"
        return f"]({link(found['target'])}" if found["target"] else ""

    return EMPTY_LINES.sub("\n\n", SITE_ONLY.sub(replace, prose))
