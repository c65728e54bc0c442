"""Pages do not affect each other, in whatever order and however many at a time they run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.conftest import ROOT
from tests.tensor_examples.elsewhere import Project, block

# Something that a page might set and never restore, and an expression that shows whether it is set.
STATE = {
    "torch.set_default_dtype(torch.float64)": "torch.get_default_dtype()",
    "torch.set_default_device('meta')": "torch.ones(1).device",
    "torch.manual_seed(1)": "torch.rand(1)",
    "torch.set_printoptions(precision=1)": "torch.tensor(0.125)",
    "torch.set_grad_enabled(False)": "torch.is_grad_enabled()",
    "warnings.simplefilter('ignore')": "len(warnings.filters)",
    "os.chdir('/')": "os.getcwd() == '/'",
    "os.environ['PAGE'] = '1'": "os.environ.get('PAGE')",
    "sys.path.insert(0, '/x')": "sys.path[0] == '/x'",
    "decimal.getcontext().prec = 3": "decimal.getcontext().prec",
    "page = 1": "'page' in globals()",
    "builtins.sorted = lambda numbers: [0.5]": "sorted([2, 1])",
    "torch.softmax = lambda x, dim: x": "torch.softmax(torch.ones(2), 0)",
    "import lesson; lesson.SIZE = 2": "__import__('lesson').SIZE",
}

IMPORTS = """
import builtins, decimal, logging, math, os, random, sys, warnings
import numpy as np
import torch
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return what three pages print, of which the second sets something: all in one run."""
    folder = tmp_path_factory.mktemp("state")
    lines = [
        "[pytest]",
        f"pythonpath = . {ROOT / 'src'}",
        "addopts = -p tensor_examples.plugin --examples",
    ]
    (folder / "pytest.ini").write_text("\n".join([*lines, "examples_rules = all"]))
    (folder / "lesson.py").write_text("SIZE = 1")
    pages: dict[str, list[Path]] = {}
    for number, (code, shown) in enumerate(STATE.items()):
        show = block(f"{IMPORTS}print({shown})")
        sets = show.replace("print(", f"{code}\nprint(")
        pages[code] = [folder / f"{number:02}{name}.md" for name in "abc"]
        for page, text in zip(pages[code], (show, sets, show), strict=True):
            page.write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "--update-outputs"]
    # The options of this run do not count for the one that it starts.
    environment = {**os.environ, "PYTEST_ADDOPTS": ""}
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert f"{3 * len(STATE)} passed" in ran.stdout, ran.stdout
    return {
        code: [page.read_text().partition("```output")[2] for page in each]
        for code, each in pages.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("code", STATE)
def test_what_a_page_sets_ends_with_it(printed: dict[str, list[str]], code: str) -> None:
    before, meanwhile, after = printed[code]
    assert before == after != meanwhile


def test_a_page_begins_as_a_fresh_process_does(project: Project) -> None:
    project.write("page.md", block("import torch\nprint(torch.ones(1).dtype, torch.rand(1))"))
    project.run("--update-outputs")
    set_up = "torch.set_default_dtype(torch.float64)\n    torch.rand(1)\n"
    project.write("test_before.py", f"import torch\ndef test():\n    {set_up}")
    try:
        assert project.run("--exact-outputs", "test_before.py", "page.md").passed == 2
    finally:  # that test ran in this process
        torch.set_default_dtype(torch.float32)


def test_the_examples_of_a_page_run_in_parallel(project: Project) -> None:
    # Each of the processes would load torch, which takes longer than all the rest.
    project.write("torch.py", "")
    page = "\n".join(block(f"print({number})", "0") for number in range(4))
    for name in ("page0.md", "page1.md"):
        project.write(name, page)

    def in_parallel(*arguments: str) -> str:
        command = [sys.executable, "-m", "pytest", "-p", "xdist", "-n", "2", *arguments]
        return subprocess.run(
            command, cwd=project.folder, capture_output=True, text=True, check=False
        ).stdout

    assert "8 passed" in in_parallel("--update-outputs")
    right = project.folder.joinpath("page0.md").read_text()
    assert right == "\n".join(block(f"print({number})", str(number)) for number in range(4))
    project.write("page1.md", right.replace("\n3\n", "\n4\n"))
    told = in_parallel("--exact-outputs", "--record=record.json")
    assert "1 failed, 7 passed" in told
    assert "page1.md:30: expected 4, got 3" in told
    record = (project.folder / "record.json").read_text()
    assert ("page0.md" in record, "page1.md" in record) == (True, False)


def test_a_page_has_the_environment_of_its_run(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in ("1", "2"):  # the second time the server of forks is there
        monkeypatch.setenv("LESSON", value)
        project.write("page.md", block("import os\n\nprint(os.environ['LESSON'])", value))
        assert project.run().passed == 1
