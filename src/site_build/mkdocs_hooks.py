"""The events of MkDocs, each handed on to what knows nothing of MkDocs."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import CombinedEvent, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from site_build.downloads.page_files import Site
from site_build.finish import finish
from site_build.page.context import around, markdown_of
from site_build.page.from_notebook import images
from site_build.search.text import as_sentences

# The numbers of the language model: pages compute with them, and the browser does in assets/model.
NUMBERS = Path("src/attention_steps/story_model/numbers.json")


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the images of the notebooks, and read what every page needs."""
    for page in [file for file in files if file.src_uri.endswith(".ipynb")]:
        for path, content in images(page.src_uri, page.content_string):
            files.append(File.generated(config, path, content=content))
    root, docs = Path(config.config_file_path).parent, Path(config.docs_dir)
    numbers = str(root / NUMBERS)
    files.append(File.generated(config, "assets/model/numbers.json", abs_src_path=numbers))
    urls, address = {file.src_uri: file.url for file in files}, config.site_url or ""
    config.extra["site"] = Site(config.site_name, address, root, docs, urls, config.extra)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Write what Markdown is made of at each build, and say where it is from."""
    if page.file.src_uri.endswith(".ipynb"):
        del vars(page)["render"]  # workaround: the HTML of mkdocs-jupyter brings its own styles
    site = config.extra["site"]
    above = page.file.content_string.count("\n") - markdown.count("\n")  # the front matter
    config.mdx_configs["site_build.markdown.extension"] = {"root": site.root, "above": above}
    return markdown_of(page.file.src_uri, markdown, site)


@event_priority(100)  # before the search, which reads the page at the same event
def _to_the_search(context: object, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
    """Show the search sentences instead of the page."""
    page.meta["shown"], page.content = page.content, as_sentences(page.content or "")


def _to_the_reader(context: object, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
    """Let the templates know what to say around a page, and write the files that it offers."""
    page.content = page.meta.pop("shown")
    source, text, site = page.file.src_uri, page.markdown or "", config.extra["site"]
    titles = [str(other.title) for other in nav.pages]
    following = (page.next_page and page.next_page.content) or ""
    page.meta.update(around(source, text, str(page.title), titles, following, site))
    page.meta["take_away"].write(Path(page.file.abs_dest_path).parent)


on_page_context = CombinedEvent(_to_the_search, _to_the_reader)


def on_post_build(config: MkDocsConfig) -> None:
    """Finish the site."""
    finish(Path(config.site_dir), config.site_name, config.extra["social_card"])
