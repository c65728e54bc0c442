"""Each page of this project stands alone, and none of its examples is left out."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tensor_examples.compare import difference
from tensor_examples.conventions import RULES
from tensor_examples.example import NotRun
from tensor_examples.markdown import parse_page
from tensor_examples.plugin import SETTINGS
from tensor_examples.script import ScriptExample
from tests.tensor_examples.project_files import PAGES

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def printed_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the joined blocks of every page as a script, each in a process of its own."""
    folder = tmp_path_factory.mktemp("alone")
    # Two at a time, with one thread each: more would wait for each other.
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    alone = Path(__file__).with_name("alone.py")
    command: list[str | Path] = [sys.executable, alone, folder, "2", *PAGES]
    subprocess.run(command, env=environment, check=True)
    return folder


def test_each_rule_holds_and_a_warning_is_an_error(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.stash[SETTINGS].rules == RULES.keys()
    with pytest.raises(DeprecationWarning, match="old"):
        warnings.warn("old", DeprecationWarning, stacklevel=1)


def without_empty_lines(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip())


@pytest.mark.parametrize("page", PAGES, ids=[path.stem for path in PAGES])
def test_a_page_is_a_script_that_prints_its_outputs(page: Path, printed_alone: Path) -> None:
    examples = list(parse_page(str(page), page.read_text(encoding="utf-8")))
    assert not any(isinstance(example, NotRun) for example in examples)
    blocks = [example.block for example in examples if isinstance(example, ScriptExample)]
    written = "\n".join(block.output.text for block in blocks if block.output)
    printed = (printed_alone / f"{PAGES.index(page)}.txt").read_text(encoding="utf-8")
    assert difference(without_empty_lines(written), without_empty_lines(printed)) is None
