"""MkDocs' events: notebooks become pages like any other, and the math font is made."""

import html
import re
from pathlib import Path
from typing import Literal

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext
from mkdocs_jupyter.config import settings as mkdocs_jupyter
from nbconvert.exporters.templateexporter import default_filters
from rjsmin import jsmin

from site_build.font import characters_in, math_font
from site_build.notebooks import pictures, png_size
from site_build.remember import remember
from site_build.search import split_index
from site_build.social_card import social_card
from site_build.stamp import stamp
from site_build.styles import join_styles
from site_build.take_away import take_away
from tensor_examples.record import mutant_figures, read

# Our template writes a notebook's cells as Markdown, where the one that mkdocs-jupyter brings
# writes HTML with half a megabyte of styles.
mkdocs_jupyter.templates_dir = str(Path(__file__).parent / "templates")
default_filters["png_size"] = png_size
MUTANTS = re.compile(r"<!-- mutants:.*?-->")
END_OF_CELLS = "<!-- end of cells -->"
serving = False


def on_startup(command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
    """Note whether the site is built for its writer, again at each edit."""
    global serving
    serving = command == "serve"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pictures of the notebooks, which the template links to."""
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        assert file.abs_src_path is not None
        for cell_id, drawing in pictures(Path(file.abs_src_path)):
            name = f"{file.src_uri.removesuffix('.ipynb')}/{cell_id}.webp"
            files.append(File.generated(config, name, content=drawing))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the figures of the last recorded run where a page asks for them, if there was one."""
    return MUTANTS.sub(mutant_figures(read(Path(config.extra["record"]))), markdown)


@event_priority(-100)  # after mkdocs-jupyter, whose way of rendering is wrapped here
def on_pre_page(page: Page, config: MkDocsConfig, files: Files) -> Page:
    """Let a notebook go the way of every page: links checked, formulas, code and contents."""
    if page.file.src_uri.endswith(".ipynb"):
        cells_to_markdown = page.render

        def render(config: MkDocsConfig, files: Files) -> None:
            cells_to_markdown(config, files)
            assert page.content is not None
            page.markdown = html.unescape(page.content.partition(END_OF_CELLS)[0])
            Page.render(page, config, files)

        page.render = render  # type: ignore[method-assign]
    if serving:
        remember(page)
    return page


def on_page_context(
    context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation
) -> TemplateContext:
    """Let the templates know what to offer below a title, and write the files for it."""
    taken = take_away(page, config, context["pages"])
    folder = Path(page.file.abs_dest_path).parent
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in taken.contents.items():
        (folder / name).write_text(text, "utf-8")
    record = read(Path(config.extra["record"]))
    source = f"{Path(config.docs_dir).name}/{page.file.src_uri}"
    page.meta["take_away"] = taken
    page.meta["stamp"] = stamp(source, record, Path(config.docs_dir).parent)
    return context


def on_post_build(config: MkDocsConfig) -> None:
    """Make what is fetched smaller, and the math font: the characters of all formulas."""
    site = Path(config.site_dir)
    split_index(site / "search")
    theme = Path(__file__).parent / "theme"
    for script in (site / path.relative_to(theme) for path in theme.rglob("*.js")):
        script.write_text(jsmin(script.read_text("utf-8")), "utf-8")
    join_styles(site)
    home = (site / "index.html").read_text("utf-8")
    card = social_card(home, config.site_name, config.extra["social_card"])
    card.save(site / "assets" / "social-card.png", optimize=True)
    characters: set[str] = set()
    for page in site.rglob("*.html"):
        characters |= characters_in(page.read_text("utf-8"))
    font = site / "assets" / "fonts" / "math.woff2"
    font.parent.mkdir(parents=True, exist_ok=True)
    font.write_bytes(math_font(frozenset(characters)))
