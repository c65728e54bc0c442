"""Which statement of some code gives each name its value."""

import ast
from collections.abc import Sequence


def assignments(blocks: Sequence[str]) -> dict[str, str]:
    """Return the last statement of some code that gives each name its value.

    It is empty where no single one does: after a loop, or a change of a part.
    """
    found = {}
    for source in blocks:
        try:
            statements = ast.parse(source).body
        except SyntaxError:
            continue  # which the check of the block tells
        for statement in statements:
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                continue
            code = ast.unparse(statement) if isinstance(statement, ast.Assign) else ""
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    found[node.id] = code
                if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                    found |= dict.fromkeys(
                        (x.id for x in ast.walk(node.value) if isinstance(x, ast.Name)), ""
                    )
    return found
