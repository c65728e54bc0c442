"""The scripts for the reader run under torchrun: a ring, a ring within FSDP, experts, and layers.

    pytest tests/attention_steps/torchrun.py

The name keeps pytest from collecting it by itself: each process imports torch, which takes longer
than what it computes. A scheduled workflow runs it; test_ring.py and test_parallel.py have the same
on threads, in every run.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

# In seconds, far beyond what a busy machine needs.
LIMIT = 600.0
ROOT = Path(__file__).parents[2]


def torchrun(script: str, processes: int) -> subprocess.CompletedProcess[str]:
    """Run a script for the reader."""
    path = ROOT / "docs" / "assets" / "scripts" / script
    command = ["--standalone", "--nproc-per-node", str(processes), str(path)]
    return subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", *command],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT / "src")},
    )


def lines_of(script: str, processes: int) -> list[str]:
    done = torchrun(script, processes)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# Three: no power of two. With four, the other script runs the ring. When a group ends, torch 2.6
# keeps the lock of Python that a thread of the group may wait for.
@pytest.mark.skipif(torch.__version__ < "2.13", reason="torch 2.6 may hang where a group ends")
def test_the_script_for_the_reader_runs_under_torchrun() -> None:
    assert lines_of("ring.py", 3) == [
        "3 processes, 48 tokens, 6 heads",
        "ring: contexts and gradients as on one device, within 1e-12",
        "all-to-all: contexts and gradients as on one device, to the bit",
        "heads: contexts and gradients as on one device, within 1e-12",
    ]


@pytest.mark.skipif(torch.__version__ < "2.13", reason="FSDP of torch 2.6 has to have a GPU")
def test_a_ring_within_fsdp_has_the_gradients_of_one_device() -> None:
    assert lines_of("mesh.py", 4) == [
        "4 processes, 4 texts of 16 words",
        f"all processes, the mean of a share: {[True] * 4}",
        f"all processes, a part of the mean: {[False] * 4}",
        f"the texts alone: {[False] * 4}",
    ]


# With five, no word comes to one of the processes, which still has to go the way back.
def test_experts_on_five_processes_have_the_gradients_of_one_device() -> None:
    parts = ["outputs", "words", "router", "experts, up", "experts, down"]
    assert lines_of("experts.py", 5) == [
        "5 processes, 40 words, 10 experts, 64 of 80 rows travel",
        *[f"{part}: as on one device, within 1e-12" for part in parts],
    ]


@pytest.mark.skipif(torch.__version__ < "2.13", reason="torch 2.6 has no scale_grads")
def test_layers_on_four_processes_have_the_gradients_of_one_device() -> None:
    orders = ["forward_first", "by_turns", "ScheduleGPipe", "Schedule1F1B"]
    assert lines_of("layers.py", 4) == [
        "4 processes, 8 layers, 8 pieces",
        *[f"{order}: gradients as on one device, within 1e-12" for order in orders],
    ]


@pytest.mark.parametrize("processes", [1, 3])
def test_a_mesh_of_two_rows_refuses_an_odd_number_of_processes(processes: int) -> None:
    done = torchrun("mesh.py", processes)
    assert done.returncode != 0
    wanted = f"ValueError: a mesh of two rows needs an even number of processes, got {processes}"
    assert wanted in done.stderr
    for mistake in ("ZeroDivisionError", "IndexError"):
        assert mistake not in done.stderr
