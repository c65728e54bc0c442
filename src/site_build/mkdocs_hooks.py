"""The events of MkDocs, each handed on to what knows nothing of MkDocs."""

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from site_build.after.finish import finish
from site_build.before.from_notebook import drawings, from_notebook
from site_build.before.packages import Project
from site_build.before.stamp import stamp, with_figures
from site_build.before.take_away import Site, take_away
from tensor_examples.record import read

serving = False


def on_startup(command: str, dirty: bool) -> None:
    """Note whether the site is built for its writer."""
    global serving
    serving = command == "serve"


def on_config(config: MkDocsConfig) -> None:
    """Read once what every page needs. Paths begin in the folder of the configuration."""
    config.extra["scope"] = urlsplit(config.site_url or "").path or "/"
    root, extra = Path(config.config_file_path).parent, config.extra
    extra["record"] = read(root / extra["record"])
    extra["project"] = Project(root, extra["repository"] or "", extra["package"])


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the pictures of the notebooks."""
    for page in [file for file in files if file.src_uri.endswith(".ipynb")]:
        for path, content in drawings(page.src_uri, page.content_string):
            files.append(File.generated(config, path, content=content))


@event_priority(-100)  # after mkdocs-jupyter
def on_pre_page(page: Page, config: MkDocsConfig, files: Files) -> None:
    """Workaround: take back the `render` that mkdocs-jupyter puts on the page of a notebook.

    It writes HTML with half a megabyte of styles. What the plugin is for is that a notebook is a
    page in the navigation, and a file to download.
    """
    if page.file.src_uri.endswith(".ipynb"):
        del vars(page)["render"]


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Write what Markdown is made of at each build: notebooks, and figures of the record."""
    if page.file.src_uri.endswith(".ipynb"):
        return from_notebook(page.file.src_uri, markdown)
    return with_figures(markdown, config.extra["record"])


def on_page_context(context: Any, page: Page, config: MkDocsConfig, nav: object) -> None:
    """Let the templates know what to offer below a title, and write the files for it."""
    source, project = page.file.src_uri, config.extra["project"]
    text = page.file.content_string if source.endswith(".ipynb") else page.markdown or ""
    addresses = {file.src_uri: file.url for file in context["pages"]}
    site = Site(config.site_name, config.site_url or "", addresses, project)
    page.meta["take_away"] = taken = take_away(source, text, site)
    taken.write(Path(page.file.abs_dest_path).parent)
    path = (Path(config.docs_dir) / source).relative_to(project.root).as_posix()
    page.meta["stamp"] = stamp(path, text, config.extra["record"], project.root)


def on_post_build(config: MkDocsConfig) -> None:
    """Finish the site."""
    finish(Path(config.site_dir), config.site_name, config.extra["social_card"], serving)
