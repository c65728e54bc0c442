"""What is too slow for every run: older processors, other orders, the benchmark, a desktop.

    pytest tests/thorough.py

The name keeps pytest from collecting it by itself; a scheduled workflow runs it. The page "How the
numbers are verified" says what it does.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tensor_examples.compare import difference
from tensor_examples.markdown import parse_page
from tensor_examples.script import ScriptExample
from tests.conftest import PAGES as ADDRESSES
from tests.site_build.axe import ALL_BUT_COLOURS, violations, violations_on_a_desktop
from tests.site_build.one_page import look_at
from tests.tensor_examples.project_files import PAGES, ROOT, SOURCES

# By these the libraries below torch take the instructions of another processor, and sums are added
# in another order, which changes last digits. MKL, which multiplies matrices, heeds MKL_CBWR alone.
ARITHMETIC = {
    "AVX2, one thread": {
        "MKL_CBWR": "AVX2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "OMP_NUM_THREADS": "1",
    },
    "SSE2, two threads": {
        "MKL_CBWR": "COMPATIBLE",
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "OMP_NUM_THREADS": "2",
    },
}


def run(files: Sequence[Path], *options: str, environment: Mapping[str, str]) -> None:
    """Check the examples of some files in a process of their own."""
    command = [sys.executable, "-m", "pytest", "-q", *options, *map(str, files)]
    # The options of this run do not count for the one that it starts.
    variables = {**os.environ, **environment, "PYTEST_ADDOPTS": ""}
    result = subprocess.run(
        command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("instructions", ARITHMETIC)
def test_the_digits_are_those_of_another_processor(instructions: str) -> None:
    # Notebook 001 prints some numbers to the seventh digit, which is as far as 32 bits go. It says
    # that another platform may differ there.
    run([*PAGES, *SOURCES], "--exact-outputs", environment=ARITHMETIC[instructions])


def test_the_pages_pass_in_reverse_order_and_in_parallel() -> None:
    # One thread for each of the two: more would wait for each other.
    options = ["-n", "2", "--dist=loadfile"]
    run(PAGES[::-1], *options, environment={"OMP_NUM_THREADS": "1"})


@pytest.fixture(scope="module")
def printed_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the joined blocks of every page as a script, each in a process of its own."""
    folder = tmp_path_factory.mktemp("alone")
    # Two at a time, with one thread each: more would wait for each other.
    alone = ROOT / "tests" / "tensor_examples" / "alone.py"
    command: list[str | Path] = [sys.executable, alone, folder, "2", *PAGES]
    subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=True)
    return folder


def without_empty_lines(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip())


@pytest.mark.parametrize("page", PAGES, ids=[path.stem for path in PAGES])
def test_a_page_is_a_script_that_prints_its_outputs(page: Path, printed_alone: Path) -> None:
    examples = parse_page(str(page), page.read_text(encoding="utf-8"))
    blocks = [example.block for example in examples if isinstance(example, ScriptExample)]
    written = "\n".join(block.output.text for block in blocks if block.output)
    printed = (printed_alone / f"{PAGES.index(page)}.txt").read_text(encoding="utf-8")
    assert difference(without_empty_lines(written), without_empty_lines(printed)) is None


def test_the_benchmark_runs() -> None:
    """With one short round; what it measures there says little. mypy reads it at every change."""
    command = [sys.executable, "-m", "tests.benchmarks.floor", "--quick"]
    # With one thread: two would wait for each other wherever other tests run meanwhile.
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(
        command, cwd=ROOT, env=one_thread, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout


@pytest.mark.parametrize("path", ADDRESSES)
def test_a_page_on_a_desktop_and_on_a_phone_in_the_light_and_in_the_dark(
    address: str, browser: Browser, page: Page, site: Path, path: str
) -> None:
    look_at(browser, address, path, site)
    assert not violations_on_a_desktop(page, address + path)
    page.set_viewport_size({"width": 390, "height": 844})
    assert not violations(page, rules=ALL_BUT_COLOURS)
