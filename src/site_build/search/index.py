"""The index of the search: the sections of all pages, in one file.

The theme's plugin reads the pages into `search/search_index.json`. What the search of this site
takes from it (theme/assets/search) is `[titles, texts]`, with a line for each of both, so that the
titles can be read before the texts have come:

- a title: the address of a section, and its title. A page is a section as well, up to its first
  heading.
- a text: its sentences, a paragraph a line, and the words of its code. These are found, but they
  are not shown, and so each is kept once.
"""

import json
import re
from html import unescape
from pathlib import Path

CODE = re.compile(r"<pre.*?</pre>", re.DOTALL)
PARAGRAPH = re.compile(r"</?(?:p|li|ul|ol|dd|dt|blockquote|h\d)\b[^>]*>")
TAG = re.compile(r"<[^>]+>")
DECIMAL = re.compile(r"\d*\.\d+")  # nobody searches for 0.4387
WORD = re.compile(r"\w+")


def write_index(site: Path) -> None:
    """Write the index of a built site, in place of that of the theme."""
    theirs = site / "search" / "search_index.json"
    entries = json.loads(theirs.read_text("utf-8"))["docs"]
    if not entries:
        raise ValueError("the search index has no sections")
    titles, texts = [], []
    for entry in entries:
        text, code = sentences(entry["text"]), words_of_code(entry["text"])
        # A page is kept for its title. A heading with nothing below it is not.
        if "#" not in entry["location"] or text or code:
            titles.append([entry["location"], sentences(entry["title"])])
            texts.append([text, code])
    lines = (
        json.dumps(part, ensure_ascii=False, separators=(",", ":")) for part in (titles, texts)
    )
    theirs.with_name("sections.json").write_text("[{},\n{}]".format(*lines), "utf-8")
    theirs.unlink()


def sentences(html: str) -> str:
    """Return the text of some HTML without its code, a paragraph a line."""
    on_one_line = " ".join(CODE.sub(" ", html).split())
    lines = unescape(TAG.sub("", PARAGRAPH.sub("\n", on_one_line))).split("\n")
    return "\n".join(filter(None, map(str.strip, lines)))


def words_of_code(html: str) -> str:
    """Return the words of the code in some HTML, each once, in the order in which they stand."""
    code = unescape(TAG.sub("", " ".join(CODE.findall(html))))
    return " ".join(dict.fromkeys(WORD.findall(DECIMAL.sub(" ", code))))
