"""What a page may run and load: a content security policy in its head.

A page runs the site's own files and the theme's few inline scripts, known by their hashes, and
talks to no other host. Text that found its way into a page as a script would stay text.

The policy is the same on every page: instant navigation changes pages inside one document, and a
browser holds a document to every policy that was ever in its head.
"""

import base64
import hashlib
import re

INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
CHARSET = '<meta charset="utf-8">'
LINK_OUT = re.compile(r'<a(?=[^>]* href="https?://)(?![^>]* rel=)')


def secure(page: str) -> str:
    """Return a page with its policy, and with links that hand nothing to the sites they lead to."""
    meta = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy(page)}">'
        '<meta name="referrer" content="same-origin">'
    )
    # Only what comes after the policy is held to it.
    return LINK_OUT.sub('<a rel="noopener"', page.replace(CHARSET, CHARSET + meta, 1))


def policy(page: str) -> str:
    """Return the content security policy of a page."""
    hashes = sorted({hash_source(script) for script in INLINE_SCRIPT.findall(page)})
    return "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src 'self'", *hashes]),
            "worker-src 'self'",
            "connect-src 'self'",
            "img-src 'self' data:",  # the theme's icons are data
            "font-src 'self'",
            "style-src 'self'",
            # The share of a heat map's cell and the alignment in a formula are style attributes.
            # There are hundreds of them; without a style element, they reach nothing else.
            "style-src-attr 'unsafe-inline'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def hash_source(script: str) -> str:
    """Return the source expression that allows one inline script."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
