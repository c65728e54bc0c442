"""The events of MkDocs, each handed on to what knows nothing of MkDocs."""

import gc
import re
import tomllib
from copy import copy
from html import escape, unescape
from pathlib import Path
from typing import Any

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page
from pymdownx.superfences import SuperFencesException

from site_build.copying.blocks import with_slices
from site_build.downloads.page_files import Site
from site_build.downloads.wheel import wheel
from site_build.moved import pages as moved_pages
from site_build.page.asked import INDEX, asked
from site_build.page.context import markdown_of, surroundings
from site_build.page.from_notebook import notebook_images
from site_build.page.stamp import unproven
from site_build.page.step_number import places, turns
from site_build.policy import write_policies
from site_build.publishing import unfit_to_publish
from site_build.real_model import of_the_real_model
from site_build.search.index import write_index
from site_build.search.text import as_sentences
from site_build.training_demo.world import generated

CITATION = "CITATION.cff"
# What MkDocs notes of a page where it converts its Markdown.
PLACES = re.compile(r'<i id="([^"]+)"></i>')

# Comments of our scripts and styles, on lines of their own, for which a browser has no use.
COMMENT = re.compile(r"^ *(?://.*|/\*(?:.|\n)*?\*/)\n", re.MULTILINE)

is_served = False


def on_startup(command: str, dirty: bool) -> None:
    """Note whether there is a server, and look for cycles of objects less often.

    A build makes few, and to look for them took a tenth of it.
    """
    global is_served
    is_served = command == "serve"
    gc.set_threshold(1_000_000)


def on_config(config: MkDocsConfig) -> None:
    """Say where the paths of `source` fences begin, and refuse to publish with no address."""
    config.extra_css.remove("assets/_mkdocstrings.css")  # main.html asks for it where it is needed
    root = Path(config.config_file_path).parent
    config.mdx_configs["site_build.markdown.extension"] = {"root": root}
    unfit = unfit_to_publish(config.site_url or "", config.extra["repository"] or "")
    if config.extra["publish"] and unfit:
        raise Abort(unfit)


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add what the build makes: the packages, images of notebooks, old addresses, small files."""
    for page in [file for file in files if file.src_uri.endswith(".ipynb")]:
        for path, content in notebook_images(page.src_uri, page.content_string):
            files.append(File.generated(config, path, content=content))
    there = {file.src_uri for file in files}
    for path, text in moved_pages(there):
        files.append(
            File.generated(config, path, content=text, inclusion=InclusionLevel.NOT_IN_NAV)
        )
    root, docs = Path(config.config_file_path).parent, Path(config.docs_dir)
    for path, text in generated().items():
        files.append(File.generated(config, f"assets/{path}", content=text))
    for path, data in of_the_real_model(root):
        files.append(File.generated(config, path, content=data))
    files.append(File.generated(config, CITATION, abs_src_path=str(root / CITATION)))
    urls = {file.src_uri: file.url for file in files}
    address, repository = config.site_url or "", config.extra["repository"] or ""
    wheels = {}
    for folder in sorted(set().union(*config.extra["packages"].values())):
        wheels[folder], package = wheel(root / folder, address, repository)
        files.append(File.generated(config, wheels[folder], content=package))
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    site = Site(config.site_name, address, version, root, docs, urls, config.extra, wheels)
    pages = [docs / source for source in urls if source.endswith((".md", ".ipynb"))]
    sources = [page.relative_to(root).as_posix() for page in (root / "README.md", *pages)]
    if config.extra["publish"] and (found := unproven(sources, site.record, root)):
        raise Abort(f"to publish, run the tests with --exact-outputs and --record: {found}")
    config.extra["site"] = site


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    """Number the steps in the order of the navigation, and say where each page stands."""
    columns = [item for item in nav.items if isinstance(item, Section)]
    sections = {
        part.title: [page.file.src_uri for page in part.children if isinstance(page, Page)]
        for column in columns
        for part in (column, *column.children)
        if isinstance(part, Section)
    }
    site, config.extra["nav"] = config.extra["site"], nav
    site.turns.update(turns(sections, config.extra["branches"]))
    site.places.update(places(sections, config.extra["branches"]))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Write what Markdown is made of at each build, with each line where it is in its file."""
    if page.file.src_uri.endswith(".ipynb"):
        # mkdocs-jupyter makes a notebook a page, and offers the file. It would render it as well,
        # with nbconvert: then its links would not be checked, its formulas would need a script, and
        # its outputs would have no cells. So MkDocs renders it, as Markdown.
        del vars(page)["render"]
    on_stage = {"scene": page.meta.get("scene", ""), "page": Path(page.file.src_uri).stem}
    config.mdx_configs["site_build.markdown.extension"].update(on_stage)
    front_matter = page.file.content_string.count("\n") - markdown.count("\n")
    return "\n" * front_matter + markdown_of(page.file.src_uri, markdown, config.extra["site"])


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Say which lines each block of code needs to run alone.

    And let sentences link to what a drawing or a figure shows, which comes too late for MkDocs.
    """
    places = map(unescape, PLACES.findall(html))
    vars(page).setdefault("present_anchor_ids", set()).update(places)
    return with_slices(html)


def on_env(env: Environment, config: MkDocsConfig, files: Files) -> None:
    """List all questions, once the pages that answer them are there; templates leave no indents."""
    env.trim_blocks = env.lstrip_blocks = True
    pages = config.extra["nav"].pages
    if index := files.get_file_from_path(INDEX):
        found = ((page.url, escape(str(page.title)), page.content or "") for page in pages)
        config.extra["site"].asked[index.url] = asked(found, index.url)


@event_priority(100)  # before the search reads the page at the same event
def on_page_context(
    context: dict[str, Any], page: Page, config: MkDocsConfig, nav: Navigation
) -> dict[str, Any]:
    """Give the search a page of sentences, the templates what they say, and write the downloads."""
    search: Any = config.plugins["material/search"]
    in_sentences = copy(page)
    in_sentences.content = as_sentences(page.content or "")
    search.search_index.add_entry_from_context(in_sentences)
    page.meta["search"] = {"exclude": True}  # for it has been read
    following = (page.next_page and page.next_page.content) or ""
    around = surroundings(
        page.file.src_uri,
        page.markdown or "",
        page.content or "",
        following,
        config.extra["site"],
    )
    around.take_away.write(Path(page.file.abs_dest_path).parent)
    return {**context, "around": around}


def on_post_build(config: MkDocsConfig) -> None:
    """Write the index of the search, and for a site that is published, a policy for each page."""
    site = Path(config.site_dir)
    write_index(site)
    for file in [*site.glob("assets/**/*.js"), *site.glob("assets/**/*.css")]:
        if ".min." not in file.name:
            file.write_text(COMMENT.sub("", file.read_text("utf-8")), "utf-8")
    if not is_served:  # a server adds a script to each page, which reloads it
        write_policies(site)


def on_build_error(error: Exception) -> None:
    """End without a trace where a page is written wrongly: the error has its file and line."""
    if isinstance(error, ValueError | SuperFencesException):
        raise Abort(str(error)) from None
