"""What paper shows of a toy: its picture, as a browser drew it once.

A reader may print a page before its scripts have come, or without any. The pictures, one a page,
are written by tests/site_build/test_toy_steps.py, and compared with what the browser draws today.
"""

from pathlib import Path

FOLDER = Path(__file__).parent


def handout(page: str) -> str:
    """Return the picture for a page, or nothing before there is one."""
    file = FOLDER / f"{page}.html"
    return file.read_text("utf-8").strip() if file.is_file() else ""
