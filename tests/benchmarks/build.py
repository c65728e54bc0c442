"""Print how long a build of the site takes, beside one without our own part of it.

    python -m tests.benchmarks.build [--rounds N]

The bare build has the same pages, theme and plugins, but no hooks, no formulas as MathML, no
images, no `source` fences and none of our templates. Each build is a process of its own; the
two are timed in turn, and the shortest time of each counts.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.site_build.small_project import HOME

ROOT = Path(__file__).parents[2]
WHOLE = "config = load_config('mkdocs.yml', site_dir=site, strict=True)"
BARE = """
whole = load_config('mkdocs.yml')
config = load_config(
    'mkdocs.yml', site_dir=site, hooks=[], extra_css=[], extra_javascript=[],
    theme={'name': 'material', 'font': False},
    markdown_extensions=[
        {name: {} if 'superfences' in name else whole.mdx_configs.get(name, {})}
        for name in whole.markdown_extensions if not name.startswith('site_build.')
    ],
)
"""
BUILD = """
import sys
from mkdocs.commands.build import build
from mkdocs.config import load_config
site = sys.argv[1]
{config}
config.plugins.on_startup(command='build', dirty=False)
build(config)
"""
# Two builds as `mkdocs serve` makes them, with an edit between: the second one is timed.
EDIT = """
import sys, time
from pathlib import Path
from mkdocs.commands.build import build
from mkdocs.config import load_config
for page in (None, Path('docs/steps/03-weights.md')):
    if page:
        page.write_text(page.read_text('utf-8') + '\\nMore.\\n', 'utf-8')
    start = time.perf_counter()
    config = load_config('mkdocs.yml', site_dir=sys.argv[1])
    config.plugins.on_startup(command='serve', dirty=False)
    build(config)
print(time.perf_counter() - start)
"""
PAGE = """# Page {number}

Some words about $\\\\frac{{a}}{{b}}$ and a matrix.

```python
import torch

print(torch.eye(3))
```

```output
tensor([[1., 0., 0.],
        [0., 1., 0.],
        [0., 0., 1.]])
```
"""


def run(code: str, project: Path) -> str:
    """Run Python code in a project, with a folder for the site; return what it prints."""
    with tempfile.TemporaryDirectory() as site:
        command = [sys.executable, "-W", "ignore", "-c", code, site]
        ran = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(ran.stderr)
    return ran.stdout


def seconds(action: Callable[[], object]) -> float:
    """Return how long something takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def copy_of_the_project(folder: Path) -> Path:
    """Copy what a build reads."""
    for name in ("docs", "src"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "mkdocs.yml", folder)
    return folder


def generated_project(folder: Path, pages: int) -> Path:
    """Make a project with this one's settings, and a number of small pages.

    They are not in the navigation: the theme writes all of it into each page, so that its part of
    a build grows with the square of the entries.
    """
    settings = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[0]
    navigation = "\nnav: [index.md]\nnot_in_nav: page-*.md\n"
    (folder / "mkdocs.yml").write_text(settings + navigation, "utf-8")
    shutil.copytree(ROOT / "src", folder / "src")
    (folder / "docs").mkdir()
    (folder / "docs" / "index.md").write_text(HOME, "utf-8")
    for number in range(pages):
        page = folder / "docs" / f"page-{number}.md"
        page.write_text(PAGE.format(number=number), "utf-8")
    return folder


def main() -> None:
    """Print the ratio, the time of an edit, and the growth."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    whole, bare = BUILD.format(config=WHOLE), BUILD.format(config=BARE)
    times = [
        (seconds(lambda: run(whole, ROOT)), seconds(lambda: run(bare, ROOT))) for _ in range(rounds)
    ]
    ours, theirs = (min(column) for column in zip(*times, strict=True))
    print(f"the site {ours:.2f} s, bare {theirs:.2f} s: {ours / theirs:.2f} times")
    with tempfile.TemporaryDirectory() as folder:
        project = copy_of_the_project(Path(folder))
        edits = min(float(run(EDIT, project).splitlines()[-1]) for _ in range(rounds))
    print(f"a build after one edit, while serving: {edits:.2f} s")
    for pages in (10, 100, 1000):
        with tempfile.TemporaryDirectory() as folder:
            project = generated_project(Path(folder), pages)
            print(f"{pages:5} pages: {seconds(lambda: run(whole, project)):.2f} s")  # noqa: B023


if __name__ == "__main__":
    main()
