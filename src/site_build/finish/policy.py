"""Lets each page have its own inline scripts and styles alone: its policy names their hashes.

Style attributes have no hash: `rules.py` leaves none.
"""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

FREE = "default-src 'self' 'unsafe-inline'"  # as templates write it
STRICT = "default-src 'self'{hashes}"
INLINE = re.compile(r"<(script|style)(?![^>]*(?:src=|json))[^>]*>(.*?)</\1>", re.DOTALL)


def write_policies(site: Path) -> None:
    """Let no page have an inline script or style that was not there when the site was built."""
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        if FREE not in text:
            raise ValueError(f"{page.relative_to(site)} has no policy, or another")
        inline = {content.encode() for _, content in INLINE.findall(text)}
        hashes = sorted(b64encode(sha256(content).digest()).decode() for content in inline)
        named = "".join(f" 'sha256-{each}'" for each in hashes)
        page.write_text(text.replace(FREE, STRICT.format(hashes=named), 1), "utf-8")
