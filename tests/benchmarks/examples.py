"""How fast the examples are checked, next to running the same code bare.

    python -m tests.benchmarks.examples [--quick]

Each way runs in a process of its own, and is timed after torch and pytest are loaded there, so
that what is compared is the work and not the imports. It has one thread, and pytest no other
plugins. The ways that are compared take turns, so that a machine that is busy is busy for each,
and the best run of each counts.

A notebook has a fresh process, which imports torch and what else it needs for itself. IPython
alone, which runs the cells and compares nothing, shows how long that takes.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks import is_quick
from tests.tensor_examples.project_files import NOTEBOOKS, PAGES, ROOT

TIMED = """
import os, subprocess, sys, tempfile, time
from pathlib import Path
import pytest, torch, torch._dynamo
from tests.tensor_examples.alone import run_all
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


def seconds(*ways: str, runs: int) -> list[float]:
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


def with_pytest(*arguments: str | Path) -> str:
    """Return code that runs pytest."""
    return f"assert pytest.main({['-q', '-p', 'no:cacheprovider', *map(str, arguments)]}) == 0"


def bare(pages: Sequence[Path]) -> str:
    """Return code that runs pages as scripts, each in a fork, with nothing compared."""
    return (
        "with tempfile.TemporaryDirectory() as folder:\n"
        f"    run_all(Path(folder), 1, [Path(page) for page in {[*map(str, pages)]}])"
    )


def bare_notebooks(notebooks: Sequence[Path]) -> str:
    """Return code that runs each notebook in a fresh process, with nothing compared."""
    commands = [[sys.executable, "-m", "IPython", "--quick", str(book)] for book in notebooks]
    return (
        "os.environ['MPLBACKEND'] = 'agg'\n"
        f"for command in {commands!r}:\n"
        "    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)"
    )


def main() -> None:
    """Print the ratios."""
    quick = is_quick(__doc__)
    pages, notebooks = (PAGES[:1], NOTEBOOKS[:1]) if quick else (PAGES, NOTEBOOKS)
    runs, slow_runs, counts = (1, 1, [10]) if quick else (7, 2, [10, 100, 1000])
    kinds = [
        ("pages", pages, bare(pages), runs),
        ("notebooks", notebooks, bare_notebooks(notebooks), slow_runs),
    ]
    for kind, files, without, rounds in kinds:
        ours, alone = seconds(with_pytest(*files), without, runs=rounds)
        print(f"{len(files)} {kind}: checked in {ours:.2f} s; bare in {alone:.2f} s")
        print(f"  {ours / alone:.2f} times the bare run")
    with tempfile.TemporaryDirectory() as name:
        for count in counts:
            folder = Path(name, str(count))
            folder.mkdir()
            for number in range(count):
                (folder / f"{number}.md").write_text(SMALL_PAGE, encoding="utf-8")
        ways = [with_pytest("-c", ROOT / "pyproject.toml", Path(name, str(n))) for n in counts]
        for count, taken in zip(counts, seconds(*ways, runs=slow_runs), strict=True):
            print(f"{count} small pages: {taken:.2f} s, {1000 * taken / count:.1f} ms a page")


if __name__ == "__main__":
    main()
