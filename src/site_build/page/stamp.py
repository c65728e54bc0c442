"""The stamp of a page: how many outputs were compared, when, and with which versions."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from site_build.blocks_and_cells import outputs_in
from tensor_examples.conventions import RULES
from tensor_examples.record import mutant_counts, verified

COUNTS = re.compile(r"<!-- mutants:.*?-->")
DIRECTIVE = re.compile(r"^::: ([\w.]+)\.(\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Stamp:
    """A sentence about the outputs of a page, and of when and of what it speaks."""

    words: str
    date: str = ""  # as a machine reads it
    day: str = ""  # and a person
    versions: str = ""


def stamp(page: str, record: Mapping[str, Any] | None, root: Path) -> Stamp | None:
    """Return the stamp of a page, or None where there is nothing to say.

    That is so for one without outputs, and where no run of the tests was recorded.

    Args:
        page: The path of its source, relative to the root.
        record: Of the last run of the tests that wrote one.
        root: The project's root folder.
    """
    if record is None or not (root / page).is_file():  # the build makes some pages itself
        return None
    recorded = record["pages"]
    files = {
        path: recorded[path]["outputs"] if path in recorded else outputs_in(path, source)
        for path, source in shown_files(page, root)
    }
    files = {path: outputs for path, outputs in files.items() if outputs}
    number = sum(files.values())
    outputs, were = (f"{number} outputs", "were") if number != 1 else ("1 output", "was")
    if not files:
        return None
    if not files.keys() <= recorded.keys():
        return Stamp(f"Built without comparing its {outputs}")
    if not all(verified(record, path, root) for path in files):
        return Stamp(f"Changed since its {outputs} {were} last compared")
    not_run = sum(recorded[path]["not_run"] for path in files)
    words = f"{outputs} compared" + ", digit by digit" * record["exact"]
    return Stamp(
        words + f", {not_run} not run" * bool(not_run),
        record["date"],
        spelled(date.fromisoformat(record["date"])),
        f"torch {(record['torch'] or 'missing').partition('+')[0]}, Python {record['python']}",
    )


def unproven(pages: Iterable[str], record: Mapping[str, Any] | None, root: Path) -> str:
    """Say what no run of the tests compared digit by digit and by all rules, or nothing.

    Args:
        pages: The paths of their sources, relative to the root.
        record: Of the last run of the tests that wrote one.
        root: The project's root folder.
    """
    record = record or {"rules": RULES, "pages": {}}
    if missing := sorted(RULES.keys() - set(record["rules"])):
        return f"the tests ran without these rules: {', '.join(missing)}"
    stamps = [(page, stamp(page, record, root)) for page in pages]
    wrong = [
        f"{page}: {found.words}"
        for page, found in stamps
        if found and not found.words.endswith(" compared, digit by digit")
    ]
    return f"{wrong[0]} (the first of {len(wrong)})" if wrong else ""


def with_counts(markdown: str, record: Mapping[str, Any] | None) -> str:
    """Return a page with the counts of the recorded run, where it asks for them."""
    return COUNTS.sub(mutant_counts(record), markdown)


def shown_files(page: str, root: Path) -> Iterator[tuple[str, str]]:
    """Yield a page and the modules whose docstrings it shows, each with its text."""
    text = (root / page).read_text("utf-8")
    yield page, text
    shown = DIRECTIVE.findall(text)
    modules: set[str] = set()
    for home in {home for home, _ in shown}:
        path = root.joinpath("src", *home.split("."))
        names = {name for each, name in shown if each == home}
        is_module = path.with_suffix(".py").is_file()
        modules.update([home] if is_module else modules_of(names, path / "__init__.py"))
    for module in sorted(modules):
        path = Path("src", *module.split(".")).with_suffix(".py")
        yield path.as_posix(), (root / path).read_text("utf-8")


def modules_of(names: set[str], package: Path) -> list[str]:
    """Return the modules that define some names of a package: it may be its own."""
    statements = ast.parse(package.read_text("utf-8")).body
    homes = {
        alias.name: statement.module
        for statement in statements
        if isinstance(statement, ast.ImportFrom) and statement.module
        for alias in statement.names
    }
    return sorted({homes.get(name, f"{package.parent.name}.__init__") for name in names})


def spelled(day: date) -> str:
    """Return a date in words."""
    return f"{day.day} {day:%B %Y}"
