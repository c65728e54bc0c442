"""Leaves out of a page what no reader and no browser needs, a quarter of what the theme writes."""

import re

PREFORMATTED = re.compile(r"(<pre.*?</pre>)", re.DOTALL)
# Long entries of the navigation are wrapped instead of cut off, and need no element for it.
NAV_ELLIPSIS = re.compile(
    r'(md-nav__link[^>]*>)\s*<span class="md-ellipsis">\s*([^<]*?)\s*</span>\s*'
)
INDENT = re.compile(r"\s*\n\s*")
# White space counts between words, and not around what stands on lines of its own.
AROUND_BLOCK = re.compile(
    r"\s*(</?(?:html|head|meta|link|title|body|main|header|footer|nav|article|section|aside|form"
    r'|div(?! class="doc-md-description")'  # stands within a line
    r"|p|[uod]l|li|d[td]|h[1-6]|table|caption|thead|tbody|t[rhd])\b[^>]*>)\s*"
)
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'  # only files of their own need it


def compact(page: str) -> str:
    """Return a page that looks the same and is lighter."""
    parts = PREFORMATTED.split(page)
    parts[::2] = map(compact_text, parts[::2])
    return "".join(parts)


def compact_text(text: str) -> str:
    """Return a part of a page in which line breaks mean nothing."""
    text = INDENT.sub("\n", NAV_ELLIPSIS.sub(r"\1\2", text))
    return AROUND_BLOCK.sub(r"\1", text).replace(NAMESPACE, "")
