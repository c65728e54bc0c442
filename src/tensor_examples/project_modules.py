"""Which of a project's own modules some code imports, and the hash by which each is known."""

import ast
import hashlib
import importlib.util
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path


def project_code(sources: Iterable[str], root: Path) -> dict[str, str]:
    """Return the project's own packages and modules that code runs, each with its hash.

    Those that they import count as well.

    Args:
        sources: Pieces of code.
        root: The project's root folder.
    """
    found: set[Path] = set()
    names = [name for source in sources for name in imported_modules(source)]
    while names:
        place = place_of(names.pop())
        if place and place not in found and is_own(place, root):
            found.add(place)
            names += imports_of(place)
    return {place.relative_to(root).as_posix(): hash_of(place) for place in sorted(found)}


def is_own(place: Path, root: Path) -> bool:
    """Tell whether a module is the project's own, and not installed in its folder."""
    return place.is_relative_to(root) and "site-packages" not in place.parts


@cache
def imports_of(place: Path) -> list[str]:
    """Return the names of what a module, or the modules in a folder, import."""
    modules = place.rglob("*.py") if place.is_dir() else [place]
    return sorted({name for path in modules for name in imported_modules(path.read_text("utf-8"))})


def imported_modules(source: str) -> set[str]:
    """Return the names of the packages and modules that some code imports."""
    if "import" not in source:  # most blocks of a page: to read each takes a second of a run
        return set()
    try:
        with warnings.catch_warnings(action="ignore"):  # reported when the code runs
            nodes = list(statements_within(ast.parse(source)))
    except (SyntaxError, ValueError):  # reported when it runs
        return set()
    names = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in names} - {""}


def statements_within(parent: ast.AST) -> Iterator[ast.stmt]:
    """Yield each statement of some code, and no expression: those are most of it."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(parent, field, ()):
            if isinstance(child, ast.stmt):
                yield child
            yield from statements_within(child)


def place_of(name: str) -> Path | None:
    """Return the folder of a package, or the file of a module."""
    try:
        found = importlib.util.find_spec(name)
    except ValueError:  # such as __main__
        return None
    if found is None:
        return None
    if found.submodule_search_locations:
        return Path(next(iter(found.submodule_search_locations)))
    return Path(found.origin) if found.has_location and found.origin else None


def hash_of(place: Path) -> str:
    """Return the hash of a module, or of a folder with all its modules and data."""
    if not place.is_dir():
        return sha256(place.read_bytes()) if place.is_file() else ""
    files = [path for path in sorted(place.rglob("*")) if path.is_file()]
    own = [path for path in files if "__pycache__" not in path.parts]
    listing = [f"{path.relative_to(place).as_posix()} {hash_of(path)}" for path in own]
    return sha256("\n".join(listing).encode())


def sha256(content: bytes) -> str:
    """Return the hash by which a file's content is known."""
    return hashlib.sha256(content).hexdigest()
