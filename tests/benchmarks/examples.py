"""How fast the examples are checked, next to other ways of running the same code.

    python -m tests.benchmarks.examples

Each way runs in a process of its own, and is timed after torch and pytest are loaded there, so
that what is compared is the work and not the imports. It has one thread, and pytest no other
plugins. The ways that are compared take turns, so that a machine that is busy is busy for each,
and the best run of each counts. nbval is compared where it is installed (`pip install nbval`).

A notebook has a fresh process, which imports torch and what else it needs for itself. IPython
alone, which runs the cells and compares nothing, shows how long that takes.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import nbformat

from tensor_examples.markdown import parse_page
from tensor_examples.script import Block, ScriptExample
from tests.tensor_examples.alone import BLOCK, SHOWN, script_of
from tests.tensor_examples.project_files import NOTEBOOKS, PAGES, ROOT

RUNS, SLOW_RUNS = 7, 2
TIMED = """
import sys, time
import pytest, torch, torch._dynamo
start = time.perf_counter()
{code}
print("seconds", time.perf_counter() - start)
"""
SMALL_PAGE = """\
```python
import torch

x = torch.arange(6.0).reshape(2, 3)
print(x)
```

```output
tensor([[0., 1., 2.],
        [3., 4., 5.]])
```

```python
print(x.softmax(dim=-1))
```

```output
tensor([[0.0900, 0.2447, 0.6652],
        [0.0900, 0.2447, 0.6652]])
```
"""


def seconds(*ways: str, runs: int = RUNS) -> list[float]:
    """Return how long each of some pieces of code takes at best, when they take turns."""
    rounds = [[timed(code) for code in ways] for _ in range(runs)]
    return [min(found) for found in zip(*rounds, strict=True)]


def timed(code: str) -> float:
    """Return how long some code takes in a fresh process."""
    command = [sys.executable, "-c", TIMED.format(code=code)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if result.returncode:
        sys.exit(result.stdout + result.stderr)
    return float(result.stdout.rpartition("seconds ")[2])


def with_pytest(*arguments: str | Path, may_fail: bool = False) -> str:
    """Return code that runs pytest. What fails has not run to its end, so ours may not."""
    options = ["-q", "-p", "no:cacheprovider", *map(str, arguments)]
    return f"assert pytest.main({options}) in {(0, 1) if may_fail else (0,)}"


def with_nbval(*arguments: str | Path) -> str:
    """Return code that runs nbval on notebooks."""
    plugin = ("-p", "nbval.plugin", "--nbval", "-c", "/dev/null")
    return with_pytest(*plugin, *arguments, may_fail=True)


def bare(pages: Sequence[Path]) -> str:
    """Return code that runs the blocks of pages, with nothing compared."""
    scripts = [script_of(page.read_text(encoding="utf-8")) for page in pages]
    return f"for script in {scripts!r}:\n    exec(script, {{'__name__': '__main__'}})"


def bare_notebooks() -> str:
    """Return code that runs each notebook in a fresh process, with nothing compared."""
    commands = [[sys.executable, "-m", "IPython", "--quick", str(book)] for book in NOTEBOOKS]
    return (
        "import os, subprocess\n"
        "os.environ['MPLBACKEND'] = 'agg'\n"
        f"for command in {commands!r}:\n"
        "    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)"
    )


def as_doctest(page: Path) -> str:
    """Return the blocks of a page as the examples of a text file."""
    written = []
    for block in blocks(page):
        output = block.output.text.strip("\n").split("\n") if block.output else []
        written += [f">>> exec({block.source!r})", *(line or "<BLANKLINE>" for line in output), ""]
    return "\n".join(written)


def as_notebook(page: Path) -> nbformat.NotebookNode:
    """Return the blocks of a page as the cells of a notebook."""
    book = nbformat.v4.new_notebook()
    for count, block in enumerate(blocks(page), 1):
        cell = nbformat.v4.new_code_cell(block.source, execution_count=count)
        if block.output:
            text = block.output.text.rstrip("\n") + "\n"
            cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]
        book.cells.append(cell)
    return book


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page."""
    examples = parse_page(str(page), page.read_text(encoding="utf-8"))
    return [example.block for example in examples if isinstance(example, ScriptExample)]


def main() -> None:
    """Print the ratios."""
    pages = [page for page in PAGES if BLOCK.search(SHOWN.sub("", page.read_text("utf-8")))]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, page in enumerate(pages):
            (folder / f"{number}.txt").write_text(as_doctest(page), encoding="utf-8")
        with_doctest = with_pytest(
            *("-p", "doctest", "--doctest-glob=*.txt", "-c", "/dev/null", folder), may_fail=True
        )
        ours, alone, doctest = seconds(with_pytest(*pages), bare(pages), with_doctest)
        print(f"{len(pages)} pages: checked in {ours:.2f} s; bare in {alone:.2f} s")
        print(f"  {ours / alone:.2f} times the bare run")
        print(f"  {ours / doctest:.2f} times pytest --doctest-glob ({doctest:.2f} s)")

        has_nbval = find_spec("nbval") is not None
        ours, alone, *nbval = seconds(
            with_pytest(*NOTEBOOKS),
            bare_notebooks(),
            *[with_nbval(*NOTEBOOKS)] * has_nbval,
            runs=SLOW_RUNS,
        )
        print(f"{len(NOTEBOOKS)} notebooks: checked in {ours:.2f} s; bare in {alone:.2f} s")
        print(f"  {ours / alone:.2f} times the bare run")
        if has_nbval:
            print(f"  nbval takes {nbval[0] / ours:.2f} times as long ({nbval[0]:.2f} s)")
            some = pages[:6]
            for page in some:
                nbformat.write(as_notebook(page), folder / f"{page.stem}.ipynb")
            ours, *nbval = seconds(with_pytest(*some), with_nbval(folder), runs=SLOW_RUNS)
            print(f"{len(some)} pages: checked in {ours:.2f} s; as notebooks")
            print(f"  nbval takes {nbval[0] / ours:.2f} times as long ({nbval[0]:.2f} s)")

        counts = (10, 100, 1000)
        for count in counts:
            (folder / str(count)).mkdir()
            for number in range(count):
                (folder / str(count) / f"{number}.md").write_text(SMALL_PAGE, encoding="utf-8")
        ways = [with_pytest("-c", ROOT / "pyproject.toml", folder / str(count)) for count in counts]
        for count, taken in zip(counts, seconds(*ways, runs=SLOW_RUNS), strict=True):
            print(f"{count} small pages: {taken:.2f} s, {1000 * taken / count:.1f} ms a page")


if __name__ == "__main__":
    main()
