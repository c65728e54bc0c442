"""Time of a build of the site, beside one without our own part of it.

    python -m tests.benchmarks.build [--quick]

The bare build has the same pages, theme and plugins, but no hooks, no formulas as MathML, no
images, no `source` fences and none of our templates. Each build is a process of its own; the
two are timed in turn, and the shortest time of each counts.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks import is_quick
from tests.conftest import ROOT
from tests.site_build.small_project import HOME, small_project

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
CONFIG
config.plugins.on_startup(command='build', dirty=False)
build(config)
"""
# Two builds as `mkdocs serve` makes them, with an edit between: the second one is timed.
EDIT = """
import sys, time
from pathlib import Path
from mkdocs.commands.build import build
from mkdocs.config import load_config
for page in (None, Path('docs/index.md')):
    if page:
        page.write_text(page.read_text('utf-8') + '\\nMore.\\n', 'utf-8')
    start = time.perf_counter()
    config = load_config('mkdocs.yml', site_dir=sys.argv[1])
    config.plugins.on_startup(command='serve', dirty=False)
    build(config)
print(time.perf_counter() - start)
"""
PAGE = """# Page

Some words about $\\frac{a}{b}$ and a matrix.

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


def seconds(project: Path, config: str = WHOLE) -> float:
    """Return how long a build takes."""
    start = time.perf_counter()
    run(BUILD.replace("CONFIG", config), project)
    return time.perf_counter() - start


def copy_of_the_project(folder: Path) -> Path:
    """Copy what a build reads: pages show sources and tests, too."""
    for name in ("docs", "src", "tests"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "mkdocs.yml", folder)
    return folder


def generated_project(folder: Path, pages: int) -> Path:
    """Make a project with this one's settings, and a number of small pages.

    They are not in the navigation: the theme writes all of it into each page, so that its part of
    a build grows with the square of the entries.
    """
    project = small_project(
        folder, {"index.md": HOME, **{f"page-{number}.md": PAGE for number in range(pages)}}
    )
    with (project / "mkdocs.yml").open("a", encoding="utf-8") as settings:
        settings.write("\nnav: [index.md]\nnot_in_nav: page-*.md\n")
    return project


def main() -> None:
    """Print the ratio, the time of an edit, and the growth."""
    quick = is_quick(__doc__)
    rounds, counts = (1, [10]) if quick else (3, [10, 100, 1000])
    with tempfile.TemporaryDirectory() as folder:
        project = generated_project(Path(folder), 1) if quick else copy_of_the_project(Path(folder))
        times = [(seconds(project), seconds(project, BARE)) for _ in range(rounds)]
        ours, theirs = (min(column) for column in zip(*times, strict=True))
        print(f"the site {ours:.2f} s, bare {theirs:.2f} s: {ours / theirs:.2f} times")
        edits = min(float(run(EDIT, project).splitlines()[-1]) for _ in range(rounds))
        print(f"a build after one edit, while serving: {edits:.2f} s")
    for pages in counts:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{pages:5} pages: {seconds(generated_project(Path(folder), pages)):.2f} s")


if __name__ == "__main__":
    main()
