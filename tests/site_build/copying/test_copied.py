"""The button of every block copies a program that runs alone and prints what its page shows."""

import json
import subprocess
import sys
from pathlib import Path

from tensor_examples.compare import difference
from tests.conftest import LOOKED_AT
from tests.site_build.copying import run_each
from tests.site_build.copying.copied import Copied, copied

TOGETHER = 2  # pages


def scripts(site: Path) -> list[Copied]:
    """Return the scripts of the reference, which are made of the examples of its docstrings."""
    found = []
    for path in sorted((site / "reference").rglob("*.py")):
        cells = json.loads(path.with_suffix(".ipynb").read_text("utf-8"))["cells"]
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        printed = "".join("".join(output["text"]) for output in outputs).rstrip("\n")
        found.append(Copied(path.name, "", [], "", path.read_text("utf-8"), printed))
    return found


def wrong(block: Copied, printed: str, failed: str) -> str:
    """Return what is wrong with what a program printed, if something is."""
    if failed:
        return f"{block.place}: {failed.strip().splitlines()[-1]}"
    if block.printed is None:  # the page does not run it
        return ""
    told = difference(block.printed, printed.rstrip("\n"))
    return f"{block.place}: {told.message}" if told else ""


def test_every_block_runs_alone_and_prints_what_its_page_shows(site: Path) -> None:
    pages = [[*copied(site, page)] for page in LOOKED_AT if page != "404.html"]
    pages += [[script] for script in scripts(site)]
    programs = json.dumps([[block.program for block in page] for page in pages])
    command = [sys.executable, run_each.__file__, str(TOGETHER)]
    run = subprocess.run(command, input=programs, capture_output=True, text=True, check=True)
    results = json.loads(run.stdout)
    found = [
        told
        for page, printed in zip(pages, results, strict=True)
        for block, result in zip(page, printed, strict=True)
        if (told := wrong(block, *result))
    ]
    assert not found, "\n".join(found)
