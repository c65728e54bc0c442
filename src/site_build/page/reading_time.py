"""How many minutes a page takes."""

import re
from functools import lru_cache
from html import unescape

WORDS_A_MINUTE = 120  # of somebody who reads to understand, and looks at the numbers
FIGURES_A_MINUTE = 2
FIGURES = {"figure", "formula-card"}
# What a first reading passes by: code and its output, formulas, what is folded, and in <b> what is
# said of each guess, of which a reader sees one.
PASSED_BY = FIGURES | {"b", "details", "pre", "math", "script", "style", "svg"}
# Most of a page's tags are in these, which hold none of their own kind.
TAGS_WITHIN = re.compile(r"<(pre|math|script|style)\b.*?</\1>|<!--.*?-->", re.DOTALL)
TAG = re.compile(r"""<(/?)([a-z][\w-]*)(?:"[^"]*"|'[^']*'|[^<>"'])*>""")  # Python's parser is slow


# A build asks three times for each page: for its door, for the page before it, and for itself.
@lru_cache(maxsize=256)
def minutes_to_read(html: str) -> int:
    """Return the minutes that the open text of a page and its figures take, or 0 for no page."""
    text, *parts = TAG.split(TAGS_WITHIN.sub("", html))
    words, figures = count_words(text), 0
    inside = 0  # how many elements that are passed by are open
    for slash, tag, text in zip(*[iter(parts)] * 3, strict=True):
        figures += tag in FIGURES and not slash and not inside
        if tag in PASSED_BY:
            inside += -1 if slash else 1
        if not inside:
            words += count_words(text)
    return round(words / WORDS_A_MINUTE + figures / FIGURES_A_MINUTE)


def count_words(text: str) -> int:
    """Return how many words a text without tags has."""
    return len(unescape(text).split())
