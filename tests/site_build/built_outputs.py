"""The results that a built site shows, and the compared output that each of them is.

The site is read as a browser reads it, and not by the code that finds the examples to run. So
where the two disagree about what is an output, something is left without an answer.
"""

import ast
import doctest
import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache, cached_property
from html import escape, unescape
from html.parser import HTMLParser
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import Any

from pymdownx.superfences import SuperFencesException

from site_build.dialect import DIALECT
from site_build.downloads.to_notebook import stubs_in
from site_build.puzzle import known_outcomes, puzzle_in, quiz
from tensor_examples.documents import parser_of
from tensor_examples.example import Example
from tensor_examples.fences import Fence, find_fences, text_outside
from tensor_examples.images import image_difference
from tensor_examples.kernel import outputs_text
from tensor_examples.markdown import without_comments
from tensor_examples.notebooks import CellExample, decoded
from tensor_examples.numbers import numbers_in
from tensor_examples.script import ScriptExample
from tests.site_build.markdown.plain_markdown import convert

# What shows neither what torch code is nor what it prints.
OTHER_LANGUAGES = {"sh", "toml", "markdown", "html"}
BEFORE = re.compile(r"\A.*?(?=\b(?:tensor|array)\(\[)", re.DOTALL)  # its first tensor
EMPTY_LINE = re.compile(r"\n[ \t]*\n(?!>>>|\Z)")  # within an output
FIGURE = re.compile(r'<figure class="figure">.*?</figure>', re.DOTALL)
WORD = re.compile(r"True|False|inf|nan")
DIGITS = re.compile(r"-?(?:\d+\.?\d*(?:e[-+]\d+)?|inf|nan)|True|False")
# Scripts that stand among the pages as they are, and the tests that run them.
RUN_BY_TESTS = {
    f"assets/scripts/{name}.py": "tests/attention_steps/torchrun.py"
    for name in ("experts", "layers", "mesh", "ring")
} | {"assets/scripts/flash.py": "tests/other_libraries/test_triton.py"}
OF_SOURCE = r"(?:src|tests|docs/assets/scripts)/\S+\.py"  # whose definitions a page may show
NO_BREAK = "\N{NO-BREAK SPACE}"  # within a name
NAMES = "names of a heat map"
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
TAG = re.compile(r"<[^>]*>|\{ #[^{}\n]*\}")  # or the name of a heading
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Shown:
    """Something that a page shows as code or as a result."""

    kind: str  # the language of a block, or what else it is
    text: str
    line: int  # of the HTML


@dataclass
class Element:
    """An element that is open."""

    tag: str
    attributes: dict[str, str]
    text: list[str] = field(default_factory=list)
    line: int = 0
    is_hidden: bool = False  # or is in one that no reader sees


def hides(tag: str, attributes: Mapping[str, str]) -> bool:
    """Say whether no reader sees what is in an element."""
    return (
        tag in ("script", "style", "template", "head")
        or "hidden" in attributes
        or bool(re.search(r"display:\s*none", attributes.get("style", "")))
    )


class Results(HTMLParser):
    """Reads the blocks, maps and images of a page that a reader can see."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.shown: list[Shown] = []
        self.open: list[Element] = []
        self.names: list[str] = []  # of a heat map that is open: its columns, then its rows
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        within_hidden = bool(self.open) and self.open[-1].is_hidden
        if tag == "img" and not within_hidden and not attributes["src"].endswith("/logo.svg"):
            self.add("image", attributes["src"].rpartition("/")[2])
        if tag not in VOID:
            is_hidden = within_hidden or hides(tag, attributes)
            line = self.getpos()[0]
            self.open.append(Element(tag, attributes, line=line, is_hidden=is_hidden))

    def handle_data(self, data: str) -> None:
        in_map, in_name = self.within("table", "heat-map"), self.within("th")
        for element in self.open:
            # Cells stand apart, and the name of a row, such as 20, is no digit of the map.
            if element.tag == "th" or not in_map:
                element.text.append(data)
            elif not in_name:
                element.text.append(f" {data} ")

    def handle_endtag(self, tag: str) -> None:
        while self.open and tag in {element.tag for element in self.open}:
            ended = self.open.pop()
            if not ended.is_hidden:
                self.end(ended)
            if ended.tag == tag:
                return

    def end(self, ended: Element) -> None:
        """Note what a whole element shows."""
        text = "".join(ended.text)
        if ended.tag == "th" and self.within("table", "heat-map"):
            self.names.append(text)
        elif ended.tag == "tbody" and self.within("table", "heat-map"):
            self.add("heat map", text, ended)
            self.add(NAMES, "|".join(self.names).replace(NO_BREAK, " "), ended)
            self.names.clear()
        elif ended.tag in ("samp", "output") and text.strip() and not self.within("pre"):
            self.add(ended.tag, text, ended)
        elif ended.tag == "pre" and not self.within("td", "linenos"):
            is_quiz = "build-quiz" in ended.attributes.get("class", "")
            self.add("solution" if is_quiz else self.language(), text, ended)

    def within(self, tag: str, css_class: str = "") -> bool:
        """Say whether an element is open."""
        return any(
            each.tag == tag and (not css_class or css_class in each.attributes.get("class", ""))
            for each in self.open
        )

    def language(self) -> str:
        """Return the language of a block that is open, and where it is taken from."""
        around = next((e for e in reversed(self.open) if e.tag == "div"), Element("", {}))
        classes = " ".join(e.attributes.get("class", "") for e in self.open if e.tag == "div")
        found = re.search(r"\blanguage-(\S+)", classes)
        if self.within("details", "mkdocstrings-source"):
            details = next(e for e in self.open if e.tag == "details")
            named = re.search(r"Source code in (\S+)", "".join(details.text))
            return f"from {named[1]}" if named else "from nowhere"
        if "doc-signature" in classes:
            return "signature"
        if self.within("details", "build-solution"):
            return "solution"
        title = re.match(rf"\s*({OF_SOURCE})", "".join(around.text))
        if title:
            return f"from {title[1]}"
        return found[1] if found else "no language"

    def add(self, kind: str, text: str, element: Element | None = None) -> None:
        """Note something that is shown."""
        line = element.line if element else self.getpos()[0]
        self.shown.append(Shown(kind, text.strip("\n"), line))


def collected(root: Path, *arguments: str) -> set[str]:
    """Return the names of the examples that a run of the project's tests compares."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    listed = subprocess.run(
        [*command, *arguments], cwd=root, capture_output=True, text=True, check=False
    )
    return {line for line in listed.stdout.splitlines() if "::" in line}


@cache
def examples_in(path: str) -> list[Example]:
    """Return the examples of a file."""
    return list(parser_of(path)(path, Path(path).read_text("utf-8")))


@dataclass(frozen=True)
class Compared:
    """The examples that a run compares, in a project."""

    root: Path
    names: set[str]

    def blocks(self, path: PurePosixPath) -> list[tuple[str, str]]:
        """Return each block of code of a file that is run, and each output that is compared."""
        blocks: list[tuple[str, str]] = []
        for example in self.examples(path):
            if isinstance(example, ScriptExample):
                blocks.append(("python", example.block.source))
                output = example.block.output
                blocks += [("output", output.text)] if output else []
            elif isinstance(example, CellExample):
                blocks.append(("python", example.cell.source))
                for output in example.cell.outputs:
                    is_image = "image/png" in output.get("data", {})
                    image = ("image", f"{example.cell.id}.webp")
                    blocks.append(image if is_image else ("output", outputs_text([output])))
        return [(kind, plain(text)) for kind, text in blocks]

    def solutions(self, path: PurePosixPath) -> list[str]:
        """Return what a page lets build, right and in lines to choose: all programs are run."""
        if f"{path}::puzzles" not in self.names:
            return []
        fences = find_fences((self.root / path).read_text("utf-8").split("\n"))
        names = [fence.options["exercise"] for fence in fences if fence.language == "build"]
        puzzles = [puzzle_in(known_outcomes(self.root, name), name) for name in names]
        return [plain(text) for puzzle in puzzles for text in (puzzle.right, quiz(puzzle))]

    def images(self, path: PurePosixPath) -> dict[str, bytes]:
        """Return the images of a notebook that are compared, by their names on the site."""
        return {
            f"{example.cell.id}.webp": decoded(output.data["image/png"])
            for example in self.examples(path)
            if isinstance(example, CellExample)
            for output in example.cell.outputs
            if "image/png" in output.get("data", {})
        }

    def examples(self, path: PurePosixPath) -> Iterator[object]:
        """Yield the examples of a file that are collected."""
        file = self.root / path
        if any(name.startswith(f"{path}::") for name in self.names):
            for example in examples_in(str(file)):
                if f"{path}::{example.name}" in self.names:
                    yield example

    @cached_property
    def in_docstrings(self) -> set[tuple[str, str]]:
        """Return each example of a docstring, and what it prints."""
        paths = {PurePosixPath(name.partition("::")[0]) for name in self.names}
        blocks = [
            example.block
            for path in paths
            if path.suffix == ".py"
            for example in self.examples(path)
            if isinstance(example, ScriptExample)
        ]
        return {(plain(b.source), plain(b.output.text if b.output else "")) for b in blocks}

    def figures(self, path: PurePosixPath) -> tuple[list[str], list[str]]:
        """Return where each figure of a page stands, and each drawn from compared outputs alone."""
        lines = (self.root / path).read_text("utf-8").split("\n")
        texts = {
            example.block.output.line: example.block.output.text
            for example in self.examples(path)
            if isinstance(example, ScriptExample) and example.block.output
        }
        written, places = [], []
        for fence in find_fences(lines):
            text = texts.get(fence.opening + 1)
            if fence.language == "output" and text is not None:
                written.append(f"```{fence.info}\n{text}\n```\n")
            elif fence.language == "figure":
                written.append("\n".join([f"```{fence.info}", *fence.lines, "```\n"]))
                places.append(f"{path}:{fence.opening}, figure of {fence.options['of']!r}")
        try:
            return places, FIGURE.findall(convert("\n".join(written)))
        except SuperFencesException as error:
            return places, [str(error)]


def plain(text: str) -> str:
    """Return a text without the white space that no one can see."""
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")).rstrip("\n")


def without_answer(site: Path, compared: Compared) -> list[str]:
    """Return each thing on a site that is shown as a result and was compared with nothing."""
    problems = []
    for file in sorted(site.rglob("*")):
        check = {".html": of_page, ".ipynb": of_notebook, ".py": of_script}.get(file.suffix)
        if check:
            place = file.relative_to(site)
            problems += [f"{place}{problem}" for problem in check(file, site, compared)]
        elif file.suffix in (".md", ".txt", ".csv") and file.name != "robots.txt":
            problems.append(f"{file.relative_to(site)}: a file that is not made from a page")
    return problems + list(of_search(site, compared))


@cache
def results_on(page: Path) -> list[Shown]:
    """Return what a page of a built site shows."""
    return Results(styled(page.read_text("utf-8"))).shown


def styled(html: str) -> str:
    """Return a page whose rules stand again in the attributes that they were made from."""
    rules = dict(re.findall(r'&\[data-rule="(\d+)"\]\{(.*?)\}', html))
    return re.sub(r'data-rule="(\d+)"', lambda rule: f'style="{escape(rules[rule[1]])}"', html)


def source_of(folder: Path, site: Path, root: Path) -> PurePosixPath:
    """Return the file that a page of the site is made from."""
    name = folder.relative_to(site).as_posix()
    names = [f"docs/{name}{suffix}" for suffix in (".md", ".ipynb")]
    names += [PurePosixPath("docs", name, "index.md").as_posix()]
    return PurePosixPath(next((each for each in names if (root / each).is_file()), names[0]))


def to_write(blocks: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what the reader of a solved notebook is given: dots for solutions, and no output."""
    solution = re.compile(r"^( *)### BEGIN SOLUTION$.*?### END SOLUTION$", re.DOTALL | re.MULTILINE)
    if not any(solution.search(text) for _, text in blocks):
        return blocks
    return [(kind, solution.sub(r"\1...", text)) for kind, text in blocks if kind == "python"]


def of_page(page: Path, site: Path, compared: Compared) -> Iterator[str]:
    """Yield what is wrong with a page."""
    html = styled(page.read_text("utf-8"))
    is_static = page.name != "index.html"  # no page of MkDocs
    source = PurePosixPath(page.name) if is_static else source_of(page.parent, site, compared.root)
    expected, images = to_write(compared.blocks(source)), compared.images(source)
    results = results_on(page)
    text = (compared.root / source).read_text("utf-8") if (compared.root / source).is_file() else ""
    outputs = [shown for shown in results if shown.kind == "output"]
    number = 0  # of outputs so far
    for shown in results:
        problem = None
        if shown.kind in ("python", "output", "image"):
            if expected[:1] == [(shown.kind, plain(shown.text))]:
                expected = expected[1:]
                if shown.kind == "image":
                    apart = image_difference(
                        images[shown.text], (page.parent / shown.text).read_bytes()
                    )
                    problem = apart and f"shows an image that {apart}"
            else:
                problem = f"shows {shown.kind} that was not compared here"
        elif shown.kind == "solution":
            if plain(shown.text) not in compared.solutions(source):
                problem = "shows a solution that no test ran"
        elif shown.kind == "pycon":
            problem = of_docstring(shown.text, compared)
        elif shown.kind.startswith("from "):
            problem = of_source(shown.text, compared.root / shown.kind.removeprefix("from "))
        elif shown.kind == "heat map":
            beside = [each.text for each in (outputs[:number][-1:] + outputs[number:][:1])]
            if not any(is_drawn(shown.text, output) for output in beside):
                problem = "shows a heat map of other digits than the outputs beside it"
        elif shown.kind not in {*OTHER_LANGUAGES, "signature", NAMES}:
            problem = f"shows {shown.kind}, which is compared with nothing"
        if problem:
            yield f":{shown.line}{at(source, text, shown.text)}: {problem}: {shown.text[:70]!r}"
        number += shown.kind == "output"
    for kind, missing in expected:
        place = at(source, text, missing)
        yield f"{place}: {kind} that was compared is not shown in its place: {missing[:70]!r}"
    if source.suffix == ".md" and text:
        yield from of_fences(text, results)
        yield from of_heat_maps(source, text, results)
        places, drawn = compared.figures(source)
        figures = FIGURE.findall(html)
        for place, figure, shown_figure in zip_longest(places, drawn, figures, fillvalue=""):
            if flat(figure) != flat(shown_figure):
                yield f", {place or source}: is another than its compared outputs give"


def at(source: PurePosixPath, text: str, shown: str) -> str:
    """Return the line of a page on which something begins that its site shows, if it is there."""
    first = next((line.strip() for line in shown.split("\n") if line.strip()), "")
    lines = [line.strip() for line in text.split("\n")]
    return f", {source}:{lines.index(first) + 1}" if first in lines else f", {source}" * bool(text)


def of_heat_maps(source: PurePosixPath, text: str, results: list[Shown]) -> Iterator[str]:
    """Yield each heat map whose columns and rows have other names than its fence gives them."""
    fences = [fence for fence in find_fences(text.split("\n")) if fence.language == "output"]
    wanted = {fence.opening: names_of(fence) for fence in fences if "heat" in fence.options}
    shown = [each.text for each in results if each.kind == NAMES]
    for line, names in zip_longest(wanted, shown, fillvalue=""):
        if wanted.get(int(line or 0)) != names:
            yield f", {source}:{line}: a heat map with the names {names!r}"


def names_of(fence: Fence) -> str:
    """Return the names that a fence gives to the columns and to the rows of its heat map."""
    axes = [fence.options.get(axis, fence.options["heat"]) for axis in ("columns", "rows")]
    return "|".join(axis if "|" in axis else axis.replace(" ", "|") for axis in axes)


def is_drawn(heat_map: str, output: str) -> bool:
    """Say whether a map shows the first tensor of an output, with as many digits or fewer."""
    # A cell has a minus sign where the output has a hyphen.
    drawn = DIGITS.findall(heat_map.replace("\N{MINUS SIGN}", "-"))
    printed = DIGITS.findall(BEFORE.sub("", output))
    return 0 < len(drawn) <= len(printed) and all(map(is_rounded, drawn, printed))


def is_rounded(drawn: str, printed: str) -> bool:
    """Say whether a number that is drawn is one that is printed; a word is drawn as it is."""
    if drawn == printed or WORD.search(drawn + printed):
        return drawn == printed
    number = Decimal(drawn)
    half = Decimal(1).scaleb(int(number.as_tuple().exponent)) / 2
    return abs(number - Decimal(printed)) <= half


def flat(html: str) -> str:
    """Return HTML without line breaks and indents."""
    return re.sub(r"\s+", " ", html)


def of_docstring(text: str, compared: Compared) -> str | None:
    """Say what is wrong with examples that are shown from a docstring."""
    written = EMPTY_LINE.sub("\n<BLANKLINE>\n", f"{text}\n")  # as in the docstring
    for example in doctest.DocTestParser().get_examples(written):
        printed = (example.exc_msg or example.want).replace("<BLANKLINE>", "")
        found = plain(example.source), plain(printed)
        if found not in compared.in_docstrings:
            return f"shows an example that was not compared, {found[0][:40]!r}, in"
    return None


def of_source(text: str, file: Path) -> str | None:
    """Say what is wrong with code that is shown from a file: its definitions stand there, whole."""
    source = file.read_text("utf-8") if file.is_file() else ""
    there, lines = definitions(source), {line.strip() for line in source.split("\n")}
    missing = [name for name, code in definitions(text) if (name, code) not in there]
    missing += [line for line in text.split("\n") if line.strip() not in lines]
    return f"shows code that is not in {file}, {missing[0]!r}, in" if missing else None


@cache  # a file is shown in parts, on many pages
def definitions(code: str) -> list[tuple[str, str]]:
    """Return the name of each function and class of some code, and its text less docstrings.

    The first are the outermost ones, in their order.
    """
    tree = ast.parse(textwrap.dedent(code))
    found = [node for node in ast.walk(tree) if isinstance(node, DEFINITIONS)]
    for node in found:
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return [(node.name, ast.unparse(node)) for node in found]


def of_fences(text: str, results: list[Shown]) -> Iterator[str]:
    """Yield each fence of a page that shows other definitions than it names."""
    named = [
        [name.rpartition(".")[2] for name in " ".join(fence.lines).split()[1:]]
        for fence in find_fences(text.split("\n"))
        if fence.language == "source"
    ]
    blocks = [shown for shown in results if shown.kind.startswith("from ")] if named else []
    for shown, names in zip_longest(blocks, named, fillvalue=None):
        outermost = [name for name, _ in definitions(shown.text)] if shown else []
        if names is None or outermost[: len(names)] != names:
            yield f": shows {outermost[:3]} where a fence names {names}"


def of_notebook(file: Path, site: Path, compared: Compared) -> Iterator[str]:
    """Yield what is wrong with a notebook that can be downloaded."""
    source = source_of(file.parent, site, compared.root)
    images = compared.images(source)
    is_page, text = source.suffix == ".md", (compared.root / source).read_text("utf-8")
    to_fill = stubs_in(text, compared.root) if is_page else []
    cells = json.loads(file.read_text("utf-8"))["cells"]
    blocks: list[tuple[str, str]] = []
    for cell in cells:
        text = "".join(cell["source"])
        if text in to_fill and not cell["outputs"]:
            continue
        if cell["cell_type"] == "code" and text.strip():
            blocks.append(("python", plain(text)))
            for output in cell["outputs"]:
                data = output.get("data", {})
                shown = "".join(output.get("text", data.get("text/plain", "")))
                image = ("image", f"{cell['id']}.webp")
                blocks.append(image if "image/png" in data else ("output", plain(shown)))
                if "image/png" in data and images.get(image[1]) != decoded(data["image/png"]):
                    yield f": holds another image than was compared, {image[1]}"
        for fence in find_fences(text.split("\n")) if cell["cell_type"] == "markdown" else []:
            above = "\n".join(text.split("\n")[: fence.opening - 1]).rstrip().rpartition("\n")[2]
            path = re.fullmatch(rf"`({OF_SOURCE})`:", above)
            if path and not of_source("\n".join(fence.lines), compared.root / path[1]):
                continue
            if fence.language not in OTHER_LANGUAGES:
                yield f": shows {fence.language or 'no language'} in its text"
    expected = compared.blocks(source)
    if source.suffix == ".ipynb" and file.stem != source.stem:
        expected = to_write(expected)
    if blocks[-len(expected) :] != expected or len(blocks) > len(expected) + 1:
        yield ": holds other code or outputs than were compared"
    original = (compared.root / source).read_text("utf-8")
    if source.suffix == ".ipynb":
        original = text_of_cells(json.loads(original)["cells"])
    lost = missing_in(prose_numbers(original), prose_numbers(text_of_cells(cells)))
    if lost:
        yield f", {source}: its text has no {lost} in its place"


def text_of_cells(cells: list[dict[str, Any]]) -> str:
    """Return the text of a notebook."""
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def prose_numbers(text: str) -> list[str]:
    """Return the numbers in the sentences of a page or of a cell, each with its sign."""
    lines = without_comments(FRONT_MATTER.sub("", text), DIALECT).split("\n")
    outside = "\n".join(line for _, line in text_outside(lines, list(find_fences(lines))))
    return [n.sign + n.digits for n in numbers_in(TAG.sub("", outside), whole=True)]


def missing_in(numbers: list[str], there: list[str]) -> str | None:
    """Return the first number that is not there, in its order."""
    left = iter(there)
    return next((number for number in numbers if number not in left), None)


def of_search(site: Path, compared: Compared) -> Iterator[str]:
    """Yield each page whose numbers lose their sign in what the search shows."""
    titles, texts = (site / "search" / f"{name}.json" for name in ("titles", "texts"))
    told: dict[str, list[str]] = {}
    if titles.is_file():
        entries = json.loads(titles.read_text("utf-8"))["docs"]
        for entry, body in zip(entries, json.loads(texts.read_text("utf-8")), strict=True):
            text = TAG.sub(" ", f"{entry['title']}\n{body['text']}")
            told.setdefault(entry["location"].partition("#")[0], []).append(unescape(text))
    for location, said in told.items():
        source = source_of(site / location, site, compared.root)
        if source.suffix == ".md" and (compared.root / source).is_file():
            signed = [
                n
                for n in prose_numbers((compared.root / source).read_text("utf-8"))
                if not n[0].isdigit()
            ]
            lost = missing_in(signed, prose_numbers("\n".join(said)))
            if lost:
                yield f"search, {source}: has no {lost}"


def of_script(file: Path, site: Path, compared: Compared) -> Iterator[str]:
    """Yield what is wrong with a script that can be downloaded."""
    place = file.relative_to(site).as_posix()
    if place in RUN_BY_TESTS:
        if place.rpartition("/")[2] not in (compared.root / RUN_BY_TESTS[place]).read_text("utf-8"):
            yield ": is not run by its tests"
        return
    blocks = compared.blocks(source_of(file.parent, site, compared.root))
    code = "\n\n".join(text for kind, text in blocks if kind == "python")
    text = file.read_text("utf-8")
    if not code or plain(re.sub(r"\A(?:#.*\n)*\n", "", text)) != code:
        yield ": is other code than that of its page"
