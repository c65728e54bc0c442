"""Drops what the theme brings for each site, and no page of this one asks for.

The search has a worker of its own, so the theme's engine and its word lists for other languages are
not published; nor are the sources of its minified scripts and styles. They were a seventh of it.
"""

import re
from pathlib import Path

UNUSED = ["assets/**/*.map", "assets/javascripts/lunr/**/*", "assets/javascripts/workers/*"]
EMPTY = ["assets/javascripts/lunr/min", "assets/javascripts/lunr", "assets/javascripts/workers"]
MAP = re.compile(r"\s*//# sourceMappingURL=\S+\s*$")


def drop_unused(site: Path) -> None:
    """Delete the files, their folders, and the line by which a script names its map."""
    for pattern in UNUSED:
        files = [path for path in site.glob(pattern) if path.is_file()]
        if not files:
            raise ValueError(f"there is no {pattern}")
        for path in files:
            path.unlink()
    for folder in EMPTY:
        (site / folder).rmdir()
    for script in (site / "assets" / "javascripts").glob("*.js"):
        script.write_text(MAP.sub("", script.read_text("utf-8")), "utf-8")
