"""What a server keeps of the pages from one build to the next, so that an edit is soon seen.

A page is made from its source and from what all pages share: code, templates, settings, the list
of files. While both stay as they were, so does what was made from them. Nothing is kept on disk:
`mkdocs build` begins with nothing, and makes each page anew.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any

from jinja2.bccache import Bucket, BytecodeCache

from site_build.downloads.page_files import TakeAway

SOURCES = {".md", ".ipynb"}  # each goes into a page of its own


@dataclass(frozen=True)
class Kept:
    """What was made from a page."""

    content_key: str
    page_key: str
    page: Any  # as the generator knew it
    entries: list[Any]  # of the search
    downloads: TakeAway
    html: str


@dataclass
class Keeper:
    """The pages of the last build, by the paths of their sources."""

    keeps: bool = False  # there will be another build
    shared: str = ""  # a hash of what all pages share
    pages: dict[str, Kept] = field(default_factory=dict)

    def find(self, path: str, text: str) -> Kept | None:
        """Return what was made from the source of a page, if the same would be made again."""
        kept = self.pages.get(path) if self.keeps else None
        return kept if kept and kept.content_key == self.content_key(path, text) else None

    def content_key(self, path: str, text: str) -> str:
        """Return a hash of what the content of a page is made from."""
        return key(self.shared, path, text)


class Templates(BytecodeCache):
    """The code of compiled templates, by their sources, for each build has a new environment."""

    def __init__(self) -> None:
        self.compiled: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template its code, if it was compiled before."""
        bucket.code = self.compiled.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template."""
        if bucket.code:
            self.compiled[bucket.key, bucket.checksum] = bucket.code


def key(*parts: str) -> str:
    """Return a hash of texts."""
    return sha256("\0".join(parts).encode()).hexdigest()


def key_of_files(places: Iterable[Path]) -> str:
    """Return a hash that changes with any file that can go into several pages.

    Args:
        places: Files, and folders of files.
    """
    paths = [path for place in places for path in [place, *sorted(place.rglob("*"))]]
    files = [path for path in paths if path.is_file() and path.suffix not in SOURCES]
    stats = [(path, path.stat()) for path in files if "__pycache__" not in path.parts]
    return key(*(f"{path} {stat.st_mtime_ns} {stat.st_size}" for path, stat in stats))
