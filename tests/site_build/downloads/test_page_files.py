"""The downloads of a page are whole, and run as they are."""

import ast
import json
import re
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from attention_practice.exercises import EXERCISES
from site_build.copying.slices import TELLS
from site_build.downloads.exercises import notebook_code
from site_build.downloads.install import Project, nonstandard_imports
from site_build.downloads.page_files import Site, colab
from tensor_examples.notebooks import read_notebook
from tests.conftest import ROOT, sources
from tests.tensor_examples.alone import script_of

DOCS = ROOT / "docs"
HAS_CODE = re.compile(r"^```python$|^::: ", re.MULTILINE)
PAGES = [path for path in sources(".md") if HAS_CODE.search(path.read_text("utf-8"))]
NAMES = [path.relative_to(DOCS).with_suffix("").as_posix() for path in PAGES]
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
def notebook_of(site: Path, name: str) -> NotebookNode:
    path = file_of(site, name, ".ipynb")
    return read_notebook(str(path), path.read_text("utf-8"))


SETUP = re.compile(r"try:\n    import .*\nexcept ModuleNotFoundError:\n    # .*\n    %")


def cells(notebook: NotebookNode, kind: str) -> list[str]:
    """Return the text of the cells of a kind, but not of the one that installs."""
    found = [cell.source for cell in notebook.cells if cell.cell_type == kind]
    return [source for source in found if not SETUP.match(source)]


# ---- for every page: that the code and the outputs are those of the page, test_built_outputs says


@every_page
def test_a_script_says_what_it_needs_and_where_it_is_from(site: Path, name: str) -> None:
    needs, advice, address, *code = file_of(site, name, ".py").read_text("utf-8").splitlines()
    assert re.match("# pip install ", needs)
    guide = re.fullmatch(r"# On Linux, .*: http\S+/guides/how-to-begin/#(\S+)", advice)
    assert guide is not None
    assert f'id="{guide[1]}"' in (site / "guides/how-to-begin/index.html").read_text("utf-8")
    assert address.startswith("# From http")
    nodes = ast.walk(ast.parse("\n".join(code)))
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    named = {getattr(node, "module", None) or node.names[0].name for node in imports}
    roots = {name.partition(".")[0] for name in named} - sys.stdlib_module_names
    roots = {re.sub("tiny_lm|minilm", "attention_steps", root) for root in roots}  # one wheel
    assert all(root in needs for root in roots)


@every_page
def test_a_notebook_shows_no_value_that_the_page_does_not_print(site: Path, name: str) -> None:
    """Jupyter shows the value of a cell's last line, be it printed or not."""
    code = cells(notebook_of(site, name), "code")
    functions = [
        node for node in ast.walk(ast.parse("\n".join(code))) if isinstance(node, ast.FunctionDef)
    ]
    of_torch = {
        "dist.destroy_process_group",
        "torch.backends.mha.set_fastpath_enabled",
        "torch.set_printoptions",
    }
    without_value = (
        TELLS
        | of_torch
        | {
            function.name
            for function in functions
            if not any(isinstance(part, ast.Return) for part in ast.walk(function))
        }
    )
    for cell in code:
        last = ast.parse(cell).body[-1]
        if isinstance(last, ast.Expr):
            assert isinstance(last.value, ast.Call), cell
            assert ast.unparse(last.value.func) in without_value, cell


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


# ---- installing, and Colab -----

WHEEL = "https://site.example/downloads/package.whl"
PRACTICE = "https://site.example/downloads/practice.whl"
GUIDE = "https://site.example/guides/how-to-begin/#with-pip"
WHEELS = {"attention_practice": [WHEEL, PRACTICE], "attention_steps": [WHEEL]}
PROJECT = Project(WHEELS, GUIDE)


def test_a_script_and_a_notebook_say_how_to_install_what_they_import() -> None:
    assert PROJECT.requirement(["attention_steps", "torch"]) == f"pip install {WHEEL} torch"
    both = ["attention_practice", "attention_steps", "torch"]
    assert PROJECT.requirement(both) == f"pip install {WHEEL} {PRACTICE} torch"
    setup = PROJECT.setup(both)
    assert setup.startswith("try:\n    import attention_practice, attention_steps, torch\n")
    assert f"a small one: {GUIDE}\n    %pip install -q {WHEEL} {PRACTICE} torch" in setup
    assert PROJECT.setup(["torch"]) == ""


def test_there_is_no_way_to_colab_without_the_address() -> None:
    for repository, address in {REPOSITORY: COLAB + "part/n.ipynb", "": None}.items():
        settings = {"repository": repository, "packages": {}}
        pages = {"part.ipynb": "part/"}
        docs = ROOT / "docs"
        site = Site("Name", "https://site.example/", "1.0", ROOT, docs, pages, settings, {})
        assert colab(site, "part.ipynb", "n.ipynb") == address


# ---- the packages, and the notebooks of exercises -----


@pytest.mark.parametrize("page", ["guides/how-to-begin", "practice/write-it-yourself"])
def test_the_site_offers_the_packages_that_its_scripts_install(site: Path, page: str) -> None:
    modules = ["attention_steps", "attention_verify", "attention_practice"]
    needs, *_ = file_of(site, page, ".py").read_text("utf-8").splitlines()
    addresses = needs.removeprefix("# pip install ").removesuffix(" torch").split()
    packages = [site / "downloads" / address.rpartition("/downloads/")[2] for address in addresses]
    for package, module in zip(packages, modules, strict=True):
        with zipfile.ZipFile(package) as archive:
            assert f"{module}/__init__.py" in archive.namelist()


PARTS = sorted({exercise.part for exercise in EXERCISES.values()})
# Runs each code for itself, and tells what it printed. Each process would import torch.
RUN_EACH = """
import contextlib, io, json, sys
printed = []
for code in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, {"__name__": "__main__"})
    printed.append(out.getvalue())
print(json.dumps(printed))
"""


@pytest.fixture(scope="module")
def printed(site: Path) -> dict[int, str]:
    """Return what the notebooks to be written print before anything is written, by their part."""
    codes = []
    for part in PARTS:
        notebook = site / f"practice/part-{part}" / f"part-{part}-to-write.ipynb"
        code = notebook_code(notebook.read_text("utf-8"))
        codes.append(code.replace("    %pip", "    pass  #", 1))
    command = [sys.executable, "-c", RUN_EACH]
    run = subprocess.run(
        command, input=json.dumps(codes), capture_output=True, text=True, check=True
    )
    return dict(zip(PARTS, json.loads(run.stdout), strict=True))


@pytest.mark.parametrize("part", PARTS)
def test_a_notebook_of_exercises_is_kept_solved_and_given_to_be_written(
    site: Path, printed: dict[int, str], part: int
) -> None:
    """Each exercise of the part is there, in its order; the reader's has dots, and runs."""
    solved = (ROOT / f"docs/practice/part-{part}.ipynb").read_text("utf-8")
    folder = site / f"practice/part-{part}"
    assert (folder / f"part-{part}.ipynb").read_text("utf-8") == solved
    exercises = [exercise for exercise in EXERCISES.values() if exercise.part == part]
    source = re.sub(r" *### (BEGIN|END) SOLUTION\n", "", notebook_code(solved))
    written = [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    expected = [ast.parse(exercise.source).body[0] for exercise in exercises]
    assert list(map(ast.dump, written)) == list(map(ast.dump, expected))
    prose = [cell.source for cell in nbformat.reads(solved, 4).cells if "-task" in cell.id]
    for exercise, text in zip(exercises, prose, strict=True):
        assert exercise.task in text

    said = re.findall(r"^(\w+): not written yet", printed[part], re.MULTILINE)
    assert said == [exercise.name for exercise in exercises]


# ---- around the tools -----


def test_the_search_does_not_know_the_tools(site: Path) -> None:
    indexed = "".join(path.read_text("utf-8") for path in (site / "search").glob("*.json"))
    assert "softmax" in indexed
    for words in ("Download as a notebook", "Open in Colab", "digit by digit \u00b7"):
        assert words not in indexed


def test_every_import_of_a_page_has_a_name_that_pip_knows() -> None:
    """A package that is called otherwise than its module needs a rule in `install.py`."""
    pinned = (ROOT / "requirements.txt").read_text("utf-8")
    for name in NAMES:
        for module in nonstandard_imports(script_of(source_of(name))):
            assert (ROOT / "src" / module).is_dir() or re.search(rf"^{module}==", pinned, re.M), (
                name,
                module,
            )
