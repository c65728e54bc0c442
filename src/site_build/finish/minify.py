"""Minifies the site's own scripts and styles, and drops the indents that templates leave.

Comments would be 2 of the 100 KB of a page, blank lines and indents not quite 1. The theme's
scripts have no comments.
"""

import re
from pathlib import Path

from rjsmin import jsmin

STYLE_BLANK = re.compile(r"/\*.*?\*/|(?<=[{;,}])\s+|\s+(?=[\s}])", re.DOTALL)

INDENT = re.compile(r"<pre.*?</pre>|\s*\n\s*", re.DOTALL)


def minify_pages(site: Path) -> None:
    """Drop blank lines, and what is blank at either end of a line, outside of code and outputs."""
    pages = {path: path.read_text("utf-8") for path in site.rglob("*.html")}
    shorter = {
        path: INDENT.sub(lambda part: part[0].strip() or "\n", text) for path, text in pages.items()
    }
    if shorter == pages:
        raise ValueError("no page has an indent")
    for path, text in shorter.items():
        path.write_text(text, "utf-8")


def minify_scripts(site: Path) -> None:
    """Drop the comments and indents of the site's own scripts."""
    scripts = [path for path in site.rglob("*.js") if "javascripts" not in path.parts]
    if not scripts:
        raise ValueError("the site has no script of its own")
    for script in scripts:
        script.write_text(jsmin(script.read_text("utf-8")), "utf-8")


def minify_styles(site: Path) -> None:
    """Drop the comments and indents of a style sheet that is not joined with the others."""
    sheets = list((site / "assets" / "toy").glob("*.css"))
    if not sheets:
        raise ValueError("the toy has no style sheet")
    for sheet in sheets:
        sheet.write_text(STYLE_BLANK.sub("", sheet.read_text("utf-8")), "utf-8")
