"""The parts of a page that each build writes anew: its Markdown, and the words around it."""

from typing import Any

from site_build.downloads.exercises import is_solved, to_write
from site_build.downloads.page_files import Site, take_away
from site_build.page.course_map import where
from site_build.page.from_notebook import from_notebook
from site_build.page.reading_time import minutes_to_read
from site_build.page.stamp import stamp, with_counts
from site_build.page.step_number import question_of_page, with_number


def markdown_of(page: str, text: str, site: Site) -> str:
    """Return the Markdown of a page or a notebook, with the counts of the recorded run."""
    if page.endswith(".ipynb"):
        text = from_notebook(page, to_write(text) if is_solved(text) else text)
    else:
        text = with_number(with_counts(text, site.record), site.numbers.get(page))
    # Raw HTML is not read as Markdown, which gives quotes their form.
    return text.replace('<p class="question">', '<p class="question" markdown>')


def page_context(
    page: str,
    text: str,
    stations: str,
    drawing: str,
    html: str,
    following: str,
    site: Site,
) -> dict[str, Any]:
    """Return the words that the templates put around a page.

    Args:
        page: The path of its source, relative to the folder of the pages.
        text: Its source.
        stations: Those of the course that it is about.
        drawing: What it is about, in the words of the drawing of the whole model.
        html: What it has become.
        following: The HTML of the next page, or nothing.
        site: What it is part of.
    """
    path = (site.docs / page).relative_to(site.root).as_posix()
    return {
        "place": site.places.get(page, ""),
        "minutes": minutes_to_read(html),
        "next_minutes": minutes_to_read(following),
        "here": where(page, stations, drawing, html, site.pages),
        "next_question": question_of_page(following),
        "take_away": take_away(page, text, site),
        "stamp": stamp(path, site.record, site.root),
    }
