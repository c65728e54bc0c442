"""The index of the search, in two files: one that each visit fetches, and one for who searches.

The theme fetches `search/search_index.json` on every page. What it needs there are the settings;
the documents, by far the largest file of the site, are fetched by `assets/search/search.js`.

A document is a page, up to its first heading, or a section. How well it fits is a sum over the
words of a query, where mkdocs.yml says what a word counts for in a title, in the text and in code
(lunr, with which the theme searches, has no other way to know what is important). Two things are
changed here:

- Code and outputs become a field of their own. They are found like the text, but a result shows
  sentences.
- The theme multiplies the fit of a page by up to five, that of a section by up to two. Here a page
  has a quarter of its fit, so that whoever searches lands at the heading that fits. `boost` in the
  front matter is for the page alone: with 2, what all pages of a folder speak of is first
  looked up there.
"""

import json
import re
from pathlib import Path
from typing import Any

CODE = re.compile(r"<pre>.*?</pre>", re.DOTALL)
TAG = re.compile(r"<.*?>")
PAGE = 0.25


def split_index(site: Path) -> None:
    """Move the documents of the index to a file of their own."""
    index = site / "search" / "search_index.json"
    full = index.rename(index.with_name("full_index.json"))
    settings = json.loads(full.read_text("utf-8"))
    if not settings["docs"]:
        raise ValueError("the search index has no documents")
    documents = [document(**entry) for entry in settings["docs"]]
    full.write_text(json.dumps({**settings, "docs": documents}, ensure_ascii=False), "utf-8")
    index.write_text(json.dumps({**settings, "docs": []}), "utf-8")


def document(location: str, title: str, text: str, boost: float = 1) -> dict[str, Any]:
    """Return an entry of the index as the search wants it."""
    return {
        "location": location,
        "title": title,
        "text": CODE.sub("", text),
        "code": TAG.sub("", " ".join(CODE.findall(text))),
        "boost": 1 if "#" in location else boost * PAGE,
    }
