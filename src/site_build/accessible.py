"""What the theme leaves out for readers who do not see the page."""

# A name for the search, and the places where a page says what happened: how many results there
# are, and that code was copied. The link that skips to the text is left to the browser: instant
# navigation would fetch the page again, and take the focus away.
ADDED = {
    'class="md-skip"': 'target="_self"',
    'role="dialog"': 'aria-label="Search"',
    'class="md-search-result__meta"': 'role="status"',
    'class="md-dialog__inner md-typeset"': 'role="status"',
}


def accessible(page: str) -> str:
    """Return a page with what the theme leaves out."""
    for element, attribute in ADDED.items():
        page = page.replace(element, f"{element} {attribute}", 1)
    return page
