"""A small project, whose configuration lies in another folder, as MkDocs builds it."""

import json
import re
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

import pytest

from tensor_examples.example import Run, Settings
from tensor_examples.notebooks import CellExample, parse_notebook
from tensor_examples.project_modules import sha256
from tensor_examples.record import new_record, write_record
from tests.conftest import ROOT
from tests.site_build.small_project import HOME, build_from_elsewhere, small_project

REPOSITORY = "https://github.com/owner/name"
COLAB = "https://colab.research.google.com/github/owner/name/blob/notebooks/"
EXACT = {"tried": 40, "caught": 40}
DEFAULT = {**EXACT, "of_last_digits_tried": 8, "of_last_digits_caught": 1}
OURS = """# Ours

```python
import attention_steps

print(attention_steps.__name__)
```

```output
attention_steps
```

```source
src/attention_steps/core.py context_vectors
```
"""
PAGES = {
    "index.md": HOME.replace("$x^2$", "[ours](part/ours.md)"),
    "part/ours.md": OURS,
    "changed.md": OURS,
    "none.md": "# None\n\nNo code. <!-- mutants: counts -->",
    "n.ipynb": "# N\n\n[home](index.md) $x^2$",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = small_project(tmp_path_factory.mktemp("project"), PAGES)
    pages = {
        "docs/part/ours.md": {
            "sha256": sha256(OURS.encode()),
            "outputs": 1,
            "code": {},
            "not_run": 0,
        },
        "docs/changed.md": {"sha256": "another", "outputs": 2, "code": {}, "not_run": 0},
    }
    record = new_record(pages, {"exact": EXACT, "default": DEFAULT}, Settings(exact=True))
    write_record(project / ".cache" / "verified.json", {**record, "date": "2026-11-20"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REPO_URL", REPOSITORY)
        patch.setenv("SITE_URL", "https://site.example/course/")
        built = build_from_elsewhere(project)
    assert built.returncode == 0, built.stderr
    return project / "site"


def page(site: Path, name: str) -> str:
    return (site / name / "index.html").read_text("utf-8")


def test_pages_have_their_stamps(site: Path) -> None:
    ours = re.search(r'<a class="?stamp"? href="?([^">]*)"?>(.*?)</a>', page(site, "part/ours"))
    assert ours is not None
    assert ours[1] == "../../guides/how-the-numbers-are-verified/"
    assert ours[2].startswith("1 output compared, digit by digit · <time datetime=")
    assert ">20 November 2026</time> · torch 2." in ours[2]
    assert ">Changed since its 2 outputs were last compared</a>" in page(site, "changed")


def test_a_page_shows_the_counts_of_the_recorded_run(site: Path) -> None:
    assert "Of 40 changes, 40 were found with exact outputs." in page(site, "none")


def test_a_page_without_code_offers_nothing(site: Path) -> None:
    assert "Take this page with you" not in page(site, "none")
    assert [path.name for path in (site / "none").iterdir()] == ["index.html"]


def test_colab_opens_the_notebooks_from_their_branch(site: Path) -> None:
    for name, notebook in {
        "": "attention-steps.ipynb",
        "part/ours": "part/ours/ours.ipynb",
        "n": "n/n.ipynb",
    }.items():
        assert f'<a href="{COLAB}{notebook}"' in page(site, name)
        assert (site / notebook).is_file()


def test_a_notebook_installs_what_is_missing_and_runs_where_nothing_is(site: Path) -> None:
    path = site / "part" / "ours" / "ours.ipynb"
    text = path.read_text("utf-8")
    setup = next(cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code")
    (package,) = (site / "downloads").glob("attention_steps-*")
    assert "".join(setup["source"]) == (
        "try:\n    import attention_steps\nexcept ModuleNotFoundError:\n"
        f"    %pip install -q https://site.example/course/downloads/{package.name}"
    )
    found, run = parse_notebook(str(path), text), Run(Settings())
    examples = [example for example in found if isinstance(example, CellExample)]
    for example in examples:
        example.check(run)
    assert sum(example.outputs for example in examples) == 1
    home = (site / "attention-steps.ipynb").read_text("utf-8")
    assert "(https://site.example/course/part/ours/)" in home
    assert "%pip" not in home


def test_a_published_page_says_where_it_is_and_takes_a_wrong_number(site: Path) -> None:
    ours = page(site, "part/ours")
    where = "https://site.example/course/part/ours/"
    for element in (
        rf'<link rel="?canonical"? href="{where}"',
        rf'<meta property="?og:url"? content="{where}"',
        rf'href="{REPOSITORY}/issues/new\?[^"]*place=https%3A%2F%2Fsite.example%2Fcourse%2Fpart%2Fours%2F',
    ):
        assert re.search(element, ours), element


def test_a_published_wheel_names_the_course_and_the_project(site: Path) -> None:
    packages = sorted((site / "downloads").iterdir())
    assert [each.name.partition("-")[0] for each in packages] == [
        "attention_practice",
        "attention_steps",
        "attention_verify",
        "tensor_examples",
    ]
    for package in packages:
        with ZipFile(package) as wheel:
            (name,) = [name for name in wheel.namelist() if name.endswith("/METADATA")]
            metadata = message_from_bytes(wheel.read(name))
        assert metadata.get_all("Project-URL") == [
            "Course, https://site.example/course/",
            f"Source, {REPOSITORY}",
        ]


@pytest.mark.slow
def test_nothing_is_published_without_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = small_project(tmp_path, {"index.md": HOME})
    monkeypatch.setenv("PUBLISH", "true")
    built = build_from_elsewhere(project)
    assert built.returncode != 0
    assert "to publish, set SITE_URL to the address of the site" in built.stdout + built.stderr
    assert not (project / "site").exists()


@pytest.mark.slow
def test_nothing_is_published_that_no_run_of_the_tests_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = small_project(tmp_path, {"index.md": HOME})
    addresses = {"REPO_URL": REPOSITORY, "SITE_URL": "https://site.example/course/"}
    for name, value in {"PUBLISH": "true", **addresses}.items():
        monkeypatch.setenv(name, value)
    built = build_from_elsewhere(project)
    assert built.returncode != 0
    told = "to publish, run the tests with --exact-outputs and --record: README.md: Built without"
    assert told in built.stdout + built.stderr
    assert not (project / "site").exists()
    pages = {
        name: {
            "sha256": sha256((project / name).read_bytes()),
            "outputs": 1,
            "code": {},
            "not_run": 0,
        }
        for name in ("README.md", "docs/index.md")
    }
    settings = Settings(exact=True)
    write_record(project / ".cache" / "verified.json", new_record(pages, {}, settings))
    built = build_from_elsewhere(project)
    assert built.returncode == 0, built.stderr


LINKS = "# A page\n\n[gone](gone.md) [no such heading](#nowhere)"
MASKED = """---
description: A page.
---

```output hidden="mask"
tensor([1., 2.])
```

```output name="mask"
tensor([True, False])
```
"""
PACKAGE = {
    "../src/package/__init__.py": "from package.names import name",
    "../src/package/names.py": 'def name():\n    r"""Return $\\summ$."""\n',
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pages", "complaints"),
    [
        (
            {"page.md": LINKS, "n.ipynb": LINKS},
            [rf"'{name}'.*{told}" for name in ("page.md", "n.ipynb") for told in ("gone", "nowh")],
        ),
        ({"page.md": MASKED}, ["'page.md'", 'line 5: hidden="mask" hides 2., ']),
        ({"page.md": "# API\n\n::: package.name\n", **PACKAGE}, ["summ"]),
    ],
    ids=["links", "a mask that hides a number", "a formula in a docstring"],
)
def test_a_mistake_fails_the_build(
    tmp_path: Path, pages: dict[str, str], complaints: list[str]
) -> None:
    built = build_from_elsewhere(small_project(tmp_path, {"index.md": HOME, **pages}))
    assert built.returncode != 0
    for complaint in complaints:
        assert re.search(complaint, built.stdout + built.stderr), complaint
    assert "Traceback" not in built.stderr


def test_the_workflow_pushes_the_branch_that_colab_reads() -> None:
    workflow = (ROOT / ".github" / "workflows" / "site.yml").read_text("utf-8")
    assert "REPO_URL: ${{ github.server_url }}/${{ github.repository }}" in workflow
    assert "path: site/**/*.ipynb" in workflow
    assert "git push --force origin notebooks\n" in workflow
