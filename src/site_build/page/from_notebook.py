"""Writes a notebook as a page: text as it is, code and outputs as a page has them."""

import base64
import io
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePath

from nbformat import NotebookNode
from PIL import Image

from site_build.blocks_and_cells import cells_in

# A cell may hold a fence of three.
FENCE = "````"


def from_notebook(path: str, text: str) -> str:
    """Return a notebook as Markdown.

    Args:
        path: Of the notebook: its images are in a folder beside it, with the same name.
        text: Its content.
    """
    return "\n\n".join(
        part for cell in cells_in(text) for part in cell_parts(cell, PurePath(path).stem)
    )


def cell_parts(cell: NotebookNode, folder: str) -> Iterator[str]:
    """Yield the text or the code of a cell, and each of its outputs."""
    if cell.cell_type == "markdown":
        yield cell.source
    elif cell.cell_type == "code" and cell.source:
        yield f"{FENCE}python\n{cell.source}\n{FENCE}"
        for output in cell.outputs:
            yield shown(output, cell, folder)


def shown(output: NotebookNode, cell: NotebookNode, folder: str) -> str:
    """Return an output as Markdown."""
    data = output.get("data", {})
    if "image/png" in data:
        width, height = stored_image(data["image/png"]).size  # so that its place is kept free
        attributes = f"{{ .drawing width={width} height={height} }}"
        return f"![{cell.metadata.alt}]({folder}/{cell.id}.webp){attributes}"
    if output.output_type != "stream" and "text/plain" not in data:
        raise ValueError(f"cell {cell.id} has an output that a page cannot show")
    printed = output.text if output.output_type == "stream" else data["text/plain"]
    return "\n".join([f"{FENCE}output", printed.strip("\n"), FENCE])


def notebook_images(path: str, text: str) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the content of each image of a notebook."""
    folder = PurePath(path).with_suffix("")
    for cell in cells_in(text):
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                yield f"{folder}/{cell.id}.webp", lighter(output.data["image/png"])


def stored_image(png: str) -> Image.Image:
    """Return an image that a notebook stores."""
    return Image.open(io.BytesIO(base64.b64decode(png)))


@lru_cache(16)  # while the site is served, an image seldom changes
def lighter(png: str) -> bytes:
    """Return an image with 200 colours: the eye sees no difference, and it is a fifth as heavy."""
    reduced = stored_image(png).convert("RGB").quantize(200, Image.Quantize.MAXCOVERAGE)
    file = io.BytesIO()
    reduced.convert("RGB").save(file, "WebP", lossless=True)
    return file.getvalue()
