"""The package as somebody installs it: README's line, in a fresh environment with torch alone."""

import json
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from site_build.blocks_and_cells import blocks_in
from tensor_examples.compare import difference
from tests.conftest import ROOT
from tests.site_build.copying import run_each
from tests.site_build.copying.copied import all_copied

README = (ROOT / "README.md").read_text("utf-8")


def brought_by(package: str, seen: set[str]) -> Iterator[Path]:
    """Yield what a package and those that it requires have put beside it."""
    seen.add(package)
    found = metadata.distribution(package)
    for name in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
        yield Path(str(found.locate_file(name)))
    for needed in map(Requirement, found.requires or ()):
        is_asked = not needed.marker or needed.marker.evaluate({"extra": ""})
        if is_asked and needed.name not in seen:
            yield from brought_by(needed.name, seen)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment with torch, in which README's line was run."""
    root = tmp_path_factory.mktemp("fresh")
    venv.create(root, symlinks=True)
    (packages,) = root.glob("lib/python*/site-packages")
    for path in {*brought_by("torch", set())}:  # several may put something into one folder
        (packages / path.name).symlink_to(path)
    (command,) = re.findall(r"^pip install .*$", README, re.M)
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    pip = [sys.executable, "-m", *command.split(), *offline, "--target", str(packages)]
    subprocess.run(pip, cwd=ROOT, check=True)
    return root / "bin" / "python"


def run(python: Path, programs: list[str]) -> list[tuple[str, str]]:
    """Return what each program prints in an environment, and its traceback."""
    command = [str(python), "-I", run_each.__file__, "1"]
    ran = subprocess.run(command, input=json.dumps([programs]), capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    (results,) = json.loads(ran.stdout)
    return [(printed, failed) for printed, failed in results]


def test_the_examples_of_the_readme_run_word_for_word(python: Path) -> None:
    blocks = list(blocks_in("README.md", README).values())
    assert len(blocks) == 2
    results = run(python, [block.source for block in blocks])
    for block, (printed, failed) in zip(blocks, results, strict=True):
        assert not failed
        assert block.output
        assert not difference(block.output.text, printed.rstrip("\n"))


def test_ten_snippets_of_ten_pages_run(python: Path, site: Path) -> None:
    last = [
        next((b for b in page[::-1] if b.printed and not b.also), None) for page in all_copied(site)
    ]
    blocks = [block for block in last if block and block.added]
    blocks = blocks[:10]
    results = run(python, [block.program for block in blocks])
    for block, (printed, failed) in zip(blocks, results, strict=True):
        assert not failed, block.place
        assert not difference(block.printed or "", printed.rstrip("\n")), block.place
