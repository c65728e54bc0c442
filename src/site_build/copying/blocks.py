"""Writes beside each block of a page what it needs of the page to run alone, for the copy button.

`data-needs-lines` holds lines, counted over all blocks of the page in their order, as copy.js
counts them; `data-shows` the lines of the block whose values a notebook or a prompt shows, which a
program has to print, with a comma behind a tuple that has no brackets; `data-needs-also` the
modules that the package does not bring.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from itertools import accumulate, groupby

from site_build.copying.slices import TELLS, slices

# The heading of an object of the reference, whose examples share their names, or a block of code.
PART = re.compile(
    r' id="(?P<object>[\w.]+)" class="doc doc-heading"'
    r'|<div class="language-(?P<kind>python|pycon) highlight"(?: data-[\w-]+="[^"]*")*>'
    r"(?=<pre>(?:<span></span>)?<code>(?P<code>.*?)</code>)",
    re.DOTALL,
)
PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: |$)")
TAG = re.compile(r"<[^>]*>")
IMPORTED = re.compile(r"^ *(?:from|import) (\w+)", re.MULTILINE)
IN_THE_WHEEL = {"attention_steps", "minilm", "tiny_lm", "torch"}


def with_slices(html: str) -> str:
    """Return a page whose blocks of code say what they need."""
    found = list(PART.finditer(html))
    blocks = [part for part in found if part["kind"]]
    codes = {part: code_of(part) for part in blocks}
    firsts = [0, *accumulate(code.count("\n") + 1 for code in codes.values())]
    lines_of = dict(zip(blocks, map(range, firsts, firsts[1:]), strict=True))
    says = dict.fromkeys(blocks, ' data-needs-lines=""')
    for session in sessions(found):
        lines = [line for part in session for line in lines_of[part]]
        code = "\n".join(codes[part] for part in session).split("\n")
        try:
            needed = list(slices([codes[part] for part in session]))
        except SyntaxError:  # such as a magic of Jupyter's: each is copied as it stands
            continue
        for part, own in zip(session, needed, strict=True):
            program = [codes[part], *(code[line] for line in own)]
            attributes = {
                "needs-lines": ranges(lines[line] for line in own),
                "needs-also": " ".join(also_needed(program)),
                "shows": " ".join(shown(part, codes[part])),
            }
            says[part] = "".join(
                f' data-{name}="{value}"'
                for name, value in attributes.items()
                if value or name == "needs-lines"
            )

    says_at = {part.start(): text for part, text in says.items()}

    def marked(part: re.Match[str]) -> str:
        kept = f'<div class="language-{part["kind"]} highlight"'
        return part[0] if part["object"] else f"{kept}{says_at[part.start()]}>"

    return PART.sub(marked, html)


def code_of(part: re.Match[str]) -> str:
    """Return the code of a block, without prompts and outputs."""
    text = text_of(part)
    if part["kind"] == "python":
        return text
    return "\n".join(line[4:] for line in text.split("\n") if PROMPT.match(line))


def text_of(part: re.Match[str]) -> str:
    """Return what a block shows."""
    return unescape(TAG.sub("", part["code"])).removesuffix("\n")


def shown(part: re.Match[str], code: str) -> Iterator[str]:
    """Yield the lines of each expression whose value a block shows, and where the last one ends."""
    body = ast.parse(code).body
    is_prompt = [bool(PROMPT.match(line)) for line in [*text_of(part).split("\n"), ">>>"]]
    prompts = [n for n, prompt in enumerate(is_prompt) if prompt]
    for statement in body:
        if not isinstance(statement, ast.Expr):
            continue
        last = (statement.end_lineno or statement.lineno) - 1
        is_call = isinstance(statement.value, ast.Call)
        if part["kind"] == "python":
            is_shown = statement is body[-1] and not is_call  # as a notebook does
        else:
            prints = called(ast.unparse(statement)) in TELLS
            is_shown = not prints and not is_prompt[prompts[last] + 1]
        if is_shown:
            comma = "," if is_bare_tuple(code, statement) else ""
            yield f"{statement.lineno - 1}-{last}:{statement.end_col_offset}{comma}"


def is_bare_tuple(code: str, statement: ast.Expr) -> bool:
    """Say whether an expression is a tuple without brackets, which a call would take apart."""
    if not isinstance(statement.value, ast.Tuple):
        return False
    call = ast.parse(f"print({ast.get_source_segment(code, statement)})", mode="eval").body
    assert isinstance(call, ast.Call)
    return [*map(ast.dump, call.args)] != [ast.dump(statement.value)]


def called(expression: str) -> str:
    """Return the name of the function that an expression calls, or nothing."""
    name, opened, _ = expression.partition("(")
    return name if opened else ""


def also_needed(code: Iterable[str]) -> list[str]:
    """Return the modules that some code imports, beside those of Python, torch and the package."""
    found = {name for part in code for name in IMPORTED.findall(part)}
    return sorted(found - sys.stdlib_module_names - IN_THE_WHEEL)


def sessions(parts: Sequence[re.Match[str]]) -> Iterator[list[re.Match[str]]]:
    """Yield the blocks that share their names: those of the page, and those of each object."""
    yield [part for part in parts if part["kind"] == "python"]
    for is_object, own in groupby(parts, lambda part: bool(part["object"])):
        if not is_object:
            yield [part for part in own if part["kind"] == "pycon"]


def ranges(lines: Iterable[int]) -> str:
    """Return lines as `0-3 7`."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and runs[-1][1] == line - 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return " ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in runs)
