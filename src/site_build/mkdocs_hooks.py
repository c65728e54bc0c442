"""The events of MkDocs, each handed on to what knows nothing of MkDocs."""

import gc
import os
import re
import shutil
import sys
import tomllib
from copy import copy
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page
from pymdownx.superfences import SuperFencesException

from site_build.downloads.page_files import Site
from site_build.downloads.wheel import wheel
from site_build.finish import finish
from site_build.finish.policy import write_policies
from site_build.kept import Keeper, Kept, Templates, key, key_of_files
from site_build.learn.world import film, world
from site_build.page.asked import INDEX, QUESTIONS, asked
from site_build.page.context import markdown_of, page_context
from site_build.page.from_notebook import notebook_images
from site_build.page.reading_time import minutes_to_read
from site_build.page.stamp import unproven
from site_build.page.step_number import places, question_of_page, step_numbers
from site_build.publishing.addresses import unfit_to_publish, wrong_number
from site_build.publishing.files import feed, robots
from site_build.publishing.redirects import write_redirects
from site_build.search.text import as_sentences
from site_build.story_cards import story_pages
from site_build.toy.pages import pages as toy_pages

# The numbers of the language model: pages compute with them, and the browser does in assets/model.
NUMBERS = Path("src/attention_story/numbers.json")
NEWS = "guides/what-is-new.md"
CITATION = "CITATION.cff"
OF_REFERENCE = "assets/_mkdocstrings.css"
CHECKS = "src/tensor_examples"  # no page that offers its code imports them

# What this process has loaded: code, and the words that it shares with scripts.
CODE = [
    path for kind in ("py", "js", "json") for path in Path(__file__).parents[1].rglob(f"*.{kind}")
]
LOADED = key_of_files(CODE)
# What MkDocs notes of a page where it converts its Markdown.
PLACES = re.compile(r'<i id="([^"]+)"></i>')
CONVERTED = "content", "toc", "_title_from_render", "present_anchor_ids"

keeper, templates = Keeper(), Templates()


def on_startup(command: str, dirty: bool) -> None:
    """Keep pages while serving."""
    gc.set_threshold(1_000_000)  # a build makes few circles: to look for them took a tenth of it
    keeper.keeps = command == "serve"


def on_config(config: MkDocsConfig) -> None:
    """Say where the paths of `source` fences begin, and refuse to publish with no address."""
    if keeper.keeps and key_of_files(CODE) != LOADED:
        shutil.rmtree(config.site_dir)
        os.execv(sys.executable, sys.orig_argv)  # only a new process loads code anew
    config.extra_css.remove(OF_REFERENCE)  # main.html asks for it where it is needed
    root = Path(config.config_file_path).parent
    config.mdx_configs["site_build.markdown.extension"] = {"root": root}
    unfit = unfit_to_publish(config.site_url or "", config.extra["repository"] or "")
    if config.extra["publish"] and unfit:
        raise Abort(unfit)


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add what the build makes: the package, images of notebooks, pages to send, small files."""
    for page in [file for file in files if file.src_uri.endswith(".ipynb")]:
        for path, content in notebook_images(page.src_uri, page.content_string):
            files.append(File.generated(config, path, content=content))
    for path, text in [*toy_pages(), *story_pages()]:
        files.append(
            File.generated(config, path, content=text, inclusion=InclusionLevel.NOT_IN_NAV)
        )
    root, docs = Path(config.config_file_path).parent, Path(config.docs_dir)
    numbers = str(root / NUMBERS)
    files.append(File.generated(config, "assets/model/numbers.json", abs_src_path=numbers))
    files.append(File.generated(config, "assets/training/world.json", content=world()))
    files.append(File.generated(config, "assets/learn/film.json", content=film()))
    files.append(File.generated(config, CITATION, abs_src_path=str(root / CITATION)))
    urls = {file.src_uri: file.url for file in files}
    address = config.site_url or ""
    repository = config.extra["repository"] or ""
    wheels = {}
    for folder in sorted({CHECKS}.union(*config.extra["packages"].values())):
        wheels[folder], package = wheel(root / folder, address, repository)
        files.append(File.generated(config, wheels[folder], content=package))
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    config.extra["version"] = project["version"]
    small = {"robots.txt": robots(address)}
    if news := files.get_file_from_path(NEWS):
        where = urljoin(address, news.url)
        small["feed.xml"] = feed(news.content_string, config.site_name, address, where)
    for name, text in small.items():
        files.append(File.generated(config, name, content=text))
    site = Site(config.site_name, address, root, docs, urls, config.extra, {}, {}, wheels)
    pages = [docs / source for source in urls if source.endswith((".md", ".ipynb"))]
    sources = [page.relative_to(root).as_posix() for page in (root / "README.md", *pages)]
    if config.extra["publish"] and (found := unproven(sources, site.record, root)):
        raise Abort(f"to publish, run the tests with --exact-outputs and --record: {found}")
    config.extra["site"] = site
    settings = Path(config.config_file_path), root / config.extra["record"]
    shared = key_of_files([docs, *map(Path, config.watch), *settings])
    keeper.shared = key(shared, *sorted(urls))


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    """Number the steps in the order of the navigation, and say where each page stands."""
    sections = [
        (item.title, [page.file.src_uri for page in item.children if isinstance(page, Page)])
        for item in nav.items
        if isinstance(item, Section)
    ]
    site, config.extra["nav"] = config.extra["site"], nav
    site.numbers.update(step_numbers(sections))
    site.places.update(places(sections, config.extra["branches"]))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Write what Markdown is made of at each build, with each line where it is in its file."""
    if kept := keeper.find(page.file.src_uri, page.file.content_string):
        vars(page)["render"] = partial(restore, page, kept.page)
        return kept.page.markdown or ""
    if page.file.src_uri.endswith(".ipynb"):
        # mkdocs-jupyter makes a notebook a page, and offers the file. It would render it as well,
        # with nbconvert: then its links would not be checked, its formulas would need a script, and
        # its outputs would have no cells. So MkDocs renders it, as Markdown.
        del vars(page)["render"]
    front_matter = page.file.content_string.count("\n") - markdown.count("\n")
    return "\n" * front_matter + markdown_of(page.file.src_uri, markdown, config.extra["site"])


def restore(page: Page, before: Page, config: MkDocsConfig, files: Files) -> None:
    """Give a page what was made from the same Markdown before."""
    vars(page).update({name: value for name, value in vars(before).items() if name in CONVERTED})
    links = (before.links_to_anchors or {}).items()
    page.links_to_anchors = {files.src_uris[file.src_uri]: anchors for file, anchors in links}


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> None:
    """Let sentences link to what a drawing or a figure shows, which comes too late for MkDocs."""
    places = map(unescape, PLACES.findall(html))
    vars(page).setdefault("present_anchor_ids", set()).update(places)


def on_env(env: Environment, config: MkDocsConfig, files: Files) -> None:
    """While serving, compile each template once, and let a page be as it was, if it stays so."""
    env.bytecode_cache = templates if keeper.keeps else None
    pages = [source.page for source in files.documentation_pages() if source.page]
    titles = key(*(str(page.title) for page in pages))
    nav_pages = config.extra["nav"].pages
    config.extra["moved"] = {
        old: page.url for page in pages for old in page.meta.get("moved_from", "").split()
    }
    steps = {page.url: str(page.title) for page in nav_pages if page.url.startswith("steps/")}
    with_questions = [
        (page.url, page.content or "")
        for page in nav_pages
        if page.file.src_uri.startswith(QUESTIONS)
    ]
    index = files.get_file_from_path(INDEX)
    lists = asked(with_questions, steps, index.url) if index else {}
    for page in pages:
        following = page.next_page and page.next_page.content
        said = question_of_page(following or ""), str(minutes_to_read(following or ""))
        page.meta["asked"] = lists.get(page.url, "")
        page.meta["key"] = key(titles, *said, page.meta["asked"])
        kept = keeper.find(page.file.src_uri, page.file.content_string)
        if kept and kept.page_key == page.meta["key"]:
            page.meta.update(template="kept.html", kept=kept)


@event_priority(100)  # before the search reads the page at the same event
def on_page_context(context: object, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
    """Give the search a page of sentences, the templates what they say, and write the downloads."""
    search: Any = config.plugins["material/search"]
    index, folder = search.search_index, Path(page.file.abs_dest_path).parent
    if kept := page.meta.get("kept"):
        index.entries += kept.entries
        kept.downloads.write(folder)
        page.meta["search"] = {"exclude": True}
        return
    read = len(index.entries)
    in_sentences = copy(page)
    in_sentences.content = as_sentences(page.content or "")
    index.add_entry_from_context(in_sentences)
    page.meta["search"] = {"exclude": True}  # for it has been read
    page.meta["entries"] = index.entries[read:]

    source, text, site = page.file.src_uri, page.markdown or "", config.extra["site"]
    following = (page.next_page and page.next_page.content) or ""
    stations, drawing = page.meta.get("stations", ""), page.meta.get("drawing", "")
    html = page.content or ""
    page.meta.update(page_context(source, text, stations, drawing, html, following, site))
    page.meta["wrong_number"] = wrong_number(
        config.extra["repository"] or "", page.canonical_url or "", config.extra["version"]
    )
    page.meta["take_away"].write(folder)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> None:
    """Keep a page."""
    if keeper.keeps and "kept" not in page.meta:
        path, meta = page.file.src_uri, page.meta
        content_key = keeper.content_key(path, page.file.content_string)
        keeper.pages[path] = Kept(
            content_key, meta["key"], page, meta["entries"], meta["take_away"], output
        )


def on_post_build(config: MkDocsConfig) -> None:
    """Finish the site, and let old addresses lead on."""
    site = Path(config.site_dir)
    finish(site, config.site_name)
    write_redirects(site, config.extra["moved"])
    if not keeper.keeps:  # a server adds a script to each page, which reloads it
        write_policies(site)


def on_build_error(error: Exception) -> None:
    """End without a trace where a page is written wrongly: the error has its file and line."""
    if isinstance(error, ValueError | SuperFencesException):
        raise Abort(str(error)) from None
