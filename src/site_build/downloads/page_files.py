"""The downloads of a page: its code as a script, all of it as a notebook, a link to Colab."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePath
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import urljoin, urlsplit

from site_build.blocks_and_cells import blocks_in
from site_build.downloads.exercises import is_solved, notebook_code, to_write
from site_build.downloads.install import Project, nonstandard_imports
from site_build.downloads.to_notebook import stubs_in, to_notebook
from tensor_examples.record import read_record

BEGIN = "guides/how-to-begin.md", "#with-pip"  # explains pip, and the torch that it brings
GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")


@dataclass(frozen=True)
class Site:
    """Where pages are published, and what they are part of."""

    name: str
    address: str
    version: str
    root: Path  # of the project
    docs: Path  # the folder of the pages
    pages: Mapping[str, str]  # their addresses relative to the site's, by their sources
    settings: Mapping[str, Any]  # `extra` of mkdocs.yml
    wheels: Mapping[str, str]  # their paths on the site, by the folders that they are built from
    places: dict[str, str] = field(default_factory=dict)  # where a page stands, by its source
    turns: dict[str, tuple[int, int]] = field(default_factory=dict)  # the same, as numbers
    asked: dict[str, str] = field(default_factory=dict)  # the list of all questions, by its address

    @cached_property
    def project(self) -> Project:
        """Where the code of pages finds what it imports."""
        page, section = BEGIN
        guide = urljoin(self.address, self.pages[page]) + section if page in self.pages else ""
        wheels = {
            module: [urljoin(self.address, self.wheels[folder]) for folder in folders]
            for module, folders in self.settings["packages"].items()
        }
        return Project(wheels, guide)

    @cached_property
    def record(self) -> dict[str, Any] | None:
        """The last run of the tests that was recorded."""
        return read_record(self.root / self.settings["record"])


@dataclass(frozen=True)
class TakeAway:
    """The files beside a page, by their names, and where Colab opens the notebook."""

    script: str | None = None
    notebook: str | None = None
    colab: str | None = None
    contents: dict[str, str] = field(default_factory=dict)  # of files that the page is made into
    solved: str | None = None  # a notebook of exercises, with their solutions

    def write(self, folder: Path) -> None:
        """Write the files into the folder of the page."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.contents.items():
            (folder / name).write_text(text, "utf-8")


def take_away(page: str, text: str, site: Site) -> TakeAway:
    """Return what a page offers, with the contents of the files that are made from it.

    Args:
        page: The path of its source, relative to the folder of the pages.
        text: Its source.
        site: What it is part of.
    """
    stem = PurePath(page).stem
    if page.endswith(".ipynb"):
        return notebook_files(page, site)
    blocks = blocks_in(page, text)
    if not blocks:
        return TakeAway()
    code = "\n\n".join(block.source for block in blocks.values())
    modules = nonstandard_imports(code)
    name = stem if stem != "index" else site.name.lower().replace(" ", "-")
    script, notebook = f"{name}.py", f"{name}.ipynb"
    address = urljoin(site.address, site.pages[page])
    written = "\n\n".join([code, *stubs_in(text, site.root)])
    needs = site.project.requirement(modules)
    setup = site.project.setup(nonstandard_imports(written))
    advice = site.project.advice
    source = f"*From [{site.name}]({address}).*" + f" First: {needs}. {advice}" * (not setup)
    head = "\n".join(f"# {line}" for line in (needs, advice, f"From {address}") if line)
    link, root = linker(site, page), site.root
    contents = {
        script: f"{head}\n\n{code}\n",
        notebook: to_notebook(text, blocks, root, link, source, setup),
    }
    return TakeAway(script, notebook, colab(site, page, notebook), contents)


def notebook_files(page: str, site: Site) -> TakeAway:
    """Return what the page of a notebook offers: the file, or if it is solved, one to write in."""
    stem = PurePath(page).stem
    text = (site.docs / page).read_text("utf-8")
    if not is_solved(text):
        return TakeAway(notebook=f"{stem}.ipynb", colab=colab(site, page, f"{stem}.ipynb"))
    name = f"{stem}-to-write.ipynb"
    setup = site.project.setup(nonstandard_imports(notebook_code(text)))
    contents = {name: to_write(text, linker(site, page), setup)}
    return TakeAway(None, name, colab(site, page, name), contents, solved=f"{stem}.ipynb")


def linker(site: Site, page: str) -> Callable[[str], str]:
    """Return a function that makes the links of a page absolute."""

    def absolute(target: str) -> str:
        if urlsplit(target).scheme:
            return target
        path, hash_sign, anchor = target.partition("#")
        source = normpath(join(dirname(page), path)) if path else page
        return urljoin(site.address, site.pages.get(source, source)) + hash_sign + anchor

    return absolute


def colab(site: Site, page: str, notebook: str) -> str | None:
    """Return the address at which Colab opens a notebook, from GitHub and from nowhere else."""
    repository = GITHUB.fullmatch(site.settings["repository"] or "")
    if repository is None:
        return None
    path = normpath(join(site.pages[page], notebook))
    return f"https://colab.research.google.com/github/{repository[1]}/blob/notebooks/{path}"
