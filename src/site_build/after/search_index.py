"""The index of the search, in two files: one that each visit fetches, and one for who searches.

The theme fetches `search/search_index.json` on every page. What it needs there are the settings;
the documents, by far the largest file of the site, are fetched by `assets/search/search.js`.
"""

import json
from pathlib import Path


def split_index(site: Path) -> None:
    """Move the documents of the index to a file of their own."""
    index = site / "search" / "search_index.json"
    full = index.rename(index.with_name("full_index.json"))
    settings = json.loads(full.read_text("utf-8"))
    if not settings["docs"]:
        raise ValueError("the search index has no documents")
    index.write_text(json.dumps({**settings, "docs": []}), "utf-8")
