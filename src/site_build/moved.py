"""Where pages have gone whose addresses stand in other places, such as wheels that are installed.

An old address is a page of links, each named as a section was, and assets/site.js follows the one
that is named. The build checks where the links lead. A page that is still there, and has lost a
section, has such a link itself: `[Mistakes](other.md#section){ .moved #old-name }`.
"""

from collections.abc import Iterator, Set
from posixpath import dirname, relpath

# A page that is gone, and where to: without a section first.
MOVED = {
    "steps/where-is-position.md": {
        "": ("steps/position-by-rotation.md", "Rotary positions"),
        "the-formula": ("reference/positions.md#attention_steps.sinusoidal_positions", "Positions"),
        "for-engineers": ("reference/positions.md#which-one-to-take", "Which one to take"),
    },
    "steps/self-attention-as-a-layer.md": {
        "": ("steps/who-finds-the-numbers.md", "Gradient descent"),
        "for-engineers": ("reference/layers.md#a-layer-from-three-matrices", "A layer"),
    },
}
PAGE = """---
title: {title}
search:
  exclude: true
hide:
  - toc
---

# This page has moved

{links}
"""


def pages(there: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield the path and the Markdown of each page that has moved.

    Args:
        there: The pages of the project. Another one that is built with these hooks has others.
    """
    for path, sections in MOVED.items():
        if sections[""][0] not in there:
            continue
        links = "\n".join(
            f"- [{title}]({relpath(target, dirname(path))}){{ .moved {name and '#'}{name} }}"
            for name, (target, title) in sections.items()
        )
        yield path, PAGE.format(title=next(iter(sections.values()))[1], links=links)
