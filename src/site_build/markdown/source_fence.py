"""A fence that shows the source of a function, a class or a table as it stands in the repository.

    ```source
    src/attention_steps/core.py attention_scores
    ```

A method is named `Class.method`. A pasted copy would grow old. Docstrings are left out: the page
around it says what they say, and the reference has them in full. Without names it shows the file.
"""

import ast
import textwrap
from functools import lru_cache
from pathlib import Path
from typing import Any

from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from site_build.markdown.extension import reader_of

DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
Definition = ast.FunctionDef | ast.ClassDef | ast.Assign


def source_fence(
    text: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **rest: Any
) -> str:
    """Render the definitions that a fence names, in the way that SuperFences calls it."""
    try:
        path, code = shown_source(text, reader_of(md).root)
    except (OSError, ValueError) as error:
        # SuperFences hides every other exception, and shows the fence as it was written.
        raise SuperFencesException(f"source fence {text!r}: {error}") from error
    fences: Any = md.preprocessors["fenced_code_block"]
    html: str = fences.highlight(
        src=code, language="python", options={"title": path}, md=md, **rest | {"classes": []}
    )
    return html


def shown_source(text: str, root: Path) -> tuple[str, str]:
    """Return the path that a fence names, and the code of the definitions there."""
    path, *names = text.split()
    module = (root / path).read_text("utf-8")
    if not names:
        return path, module.rstrip("\n")
    return path, "\n\n\n".join(without_docstrings(module, name) for name in names)


def without_docstrings(module: str, name: str) -> str:
    """Return the text of a definition at the margin, less its docstrings and those inside it."""
    definition = definition_of(module, name)
    lines = module.splitlines()
    dropped: set[int] = set()
    for node in ast.walk(definition):
        if isinstance(node, DEFINITIONS) and ast.get_docstring(node):
            docstring = node.body[0]
            assert docstring.end_lineno is not None
            dropped.update(range(docstring.lineno, docstring.end_lineno + 1))
            if docstring.end_lineno < len(lines) and not lines[docstring.end_lineno].strip():
                dropped.add(docstring.end_lineno + 1)
    decorators = [] if isinstance(definition, ast.Assign) else definition.decorator_list
    first = min([definition.lineno, *(node.lineno for node in decorators)])
    assert definition.end_lineno is not None
    kept = (n for n in range(first, definition.end_lineno + 1) if n not in dropped)
    return textwrap.dedent("\n".join(lines[n - 1] for n in kept))


@lru_cache(100)  # a page shows several definitions of a module, and its notebook does so again
def tree_of(module: str) -> ast.Module:
    """Return the tree of a module. Nobody changes it."""
    return ast.parse(module)


def definition_of(module: str, name: str) -> Definition:
    """Return what defines a name at the top of a module, or a method of a class there."""
    body: list[ast.stmt] = tree_of(module).body
    *owner, last = name.split(".")
    for class_name in owner:
        body = next(
            (n.body for n in body if isinstance(n, ast.ClassDef) and n.name == class_name), []
        )
    for node in body:
        if isinstance(node, DEFINITIONS) and node.name == last:
            return node
        if isinstance(node, ast.Assign) and not owner and ast.unparse(node.targets[0]) == last:
            return node
    raise ValueError(f"no function, class, method or table {name!r} to show")
