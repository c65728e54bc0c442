"""The record of what was verified: which pages, at which content, with which versions.

It is a JSON file:

    {
      "format": 3,
      "date": "2026-01-31",               of the run (UTC)
      "exact": true,                      whether outputs were compared character for character
      "rules": ["prose", "text"],         that held
      "python": "3.11.9", "torch": "2.13.0+cpu", "platform": "Linux x86_64",
      "pages": {
        "docs/page.md": {                 relative to the project's root folder
          "sha256": "...",                of the bytes of the file
          "code": {"src/mine": "..."},    the project's own packages that it imports, hashed
          "outputs": 12,                  that were compared, and were right
          "not_run": 0                    examples that the page opts out of running
        }
      },
      "mutants": {...}                    counts that a test reported, see below
    }

A page is there only when each of its examples was run and was right. A test that changes
outputs on purpose reports how many of the changes were found with pytest's own
`record_property("mutants", {...})`.
"""

import json
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from tensor_examples.example import Settings
from tensor_examples.project_modules import hash_of, sha256

FORMAT = 3


def new_record(
    pages: Mapping[str, Mapping[str, Any]],
    mutants: Mapping[str, Any],
    settings: Settings,
) -> dict[str, Any]:
    """Return the record of a run: its verified pages, its counts of mutants, and how it was."""
    return {
        "format": FORMAT,
        "date": today(),
        "exact": settings.exact,
        "rules": sorted(settings.rules),
        **versions(),
        "platform": f"{platform.system()} {platform.machine()}",
        "pages": dict(pages),
        "mutants": dict(mutants),
    }


def write_record(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def read_record(path: Path) -> dict[str, Any] | None:
    """Return a record, or None where there is no file, or one of another format."""
    if not path.is_file():
        return None
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record if record.get("format") == FORMAT else None


def verified(record: Mapping[str, Any] | None, path: str, root: Path) -> bool:
    """Say whether a page, the code that it imports and the versions are those that were verified.

    Args:
        record: What `read` returned.
        path: Of the page, relative to the root, with forward slashes.
        root: The project's root folder.
    """
    page = record["pages"].get(path) if record else None
    return (
        record is not None
        and page is not None
        and page["sha256"] == sha256((root / path).read_bytes())
        and all(hash_of(root / name) == known for name, known in page["code"].items())
        and versions().items() <= record.items()
    )


def versions() -> dict[str, str | None]:
    """Return the versions by which a printed number may change."""
    torch = next((found.version for found in metadata.distributions(name="torch")), None)
    return {"python": platform.python_version(), "torch": torch}


def mutant_counts(record: Mapping[str, Any] | None) -> str:
    r"""Return a sentence about the changes that were made on purpose, or nothing without any.

    Examples:
        >>> from tensor_examples.record import mutant_counts
        >>> exact = {"tried": 40, "caught": 40}
        >>> default = {"tried": 40, "caught": 33, "of_last_digits_tried": 8}
        >>> default["of_last_digits_caught"] = 1
        >>> sentences = mutant_counts({"mutants": {"exact": exact, "default": default}})
        >>> print(sentences.replace(". ", ".\n"))
        Of 40 changes, 40 were found with exact outputs.
        By default, 32 of 32 were found, and 1 of 8 changes of a last digit.
    """
    counts = record.get("mutants") if record else None
    if not counts:
        return ""
    exact, default = counts["exact"], counts["default"]
    last, last_caught = default["of_last_digits_tried"], default["of_last_digits_caught"]
    return (
        f"Of {exact['tried']} changes, {exact['caught']} were found with exact outputs. "
        f"By default, {default['caught'] - last_caught} of {default['tried'] - last} were found, "
        f"and {last_caught} of {last} changes of a last digit."
    )


def today() -> str:
    """Return the date, or the one that a reproducible build sets."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    moment = datetime.fromtimestamp(int(seconds), UTC) if seconds else datetime.now(UTC)
    return moment.date().isoformat()
