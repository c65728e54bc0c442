"""The extension of Python-Markdown for pages of this site: a reader before it, a writer after it.

The reader finds the outputs that have a name, before any fence is drawn. The writer works on the
HTML once all of it is there: formulas become MathML, code is quiet, and its tensors have cells.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from pymdownx.superfences import SuperFencesException

from site_build.dialect import DIALECT
from site_build.formula_card import statements, with_cards
from site_build.markdown.folded_questions import FoldedQuestions
from site_build.markdown.guessed import with_guessed
from site_build.markdown.hidden_numbers import with_hidden
from site_build.markdown.mathml import with_mathml
from site_build.markdown.printed_cells import with_cells_in_examples
from site_build.markdown.quiet_code import with_quiet_code
from site_build.markdown.tensors import Tensor, as_json, tensors_of
from site_build.stage import Staged, read_state, read_task, with_stage, with_stills
from tensor_examples.fences import Fence, find_fences
from tensor_examples.guesses import Answer
from tensor_examples.markdown import without_comments

Options = dict[str, str]

OPTION = re.compile(r"""([a-zA-Z]\w*)=(["'])(.*?)\2""")


@dataclass(frozen=True)
class FencedOutput:
    """The text of an output, and the options of its fence."""

    text: str
    options: Options


class PageReader(Preprocessor):
    """Reads the outputs that have a name, before any fence of the page is drawn.

    And takes away where the numbers in prose come from: a comment behind a number, such as
    `0.5473<!-- scores[0, 4] -->`, is for the checks and for whoever writes the page.

    Args:
        root: The folder in which the paths of `source` fences begin.
        scene: What the stage of the page shows, if it has one.
        page: The name of the page, without a folder.
    """

    def __init__(self, root: Path, scene: str = "", page: str = "") -> None:
        super().__init__()
        self.root, self.scene, self.page = root, scene, page

    def run(self, lines: list[str]) -> list[str]:
        """Keep each output that has a name, and return the lines without comments."""
        lines = without_comments("\n".join(lines), DIALECT).split("\n")
        self.named: dict[str, FencedOutput] = {}
        self.code = statements(list(find_fences(lines)))  # of each card
        self.answers: list[Answer] = []  # to what the page lets the reader guess
        self.staged = Staged(self.scene, self.page)
        masked, staged = [], []
        for fence in find_fences(lines):
            if fence.language in ("stage", "task"):
                staged.append(fence)
            if not re.match(r"output\b", fence.info):
                continue
            where = f"line {fence.opening}"
            if rest := OPTION.sub("", fence.info).partition(" ")[2].strip():
                # SuperFences would take no notice of the fence, and say nothing.
                raise ValueError(
                    f"{where}: cannot read {rest!r} of this fence; an option is "
                    'name="value", and quotes within the value are typographic: “ ”'
                )
            options = {name: value for name, _, value in OPTION.findall(fence.info)}
            output, name = FencedOutput("\n".join(fence.lines), options), options.get("name")
            if fence.language == "output" and name is not None:
                if name in self.named:
                    raise ValueError(f'{where}: two outputs of a page have the name "{name}"')
                self.named[name] = output
            if fence.language == "output" and "hidden" in options:
                masked.append((where, output))
        for where, output in masked:
            try:
                self.tensors_of(output)
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from error
        for fence in sorted(staged, key=lambda fence: fence.language):  # tasks are about states
            try:
                self.put_on_stage(fence)
            except ValueError as error:
                raise ValueError(f"line {fence.opening}: {error}") from error
        return lines

    def put_on_stage(self, fence: Fence) -> None:
        """Note a state, with the outputs that are drawn in it, or a task."""
        from site_build.stage.training import training  # which draws, and so imports this module

        if fence.language == "task":
            read_task(fence.info, self.staged)
            return
        for name in read_state(fence.info, self.staged):
            if name == "training":
                self.staged.numbers[name] = training()
                continue
            if name not in self.named:
                raise ValueError(f"no output of this page is named {name}")
            tensors = self.tensors_of(self.named[name])
            if len(tensors) > 1:
                raise ValueError(f'the output "{name}" has {len(tensors)} tensors, and not one')
            self.staged.numbers[name] = as_json(tensors[0]) if tensors else self.named[name].text

    def tensors_of(self, output: FencedOutput) -> list[Tensor]:
        """Return the tensors of an output, with what a mask of the page hides."""
        tensors = tensors_of(output.text, output.options)
        hidden = output.options.get("hidden")
        if hidden is None:
            return tensors
        mask = self.named.get(hidden, FencedOutput("", {}))
        return with_hidden(tensors, hidden, tensors_of(mask.text, mask.options))


class PageWriter(Postprocessor):
    """Converts formulas, which arithmatex has marked, and works on blocks of code."""

    def run(self, text: str) -> str:
        """Return the HTML of the page."""
        text = with_cards(text, reader_of(self.md).code, with_mathml)
        written = with_cells_in_examples(with_quiet_code(with_mathml(text)))
        reader = reader_of(self.md)
        guessed = with_guessed(written, reader.answers)
        return with_stage(with_stills(guessed), reader.staged)


class PageExtension(Extension):
    """Reads a page first, and writes it last."""

    def __init__(self, root: str | Path = ".", scene: str = "", page: str = "") -> None:
        super().__init__()
        self.reader = PageReader(Path(root), scene, page)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's own name)
        """Register the reader before superfences, which has 25, and the writer after all others."""
        md.preprocessors.register(self.reader, "page", 28)
        md.postprocessors.register(PageWriter(md), "page", -10)
        md.treeprocessors.register(FoldedQuestions(md), "questions", 4)  # toc has 5
        if "fenced_code_block" in md.preprocessors:
            tell_lines(md.preprocessors["fenced_code_block"])


def tell_lines(fences: Any) -> None:
    """Let superfences say on which line of a page a fence begins that cannot be shown."""
    process = fences.process_nested_block

    def process_fence(ws: str, content: str, start: int, end: int) -> None:
        try:
            process(ws, content, start, end)
        except SuperFencesException as error:
            raise SuperFencesException(f"line {start + 1}: {error}") from error

    fences.process_nested_block = process_fence


def makeExtension(**options: Any) -> PageExtension:  # noqa: N802 (Markdown's own name)
    """Return the extension, as Markdown asks for it."""
    return PageExtension(**options)


def accept_options(
    language: str, inputs: Options, options: Options, attrs: object, md: Markdown
) -> bool:
    """Take all options of a fence, in the way that SuperFences asks: it would hide a mistake."""
    options.update(inputs)
    return True


def reader_of(md: Markdown) -> PageReader:
    """Return what is known of the page that is converted."""
    return cast(PageReader, md.preprocessors["page"])
