"""The pages without the blank lines that templates leave, some 400 bytes of a compressed page."""

import re
from pathlib import Path

BLANK = re.compile(r"<pre.*?</pre>|\n[ \t]+(?=\n)", re.DOTALL)


def drop_blank_lines(site: Path) -> None:
    """Drop what is blank but for an indent, outside of code and outputs."""
    pages = {path: path.read_text("utf-8") for path in site.rglob("*.html")}
    shorter = {path: BLANK.sub(lambda part: part[0].strip(), text) for path, text in pages.items()}
    if shorter == pages:
        raise ValueError("no page has a blank line")
    for path, text in shorter.items():
        path.write_text(text, "utf-8")
