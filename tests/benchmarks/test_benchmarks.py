"""Each benchmark runs, with one short round; what it measures there says little."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

NAMES = sorted({path.stem for path in Path(__file__).parent.glob("[!_]*.py")} - {"test_benchmarks"})


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_runs(name: str) -> None:
    command = [sys.executable, "-m", f"tests.benchmarks.{name}", "--quick"]
    # With one thread: two would wait for each other wherever other tests run meanwhile.
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(
        command, cwd=ROOT, env=one_thread, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout
