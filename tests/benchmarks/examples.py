"""How fast the examples are checked, next to running the same code bare.

    python -m tests.benchmarks.examples [--quick]

Each way runs in a fork of a process that has loaded torch, pytest and the checks, and the server of
the checks has loaded torch as well, so that what is compared is the work and not the imports; how
long the server takes is printed, for a run waits for it once. Each has one thread. Pytest has no
other plugins, and not those of the site, which run other code than that of the pages. What counts
is the time of the processor, in all processes, so that other work on the machine counts little; the
ways that are compared take turns, and the median of each is printed.

A notebook has a fresh process, which imports torch and what else it needs for itself. IPython
alone, which runs the cells and compares nothing, shows how long that takes.
"""

import contextlib
import gc
import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from multiprocessing import forkserver
from pathlib import Path
from statistics import median

import pytest
import sybil.integration.pytest  # noqa: F401 (what the plugin imports, as the two below)
import torch

import site_build.dialect  # noqa: F401
import tensor_examples.documents  # noqa: F401
from tensor_examples.isolation import PATIENCE, results_of
from tests.benchmarks import in_a_fork, is_quick
from tests.tensor_examples.alone import run_all
from tests.tensor_examples.project_files import NOTEBOOKS, PAGES, ROOT

SETTINGS = {
    "OMP_NUM_THREADS": "1",  # of the processes that pytest starts
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}
OF_THE_SITE = [f"-pno:site_build.pytest_{name}" for name in ("figures", "hands", "puzzles")]
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


def seconds(*ways: partial[None], runs: int) -> list[float]:
    """Return how long the processor works for some ways in the middle, when they take turns."""
    rounds = [[in_a_fork(timed, way) for way in ways] for _ in range(runs)]
    return [median(found) for found in zip(*rounds, strict=True)]


def timed(way: partial[None]) -> float:
    gc.freeze()  # torch: the server of the checks and what runs pages bare do so as well
    os.environ.update(SETTINGS)
    torch.set_num_threads(1)
    load_server()
    start = worked_seconds()
    way()
    return worked_seconds() - start


def worked_seconds() -> float:
    """Return how long this process, the server and all their processes that ended have worked."""
    server = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    ticks = 0
    for process in ("self", server):
        ticks += sum(map(int, Path(f"/proc/{process}/stat").read_text().split()[13:17]))
    return ticks / os.sysconf("SC_CLK_TCK")


def load_server() -> float:
    """Let the server of the checks load torch, and return how many seconds it takes."""
    start = time.perf_counter()
    list(results_of(iter, seconds=PATIENCE))  # any job will do
    return time.perf_counter() - start


def with_pytest(*arguments: str | Path) -> None:
    """Run pytest."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        code = pytest.main(["-q", "-p", "no:cacheprovider", *OF_THE_SITE, *map(str, arguments)])
    assert code == 0, told.getvalue()


def bare(pages: Sequence[Path]) -> None:
    """Run pages as scripts, each in a fork, with nothing compared."""
    with tempfile.TemporaryDirectory() as folder:
        run_all(Path(folder), 1, list(pages))


def bare_notebooks(notebooks: Sequence[Path]) -> None:
    """Run each notebook in a fresh process, with nothing compared."""
    os.environ["MPLBACKEND"] = "agg"
    for notebook in notebooks:
        command = [sys.executable, "-m", "IPython", "--quick", str(notebook)]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Print the ratios."""
    quick = is_quick(__doc__)
    # Every fourth one: a round of all takes more than a minute, and a few rounds have to be.
    pages, notebooks = (PAGES[:1], NOTEBOOKS[-1:]) if quick else (PAGES[::4], NOTEBOOKS[::4])
    runs, slow_runs, counts = (1, 1, [10]) if quick else (5, 3, [10, 100, 300])
    print(f"the server of the checks has loaded torch in {in_a_fork(load_server):.2f} s")
    kinds = [
        ("pages", pages, bare, runs),
        ("notebooks", notebooks, bare_notebooks, slow_runs),
    ]
    for kind, files, without, rounds in kinds:
        ways = partial(with_pytest, *files), partial(without, files)
        ours, alone = seconds(*ways, runs=rounds)
        print(
            f"{len(files)} {kind}: checked in {ours:.2f} s of the processor; bare in {alone:.2f} s"
        )
        print(f"  {ours / alone:.2f} times the bare run")
    with tempfile.TemporaryDirectory() as name:
        for count in counts:
            folder = Path(name, str(count))
            folder.mkdir()
            for number in range(count):
                (folder / f"{number}.md").write_text(SMALL_PAGE, encoding="utf-8")
        small = [
            partial(with_pytest, "-c", ROOT / "pyproject.toml", Path(name, str(n))) for n in counts
        ]
        for count, taken in zip(counts, seconds(*small, runs=slow_runs), strict=True):
            print(f"{count} small pages: {taken:.2f} s, {1000 * taken / count:.1f} ms a page")


if __name__ == "__main__":
    main()
