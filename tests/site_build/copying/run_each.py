"""Runs the programs of pages, each in a process of its own, and tells what each printed.

    python run_each.py PROCESSES < pages.json > results.json

Many programs of a page begin with the same statements, such as a training. So they are a tree: a
process runs what several begin with, and is forked where they part. The first has torch loaded, and
nothing has happened in it. A program works in an empty folder. What is neither in the wheel
nor imported on its page is not there. torch has one thread: a fork would lack the others.
"""

import ast
import gc
import io
import json
import os
import re
import sys
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import torch._dynamo  # which many programs load, and slowly

NOT_IN_THE_WHEEL = ("attention_practice", "site_build", "tensor_examples", "tests")


@dataclass
class Node:
    """What may follow the same statements."""

    ends: list[str] = field(default_factory=list)  # the files for the results of programs
    below: dict[str, tuple[ast.stmt, "Node"]] = field(default_factory=dict)


def tree_of(programs: dict[str, str]) -> Node:
    """Return programs, by the file for their result, as a tree of statements."""
    root = Node()
    for result, program in programs.items():
        node = root
        for statement in ast.parse(program).body:
            node = node.below.setdefault(ast.unparse(statement), (statement, Node()))[1]
        node.ends.append(result)
    return root


def fork() -> int:
    """Fork this process; in the new one, torch makes its pool of threads anew.

    It does so when it is asked, and fails where several threads of a program ask at once.
    """
    process = os.fork()
    if not process:
        torch.set_num_threads(torch.get_num_threads())
    return process


def run(node: Node, names: dict[str, Any], printed: io.StringIO, failed: str = "") -> None:
    """Run what is below a node, in forks of this process where there are several."""
    for result in node.ends:
        Path(result).write_text(json.dumps([printed.getvalue(), failed]), "utf-8")
    for left, (statement, below) in zip(
        range(len(node.below) - 1, -1, -1), node.below.values(), strict=True
    ):
        if left and (process := fork()):  # the last one goes on in this process
            os.waitpid(process, 0)
            continue
        if not os.listdir():
            os.chdir(mkdtemp(dir="."))
        try:
            if not failed:
                exec(compile(ast.Module([statement], []), "copied.py", "exec"), names)
        except BaseException:
            failed = traceback.format_exc()
        run(below, names, printed, failed)
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
    run(tree_of(programs), vars(main), sys.stdout)


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
    gc.freeze()  # or each process would walk through all of torch
    json.dump(run_all(json.load(sys.stdin), int(sys.argv[1])), sys.stdout)
