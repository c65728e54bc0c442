"""Benchmarks: each prints ratios of two things that were measured in one run.

    python -m tests.benchmarks.attention [--quick]

With `--quick`, one short round of each shows that it runs; its numbers say little.
"""

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context


def is_quick(description: str | None) -> bool:
    """Read the command line of a benchmark: is one short round all that is wanted?"""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one short round: does it run?")
    return bool(parser.parse_args().quick)


def in_a_fork(function: Callable[..., float], *arguments: object) -> float:
    """Measure something in a fork of this process, which has loaded torch and computed nothing."""
    with ProcessPoolExecutor(1, get_context("fork")) as pool:
        return pool.submit(function, *arguments).result()
