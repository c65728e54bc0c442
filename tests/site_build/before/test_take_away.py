"""What a reader can take away from a page: it is whole, and it runs as it is."""

import ast
import html
import re
from functools import cache
from pathlib import Path

import nbformat
import pytest

from site_build.before.packages import PROJECT, Project, imported
from site_build.before.take_away import Site, colab
from tensor_examples.compare import difference
from tensor_examples.notebooks import Notebook, read, text_of
from tensor_examples.script import Block, Style, run
from tests.conftest import ROOT, sources
from tests.tensor_examples.alone import script_of

DOCS = ROOT / "docs"
PAGES = [path for path in sources(".md") if script_of(path.read_text("utf-8"))]
NAMES = [path.relative_to(DOCS).with_suffix("").as_posix() for path in PAGES]
NOTEBOOKS = [path.relative_to(DOCS).with_suffix("").as_posix() for path in sources(".ipynb")]
REPOSITORY = "https://github.com/owner/name"
COLAB = "https://colab.research.google.com/github/owner/name/blob/notebooks/"

every_page = pytest.mark.parametrize("name", NAMES)


def folder_of(site: Path, name: str) -> Path:
    return site if name == "index" else site / name


def file_of(site: Path, name: str, suffix: str) -> Path:
    stem = "attention-steps" if name == "index" else name.rpartition("/")[2]
    return folder_of(site, name) / (stem + suffix)


def source_of(name: str) -> str:
    return (DOCS / f"{name}.md").read_text("utf-8")


@cache
def notebook_of(site: Path, name: str) -> Notebook:
    path = file_of(site, name, ".ipynb")
    return Notebook(str(path), read(str(path), path.read_text("utf-8")))


SETUP = re.compile(r"try:\n    import .*\nexcept ModuleNotFoundError:\n    [%!]")


def cells(notebook: Notebook, kind: str) -> list[str]:
    """Return the text of the cells of a kind, but not of the one that installs."""
    found = [cell.source for cell in notebook.cells if cell.cell_type == kind]
    return [source for source in found if not SETUP.match(source)]


# ---- the script ---------------------------------------------------------------------------


@every_page
def test_the_script_is_the_code_that_the_tests_run(site: Path, name: str) -> None:
    """`examples.test_whole_project` runs the very same code, in a process for each page."""
    script = file_of(site, name, ".py").read_text("utf-8")
    comment, _, code = script.partition("\n\n")
    assert code == script_of(source_of(name))
    needs, address = comment.splitlines()
    assert re.match("# (pip install|copy the project that|git clone)\\b", needs)
    assert "attention_steps" not in code or "torch" in needs
    assert address.startswith("# From http")


# ---- the notebook -------------------------------------------------------------------------


@every_page
def test_the_notebook_holds_the_same_code(site: Path, name: str) -> None:
    code = "\n\n".join(cells(notebook_of(site, name), "code")) + "\n"
    assert code == script_of(source_of(name))


def echoing(code: str) -> str:
    """Return code that shows the value of its last line, as Jupyter does."""
    last = ast.parse(code).body[-1]
    if not isinstance(last, ast.Expr):
        return code
    lines = code.split("\n")
    before, value = lines[: last.lineno - 1], lines[last.lineno - 1 :]
    return "\n".join([*before, "import sys", "sys.displayhook(", *value, ")"])


# Threads that wait for each other make small products slow.
ONE_THREAD = Block("import torch\n\ntorch.set_num_threads(1)", 0, None, 0, Style())


@every_page
def test_the_notebook_prints_what_it_stores(site: Path, name: str) -> None:
    notebook = notebook_of(site, name)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    ours = [cell for cell in code if cell.source in cells(notebook, "code")]
    blocks = [
        Block(echoing(cell.source), number, None, 0, Style()) for number, cell in enumerate(ours, 1)
    ]
    printed = run(notebook.path, [ONE_THREAD, *blocks], seconds=60)
    for number, cell in enumerate(ours, 1):
        result = printed[number]
        assert isinstance(result, str), result
        assert difference(text_of(cell.outputs), result.rstrip("\n")) is None
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))


PROSE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)


@every_page
def test_the_notebook_has_nothing_that_only_this_site_understands(site: Path, name: str) -> None:
    texts = cells(notebook_of(site, name), "markdown")
    assert texts[0].startswith("# ")
    assert "*From [Attention Steps](http" in texts[0]
    for text in texts:
        assert text == text.strip("\n")
        assert not text.startswith("  ")
        prose = PROSE.sub("", text)
        assert not re.search(r"^\s*(\?\?\?|!!!|===|:::)|</?[a-z]|<!--|\{ ?[:.#]", prose, re.M), text


@every_page
def test_the_links_of_a_notebook_lead_to_pages(site: Path, name: str) -> None:
    texts = cells(notebook_of(site, name), "markdown")
    home = re.search(r"\(([^)]*)\)\.\*", texts[0])
    assert home is not None
    address = home[1].removesuffix("" if name == "index" else f"{name}/")
    for text in texts:
        for target in re.findall(r"\]\(([^)\s]+)", PROSE.sub("", text)):
            assert target.startswith("http")
            if target.startswith(address):
                assert (site / target.removeprefix(address).partition("#")[0]).exists(), target


# ---- with and without the address of the repository -----------------------------------------

KNOWN = Project(ROOT, REPOSITORY, "attention_steps")
UNKNOWN = Project(ROOT, "", "attention_steps")
OURS, BESIDE = ["attention_steps", "torch"], ["tensor_examples"]
PIP = f'pip install "attention-steps @ git+{REPOSITORY}" torch'


@pytest.mark.parametrize(
    ("project", "modules", "requirement"),
    [
        (KNOWN, OURS, PIP),
        (UNKNOWN, OURS, f"pip install . torch, in a copy of {PROJECT}"),
        (UNKNOWN, ["torch"], "pip install torch"),
        (KNOWN, BESIDE, f"git clone {REPOSITORY}, and put this file into its folder src"),
        (UNKNOWN, BESIDE, f"copy {PROJECT}, and put this file into its folder src"),
    ],
)
def test_a_script_says_how_to_install_what_it_imports(
    project: Project, modules: list[str], requirement: str
) -> None:
    assert project.requirement(modules) == requirement


def test_a_notebook_installs_what_only_the_project_has() -> None:
    assert f"ModuleNotFoundError:\n    %{PIP.replace('install', 'install -q')}" in KNOWN.setup(OURS)
    assert "%cd -q name/src" in KNOWN.setup(BESIDE)
    assert KNOWN.setup(["torch"]) == UNKNOWN.setup(OURS) == ""


def test_there_is_no_way_to_colab_without_the_address() -> None:
    for project, address in {KNOWN: COLAB + "part/n.ipynb", UNKNOWN: None}.items():
        site = Site("Name", "https://site.example/", {"part.ipynb": "part/"}, project)
        assert colab(site, "part.ipynb", "n.ipynb") == address


# ---- blocks that are copied -----------------------------------------------------------------

BLOCK = re.compile(r'<div class="language-python highlight"><pre><code>(.*?)</code>', re.DOTALL)


@pytest.mark.parametrize("name", [*NAMES, *NOTEBOOKS])
def test_a_block_on_a_page_has_the_text_that_runs(site: Path, name: str) -> None:
    """The button copies the text of a block. One with a file's name above it is not run."""
    page = (folder_of(site, name) / "index.html").read_text("utf-8")
    shown = [html.unescape(re.sub("<[^>]*>", "", code)).strip("\n") for code in BLOCK.findall(page)]
    path = DOCS / f"{name}.md"
    if path.is_file():
        blocks = cells(notebook_of(site, name), "code")
    else:
        stored = nbformat.read(path.with_suffix(".ipynb"), 4).cells
        blocks = [cell.source for cell in stored if cell.cell_type == "code"]
    assert shown == [block.strip("\n") for block in blocks]


def test_the_search_does_not_know_the_tools(site: Path) -> None:
    indexed = "".join(path.read_text("utf-8") for path in (site / "search").glob("*.json"))
    assert "softmax" in indexed
    for words in ("Download as a notebook", "Open in Colab", "digit by digit \u00b7"):
        assert words not in indexed


def test_every_import_of_a_page_has_a_name_that_pip_knows() -> None:
    """A package that is called otherwise than its module needs a rule in `packages.py`."""
    pinned = (ROOT / "requirements.txt").read_text("utf-8")
    for name in NAMES:
        for module in imported(script_of(source_of(name))):
            assert UNKNOWN.has(module) or re.search(rf"^{module}==", pinned, re.M), (name, module)
