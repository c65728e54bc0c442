"""The command: `python -m attention_verify my.module:attend --features causal,gqa`."""

import argparse
import faulthandler
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Timer
from typing import Any

import torch

from attention_verify.adapters import INTERFACES, LAYOUTS
from attention_verify.cases import FEATURES, Case
from attention_verify.engine import verify
from attention_verify.ways import QUESTION


def run_command(arguments: Sequence[str]) -> int:
    """Run the command, and return its exit code: 0 if all passes, 1 if not."""
    parser = argparse.ArgumentParser(
        prog="python -m attention_verify",
        description="Compare an attention with an oracle, and name the mistakes that it makes.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="features:\n"
        + "\n".join(f"  {name:12}{says}" for name, says in FEATURES.items())
        + "\n\nanswers, for --expect:\n"
        + "\n".join(f"  {name}" for name in QUESTION),
    )
    parser.add_argument("function", help="module:name, such as my.module:attend")
    parser.add_argument("--features", type=_listed, default=[], metavar="A,B", help="see below")
    parser.add_argument("--layout", choices=LAYOUTS, default="bhld")
    parser.add_argument("--interface", choices=INTERFACES, default="function")
    parser.add_argument("--device", default="cpu", help="such as cuda; the oracle stays on the CPU")
    parser.add_argument("--expect", type=_listed, default=[], metavar="A,B", help="see below")
    parser.add_argument(
        "--pieces", type=_numbers, default=[], metavar="3,1", help="tokens that a cache gets"
    )
    parser.add_argument("--json", action="store_true", help="print all of it, for a program")
    parser.add_argument("--seconds", type=float, default=300, help="that a case may take at most")
    given = vars(parser.parse_args(arguments))
    path, as_json, seconds = (given.pop(name) for name in ("function", "json", "seconds"))
    try:
        with _watch(seconds) as before:
            verdict = verify(_imported(path), **given, before=before)
    except ValueError as error:
        parser.error(str(error))
    ran = f"On {verdict.device} with torch {torch.__version__}, in {verdict.seconds:.1f} s."
    try:
        print(verdict.json if as_json else f"{verdict.text}\n\n{ran}", flush=True)
    except BrokenPipeError:  # who reads, such as `head`, has enough; Python flushes once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if verdict.passed else 1


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in _listed(text)]


def _imported(path: str) -> Callable[..., Any]:
    """Import a function by the name of its module, which may lie in this folder."""
    module, _, name = path.partition(":")
    sys.path.insert(0, "")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"function must be module:name, got {path!r}: {error}") from error
    if not callable(found):
        raise ValueError(f"function must be one that can be called, got {type(found).__name__}")
    function: Callable[..., Any] = found
    return function


@contextmanager
def _watch(seconds: float) -> Iterator[Callable[[Case], None]]:
    """End the process where a case takes too long, or kills Python, and say which it was."""
    faulthandler.enable()
    timer = Timer(seconds, print)

    def end(case: Case) -> None:
        print(f"{case}: no answer after {seconds:g} s. It is here:", file=sys.stderr)
        faulthandler.dump_traceback()
        os._exit(1)

    def before(case: Case) -> None:
        nonlocal timer
        timer.cancel()
        timer = Timer(seconds, end, [case])
        timer.daemon = True
        timer.start()

    yield before
    timer.cancel()


if __name__ == "__main__":
    sys.exit(run_command(sys.argv[1:]))
