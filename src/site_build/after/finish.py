"""All that is done to a built site, in its order. A step that finds nothing to do fails."""

from pathlib import Path

from site_build.accessible import accessible
from site_build.after.math_font import write_math_font
from site_build.after.scripts import minify
from site_build.after.search_index import split_index
from site_build.after.social_card import draw_social_card
from site_build.after.style_sheet import join_styles
from site_build.compact import compact
from site_build.policy import secure


def finish(site: Path, title: str, words: list[str], serving: bool) -> None:
    """Make what is fetched smaller, and what is made from all pages.

    Args:
        site: The folder of the built site.
        title: Of the site, for the social card.
        words: The lines below it there.
        serving: To its writer, whose pages reload by a script that no policy can name.
    """
    for path in site.rglob("*.html"):
        page = accessible(compact(path.read_text("utf-8")))
        path.write_text(page if serving else secure(page), "utf-8")
    split_index(site)
    minify(site)
    join_styles(site)
    draw_social_card(site, title, words)
    write_math_font(site)
