"""How fast the examples are checked, next to other ways of running the same code.

    python tests/benchmark_examples.py

Each way runs in a process of its own, and is timed after torch and pytest are loaded there, so
that what is compared is the work and not the imports. It has one thread, and pytest no other
plugins. The best of three runs counts, of the slow ones the only run. nbval is
compared where it is installed (`pip install nbval`).
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import nbformat

from examples.alone import BLOCK, SHOWN, script_of
from examples.project_files import NOTEBOOKS, PAGES, ROOT
from tensor_examples.markdown import parse_page
from tensor_examples.script import Block, ScriptExample

RUNS = 3
NBVAL = ["-p", "nbval.plugin", "--nbval", "-c", "/dev/null"]
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


def seconds(code: str, runs: int = RUNS) -> float:
    """Return how long some code takes in a fresh process, at best."""
    command = [sys.executable, "-c", TIMED.format(code=code)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    found = []
    for _ in range(runs):
        result = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        if result.returncode:
            sys.exit(result.stdout + result.stderr)
        found.append(float(result.stdout.rpartition("seconds ")[2]))
    return min(found)


def with_pytest(arguments: Sequence[str | Path], runs: int = RUNS) -> float:
    """Return how long a run of pytest takes, be its examples right or wrong."""
    options = ["-q", "-p", "no:cacheprovider", *map(str, arguments)]
    return seconds(f"assert pytest.main({options}) in (0, 1)", runs)


def bare(pages: Sequence[Path]) -> float:
    """Return how long the blocks of pages take, with nothing compared."""
    scripts = [script_of(page.read_text(encoding="utf-8")) for page in pages]
    return seconds(f"for script in {scripts!r}:\n    exec(script, {{'__name__': '__main__'}})")


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
    plugin: list[str | Path] = ["-c", ROOT / "pyproject.toml"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        ours, alone = with_pytest(pages), bare(pages)
        print(f"{len(pages)} pages: checked in {ours:.2f} s; bare in {alone:.2f} s")
        print(f"  {ours / alone:.2f} times the bare run")

        for number, page in enumerate(pages):
            (folder / f"{number}.txt").write_text(as_doctest(page), encoding="utf-8")
        doctest = with_pytest(["-p", "doctest", "--doctest-glob=*.txt", "-c", "/dev/null", folder])
        print(f"  {ours / doctest:.2f} times pytest --doctest-glob ({doctest:.2f} s)")

        notebooks = with_pytest(NOTEBOOKS, runs=1)
        print(f"{len(NOTEBOOKS)} notebooks: checked in {notebooks:.2f} s")
        if find_spec("nbval"):
            nbval = with_pytest(
                ["-p", "nbval.plugin", "--nbval", "-c", "/dev/null", *NOTEBOOKS], runs=1
            )
            print(f"  nbval takes {nbval / notebooks:.2f} times as long ({nbval:.2f} s)")
            some = pages[:6]
            for page in some:
                nbformat.write(as_notebook(page), folder / f"{page.stem}.ipynb")
            nbval = with_pytest(
                ["-p", "nbval.plugin", "--nbval", "-c", "/dev/null", folder], runs=1
            )
            ours = with_pytest(some)
            print(f"{len(some)} pages: checked in {ours:.2f} s; as notebooks")
            print(f"  nbval takes {nbval / ours:.2f} times as long ({nbval:.2f} s)")

        for count in (10, 100, 1000):
            many = folder / str(count)
            many.mkdir()
            for number in range(count):
                (many / f"{number}.md").write_text(SMALL_PAGE, encoding="utf-8")
            taken = with_pytest([*plugin, many], runs=1)
            print(f"{count} small pages: {taken:.2f} s, {1000 * taken / count:.1f} ms a page")


if __name__ == "__main__":
    main()
