"""The site, built once for all tests that look at it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def sources(*suffixes: str) -> list[Path]:
    """Return the pages and notebooks that MkDocs reads: it leaves out what begins with a dot."""
    return [
        path
        for path in sorted((ROOT / "docs").rglob("*"))
        if path.suffix in suffixes and not any(part.startswith(".") for part in path.parts)
    ]


def build_site(project: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Build a project's site as a reader of the README would, strictly."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built site."""
    folder = tmp_path_factory.mktemp("site")
    built = build_site(ROOT, folder)
    assert built.returncode == 0, built.stderr
    return folder
