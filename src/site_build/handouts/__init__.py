"""What paper shows of a toy or of the live model: its picture, as a browser drew it once.

A reader may print a page before its scripts have come, or without any. The pictures, one a page,
are written by tests/site_build/test_handouts.py, and compared with what the browser draws today.
"""

import re
from pathlib import Path

# Markdown puts it into a paragraph, which holds no other.
MODEL = re.compile(r"<p>(<attention-model(?![^>]* state=)([^>]*)>)</attention-model></p>")
FOLDER = Path(__file__).parent


def handout(page: str) -> str:
    """Return the picture for a page, or nothing before there is one."""
    file = FOLDER / f"{page}.html"
    return file.read_text("utf-8").strip() if file.is_file() else ""


def with_handouts(html: str) -> str:
    """Put its picture into each model that begins as its page says."""

    def filled(found: re.Match[str]) -> str:
        picture = handout("let-it-write" if "write" in found[2] else "look-inside")
        return f"<div>{found[1]}{picture}</attention-model></div>"

    return MODEL.sub(filled, html)
