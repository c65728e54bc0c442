"""The files of this project in which numbers are printed, and a count of their examples.

The count is made without the code that finds the examples to run, and in another way: it looks
at each line for itself.
"""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
NOTEBOOKS = sorted((ROOT / "docs").glob("**/*.ipynb"))
SOURCES = sorted((ROOT / "src").glob("**/*.py"))

FENCE = re.compile(r"^[ >]*(?:- |\d+\. )?(?:```|~~~)[ {.]*python\b", re.MULTILINE)
# Fences with four marks show how a page is written. What is in them is text.
SHOWN = re.compile(r"^[ >]*(````+)(?!`).*?^[ >]*\1", re.MULTILINE | re.DOTALL)


def count(path: Path) -> int:
    """Return how many examples a file has."""
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return sum(c["cell_type"] == "code" and "".join(c["source"]).strip() != "" for c in cells)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return len(re.findall(r"^ *>>> ", text, re.MULTILINE))
    return len(FENCE.findall(SHOWN.sub("", text)))
