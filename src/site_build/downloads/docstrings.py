"""The examples of docstrings as blocks of the page that shows them, for its script and notebook."""

import ast
import re
from collections.abc import Iterator

from site_build.copying.blocks import PART, PROMPT, called, is_bare_tuple, text_of
from site_build.copying.slices import TELLS

OBJECT = re.compile(r"^::: ([\w.]+)(?:\n {4}.*)*$", re.MULTILINE)  # and options
STATEMENT = 3 * ">" + " "  # the prompt before one


def with_examples(markdown: str, html: str) -> str:
    """Return a page of the reference with the examples of each object below its line.

    Args:
        markdown: The source of the page, where `::: attention_steps.causal_mask` names an object.
        html: What it has become.
    """
    if ":::" not in markdown:
        return markdown
    sessions: dict[str, list[str]] = {}
    name = ""
    for part in PART.finditer(html):
        name = part["object"] or name
        if part["kind"] == "pycon":
            sessions.setdefault(name, []).append(text_of(part))

    def examples(found: re.Match[str]) -> str:
        own = (
            session
            for name, each in sessions.items()
            if f"{name}.".startswith(f"{found[1]}.")
            for session in each
        )
        return "\n\n".join(
            [f"::: {found[1]}", *(fence for session in own for fence in fences(session))]
        )

    return OBJECT.sub(examples, markdown)


def fences(session: str) -> Iterator[str]:
    """Yield a session as blocks of code that print what it shows, each with its output."""
    code: list[str] = []
    output: list[str] = []
    for line in [*session.split("\n"), STATEMENT]:
        if line.startswith(STATEMENT) and output:
            text = "\n".join(output).rstrip("\n")
            yield f"```python\n{printing(code, text)}\n```"
            yield f"```output\n{text}\n```"
            code, output = [], []
        if PROMPT.match(line):
            code.append(line[4:])
        else:
            output.append(line)
    if any(code):
        yield "\n".join(["```python", *code[:-1], "```"])


def printing(code: list[str], text: str) -> str:
    """Return code whose last statement prints the value that a prompt showed as a text."""
    last = ast.parse("\n".join(code)).body[-1]
    if isinstance(last, ast.Expr) and called(ast.unparse(last)) not in TELLS:
        before, after = ("print(repr(", "))") if text.startswith(("'", '"')) else ("print(", ")")
        if is_bare_tuple("\n".join(code), last):
            before, after = f"{before}(", f"){after}"
        end, stop = (last.end_lineno or last.lineno) - 1, last.end_col_offset
        code[end] = f"{code[end][:stop]}{after}{code[end][stop:]}"
        code[last.lineno - 1] = before + code[last.lineno - 1]
    return "\n".join(code)
