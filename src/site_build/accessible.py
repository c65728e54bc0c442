"""What the theme's templates leave out for readers who do not see the page, or do not point at it."""

import re

# Names for controls that are drawn as signs, and the places where a page says what happened.
ADDED = {
    'role="dialog"': 'aria-label="Search"',
    'id="__drawer"': 'aria-label="Navigation"',
    'class="md-search-result__meta"': 'role="status"',
    'class="md-dialog__inner md-typeset"': 'role="status"',
}
# The hidden checkboxes of the drawer and the search, and the link to the content after them.
TOGGLES, SKIP = r'(<input class="md-toggle".*?)', r'(<div data-md-component="skip">.*?</div>)'
START = re.compile(rf"{TOGGLES}{SKIP}", re.DOTALL)


def accessible(page: str) -> str:
    """Return a page with names for its controls, which starts with the link to its content."""
    for element, attribute in ADDED.items():
        page = page.replace(element, f"{element} {attribute}", 1)
    return START.sub(r"\2\1", page, count=1)
