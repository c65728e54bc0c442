"""A project with this one's configuration and a few pages, for tests that change what is built."""

import subprocess
from pathlib import Path

import nbformat

from tests.conftest import ROOT, build_site

HOME = """# Home

$x^2$

```python
print(1)
```

```output heat="a b"
tensor([[1., 0.],
        [0., 1.]])
```
"""


def small_project(folder: Path, pages: dict[str, str]) -> Path:
    """Make a project; a notebook has the text of its page as its only cell."""
    settings = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[0]
    (folder / "mkdocs.yml").write_text(settings, "utf-8")
    (folder / "src").mkdir()
    # What the wheel is built from, and what the site offers.
    for name in ("pyproject.toml", "README.md", "LICENSE", "CITATION.cff"):
        (folder / name).symlink_to(ROOT / name)
    for package in (ROOT / "src").iterdir():
        (folder / "src" / package.name).symlink_to(package)
    for name, text in pages.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".ipynb":
            cell = nbformat.v4.new_markdown_cell(text)
            nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
        else:
            path.write_text(text, "utf-8")
    return folder


def build_from_elsewhere(project: Path) -> subprocess.CompletedProcess[str]:
    """Build a project's site, in another folder than its own."""
    settings, site = project / "mkdocs.yml", project / "site"
    return build_site("-f", str(settings), "-d", str(site), folder=Path("/"))
