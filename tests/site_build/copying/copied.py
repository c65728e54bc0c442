"""What the copy buttons of a built site give, read from its pages as copy.js reads them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from site_build.blocks_and_cells import blocks_in
from site_build.downloads.exercises import is_solved
from site_build.page.from_notebook import from_notebook
from tests.conftest import LOOKED_AT, ROOT

BLOCK = re.compile(
    r'<div class="language-(python|pycon) highlight"((?: data-[\w-]+="[^"]*")*)>'
    r"<pre><code>(.*?)</code>",
    re.DOTALL,
)
ATTRIBUTE = re.compile(r'data-([\w-]+)="([^"]*)"')
PROMPT = re.compile(r"(?:>>>|\.\.\.)(?: |$)")


@dataclass(frozen=True)
class Copied:
    """A block of a page, and what its button copies."""

    place: str  # its file and line, or its page
    code: str
    needed: list[str]  # the lines of the page before it
    also: str  # modules that the package does not bring
    program: str
    printed: str | None  # below it on the page, or None where the page does not run it

    @property
    def added(self) -> int:
        """How many lines it needs."""
        return sum(bool(line.strip()) for line in self.needed)


def copied(site: Path, page: str) -> Iterator[Copied]:
    """Yield the blocks of a page."""
    html = (site / page / "index.html").read_text("utf-8")
    source = next(path for path in source_of(page) if path.exists())
    text = source.read_text("utf-8")
    markdown = from_notebook(source.name, text) if source.suffix == ".ipynb" else text
    run = [] if is_solved(text) else list(blocks_in(f"{page}.md", markdown).values())
    found: list[tuple[list[str], dict[str, str], str | None, str]] = []
    for kind, attributes, inner in BLOCK.findall(html):
        shown = unescape(re.sub("<[^>]*>", "", inner)).removesuffix("\n").split("\n")
        data = dict(ATTRIBUTE.findall(attributes))
        if kind == "pycon":
            code = [line[4:] for line in shown if PROMPT.match(line)]
            printed = "\n".join(line for line in shown if not PROMPT.match(line))
            found.append((code, data, printed, page))
        elif block := next((each for each in run if each.source == "\n".join(shown)), None):
            run.remove(block)
            printed = block.output.text if block.output else ""
            found.append((shown, data, printed, f"{source.relative_to(ROOT)}:{block.line}"))
        else:
            found.append((shown, data, None, page))
    assert not run, f"{source}: the page does not show the block of line {run[0].line}"
    lines = [line for code, *_ in found for line in code]
    for code, data, output, place in found:
        needed: list[str] = []
        for span in data["needs-lines"].split():
            start, _, stop = span.partition("-")
            needed += lines[int(start) : int(stop or start) + 1]
        printing = list(code)
        for span in data.get("shows", "").split():
            first, last, end = map(int, re.split("[-:]", span.removesuffix(",")))
            opening, closing = ("(", ")") if span.endswith(",") else ("", "")
            printing[last] = f"{printing[last][:end]}{closing})){printing[last][end:]}"
            printing[first] = f"print(repr({opening}{printing[first]}"
        program = "\n".join([*needed, *(["", ""] if needed else []), *printing, ""])
        yield Copied(place, "\n".join(code), needed, data.get("needs-also", ""), program, output)


def source_of(page: str) -> list[Path]:
    """Return the files that a page may be made of."""
    stem = ROOT / "docs" / (page.strip("/") or "index")
    return [stem.with_suffix(suffix) for suffix in (".md", ".ipynb")]


def all_copied(site: Path) -> list[list[Copied]]:
    """Return the blocks of each page that is looked at, and has some."""
    pages = (page for page in LOOKED_AT if page != "404.html")
    return [blocks for page in pages if (blocks := list(copied(site, page)))]
