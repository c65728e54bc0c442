"""The small files that other programs look for on a site."""

import re
from html import escape
from urllib.parse import urljoin

from markdown.extensions.toc import slugify

NEWS = re.compile(
    r"^## (?P<heading>(?P<day>\d{4}-\d\d-\d\d): (?P<title>.+))\n\n(?P<text>(?:.+\n)+)", re.MULTILINE
)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def robots(site: str) -> str:
    """Return `robots.txt`: each program may read all, and finds the list of pages."""
    return f"User-agent: *\nAllow: /\nSitemap: {urljoin(site, 'sitemap.xml')}\n"


def feed(page: str, title: str, site: str, address: str) -> str:
    """Return the feed of what is new, in the form of Atom (RFC 4287).

    Args:
        page: The Markdown of the page that tells it: each heading is a day and a title, and the
            paragraph below it is what a reader of the feed sees.
        title: Of the site.
        site: Its address.
        address: That of the page.

    Raises:
        ValueError: If the page tells nothing.
    """
    news = list(NEWS.finditer(page))
    if not news:
        raise ValueError("what is new has no heading such as: ## 2026-11-22: A title")
    entries = "".join(entry(one, address) for one in news)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<title>{escape(title)}</title><id>{site}</id>"
        f'<link href="{site}"/><link rel="self" href="{urljoin(site, "feed.xml")}"/>\n'
        f"<author><name>The {escape(title)} contributors</name></author>\n"
        f"<updated>{max(one['day'] for one in news)}T00:00:00Z</updated>\n{entries}</feed>\n"
    )


def entry(one: re.Match[str], address: str) -> str:
    """Return what is new in one heading; its place on the page is its name."""
    place = f"{address}#{slugify(one['heading'], '-')}"
    return (
        f"<entry><title>{escape(one['title'])}</title>"
        f'<id>{place}</id><link href="{place}"/>'
        f"<updated>{one['day']}T00:00:00Z</updated>"
        f"<summary>{escape(plain(one['text']))}</summary></entry>\n"
    )


def plain(paragraph: str) -> str:
    """Return a paragraph on one line, with the words of its links alone."""
    return " ".join(LINK.sub(r"\1", paragraph).split())
