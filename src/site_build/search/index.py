"""The index of the search, in two files: one that each visit fetches, and one for who searches.

The theme fetches `search/search_index.json` on every page. What it needs there are the settings;
the documents, by far the largest file of the site, are fetched by `assets/search/search.js`.

A document is a page, up to its first heading, or a section. How well it fits is a sum over the
words of a query, where mkdocs.yml says what a word counts for in a title, in the text and in code.
Two things are changed here:

- Code and outputs become a field of their own. They are found like the text, but are not shown: a
  result has sentences.
- The theme multiplies the fit of a page by up to 5, that of a section by up to 2. Here a page is
  multiplied by 2 / 5, so that whoever searches lands at the heading that fits. (`boost` is set in
  the front matter of pages, and for all pages of a folder in `.meta.yml`.)
"""

import json
import re
from pathlib import Path
from typing import Any

CODE = re.compile(r"<pre>.*?</pre>", re.DOTALL)
TAG = re.compile(r"<.*?>")
PAGE = 2 / 5


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
        "boost": boost if "#" in location else boost * PAGE,
    }
