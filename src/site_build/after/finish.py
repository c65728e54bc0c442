"""All that is done to a built site. A step that finds nothing to do is an error."""

from pathlib import Path

from site_build.after.math_font import write_math_font
from site_build.after.minify import minify_pages, minify_scripts
from site_build.after.search_index import split_index
from site_build.after.social_card import draw_social_card
from site_build.after.style_sheet import join_styles


def finish(site: Path, title: str, words: list[str]) -> None:
    """Make what is fetched smaller, and write what is made from the pages.

    Args:
        site: The folder of the built site.
        title: Of the site, for the social card.
        words: The lines below it there.
    """
    split_index(site)
    minify_pages(site)
    minify_scripts(site)
    join_styles(site)
    write_math_font(site)
    draw_social_card(site, title, words)
