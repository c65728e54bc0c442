"""The pages without the blank lines that templates leave, some 400 bytes of a compressed page."""

import re
from pathlib import Path

BLANK = re.compile(r"<pre.*?</pre>|\n[ \t]+(?=\n)", re.DOTALL)


def drop_blank_lines(site: Path) -> None:
    """Drop what is blank but for an indent, outside of code and outputs."""
    for path in site.rglob("*.html"):
        page = path.read_text("utf-8")
        path.write_text(BLANK.sub(lambda part: part[0].strip(), page), "utf-8")
