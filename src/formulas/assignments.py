"""Which statement of some code gives each name its value."""

import ast
from collections.abc import Sequence


def assignments(blocks: Sequence[str]) -> dict[str, str]:
    """Return the last statement of some code that gives each name its value."""
    found = {}
    for source in blocks:
        try:
            statements = ast.parse(source).body
        except SyntaxError:
            continue  # which the check of the block tells
        for statement in statements:
            if isinstance(statement, ast.Assign):
                for name in (node for target in statement.targets for node in ast.walk(target)):
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                        found[name.id] = ast.unparse(statement)
    return found
