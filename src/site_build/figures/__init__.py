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

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from site_build.figures.arcs import arcs
from site_build.figures.bars import bars
from site_build.figures.between import between
from site_build.figures.maps import maps
from site_build.figures.svg import Drawing
from site_build.markdown.extension import Options, PageReader, reader_of
from site_build.markdown.tensors import Tensor

# What draws the panels. It takes the options that it uses out of the others.
Kind = Callable[[list[Tensor], Options], list[Drawing]]

KINDS: dict[str, Kind] = {
    "bars": bars,
    "arcs": arcs,
    "between": between,
    "map": maps,
}
WIDEST = 380  # units; on a phone of 360 px the smallest letters, of 13 units, are then 11 px


def figure_fence(
    text: str, language: str, css_class: str, options: Options, md: Markdown, **rest: Any
) -> str:
    """Render a figure, in the way that SuperFences calls it."""
    named = " ".join(f'{option}="{options.get(option, "")}"' for option in ("kind", "of"))
    try:
        return figure(" ".join(text.split()), dict(options), reader_of(md))
    except Exception as error:
        # SuperFences hides every other exception, and shows the fence as it was written.
        raise SuperFencesException(f"figure {named}: {error}") from error


def figure(seen: str, options: Options, page: PageReader) -> str:
    """Return a figure.

    Args:
        seen: What is seen, for those who cannot see it.
        options: Those of the fence.
        page: What is known of the page.

    Raises:
        ValueError: If it cannot be drawn.
    """
    if not seen:
        raise ValueError("write what is seen between its marks, for those who cannot see it")
    kind = options.pop("kind", "")
    if kind not in KINDS:
        raise ValueError(f'there is no kind "{kind}", but {", ".join(KINDS)}')
    names = options.pop("of", "").split()
    if not names or not set(names) <= set(page.named):
        raise ValueError(f"no such output; named on this page: {', '.join(page.named) or 'none'}")
    caption, titles = options.pop("caption", ""), options.pop("titles", "")
    chosen = [page.named[name] for name in names]
    drawings = KINDS[kind](panels_of(map(page.tensors_of, chosen)), options)
    if options:
        raise ValueError(f"it has no use for {', '.join(options)}")
    if too_wide := [drawing.width for drawing in drawings if drawing.width > WIDEST]:
        raise ValueError(f"{too_wide[0]:.0f} units wide; more than {WIDEST} is small on a phone")
    heads = titles.split("|") if titles else [""] * len(drawings)
    if len(heads) != len(drawings):
        raise ValueError(f"{len(heads)} titles for {len(drawings)} panels")
    html = "".join(panel_of(*both) for both in zip(heads, drawings, strict=True))
    # The search would find the words of the drawing in places that have nothing to say about them.
    panels = (
        f'<div class="figure-panels {kind}" role="img" aria-label="{escape(seen)}" '
        f"data-search-exclude>{html}</div>"
    )
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure class="figure">{panels}{below}</figure>'


def panels_of(outputs: Iterable[list[Tensor]]) -> list[Tensor]:
    """Return the vectors and the matrices that are printed."""
    panels = [panel for tensors in outputs for tensor in tensors for panel in tensor.panels()]
    if not panels:
        raise ValueError("no tensor is printed there")
    return panels


def panel_of(title: str, drawing: Drawing) -> str:
    """Return a drawing below its title, as wide as the letters are large."""
    head = f"<strong>{escape(title.strip())}</strong>" if title else ""
    wide = f"--wide:{drawing.width / 20:.2f}rem"
    return f'<div style="{wide}">{head}{drawing.svg()}</div>'
