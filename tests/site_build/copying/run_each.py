"""Runs the programs of pages, each in a process of its own, and tells what each printed.

    python run_each.py PROCESSES < pages.json > results.json

Many programs of a page begin with the same statements, such as a training, after imports that
differ. So a process runs what several begin with, after the imports that all of them have, and is
forked where they part. The first has loaded what is slow to load, and nothing has happened in it.
A program works in an empty folder. What is neither in the wheel nor imported on its page is not
there. torch has one thread: a fork would lack the others.
"""

import ast
import gc
import io
import json
import os
import re
import sys
import traceback
from collections import deque
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import torch._dynamo

ONCE = ("matplotlib.pyplot", "attention_practice")  # loaded for all pages, as torch is, if there
NOT_IN_THE_WHEEL = ("attention_practice", "site_build", "tensor_examples", "tests")


@dataclass
class Program:
    """What is left of a program: statements by their code, the imports among them apart."""

    result: str  # the file for what it prints
    imports: dict[str, ast.stmt]
    others: deque[tuple[str, ast.stmt]]


def parsed(result: str, code: str) -> Program:
    """Return a program. All begin alike, and each has an end of its own."""
    others: deque[tuple[str, ast.stmt]] = deque([("", ast.Pass())])
    imports: dict[str, ast.stmt] = {}
    for each in ast.parse(code).body:
        if isinstance(each, ast.Import | ast.ImportFrom):
            for alias in each.names:  # one by one: another program may import more beside it
                one = deepcopy(each)
                one.names = [alias]
                imports[ast.unparse(one)] = one
        else:
            others.append((ast.unparse(each), each))
    others.append((result, ast.Pass()))
    return Program(result, imports, others)


def fork() -> int:
    """Fork this process; in the new one, torch makes its pool of threads anew.

    It does so when it is asked, and fails where several threads of a program ask at once.
    """
    process = os.fork()
    if not process:
        torch.set_num_threads(torch.get_num_threads())
    return process


def run(programs: list[Program], names: dict[str, Any], printed: io.StringIO) -> None:
    """Run programs that go on alike, in forks of this process where they part."""
    shared = [code for code in programs[0].imports if all(code in p.imports for p in programs)]
    now = [[each.imports.pop(code) for code in shared] for each in programs]
    statement = [each.others.popleft()[1] for each in programs].pop()
    try:
        code = compile(
            ast.fix_missing_locations(ast.Module([*now[0], statement], [])), "copied.py", "exec"
        )
        exec(code, names)
        failed = ""
    except BaseException:
        failed = traceback.format_exc()
    if failed or not programs[0].others:
        for each in programs:
            Path(each.result).write_text(json.dumps([printed.getvalue(), failed]), "utf-8")
        return
    parts: dict[str, list[Program]] = {}
    for each in programs:
        parts.setdefault(each.others[0][0], []).append(each)
    for left, part in zip(range(len(parts) - 1, -1, -1), parts.values(), strict=True):
        if left and (process := fork()):  # the last ones go on in this process
            os.waitpid(process, 0)
            continue
        if not os.listdir():
            os.chdir(mkdtemp(dir="."))
        run(part, names, printed)
        if left:
            os._exit(0)


def run_page(programs: dict[str, str], folder: Path) -> None:
    """Run the programs of a page."""
    folder.mkdir()
    os.chdir(folder)
    main = sys.modules["__main__"] = type(sys)("__main__")
    for name in NOT_IN_THE_WHEEL:
        imported = re.compile(rf"^ *(?:from|import) {name}\b", re.MULTILINE)
        if not any(map(imported.search, programs.values())):
            sys.modules[name] = None  # type: ignore[assignment]
    sys.stdout = io.StringIO()
    run([parsed(*each) for each in programs.items()], vars(main), sys.stdout)


def run_all(pages: list[list[str]], at_once: int) -> list[list[tuple[str, str]]]:
    """Return what each program of each page printed, and its traceback."""
    with TemporaryDirectory() as folder:
        files = [[f"{folder}/{p}-{n}" for n in range(len(page))] for p, page in enumerate(pages)]
        for number, (page, results) in enumerate(zip(pages, files, strict=True)):
            if number >= at_once:
                os.wait()
            if fork() == 0:
                try:
                    run_page(dict(zip(results, page, strict=True)), Path(folder, str(number)))
                finally:  # whatever happens, this process does not remove the folder
                    os._exit(0)
        for _ in pages[:at_once]:
            os.wait()
        read = [[Path(file) for file in page] for page in files]
        died = "", "its process has ended"
        return [
            [json.loads(file.read_text("utf-8")) if file.exists() else died for file in page]
            for page in read
        ]


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name in ONCE:
        with suppress(ModuleNotFoundError):
            import_module(name)
    gc.freeze()  # or each process would walk through all of torch
    json.dump(run_all(json.load(sys.stdin), int(sys.argv[1])), sys.stdout)
