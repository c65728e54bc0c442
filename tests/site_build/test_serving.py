"""What a server builds after an edit is what a build makes of the same files."""

import os
import shutil
import sys
from pathlib import Path
from typing import Literal

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from site_build.finish.policy import write_policies
from tests.conftest import ROOT
from tests.site_build.small_project import HOME, small_project

CODE = "\n```python\nprint(2)\n```\n\n```output\n2\n```\n"
PAGES = {
    "index.md": HOME + "\n[a heading](one.md#a-heading)\n",
    "one.md": f'# 1. One\n\n<p class="question">Why one?</p>\n\n## A heading\n\nText.\n{CODE}',
    "two.md": f'# 2. Two\n\n<p class="question">Why two?</p>\n\nText.\n{CODE}',
    "api.md": "# API\n\n::: attention_steps.attention_scores\n",
    "n.ipynb": "# N\n\n[home](index.md) $x^2$",
    "own.css": "p { color: red }",
}
TEMPLATE = "src/site_build/theme/partials/footer.html"


class Project:
    """A small project with a source tree of its own, that a server has built once."""

    def __init__(self, folder: Path) -> None:
        self.folder = small_project(folder, PAGES)
        shutil.rmtree(folder / "src")
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        with (folder / "mkdocs.yml").open("a", encoding="utf-8") as settings:
            settings.write("\nnav: [index.md, one.md, two.md, api.md, n.ipynb]\n")
        self.build("served", "serve")

    def build(self, site: str, command: Literal["build", "serve"]) -> None:
        settings, built = str(self.folder / "mkdocs.yml"), str(self.folder / site)
        config = load_config(settings, site_dir=built, strict=True)
        config.plugins.on_startup(command=command, dirty=False)
        build(config)

    def edit(self, name: str, before: str, after: str) -> None:
        path = self.folder / name
        text = path.read_text("utf-8")
        assert before in text
        path.write_text(text.replace(before, after, 1), "utf-8")

    def files(self, site: str) -> dict[str, bytes]:
        root = self.folder / site
        made = {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}
        del made["objects.inv"]  # for other sites, which read what is published
        return {name: path.read_bytes() for name, path in made.items()}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("served"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edits", "made_anew"),
    [
        (
            [
                ("docs/one.md", "print(2)", "print(3)"),
                ("docs/two.md", "Why two?", "Why not two?"),  # stands below the page before it, too
                ("docs/two.md", "# 2. Two", "# 3. Three"),  # in the navigation of each page
                ("docs/n.ipynb", "home", "the home page"),
            ],
            1,
        ),
        ([(TEMPLATE, "<footer", "<footer data-new"), ("docs/own.css", "red", "blue")], 5),
    ],
    ids=["of a page", "of what all pages share"],
)
def test_after_edits_a_server_shows_what_a_build_makes(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    edits: list[tuple[str, str, str]],
    made_anew: int,
) -> None:
    render, rendered = Page.render, []

    def noted(page: Page, config: MkDocsConfig, files: Files) -> None:
        rendered.append(page.file.src_uri)
        render(page, config, files)

    with monkeypatch.context() as patch:
        patch.setattr(Page, "render", noted)
        for edit in edits:
            project.edit(*edit)
            rendered.clear()
            project.build("served", "serve")
            assert len([path for path in rendered if path in PAGES]) == made_anew, edit
    project.build("built", "build")
    write_policies(project.folder / "served")  # a server leaves them open, for a script of its own
    served, built = project.files("served"), project.files("built")
    assert served.keys() == built.keys()
    assert [path for path in built if served[path] != built[path]] == []


@pytest.mark.slow
def test_new_code_begins_a_new_process(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process has its code loaded: it would build with the old one."""

    def replaced(program: str, arguments: list[str]) -> None:
        raise KeyboardInterrupt(program, arguments)

    monkeypatch.setattr(os, "execv", replaced)
    project.edit("src/site_build/finish/__init__.py", "def finish", "\ndef finish")
    with pytest.raises(KeyboardInterrupt) as stopped:
        project.build("served", "serve")
    assert stopped.value.args == (sys.executable, sys.orig_argv)
    assert not (project.folder / "served").exists()
