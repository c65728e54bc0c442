"""Pages that have moved lead on from their old addresses, to the same place on the new page."""

import json
from collections.abc import Mapping
from pathlib import Path
from posixpath import relpath

RENAMED = "now-write-it", "build-it"  # a section of most steps, and its name today

# A script takes the anchor along, which a refresh would lose.
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'self' 'unsafe-inline'">
<title>This page has moved</title><link rel="canonical" href="{to}">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<script>location.replace({script} + location.hash.replace{renamed})</script>
<noscript><meta http-equiv="refresh" content="0; url={to}"></noscript></head>
<body><p>This page has moved <a href="{to}">to its new address</a>.</p></body></html>
"""


def write_redirects(site: Path, moved: Mapping[str, str]) -> None:
    """Write a page for each old address.

    Args:
        site: The folder of the built site.
        moved: The addresses of pages by their old ones, both from the root of the site:
            "steps/weights/" by "steps/03-weights".

    Raises:
        ValueError: If there is a page at an old address.
    """
    for old, new in moved.items():
        page = site / old / "index.html"
        if page.exists():
            raise ValueError(f"{new} says that it has moved from {old}, where there is a page")
        to = f"{relpath(new, old)}/"
        page.parent.mkdir(parents=True)
        html = PAGE.format(to=to, script=json.dumps(to), renamed=RENAMED)
        page.write_text(html, "utf-8")
