"""The content security policy of a page: only the inline scripts run that it was built with.

While the site is served, the server adds one that loads the page anew, so each may run, as
theme/main.html has it.
"""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

ANY = "script-src 'self' 'unsafe-inline'"
INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def write_policies(site: Path) -> None:
    """Let no page of a built site run an inline script that was not there when it was built."""
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        if ANY not in text:
            raise ValueError(f"{page.relative_to(site)} has no policy, or another")
        digests = (sha256(script.encode()).digest() for script in sorted({*INLINE.findall(text)}))
        named = " ".join(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)
        page.write_text(text.replace(ANY, f"script-src 'self' {named}", 1), "utf-8")
