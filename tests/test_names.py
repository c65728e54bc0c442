"""No name means two things: what is found by its name is found once."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src"
# pytest asks each plugin for functions by these names.
SHARED = {"pytest_collect_file", "pytest_configure"}


def test_no_function_and_no_class_has_the_name_of_another() -> None:
    """Look at all modules, whatever their package: a search for a name has one answer."""
    homes = defaultdict(list)
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name not in SHARED:
                homes[node.name].append(str(path.relative_to(SOURCES)))
    twice = {name: paths for name, paths in homes.items() if len(paths) > 1}
    assert not twice, f"give all but one of these another name: {twice}"
