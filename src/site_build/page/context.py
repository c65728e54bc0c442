"""The parts of a page that each build writes anew: its Markdown, and the words around it."""

from dataclasses import dataclass
from urllib.parse import urljoin

from site_build.downloads.docstrings import with_examples
from site_build.downloads.exercises import is_solved, to_write
from site_build.downloads.page_files import Site, TakeAway, take_away
from site_build.page.from_notebook import from_notebook
from site_build.page.reading_time import minutes_to_read
from site_build.page.stamp import Stamp, stamp, with_counts
from site_build.page.step_number import question_of_page
from site_build.publishing import wrong_number
from site_build.stage import first_still


@dataclass(frozen=True)
class Surroundings:
    """What the templates put around a page."""

    place: str  # of the page in the course
    minutes: int
    turn: tuple[int, int] | None  # which page of the course or of its branch it is, and of how many
    asked: str  # on the list of questions, all of them, as HTML
    next_question: str  # what the page after it asks
    next_minutes: int
    next_drawing: str  # as HTML
    take_away: TakeAway
    stamp: Stamp | None
    wrong_number: str  # the address of the form for one


def markdown_of(page: str, text: str, site: Site) -> str:
    """Return the Markdown of a page or a notebook, with the counts of the recorded run."""
    if page.endswith(".ipynb"):
        text = from_notebook(page, to_write(text) if is_solved(text) else text)
    else:
        text = with_counts(text, site.record)
    # Raw HTML is not read as Markdown, which gives quotes their form.
    return text.replace('<p class="question">', '<p class="question" markdown>')


def surroundings(page: str, text: str, html: str, following: str, site: Site) -> Surroundings:
    """Return what the templates put around a page.

    Args:
        page: The path of its source, relative to the folder of the pages.
        text: Its source.
        html: What it has become.
        following: The HTML of the next page, or nothing.
        site: What it is part of.
    """
    path = (site.docs / page).relative_to(site.root).as_posix()
    url = site.pages[page]
    return Surroundings(
        place=site.places.get(page, ""),
        minutes=minutes_to_read(html),
        turn=site.turns.get(page),
        asked=site.asked.get(url, ""),
        next_question=question_of_page(following),
        next_minutes=minutes_to_read(following),
        next_drawing=first_still(following),
        take_away=take_away(page, with_examples(text, html), site),
        stamp=stamp(path, site.record, site.root),
        wrong_number=wrong_number(
            site.settings["repository"] or "", urljoin(site.address, url), site.version
        ),
    )
