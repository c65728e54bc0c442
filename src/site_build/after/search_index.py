"""The index of the search, in two files: one that each visit fetches, and one for who searches.

The theme fetches `search/search_index.json` on every page. What it needs there are the settings;
the documents, by far the largest file of the site, are fetched by `assets/search/search.js`.

Printed decimals are left out of them. Nobody searches for 0.4387, and thousands of such words break
lunr, which the theme searches with: to tell the nodes of its tree of letters apart, it writes a
letter and the number of a node one behind the other, so digits can make two nodes look the same.
"""

import json
import re
from pathlib import Path

DECIMAL = re.compile(r"(?<![\w.])-?\d+\.\d*(?![\w.])")


def split_index(site: Path) -> None:
    """Move the documents of the index to a file of their own."""
    index = site / "search" / "search_index.json"
    full = index.rename(index.with_name("full_index.json"))
    settings = json.loads(full.read_text("utf-8"))
    if not settings["docs"]:
        raise ValueError("the search index has no documents")
    documents = [{**entry, "text": DECIMAL.sub("", entry["text"])} for entry in settings["docs"]]
    full.write_text(json.dumps({**settings, "docs": documents}, ensure_ascii=False), "utf-8")
    index.write_text(json.dumps({**settings, "docs": []}), "utf-8")
