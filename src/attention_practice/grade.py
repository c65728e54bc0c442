"""Grade a class: a folder of functions or notebooks in, a table out.

    python -m attention_practice.grade answers > table.csv

Each file, or each folder in the folder, is what one learner wrote. Every function called `my_` and
the name of an exercise is judged as `check` judges it, and gives a row: who, exercise, result,
mistakes, and what `check` says. The code of others runs here, so do it in a sandbox.
"""

import argparse
import csv
import io
import json
import math
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

from attention_practice._diagnosis import examine
from attention_practice.exercises import EXERCISES

try:
    import resource
except ImportError:  # Windows: there the clock alone counts
    resource = None  # type: ignore[assignment]

SECONDS = 10.0
PATIENCE = 30  # times as long may pass on the clock: other work goes on beside it
MEMORY = 4 * 2**30  # bytes; torch itself takes less than 1 * 2**30
READY, FINISHED = "ready", "finished"


class Row(NamedTuple):
    """A row of the table."""

    who: str
    exercise: str
    result: str
    mistakes: str = ""
    says: str = ""


def grade(folder: Path, seconds: float = SECONDS) -> Iterator[Row]:
    r"""Judge every function in a folder, each file in a process of its own.

    Args:
        folder: Of files `*.py` and `*.ipynb`, as deep as they lie.
        seconds: Of processor time, to load a file and to judge each function. Defaults to 10.

    Yields:
        A row for each function; one row for a file that cannot be read, or has no function.

    Raises:
        FileNotFoundError: If there is no such folder.

    Examples:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from attention_practice.grade import grade
        >>> with TemporaryDirectory() as folder:
        ...     answer = Path(folder) / "ada.py"
        ...     _ = answer.write_text("def my_scores(query, key):\n    return key @ query.mT")
        ...     for row in grade(Path(folder)):
        ...         print(row.who, row.exercise, row.result, row.mistakes)
        ada.py scores mistake swapped
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"folder must be a folder of answers, got {folder}")
    kinds = {".py", ".ipynb"}
    for path in sorted(p for p in folder.rglob("*") if p.suffix in kinds and p.is_file()):
        yield from _rows_of(path, path.relative_to(folder).as_posix(), seconds)


def _rows_of(path: Path, who: str, seconds: float) -> Iterator[Row]:
    """Yield the rows of a file. What takes too long, or ends Python, costs one."""
    done: list[str] = []
    told: set[str] = set()
    context = multiprocessing.get_context("spawn")  # torch does not compute after a fork
    while True:
        receiving, sending = context.Pipe(duplex=False)
        child = context.Process(target=_work, args=(path, done, seconds, sending), daemon=True)
        child.start()
        sending.close()
        doing, silent = "", False
        try:
            for message in _messages(child, receiving, PATIENCE * seconds):
                if isinstance(message, str):
                    doing = message
                    done.append(message)
                elif message.exercise not in told:  # a process that the code began tells it again
                    yield message._replace(who=who)
                    told.add(message.exercise)
            if doing != FINISHED:
                child.join(PATIENCE)  # then its exit code says why it ends
        except TimeoutError:
            silent = True
        _end(child)
        if doing == FINISHED:
            return
        slow = silent or (resource and child.exitcode == -signal.SIGXCPU)
        ended = f"took more than {seconds:g} seconds" if slow else "ended Python"
        yield Row(who, doing, ended)
        if not doing:  # what the file itself does would be done again
            return


def _end(child: BaseProcess) -> None:
    """End a process that has ended or waits for what never comes, and those that it began."""
    if hasattr(os, "killpg") and child.pid:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.join()


def _messages(child: BaseProcess, receiving: Connection, seconds: float) -> Iterator[Row | str]:
    """Yield what a process sends when it is ready, until it ends.

    Raises:
        TimeoutError: If it is silent for too long.
    """
    patience: float | None = None
    message: Row | str = READY
    with suppress(EOFError):
        while message != FINISHED:
            # A process that it began may hold the other end of the pipe open.
            happened = wait([receiving, child.sentinel], patience)
            if not happened:
                raise TimeoutError
            if receiving not in happened:
                return
            message, patience = receiving.recv(), seconds
            if message != READY:
                yield message


def _work(path: Path, done: Sequence[str], seconds: float, sending: Connection) -> None:
    """Judge a file in a process of its own, which can write nothing into the table."""
    with open(os.devnull, "w") as nowhere:
        for stream in (1, 2):
            os.dup2(nowhere.fileno(), stream)
    if hasattr(os, "setsid"):
        os.setsid()  # what it begins ends with it
    if resource:
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        with suppress(ValueError, OSError):  # where the system has no such limit, or a lower one
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, most))
    sending.send(READY)
    _judge(path, done, seconds, sending)


def _judge(path: Path, done: Sequence[str], seconds: float, sending: Connection) -> None:
    """Load a file, and send a row for each function that is not done."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        _allow(seconds)
        names, problem = _load(path)
        found = {name: function for name in EXERCISES if (function := _written(names, name))}
        if not done and (problem or not found):
            sending.send(Row("", "", "not read" if problem else "no function", says=problem))
        for name, function in found.items():
            if name not in done:
                sending.send(name)
                _allow(seconds)
                report = examine(EXERCISES[name], function)
                mistakes = ", ".join(report.mistakes)
                sending.send(Row("", name, report.kind, mistakes, " ".join(report.text.split())))
        sending.send(FINISHED)


def _allow(seconds: float) -> None:
    """Let this process compute for so many seconds more, where the system can count them."""
    if resource:
        used = time.process_time()
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used + seconds), most))


def _load(path: Path) -> tuple[dict[str, Any], str]:
    """Run what a learner wrote, and return its names, with the first exception."""
    names: dict[str, Any] = {"__name__": path.stem}
    problem = ""
    try:
        cells = list(_cells(path))
    except (ValueError, KeyError, TypeError) as error:
        return names, f"{type(error).__name__}: {error}"
    for cell in cells:
        try:
            exec(compile(cell, str(path), "exec"), names)
        except (Exception, SystemExit) as error:
            problem = problem or f"{type(error).__name__}: {error}"
    return names, problem


def _cells(path: Path) -> Iterator[str]:
    """Yield the code of a file, or of each cell of a notebook without its commands."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        yield text
        return
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            lines = "".join(cell["source"]).split("\n")
            yield "\n".join(
                line if line.lstrip()[:1] not in {"%", "!"} else line.replace(line.lstrip(), "pass")
                for line in lines
            )


def _written(names: dict[str, Any], exercise: str) -> Callable[..., Any] | None:
    """Return the learner's function for an exercise; for `cache` it is a class."""
    found = names.get(f"my_{exercise}", names.get(f"My{exercise.title()}"))
    return found if callable(found) else None


def print_table() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m attention_practice.grade")
    parser.add_argument("folder", type=Path, help="of files *.py and *.ipynb")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each function")
    given = parser.parse_args()
    table = csv.writer(sys.stdout)
    table.writerow(Row._fields)
    for row in grade(given.folder, given.seconds):
        table.writerow(row)
        sys.stdout.flush()


if __name__ == "__main__":
    print_table()
