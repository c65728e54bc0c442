"""The index of the search, in two files: one that each visit fetches, and one for who searches.

The theme fetches `search/search_index.json` on every page. What it needs there are the settings;
the documents, by far the largest file of the site, are fetched by `assets/search/search.js`.

A document is a page, up to its first heading, or a section. How well it fits is a sum over the
words of a query, where mkdocs.yml says what a word counts for in a title, in the text and in code.
Three things are changed here:

- Code and outputs become a field of their own. They are found like the text, but are not shown: a
  result has sentences.
- Other names become a field of their own: what papers and code call the subject of a page or of a
  section. They stand in a table of the notation page, and nowhere else.
- The theme multiplies the fit of a page by up to 5, that of a section by up to 2. Here a page is
  multiplied by 2 / 5, so that whoever searches lands at the heading that fits. (`boost` is set in
  the front matter of pages, and for all pages of a folder in `.meta.yml`.)
"""

import json
import re
from collections import Counter, defaultdict
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

CODE = re.compile(r"<pre>.*?</pre>", re.DOTALL)
TAG = re.compile(r"<.*?>")
PAGE = 2 / 5

NOTATION = "reference/notation/"
OTHER_NAMES = re.compile(r'id="other-names".*?</table>', re.DOTALL)
NAMES_OF = re.compile(r'<td>([^<]*)</td>\s*<td><a href="([^"]*)"')
FEW = 2

# They do not tell what a question is about, nor does what is left of "don't" where it is split. The
# search leaves them out, if there are other words.
FILLER = """
a about across am an and any are aren at be been but by can could couldn despite did didn do does
doesn don during for from get gets give given go had hadn happen happens has hasn have haven
having how i if in into is isn it its just like many may me might much my need needed needs of on
or our particular please possible purpose re reason reasons should shouldn so some sometimes such
t than that the their them then there these they this those use used uses using ve versus vs was
wasn we were weren what when where which while who why will with without won would wouldn you your
"""


def split_index(site: Path) -> None:
    """Move the documents of the index to a file of their own."""
    index = site / "search" / "search_index.json"
    full = index.rename(index.with_name("full_index.json"))
    settings = json.loads(full.read_text("utf-8"))
    if not settings["docs"]:
        raise ValueError("the search index has no documents")
    names = other_names(site / NOTATION / "index.html")
    documents = [
        document(**entry) | names.pop(entry["location"], {"names": "", "called": ""})
        for entry in settings["docs"]
    ]
    for entry in documents:
        if entry["location"] == f"{NOTATION}#other-names":
            entry["text"] = ""  # who asks for another name wants the page that it leads to
    if names:
        raise ValueError(f"other names of what the search does not have: {', '.join(names)}")
    full.write_text(
        json.dumps({**settings, "docs": documents, "filler": FILLER.split()}, ensure_ascii=False),
        "utf-8",
    )
    index.write_text(json.dumps({**settings, "docs": []}), "utf-8")


def other_names(page: Path) -> dict[str, dict[str, str]]:
    """Return the other names of what a page or a section is about, and their words, by location.

    A word of many rows, such as "attention", tells none of them apart, and is no word of theirs
    unless it is a name by itself.
    """
    names: defaultdict[str, set[str]] = defaultdict(set)
    called: defaultdict[str, set[str]] = defaultdict(set)
    table = OTHER_NAMES.search(page.read_text("utf-8")) if page.exists() else None
    for elsewhere, link in NAMES_OF.findall(table[0]) if table else ():
        location, phrases = urljoin(NOTATION, link), unescape(elsewhere).split(", ")
        names[location].update(re.split(r"[\s-]+", " ".join(phrases)))
        called[location].update(phrases)
    rows = Counter(word for words in names.values() for word in words)
    return {
        where: {
            "names": " ".join(
                sorted(word for word in words if rows[word] <= FEW or word in called[where])
            ),
            "called": ", ".join(sorted(called[where])),
        }
        for where, words in names.items()
    }


def document(location: str, title: str, text: str, boost: float = 1) -> dict[str, Any]:
    """Return an entry of the index as the search wants it."""
    return {
        "location": location,
        "title": title,
        "text": CODE.sub("", text),
        "code": TAG.sub("", " ".join(CODE.findall(text))),
        "boost": boost if "#" in location else boost * PAGE,
    }
