"""What paper shows of a toy or of the model that writes: its picture, as a browser drew it once.

A reader may print a page before its scripts have come, or without any. The pictures, one a page,
are written by tests/site_build/test_handouts.py, and compared with what the browser draws today.
"""

import re
from pathlib import Path

# Markdown puts it into a paragraph, which holds no other.
MODEL = re.compile(r"<p>(<attention-model[^>]*>)</attention-model></p>")
FOLDER = Path(__file__).parent


def handout(page: str) -> str:
    """Return the picture for a page, or nothing before there is one."""
    file = FOLDER / f"{page}.html"
    return file.read_text("utf-8").strip() if file.is_file() else ""


def with_handouts(html: str) -> str:
    """Put its picture into the model that writes."""
    return MODEL.sub(rf"<div>\1{handout('let-it-write')}</attention-model></div>", html)
