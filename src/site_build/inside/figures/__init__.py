"""A fence that draws the numbers of a page: a small language of figures.

    ````markdown
    ```output name="bank-scores" columns="the duck likes the muddy bank"
    tensor([0., 3., 0., 0., 3., 2.])
    ```

    ```figure kind="bars" of="bank-scores" caption="What bank scores with each word."
    Six bars over the words of the sentence. Duck and muddy are highest, both 3.
    ```
    ````

`of` names outputs of the same page, above or below, and the text says what is seen to those who
cannot see it. Every number in the drawing is one that was printed and compared. Each tensor is a
panel, and so is each matrix of a tensor with three axes. A module for each kind says which options
it takes.

The drawing is SVG within the page: its letters are text, and its colours come from
theme/assets/figures/figures.css, so that it is at home in light, in dark and on paper, without a
script.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from pymdownx.superfences import SuperFencesException

from site_build.inside.figures.arcs import arcs
from site_build.inside.figures.areas import areas
from site_build.inside.figures.bars import bars
from site_build.inside.figures.boxes import boxes
from site_build.inside.figures.clock import clock
from site_build.inside.figures.drag import drag
from site_build.inside.figures.flow import flow
from site_build.inside.figures.lines import lines
from site_build.inside.figures.maps import maps
from site_build.inside.figures.plane import plane
from site_build.inside.figures.ring import ring
from site_build.inside.figures.shapes import shapes
from site_build.inside.figures.slate import slate
from site_build.inside.figures.svg import Drawing
from site_build.inside.figures.tensors import Tensor, tensors_of
from site_build.inside.figures.tiles import tiles
from site_build.inside.masked import with_hidden
from tensor_examples.markdown import find_fences

Options = dict[str, str]
# What draws the panels. It takes the options that it uses out of the others.
Kind = Callable[[list[Tensor], Options], list[Drawing]]

KINDS: dict[str, Kind] = {
    "bars": bars,
    "arcs": arcs,
    "flow": flow,
    "plane": plane,
    "drag": drag,
    "map": maps,
    "lines": lines,
    "clock": clock,
    "areas": areas,
    "ring": ring,
    "tiles": tiles,
    "slate": slate,
}
# What reads the text of the outputs, where shapes are printed.
KINDS_OF_TEXT: dict[str, Callable[[str, Options], list[Drawing]]] = {
    "shapes": shapes,
    "boxes": boxes,
}
OPTION = re.compile(r"""([a-zA-Z]\w*)=(["'])(.*?)\2""")
WIDEST = 380  # units; on a phone of 360 px the smallest letters, of 13 units, are then 11 px


@dataclass(frozen=True)
class Output:
    """What a block prints: the text, and the tensors in it."""

    text: str
    tensors: list[Tensor]


class NamedOutputs(Preprocessor):
    """Reads the outputs that have a name, before any fence of the page is drawn."""

    def __init__(self, md: Markdown, above: int) -> None:
        """Count the lines of a file from its first, though its front matter has been taken away."""
        super().__init__(md)
        self.above = above

    def run(self, lines: list[str]) -> list[str]:
        """Keep each output, and return the lines as they are."""
        self.outputs: dict[str, Output] = {}
        masked: list[tuple[int, str, Options]] = []
        for fence in find_fences(lines):
            if not re.match(r"(output|figure)\b", fence.info):
                continue
            if rest := OPTION.sub("", fence.info).partition(" ")[2].strip():
                # SuperFences would take no notice of the fence, and say nothing.
                raise ValueError(
                    f"line {self.above + fence.opening}: cannot read {rest!r} of this fence; an "
                    'option is name="value", and quotes within the value are typographic: “ ”'
                )
            options = {name: value for name, _, value in OPTION.findall(fence.info)}
            if fence.language != "output":
                continue
            name, text = options.get("name"), "\n".join(fence.lines)
            if name is not None:
                if name in self.outputs:
                    raise ValueError(f'two outputs of a page have the name "{name}"')
                self.outputs[name] = Output(text, tensors_of(text, options))
            if "hidden" in options:
                masked.append((fence.opening, text, options))
        self.hide(masked)
        return lines

    def hide(self, masked: list[tuple[int, str, Options]]) -> None:
        """Let masks hide what they should, in outputs with a name, and check the others."""
        for line, text, options in masked:
            try:
                tensors = self.with_hidden(tensors_of(text, options), options)
            except ValueError as error:
                raise ValueError(f"line {self.above + line}: {error}") from error
            if name := options.get("name"):
                self.outputs[name] = Output(text, tensors)

    def with_hidden(self, tensors: list[Tensor], options: Options) -> list[Tensor]:
        """Return the tensors of an output with what a mask of the page hides."""
        named = {name: output.tensors for name, output in self.outputs.items()}
        return with_hidden(tensors, options.get("hidden"), named)


class FiguresExtension(Extension):
    """Lets the figures of a page know its outputs."""

    def __init__(self, above: int = 0) -> None:
        """Take the number of lines in the file that stand above the Markdown."""
        super().__init__()
        self.above = above

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (Markdown's own name)
        """Register the preprocessor, before that of superfences, which has 25."""
        md.preprocessors.register(NamedOutputs(md, self.above), "named_outputs", 28)


def makeExtension(**options: int) -> FiguresExtension:  # noqa: N802 (Markdown's own name)
    """Return the extension, as Markdown asks for it."""
    return FiguresExtension(**options)


def accept_options(
    language: str, inputs: Options, options: dict[str, Any], attrs: Any, md: Markdown
) -> bool:
    """Take all options: one that no figure knows is an error, and not a fence of another kind."""
    options.update(inputs)
    return True


def figure_fence(
    text: str, language: str, css_class: str, options: Options, md: Markdown, **rest: Any
) -> str:
    """Render a figure, in the way that SuperFences calls it."""
    named = " ".join(f'{option}="{options.get(option, "")}"' for option in ("kind", "of"))
    try:
        outputs: Any = md.preprocessors["named_outputs"]
        return figure(" ".join(text.split()), dict(options), outputs.outputs)
    except Exception as error:
        # SuperFences hides every other exception, and shows the fence as it was written.
        raise SuperFencesException(f"figure {named}: {error}") from error


def figure(seen: str, options: Options, outputs: dict[str, Output]) -> str:
    """Return a figure.

    Args:
        seen: What is seen, for those who cannot see it.
        options: Those of the fence.
        outputs: What the page prints, by the names of the outputs.

    Raises:
        ValueError: If it cannot be drawn.
    """
    if not seen:
        raise ValueError("write what is seen between its marks, for those who cannot see it")
    kind = options.pop("kind", "")
    if kind not in KINDS | KINDS_OF_TEXT:
        raise ValueError(f'there is no kind "{kind}", but {", ".join(KINDS | KINDS_OF_TEXT)}')
    names = options.pop("of", "").split()
    if not names or not set(names) <= set(outputs):
        raise ValueError(f"no such output; named on this page: {', '.join(outputs) or 'none'}")
    caption, titles = options.pop("caption", ""), options.pop("titles", "")
    chosen = [outputs[name] for name in names]
    if kind in KINDS_OF_TEXT:
        drawings = KINDS_OF_TEXT[kind]("\n".join(output.text for output in chosen), options)
    else:
        drawings = KINDS[kind](panels_of(chosen), options)
    by = options.pop("moves", "")
    if options:
        raise ValueError(f"it has no use for {', '.join(options)}")
    if too_wide := [drawing.width for drawing in drawings if drawing.width > WIDEST]:
        raise ValueError(f"{too_wide[0]:.0f} units wide; more than {WIDEST} is small on a phone")
    heads = titles.split("|") if titles else [""] * len(drawings)
    if len(heads) != len(drawings):
        raise ValueError(f"{len(heads)} titles for {len(drawings)} panels")
    html = "".join(panel_of(*both, bool(by)) for both in zip(heads, drawings, strict=True))
    moves = controls(drawings, by) if by else "".join(drawing.below for drawing in drawings)
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    # The search would find the words of the drawing in places that have nothing to say about them.
    return (
        f'<figure class="figure"><div class="figure-panels {kind}" role="img" '
        f'aria-label="{escape(seen)}" data-search-exclude>{html}</div>{moves}{below}</figure>'
    )


def panels_of(outputs: list[Output]) -> list[Tensor]:
    """Return the vectors and the matrices that are printed."""
    tensors = [tensor for output in outputs for tensor in output.tensors]
    panels = [panel for tensor in tensors for panel in tensor.panels()]
    if not panels:
        raise ValueError("no tensor is printed there")
    return panels


def panel_of(title: str, drawing: Drawing, moves: bool) -> str:
    """Return a drawing below its title, as wide as the letters are large."""
    head = f"<strong>{escape(title.strip())}</strong>" if title else ""
    return f'<div style="width:{drawing.width / 20:.2f}rem">{head}{drawing.svg(moves)}</div>'


def controls(drawings: list[Drawing], by: str) -> str:
    """Return what plays a figure and moves it by hand; all panels move at once.

    Args:
        drawings: The panels.
        by: What a step leads on to, such as a word or a row.
    """
    counts = {len(drawing.stages) for drawing in drawings}
    if len(counts) != 1 or not max(counts):
        raise ValueError(f"it cannot move: its panels have {counts} parts to show in turn")
    names = [
        " / ".join(dict.fromkeys(stage.name for stage in stages))
        for stages in zip(*(drawing.stages for drawing in drawings), strict=True)
    ]
    return (
        f'<div class="figure-motion for-scripts" data-needs="figures/motion" data-search-exclude>'
        f"<button type=button>Play</button>"
        f"<label>{escape(by)} <input type=range max={len(names)} value={len(names)} "
        f'data-names="{escape("|".join(names))}"></label><span></span></div>'
    )
