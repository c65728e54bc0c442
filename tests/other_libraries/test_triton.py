"""The kernel for the reader runs in Triton's interpreter, and finds what the package finds."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

SCRIPT = ROOT / "docs" / "assets" / "scripts" / "flash.py"


def moved(length: int, size: int, width: int = 32, heads: int = 2) -> int:
    """Count the bytes in 32 bits if queries stay: the formula of the page "A kernel for a GPU"."""
    blocks = -(-length // size)
    return 4 * heads * (2 * length * width + length + 2 * blocks * length * width)


def test_the_kernel_moves_as_many_bytes_as_the_page_says() -> None:
    pytest.importorskip("triton")
    # In a process of its own: Triton asks for the interpreter when it is imported.
    done = subprocess.run(
        [sys.executable, str(SCRIPT)],
        capture_output=True,
        text=True,
        timeout=600.0,  # seconds, far beyond what a busy machine needs
        env=os.environ | {"TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    for line, (length, size) in [(0, (256, 64)), (4, (50, 16))]:
        name = f"{length} words, blocks of {size}"
        same = "as the package, within 1e-05"
        assert lines[line : line + 3 : 2] == [f"{name}: {same}", f"{name}, causal: {same}"]
        assert lines[line + 1] == f"  {moved(length, size):,} bytes moved"
        # With a causal mask, blocks of keys behind the queries are left out.
        assert int(lines[line + 3].split()[0].replace(",", "")) < moved(length, size)
