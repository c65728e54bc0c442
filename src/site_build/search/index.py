"""The index of the search, in three files: settings, titles and texts.

The theme fetches `search/search_index.json` on every page. What it needs there are the settings.
Who searches gets the documents from `assets/search/search.js`: first their titles, so that a first
answer comes soon on a slow line, then their texts, by far the largest file of the site.

A document is a page, up to its first heading, or a section. `assets/search/find.js` says how well
it fits a query. Five things are changed here:

- The words of code and outputs become a field of their own. They are found like the text, but are
  not shown: a result has sentences.
- A word that is written with a hyphen is found without it, as a word of code.
- Other names become a field of their own: what papers and code call the subject of a page or of a
  section. They stand in a table of the notation page, and nowhere else.
- An anchor that its title says is left out, with a fifth of what a first answer waits for.
- A factor says how likely a page is what somebody looks for: a word is explained in a step or in a
  guide.
"""

import json
import re
from collections import Counter, defaultdict
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

ANCHOR = re.compile(r"\w+", re.ASCII)  # its words in a title, as `find.js` takes them
COMPOUND = re.compile(r"\b([a-z]{2,})-([a-z]{2,})", re.IGNORECASE)
CODE = re.compile(r"<pre>.*?</pre>", re.DOTALL)
TAG = re.compile(r"<.*?>")

NOTATION = "reference/notation/"
OTHER_NAMES = re.compile(r'id="other-names".*?</table>', re.DOTALL)
NAMES_OF = re.compile(r'<td>([^<]*)</td>\s*<td><a href="([^"]*)"')
FEW = 2

USUAL = 80  # words in an entry

# Without a line here, it is 1.
PRIORS = {
    re.compile(r"ten-minutes/$"): 2,  # who asks what attention is starts there
    re.compile(r"steps/"): 1.1,
    re.compile(r"practice/|reference/(?!notation)"): 0.6,
    re.compile(r"notebooks/"): 0.7,  # they repeat steps
    re.compile(r"guides/writing"): 0.5,
}

# For "queries" to find "query". What is left need not be a word, but "multiple" does not become
# what "multiply" does, nor "causal" what "cause" does.
ENDING = (
    r"(?<=..[^aisu])s$|(?<=....)(?:(?<!ipl)es?|ies|y|ed|ied|ing|ings|ying|er|ers|ion|ions|ional"
    r"|ations?|ate|ates|ated|ating|able|(?<=.{6})al)$"
)
# They do not tell what a question is about, nor does what is left of "don't" where it is split, or
# what torch adds to a warning ("triggered internally"). The search leaves them out, if there are
# other words.
FILLER = """
a about across am an and any are aren at be been between but by can cause caused causes could couldn
despite did didn difference do does doesn don during for from get gets give given go had hadn happen
happens has hasn have haven having how i if in internally into is isn it its just like many may me
might much multiple my need needed needs of on or our particular please possible purpose re reason
reasons should several shouldn so some sometimes such t than that the their them then there these
they this those triggered use used uses using ve versus vs was wasn we were weren what when where
which while who why will with without won would wouldn you your
"""


def split_index(site: Path) -> None:
    """Move the documents of the index to a file of their own."""
    folder = site / "search"
    settings = json.loads((folder / "search_index.json").read_text("utf-8"))
    if not settings["docs"]:
        raise ValueError("the search index has no documents")
    names = other_names(site / NOTATION / "index.html")
    separator = settings["config"]["separator"]
    documents = [
        document(entry, separator) | names.pop(entry["location"], {"names": "", "called": ""})
        for entry in settings["docs"]
    ]
    for entry in documents:
        if entry["location"] == f"{NOTATION}#other-names":
            entry["text"] = ""  # who asks for another name wants the page that it leads to
    if names:
        raise ValueError(f"other names of what the search does not have: {', '.join(names)}")
    texts = [{name: entry.pop(name) for name in ("text", "size", "code")} for entry in documents]
    for entry in documents:
        entry["location"] = shortened(entry["location"], entry["title"])
    words = {"separator": separator, "ending": ENDING, "filler": FILLER.split()}
    for name, content in {
        "search_index": {**settings, "docs": []},
        "titles": {"docs": documents, **words},
        "texts": texts,
    }.items():
        (folder / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False), "utf-8")


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


def document(entry: dict[str, str], separator: str) -> dict[str, Any]:
    """Return an entry of the index as the search wants it, with each word of its code once."""
    text, size, code = parts(entry["text"], separator)
    compounds = {
        a + b for a, b in COMPOUND.findall(TAG.sub(" ", f"{entry['title']} {text}").lower())
    }
    return {
        "location": entry["location"],
        "prior": next((n for kind, n in PRIORS.items() if kind.match(entry["location"])), 1),
        "title": entry["title"],
        "text": text,
        "size": size,
        "code": " ".join([code, *sorted(compounds)]),
    }


def shortened(location: str, title: str) -> str:
    """Return a location without the anchor that its title says: "steps/scores/#" for "By hand"."""
    page, mark, anchor = location.partition("#")
    said = "-".join(ANCHOR.findall(TAG.sub("", title).lower()))
    return page + mark if said == anchor else location


@lru_cache(5000)  # while the site is served, most texts stay as they were
def parts(html: str, separator: str) -> tuple[str, float, str]:
    """Return the sentences of a text, their size, and the words of its code."""
    text = CODE.sub("", html)
    code = TAG.sub("", " ".join(CODE.findall(html))).lower()
    words = sum(map(bool, re.split(separator, TAG.sub(" ", text))))
    return text, round(0.3 + words / USUAL, 3), " ".join(sorted(set(re.split(separator, code))))
