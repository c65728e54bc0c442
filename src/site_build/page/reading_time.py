"""How many minutes a page takes."""

import re
from functools import lru_cache
from html.parser import HTMLParser

WORDS_A_MINUTE = 120  # of somebody who reads to understand, and looks at the numbers
FIGURES_A_MINUTE = 2
FIGURES = {"figure", "attention-toy", "whole-model", "watch-it-learn", "hand-figure"}
# What a first reading passes by: code and its output, formulas, what is folded, and in <b> what is
# said of each guess, of which a reader sees one.
PASSED_BY = FIGURES | {"b", "details", "pre", "math", "script", "style", "svg"}
# Most of a page's tags are in these, which hold none of their own kind. Python's parser is slow.
TAGS_WITHIN = re.compile(r"<(pre|math|script|style)\b.*?</\1>", re.DOTALL)


# A build asks three times for each page: for its door, for the page before it, and for itself.
@lru_cache(maxsize=256)
def minutes_to_read(html: str) -> int:
    """Return the minutes that the open text of a page and its figures take, or 0 for no page."""
    page = OpenText()
    page.feed(TAGS_WITHIN.sub("", html))
    return round(page.words / WORDS_A_MINUTE + page.figures / FIGURES_A_MINUTE)


class OpenText(HTMLParser):
    """Counts the words and figures that a reader sees without unfolding anything."""

    def __init__(self) -> None:
        super().__init__()
        self.words = self.figures = 0
        self.inside = 0  # how many elements that are passed by are open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count a figure, and what is passed by."""
        self.figures += tag in FIGURES and not self.inside
        self.inside += tag in PASSED_BY

    def handle_endtag(self, tag: str) -> None:
        """Leave what is passed by."""
        self.inside -= tag in PASSED_BY

    def handle_data(self, data: str) -> None:
        """Count words."""
        if not self.inside:
            self.words += len(data.split())
