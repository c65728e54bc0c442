"""Minifies the site's own scripts and styles, and drops the indents that templates leave.

Comments would be 2 of the 100 KB of a page, blank lines and indents not quite 1. The theme's
scripts have no comments.
"""

import re
from functools import lru_cache
from pathlib import Path

from rjsmin import jsmin

STYLE_BLANK = re.compile(r"/\*.*?\*/|(?<=[{;,}:])\s+|\s+(?=[\s{}])", re.DOTALL)

# The sheets that a page links where it needs them; all others are joined in one.
OWN = ["hands", "learn", "model", "toy", "whole"]

KEPT_LINES = re.compile(r"(<(?:pre|script).*?</(?:pre|script)>)", re.DOTALL)
INDENT = re.compile(r"\s*\n\s*")


def minify_pages(site: Path) -> None:
    """Drop the ends of lines, and what is blank around them, outside of code and outputs."""
    pages = {path: path.read_text("utf-8") for path in site.rglob("*.html")}
    shorter = {path: without_indents(text) for path, text in pages.items()}
    if shorter == pages:
        raise ValueError("no page has a line end")
    for path, text in shorter.items():
        path.write_text(text, "utf-8")


@lru_cache(500)  # while the site is served, most pages stay as they were
def without_indents(page: str) -> str:
    """Return a page without lines and indents, but for its code and outputs; scripts keep lines."""
    parts = KEPT_LINES.split(page)  # what is between them, and they
    parts[::2] = [INDENT.sub(" ", part) for part in parts[::2]]
    parts[1::2] = [p if p.startswith("<pre") else INDENT.sub("\n", p) for p in parts[1::2]]
    return "".join(parts)


# The minifier takes the inner template for code, and drops the blanks of its text.
INNER_TEMPLATE = re.compile(r"\$\{(?:[^{}`]|\{[^{}]*\})*`([^`]*)`")


def minify_scripts(site: Path) -> None:
    """Drop the comments and indents of the site's own scripts."""
    scripts = [path for path in site.rglob("*.js") if "javascripts" not in path.parts]
    if not scripts:
        raise ValueError("the site has no script of its own")
    for script in scripts:
        text = script.read_text("utf-8")
        for inner in INNER_TEMPLATE.findall(text):
            if jsmin(inner) != inner:
                name = script.relative_to(site).as_posix()
                raise ValueError(
                    f"{name}: a template within a template would lose its blanks; "
                    f"give it a name before: `{inner}`"
                )
        script.write_text(jsmin(text), "utf-8")


def minify_styles(site: Path) -> None:
    """Drop the comments and indents of a style sheet that is not joined with the others."""
    sheets = [path for name in OWN for path in (site / "assets" / name).rglob("*.css")]
    if not sheets:
        raise ValueError("there is no style sheet that stands by itself")
    for sheet in sheets:
        sheet.write_text(STYLE_BLANK.sub("", sheet.read_text("utf-8")), "utf-8")
