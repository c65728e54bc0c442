"""While the site is served to its writer, an edit renders one page, and the site is the same."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.structure.pages import Page

from site_build.remember import remembered
from tests.conftest import ROOT


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project with this one's configuration, and a few of its pages."""
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    (tmp_path / "mkdocs.yml").write_text(settings.partition("\nnav:")[0], "utf-8")
    for name in ("site_build", "attention_steps"):
        shutil.copytree(ROOT / "src" / name, tmp_path / "src" / name)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Home\n\n[Other](other.md#part)\n", "utf-8")
    (tmp_path / "docs" / "other.md").write_text("# Other\n\n## Part\n\n$x$\n", "utf-8")
    notebook = "000_attention_by_dot_product.ipynb"
    shutil.copy(ROOT / "docs" / "notebooks" / notebook, tmp_path / "docs" / notebook)
    source = "# Source\n\n```source\nsrc/attention_steps/core.py attention_scores\n```\n"
    (tmp_path / "docs" / "source.md").write_text(source, "utf-8")
    monkeypatch.chdir(tmp_path)
    remembered.clear()
    return tmp_path


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the names of the pages that are rendered."""
    names: list[str] = []
    render = Page.render

    def note(page: Page, *arguments: object) -> None:
        names.append(page.file.src_uri)
        render(page, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Page, "render", note)
    return names


def serve(project: Path) -> dict[str, str]:
    """Build the site as `mkdocs serve` does; return its pages."""
    config = load_config(str(project / "mkdocs.yml"))
    config.plugins.on_startup(command="serve", dirty=False)
    build(config)
    return {str(path): path.read_text("utf-8") for path in (project / "site").rglob("*.html")}


def edit(path: Path, change: Callable[[str], str]) -> None:
    path.write_text(change(path.read_text("utf-8")), "utf-8")


def test_an_edit_renders_one_page(project: Path, rendered: list[str]) -> None:
    serve(project)
    assert len(rendered) == 4
    rendered.clear()
    edit(project / "docs" / "other.md", lambda text: text + "More.\n")
    quick = serve(project)
    assert rendered == ["other.md"]
    remembered.clear()
    assert serve(project) == quick


def test_a_new_page_and_a_change_of_the_source_render_all(
    project: Path, rendered: list[str]
) -> None:
    serve(project)
    rendered.clear()
    (project / "docs" / "new.md").write_text("# New\n", "utf-8")
    serve(project)
    assert len(rendered) == 5
    rendered.clear()
    edit(project / "src" / "attention_steps" / "core.py", lambda code: code + "\n# changed\n")
    serve(project)
    assert len(rendered) == 5
