"""What a reader can take away from a page: its code as a script, or all of it as a notebook."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import urljoin, urlsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

from site_build.packages import Project, imported
from site_build.to_notebook import blocks_of, to_notebook

GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")


@dataclass(frozen=True)
class TakeAway:
    """The files beside a page, by their names, and where Colab opens the notebook."""

    script: str | None = None
    notebook: str | None = None
    colab: str | None = None
    contents: dict[str, str] = field(default_factory=dict)  # of files that the page is made into


def take_away(page: Page, config: MkDocsConfig, pages: Iterable[File]) -> TakeAway:
    """Return what a page offers, with the contents of the files that are made from it."""
    stem = Path(page.file.src_uri).stem
    if page.file.src_uri.endswith(".ipynb"):
        name = f"{stem}.ipynb"
        return TakeAway(notebook=name, colab=colab(config, page, name))
    code = code_of(page.markdown or "")
    if not code:
        return TakeAway()
    name = stem if stem != "index" else config.site_name.lower().replace(" ", "-")
    script, notebook = f"{name}.py", f"{name}.ipynb"
    project = Project(config.extra["repository"] or "", config.extra["package"])
    address = urljoin(config.site_url or "", page.url)
    modules = imported(code)
    needs, setup = project.requirement(modules), project.setup(modules)
    source = f"*From [{config.site_name}]({address}).*" + f" First: {needs}" * (not setup)
    link = linker(page, config, pages)
    contents = {
        script: f"# {needs}\n# From {address}\n\n{code}\n",
        notebook: to_notebook(page.markdown or "", link, source, setup),
    }
    return TakeAway(script, notebook, colab(config, page, notebook), contents)


def code_of(markdown: str) -> str:
    """Return the blocks of a page that the tests run, joined to the script that they are."""
    return "\n\n".join(block.source for block in blocks_of(markdown).values())


def linker(page: Page, config: MkDocsConfig, pages: Iterable[File]) -> Callable[[str], str]:
    """Return a function that makes the links of a page absolute."""
    addresses = {file.src_uri: file.url for file in pages}
    folder = dirname(page.file.src_uri)

    def absolute(target: str) -> str:
        if urlsplit(target).scheme:
            return target
        path, hash_sign, anchor = target.partition("#")
        source = normpath(join(folder, path)) if path else page.file.src_uri
        address = urljoin(config.site_url or "", addresses.get(source, source))
        return address + hash_sign + anchor

    return absolute


def colab(config: MkDocsConfig, page: Page, notebook: str) -> str | None:
    """Return the address at which Colab opens a notebook, from GitHub and from nowhere else."""
    repository = GITHUB.fullmatch(config.extra["repository"] or "")
    if repository is None:
        return None
    path = join(dirname(page.file.dest_uri), notebook)
    return f"https://colab.research.google.com/github/{repository[1]}/blob/notebooks/{path}"
