"""What a reader can take away from a page: it is whole, and it runs as it is."""

import ast
import html
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from site_build.packages import imported, is_ours
from site_build.to_notebook import to_notebook
from tensor_examples.compare import difference
from tensor_examples.example import Settings
from tensor_examples.notebooks import Notebook, parse_notebook, read, text_of
from tensor_examples.script import Block, Style, run
from tests.conftest import ROOT, build_site, sources
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
    text = path.read_text("utf-8")
    return Notebook(str(path), text, read(str(path), text))


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
    assert re.match("# (pip install|copy the project|git clone)\\b", needs)
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


def test_a_notebook_runs_in_jupyter(site: Path) -> None:
    path = file_of(site, "steps/03-weights", ".ipynb")
    examples = parse_notebook(str(path), path.read_text("utf-8"))
    assert sum(example.check(Settings()) for example in examples) > 10


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


PAGE = """---
description: Left out.
---
# A page

<p class="question" markdown>Why
not?</p>

See [the next](folder/next.md#there), [above](#a-page), [elsewhere](https://example.org){ .big }
and `[a](b.md){ .c }`; $x < {y}$.<!-- not for readers -->

<div class="wide" markdown>
## A part {#part}
</div>

```python
print("a\\n")
```

```output name="letter" heat="a b"
a

```

```figure kind="bars" of="letter"
It has no cell to stand in.
```

??? success "Solution"

    !!! note

        Twice in.

    ```python
    # A comment
    if True:
        print(1)
    ```

    ```output
    1
    ```

    The end.

<!-- not run: it is not here -->
```python
import no_such_module
```

```source
src/attention_steps/core.py context_vectors
```

````markdown
```python
shown("only")
```
??? note
````
"""


def test_a_page_becomes_cells() -> None:
    body = PAGE.partition("---\n# ")[2]
    text = to_notebook("# " + body, lambda target: f"<{target}>", "*From here.*", "")
    found = nbformat.reads(text, 4)
    nbformat.validate(found)
    assert [(cell.cell_type, cell.source) for cell in found.cells] == [
        (
            "markdown",
            "# A page\n\n> Why not?\n\nSee [the next](<folder/next.md#there>), "
            "[above](<#a-page>), [elsewhere](<https://example.org>)\n"
            "and `[a](b.md){ .c }`; $x < {y}$.\n\n*From here.*",
        ),
        ("markdown", "## A part"),
        ("code", 'print("a\\n")'),
        ("markdown", "**Solution**\n\n**Note**\n\nTwice in."),
        ("code", "# A comment\nif True:\n    print(1)"),
        (
            "markdown",
            "The end.\n\n```python\nimport no_such_module\n```\n\n"
            "`src/attention_steps/core.py`:\n\n```python\n"
            "def context_vectors(weights: Tensor, value: Tensor) -> Tensor:\n"
            "    check_context_arguments(weights, value)\n    return weights @ value\n```\n\n"
            '````markdown\n```python\nshown("only")\n```\n??? note\n````',
        ),
    ]
    assert [cell.outputs[0].text for cell in found.cells if cell.get("outputs")] == ["a\n\n", "1\n"]
    assert text == to_notebook("# " + body, lambda target: f"<{target}>", "*From here.*", "")


# ---- with and without the address of the repository -----------------------------------------


def project_in(folder: Path) -> Path:
    """Make a project with this one's configuration, a page of each kind, and its packages."""
    settings = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[0]
    (folder / "docs" / "part").mkdir(parents=True)
    (folder / "mkdocs.yml").write_text(settings, "utf-8")
    (folder / "src").symlink_to(ROOT / "src")
    pages = {
        "index.md": "# Home\n\n[a](part/ours.md)\n\n```python\nprint(1)\n```\n\n```output\n1\n```",
        "part/ours.md": "# Ours\n\n```python\nimport math\n\nimport attention_steps\n```",
        "part/beside.md": "# Beside\n\n```python\nfrom tensor_examples import compare\n```",
        "none.md": "# None\n\nNo code.",
    }
    for name, text in pages.items():
        (folder / "docs" / name).write_text(text + "\n", "utf-8")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# N")])
    nbformat.write(notebook, folder / "docs" / "n.ipynb")
    return folder


def built(folder: Path, repository: str) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REPO_URL", repository)
        patch.setenv("SITE_URL", "https://site.example/course/")
        result = build_site(project_in(folder), folder / "site")
    assert result.returncode == 0, result.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("known"), REPOSITORY)


@pytest.fixture(scope="module")
def unknown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("unknown"), "")


def code_cells(notebook: Path) -> list[str]:
    found = json.loads(notebook.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == "code"]


def test_colab_opens_the_notebooks_from_their_branch(known: Path) -> None:
    for page, notebook in {
        "index.html": "attention-steps.ipynb",
        "part/ours/index.html": "part/ours/ours.ipynb",
        "n/index.html": "n/n.ipynb",
    }.items():
        text = (known / page).read_text("utf-8")
        assert f'<a href="{COLAB}{notebook}" rel="noopener">Open in Colab</a>' in text
        assert (known / notebook).is_file()


def test_there_is_no_way_to_colab_without_the_address(unknown: Path) -> None:
    for page in unknown.rglob("*.html"):
        assert "colab" not in page.read_text("utf-8")


def test_a_page_without_code_offers_nothing(known: Path) -> None:
    assert "page-tools" not in (known / "none" / "index.html").read_text("utf-8")
    assert [path.name for path in (known / "none").iterdir()] == ["index.html"]


def test_a_script_says_how_to_install_what_it_imports(known: Path, unknown: Path) -> None:
    def first_line(site: Path, name: str) -> str:
        return (site / "part" / name / f"{name}.py").read_text("utf-8").splitlines()[0]

    package = f'"attention-steps @ git+{REPOSITORY}"'
    assert first_line(known, "ours") == f"# pip install {package}"
    assert first_line(unknown, "ours") == "# pip install ., in a copy of the project"
    assert first_line(known, "beside").startswith(f"# git clone {REPOSITORY}, and put this file")
    assert first_line(unknown, "beside").startswith("# copy the project, and put this file")


def test_a_notebook_installs_what_is_missing(known: Path, unknown: Path) -> None:
    (setup, _) = code_cells(known / "part" / "ours" / "ours.ipynb")
    assert setup == (
        "try:\n    import attention_steps\nexcept ModuleNotFoundError:\n"
        f'    %pip install -q "attention-steps @ git+{REPOSITORY}"'
    )
    assert "%cd -q name/src" in code_cells(known / "part" / "beside" / "beside.ipynb")[0]
    assert len(code_cells(known / "attention-steps.ipynb")) == 1
    assert len(code_cells(unknown / "part" / "ours" / "ours.ipynb")) == 1


def test_the_workflow_pushes_the_branch_that_colab_reads() -> None:
    workflow = (ROOT / ".github" / "workflows" / "site.yml").read_text("utf-8")
    assert "REPO_URL: ${{ github.server_url }}/${{ github.repository }}" in workflow
    assert "path: site/**/*.ipynb" in workflow
    assert "git push --force origin notebooks\n" in workflow


def test_a_notebook_that_installs_runs_where_nothing_is_missing(known: Path) -> None:
    path = known / "part" / "ours" / "ours.ipynb"
    for example in parse_notebook(str(path), path.read_text("utf-8")):
        example.check(Settings())


def test_links_of_a_notebook_begin_with_the_address_of_the_site(known: Path) -> None:
    assert "(https://site.example/course/part/ours/)" in (
        known / "attention-steps.ipynb"
    ).read_text("utf-8")


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


def clipboard(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_blocks_are_copied_as_they_run(address: str, site: Path, page: Page) -> None:
    page.goto(address + "steps/03-weights/")
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    blocks = cells(notebook_of(site, "steps/03-weights"), "code")
    shown = page.locator(".language-python:not(:has(.filename))")
    for number in (0, 3, len(blocks) - 1):  # the last is folded
        shown.nth(number).hover()
        shown.nth(number).locator("button").first.click()
        assert clipboard(page) == blocks[number]


# ---- the button in a browser -----------------------------------------------------------------


def test_a_page_is_copied_as_a_script(address: str, site: Path, page: Page) -> None:
    page.goto(address + "steps/03-weights/")
    page.get_by_role("button", name="Copy as a script").click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    assert clipboard(page) == file_of(site, "steps/03-weights", ".py").read_text("utf-8")
    expect(page.get_by_text("Copied", exact=True)).to_have_count(0)


def test_the_button_works_by_keyboard_and_after_a_change_of_page(
    address: str, site: Path, page: Page
) -> None:
    page.goto(address + "steps/03-weights/")
    page.locator(".md-footer__link--next").click()
    page.wait_for_url("**/steps/04-context-vectors/")
    page.get_by_role("button", name="Copy as a script").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Copied", exact=True)).to_be_visible()
    assert clipboard(page) == file_of(site, "steps/04-context-vectors", ".py").read_text("utf-8")


def test_the_reader_is_told_when_there_is_nothing_to_copy(address: str, page: Page) -> None:
    page.goto(address + "steps/03-weights/")
    page.route("**/*.py", lambda route: route.abort())
    page.get_by_role("button", name="Copy as a script").click()
    expect(page.get_by_text("Could not copy")).to_be_visible()


@pytest.fixture
def without_scripts(context: BrowserContext) -> Iterator[Page]:
    assert context.browser
    other = context.browser.new_context(java_script_enabled=False)
    yield other.new_page()
    other.close()


def test_without_javascript_no_button_is_there_that_does_nothing(
    address: str, without_scripts: Page
) -> None:
    without_scripts.goto(address + "steps/03-weights/")
    expect(without_scripts.get_by_role("button", name="Copy as a script")).to_have_count(0)
    expect(without_scripts.get_by_role("link", name="Download as a notebook")).to_be_visible()


def test_the_notebook_is_downloaded(address: str, site: Path, page: Page) -> None:
    page.goto(address + "steps/03-weights/")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as a notebook").click()
    assert download.value.suggested_filename == "03-weights.ipynb"
    assert download.value.path().read_bytes() == (
        file_of(site, "steps/03-weights", ".ipynb").read_bytes()
    )


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
            assert is_ours(module) or re.search(rf"^{module}==", pinned, re.M), (name, module)
