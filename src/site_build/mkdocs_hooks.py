"""The events of MkDocs, each handed on to what knows nothing of MkDocs."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from site_build.after.finish import finish
from site_build.before.from_notebook import drawings, from_notebook
from site_build.before.packages import Project
from site_build.before.place import place, question
from site_build.before.stamp import stamp, with_figures
from site_build.before.take_away import Site, take_away
from tensor_examples.record import read


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the pictures of the notebooks, and read what every page needs."""
    for page in [file for file in files if file.src_uri.endswith(".ipynb")]:
        for path, content in drawings(page.src_uri, page.content_string):
            files.append(File.generated(config, path, content=content))
    root, extra = Path(config.config_file_path).parent, config.extra
    urls = {file.src_uri: file.url for file in files}
    project = Project(root, extra["repository"] or "", extra["package"])
    extra["site"] = Site(config.site_name, config.site_url or "", urls, project)
    extra["record"] = read(root / extra["record"])
    config.mdx_configs["site_build.inside.source_fence"] = {"base": root}


@event_priority(-100)  # after mkdocs-jupyter
def on_pre_page(page: Page, config: MkDocsConfig, files: Files) -> None:
    """Workaround: take back the `render` of mkdocs-jupyter, whose HTML brings its own styles."""
    if page.file.src_uri.endswith(".ipynb"):
        del vars(page)["render"]


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Write what Markdown is made of at each build: notebooks, and figures of the record."""
    if page.file.src_uri.endswith(".ipynb"):
        return from_notebook(page.file.src_uri, markdown)
    above = page.file.content_string.count("\n") - markdown.count("\n")  # the front matter
    config.mdx_configs["site_build.inside.figures"] = {"above": above}
    return with_figures(markdown, config.extra["record"])


def on_page_context(context: object, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
    """Let the templates know what to say around a page, and write the files that it offers."""
    page.meta["place"] = place(str(page.title), [str(other.title) for other in nav.pages])
    page.meta["next_question"] = question((page.next_page and page.next_page.content) or "")
    source, site = page.file.src_uri, config.extra["site"]
    text = page.file.content_string if source.endswith(".ipynb") else page.markdown or ""
    page.meta["take_away"] = taken = take_away(source, text, site)
    taken.write(Path(page.file.abs_dest_path).parent)
    path = (Path(config.docs_dir) / source).relative_to(site.project.root)
    page.meta["stamp"] = stamp(path.as_posix(), text, config.extra["record"], site.project.root)


def on_post_build(config: MkDocsConfig) -> None:
    """Finish the site."""
    finish(Path(config.site_dir), config.site_name, config.extra["social_card"])
