"""Lets each page run its own inline scripts and no other: its policy names them by their hashes.

Nor does any page have a style sheet that is not a file of the site. Style attributes stay free,
because the depth of a cell's colour is one, which no page without scripts could set otherwise.
"""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

FREE = "default-src 'self' 'unsafe-inline'"  # as templates write it
STRICT = "default-src 'self'; style-src-attr 'unsafe-inline'; script-src 'self'{hashes}"
INLINE_SCRIPT = re.compile(r"<script(?![^>]*(?:src=|json))[^>]*>(.*?)</script>", re.DOTALL)


def write_policies(site: Path) -> None:
    """Let no page run an inline script that was not there when the site was built."""
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        if FREE not in text:
            raise ValueError(f"{page.relative_to(site)} has no policy, or another")
        scripts = {script.encode() for script in INLINE_SCRIPT.findall(text)}
        hashes = sorted(b64encode(sha256(script).digest()).decode() for script in scripts)
        named = "".join(f" 'sha256-{each}'" for each in hashes)
        page.write_text(text.replace(FREE, STRICT.format(hashes=named), 1), "utf-8")
