"""Of this project's own files: nothing is left out, and each page stands alone."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tensor_examples.compare import difference
from tensor_examples.example import NotRun
from tensor_examples.markdown import parse_page
from tensor_examples.script import ScriptExample
from tests.tensor_examples.elsewhere import Project
from tests.tensor_examples.project_files import NOTEBOOKS, PAGES, ROOT, SOURCES, count

pytestmark = pytest.mark.slow

FILES = [*PAGES, *NOTEBOOKS, *SOURCES]
ALONE = Path(__file__).with_name("alone.py")


def test_as_many_examples_are_collected_as_there_are_in_the_files(project: Project) -> None:
    where = [f"--rootdir={ROOT}", f"--config-file={ROOT / 'pyproject.toml'}"]
    places = [str(ROOT / name) for name in ("README.md", "docs", "src")]
    told = project.run("--collect-only", "-q", "-p", "no:cacheprovider", *where, *places).text
    listed = [line.split("::") for line in told.splitlines() if "::" in line]
    collected = Counter(ROOT / path for path, name in listed if not name.startswith("prose:"))
    assert collected == {path: count(path) for path in FILES if count(path)}


@pytest.fixture(scope="module")
def printed_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the joined blocks of every page as a script, each in a process of its own."""
    folder = tmp_path_factory.mktemp("alone")
    # Two at a time, with one thread each: more would wait for each other.
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, ALONE, folder, "2", *PAGES], env=environment, check=True)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=[path.stem for path in PAGES])
def test_a_page_is_a_script_that_prints_its_outputs(page: Path, printed_alone: Path) -> None:
    examples = list(parse_page(str(page), page.read_text(encoding="utf-8")))
    assert [
        example for example in examples if isinstance(example, NotRun)
    ] == []  # none is left out
    blocks = [example.block for example in examples if isinstance(example, ScriptExample)]
    expected = [block.output.text.strip("\n") for block in blocks if block.output]
    actual = (printed_alone / f"{PAGES.index(page)}.txt").read_text(encoding="utf-8")
    printed = "\n".join(line for line in actual.split("\n") if line.strip())
    wanted = "\n".join(line for line in "\n".join(expected).split("\n") if line.strip())
    assert difference(wanted, printed) is None
