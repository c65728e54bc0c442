"""Time of a build of the site, beside one without our own part of it.

    python -m tests.benchmarks.build [--quick]

The bare build has the same pages, theme and plugins, but no hooks, no formulas as MathML, no
images, no `source` fences and none of our templates. Each build is a fork of a process that has
loaded MkDocs and its plugins, so that what is compared is the work and not the imports; the two
are timed in turn, and the shortest time of each counts.
"""

import logging
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any, Literal

from mkdocs.commands.build import build
from mkdocs.config import load_config

from tests.benchmarks import in_a_fork, is_quick
from tests.conftest import ROOT
from tests.site_build.small_project import HOME, small_project

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


def bare() -> dict[str, Any]:
    """Return the settings of a build without our own part of it."""
    whole = load_config("mkdocs.yml")
    extensions = [name for name in whole.markdown_extensions if not name.startswith("site_build.")]
    return {
        "strict": False,  # links to headings and files that our own part makes
        "hooks": [],
        "extra_css": [],
        "extra_javascript": [],
        "theme": {"name": "material", "font": False},
        "markdown_extensions": [
            {name: {} if "superfences" in name else whole.mdx_configs.get(name, {})}
            for name in extensions
        ],
    }


def built(site: str, command: Literal["build", "serve"], **settings: Any) -> float:
    """Build the project in the working folder; return how long that takes."""
    start = time.perf_counter()
    config = load_config("mkdocs.yml", site_dir=site, **{"strict": True, **settings})
    config.plugins.on_startup(command=command, dirty=False)
    build(config)
    return time.perf_counter() - start


def whole_build(project: Path) -> float:
    os.chdir(project)
    with tempfile.TemporaryDirectory() as site:
        return built(site, "build")


def bare_build(project: Path) -> float:
    os.chdir(project)
    logging.disable(logging.WARNING)  # as many as such links
    with tempfile.TemporaryDirectory() as site:
        return built(site, "build", **bare())


def build_after_an_edit(project: Path) -> float:
    """Build twice, as `mkdocs serve` does, with an edit between; time the second build."""
    os.chdir(project)
    with tempfile.TemporaryDirectory() as site:
        built(site, "serve")
        page = project / "docs" / "index.md"
        page.write_text(page.read_text("utf-8") + "\nMore.\n", "utf-8")
        return built(site, "serve")


def copy_of_the_project(folder: Path) -> Path:
    """Copy all but the hidden files: a build reads sources, tests and what the wheel is made of."""
    return Path(
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*"), dirs_exist_ok=True)
    )


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
    logging.basicConfig()  # where MkDocs says why it stops
    load_config(str(ROOT / "mkdocs.yml"))  # imports the plugins, for all forks
    with tempfile.TemporaryDirectory() as folder:
        project = generated_project(Path(folder), 1) if quick else copy_of_the_project(Path(folder))
        times = [
            [in_a_fork(way, project) for way in (whole_build, bare_build)] for _ in range(rounds)
        ]
        ours, theirs = (min(column) for column in zip(*times, strict=True))
        print(f"the site {ours:.2f} s, bare {theirs:.2f} s: {ours / theirs:.2f} times")
        edits = min(in_a_fork(build_after_an_edit, project) for _ in range(rounds))
        print(
            f"a build after one edit, while serving: {edits:.2f} s, {edits / ours:.2f} of the first"
        )
    for pages in counts:
        with tempfile.TemporaryDirectory() as folder:
            taken = in_a_fork(whole_build, generated_project(Path(folder), pages))
            print(f"{pages:5} pages: {taken:.2f} s")


if __name__ == "__main__":
    main()
