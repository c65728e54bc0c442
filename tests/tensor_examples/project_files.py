"""The files of this project in which numbers are printed."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
NOTEBOOKS = sorted((ROOT / "docs").glob("**/*.ipynb"))
SOURCES = sorted((ROOT / "src").glob("**/*.py"))
