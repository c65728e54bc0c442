"""The last steps, on the built site as a folder of files. One with nothing to do is an error."""

from pathlib import Path

from site_build.finish.math_font import write_math_font
from site_build.finish.minify import minify_pages, minify_scripts, minify_styles
from site_build.finish.rules import write_rules
from site_build.finish.social_card import draw_social_cards
from site_build.finish.style_sheet import join_styles
from site_build.finish.unused import drop_unused
from site_build.search.index import split_index


def finish(site: Path, title: str) -> None:
    """Make what is fetched smaller, and write what is made from the pages.

    Args:
        site: The folder of the built site.
        title: Of the site, for the social cards.
    """
    split_index(site)
    drop_unused(site)
    minify_pages(site)
    write_rules(site)
    minify_scripts(site)
    minify_styles(site)
    join_styles(site)
    write_math_font(site)
    draw_social_cards(site, title)
