"""The code and the outputs that the built site shows are those that the tests run and compare.

The site is read as a browser reads it, and not by the code that finds the examples to run. So
where the two disagree about what is an output, one of them stands alone here.
"""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tensor_examples.documents import parser_of
from tensor_examples.images import image_difference
from tensor_examples.kernel import outputs_text
from tensor_examples.notebooks import CellExample, decoded
from tensor_examples.script import ScriptExample
from tests.conftest import ROOT, sources

# Around blocks that are no examples: functions from files, and what a reader builds or has built.
OTHERS = re.compile(r"mkdocstrings-source|doc-signature|build-")
OF_A_FILE = re.compile(r"\s*(?:src|tests|docs)/\S+\.py")
SOLUTION = "### BEGIN SOLUTION"  # a notebook that has it is shown without what is to be written
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
Blocks = list[tuple[str, str]]  # each with its kind


class Shown(HTMLParser):
    """Reads the blocks of code and of outputs, and the images, that a page shows."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.blocks: Blocks = []
        self.open: list[tuple[str, str, list[str]]] = []  # the tag, the classes and the text
        self.cells: list[str] = []  # of a heat map, which shows each number that was printed
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "img":
            self.blocks.append(("image", str(attributes.get("src")).rpartition("/")[2]))
        if tag not in VOID:
            self.open.append((tag, attributes.get("class") or "", []))

    def handle_data(self, data: str) -> None:
        for _, _, text in self.open:
            text.append(data)

    def handle_endtag(self, tag: str) -> None:
        while any(tag == each for each, _, _ in self.open):
            ended, _, text = self.open.pop()
            if ended == "pre":
                around = " ".join(classes for _, classes, _ in self.open)
                title = "".join(next((t for e, _, t in reversed(self.open) if e == "div"), []))
                found = re.findall(r"\blanguage-(python|output|pycon)\b", around)
                if found and not OTHERS.search(around) and not OF_A_FILE.match(title):
                    self.blocks.append((found[-1], plain("".join(text))))
            elif ended == "td" and any(each == "tbody" for each, _, _ in self.open):
                self.cells.append("".join(text).replace("\N{MINUS SIGN}", "-"))
            elif ended == "table":
                if any("heat" in classes.split() for _, classes, _ in self.open):
                    self.blocks.append(("map", " ".join(self.cells)))
                self.cells = []
            if ended == tag:
                return


def plain(text: str) -> str:
    """Return a text without the white space that no one can see."""
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")).rstrip("\n")


def as_shown(block: tuple[str, str], shown: Blocks) -> tuple[str, str]:
    """Return an output as the numbers of its heat map, if the page shows it as one."""
    kind, text = block
    digits = " ".join(
        cell.rstrip(".") for cell in re.findall(r"-?[\d.]*\d\.?", text.partition("tensor(")[2])
    )
    return ("map", digits) if kind == "output" and ("map", digits) in shown else block


def compared(source: Path) -> Blocks:
    """Return each block of code of a page that is run, and each output that is compared."""
    blocks: Blocks = []
    for example in parser_of(source.name)(str(source), source.read_text("utf-8")):
        if isinstance(example, ScriptExample):
            output = example.block.output
            blocks += [("python", example.code)] + ([("output", output.text)] if output else [])
        elif isinstance(example, CellExample):
            blocks.append(("python", example.code))
            for output in example.cell.outputs:
                is_image = "image/png" in output.get("data", {})
                image = ("image", f"{example.cell.id}.webp")
                blocks.append(image if is_image else ("output", outputs_text([output])))
    return [(kind, plain(text)) for kind, text in blocks]


def page_of(source: Path, site: Path) -> Path:
    """Return the page of the site that is made from a source."""
    folder = source.relative_to(ROOT / "docs").with_suffix("")
    return site / (folder.parent if folder.name == "index" else folder) / "index.html"


@pytest.mark.parametrize("source", sources(".md", ".ipynb"), ids=lambda source: source.stem)
def test_a_page_shows_what_was_compared_and_nothing_else(source: Path, site: Path) -> None:
    if SOLUTION in source.read_text("utf-8"):
        pytest.skip("its solutions are left to the reader")
    shown = Shown(page_of(source, site).read_text("utf-8")).blocks
    of_cells = [each for each in shown if each[0] in ("python", "output", "map")]
    found = (as_shown(each, shown) for each in compared(source) if each[0] != "image")
    assert of_cells == [*found]


def test_the_images_of_notebooks_are_those_that_were_compared(site: Path) -> None:
    images = 0
    for source in sources(".ipynb"):
        for example in parser_of(source.name)(str(source), source.read_text("utf-8")):
            for output in example.cell.outputs if isinstance(example, CellExample) else ():
                if image := output.get("data", {}).get("image/png"):
                    assert isinstance(example, CellExample)
                    shown = page_of(source, site).parent / f"{example.cell.id}.webp"
                    assert image_difference(decoded(image), shown.read_bytes()) is None
                    images += 1
    assert images > 3


def test_a_docstring_is_shown_as_it_was_compared(site: Path) -> None:
    packages = (ROOT / "src").glob("attention_*")
    modules = sorted(module for package in packages for module in package.rglob("*.py"))
    text = "\n".join(module.read_text("utf-8") for module in modules)
    lines = {line.strip() for line in text.split("\n")}
    shown = [
        line.strip()
        for page in (site / "reference").rglob("index.html")
        for kind, block in Shown(page.read_text("utf-8")).blocks
        if kind == "pycon"
        for line in block.split("\n")
    ]
    assert len(shown) > 200
    assert [line for line in shown if line and line not in lines] == []
    for page in (site / "reference").rglob(
        "index.html"
    ):  # no session is a quotation in a quotation
        assert "<blockquote>\n<blockquote>" not in page.read_text("utf-8"), page
