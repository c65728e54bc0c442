"""Runs the python blocks of pages as scripts, each in a process of its own.

    python alone.py FOLDER PROCESSES PAGE...

What a page prints goes to FOLDER/NUMBER.txt. The blocks are joined and run as Python runs a
script, without the code that runs them for the checks. Each process is a fork of this one, in
which torch is loaded and nothing has happened.

A page is a notebook, too. So where a block ends with a value, that is printed as well, as Jupyter
would show it.
"""

import ast
import ctypes
import gc
import linecache
import os
import sys
import traceback
from pathlib import Path

import torch._dynamo  # noqa: F401 (once for all pages; many of them load this part, which is slow)

from tensor_examples.fences import find_fences


def blocks_of(page: str) -> list[str]:
    """Return the python blocks of a page."""
    fences = find_fences(page.split("\n"))
    return ["\n".join(fence.lines) for fence in fences if fence.language == "python"]


def script_of(page: str) -> str:
    """Return the python blocks of a page, joined."""
    return "\n".join(blocks_of(page))


def script_that_shows_values(page: str) -> ast.Module:
    """Return the joined blocks, where the value of an expression that ends one is printed."""
    script = ast.Module([], [])
    above = 0  # lines of the script
    for block in blocks_of(page):
        statements = ast.increment_lineno(ast.parse(block), above).body
        above += block.count("\n") + 1
        if statements and isinstance(last := statements[-1], ast.Expr):
            show = ast.parse("__import__('sys').displayhook()", mode="eval").body
            assert isinstance(show, ast.Call)
            show.args, last.value = [last.value], show
        script.body += statements
    return ast.fix_missing_locations(script)


def run(page: Path, printed: Path) -> None:
    """Run a page, and write what it prints, or the traceback, to a file."""
    file = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    main = type(sys)("__main__")
    sys.modules["__main__"] = main
    try:
        text, name = page.read_text(encoding="utf-8"), f"<{page}>"
        # The lines of the script, for what shows the line that raised an exception.
        linecache.cache[name] = (0, None, script_of(text).splitlines(keepends=True), name)
        exec(compile(script_that_shows_values(text), name, "exec"), vars(main))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        ctypes.CDLL(None).fflush(None)  # what torch's C++ has printed
        os._exit(0)


def run_all(folder: Path, at_once: int, pages: list[Path]) -> None:
    """Run each page in a child process, a few of them at once."""
    gc.freeze()  # or each process would walk through all of torch
    for number, page in enumerate(pages):
        if number >= at_once:
            os.wait()
        if os.fork() == 0:
            run(page, folder / f"{number}.txt")
    for _ in pages[:at_once]:
        os.wait()


if __name__ == "__main__":
    run_all(Path(sys.argv[1]), int(sys.argv[2]), [Path(name) for name in sys.argv[3:]])
