"""A small page for each state of the language model worth sending, so that a link has its own card.

The states stand in theme/assets/model/state.js, which the browser reads as well.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

SOURCE = Path(__file__).parent / "theme" / "assets" / "model" / "state.js"
PAGE = """---
title: {title}
description: {what} Try it on a language model of 4,992 numbers.
card: model/{slug}/card.png
search:
  exclude: true
hide:
  - navigation
  - toc
---

# {title}

{what} {before} “{says}”. {after} “{instead}”.

<attention-model class="for-scripts" data-needs="model/figure" state="{state}"></attention-model>

<a href="../../steps/look-inside/">Look inside</a> explains what you see here, with every number.
"""


@dataclass(frozen=True)
class Card:
    """A state of the model, and what is said of it.

    Attributes:
        slug: How its address spells it.
        title: What one learns from it.
        what: What was done.
        text: What the model reads.
        before: How the sentence begins that ends with what the model `says` otherwise.
        says: The word.
        after: How the sentence begins that ends with what it says `instead`.
        instead: The word.
    """

    slug: str
    title: str
    what: str
    text: str
    before: str
    says: str
    after: str
    instead: str


TEXT = "the duck likes the muddy bank. the bank is full of …"
CARDS = [
    Card(
        "mud-becomes-money",
        "Switch off one head, and mud becomes money",
        "One of four heads of this language model reads the adjective. Here it is switched off.",
        TEXT,
        "The whole model says",
        "water",
        "Without this head it says",
        "money",
    ),
    Card(
        "the-mud-has-moved",
        "The mud has moved to “of”",
        "Between the two blocks of this language model, the vector of “of” is put in from a text "
        "with “rich”. The vector of “muddy” stays.",
        TEXT,
        "The whole model says",
        "water",
        "With one vector from “rich” it says",
        "money",
    ),
    Card(
        "one-word-too-many",
        "One “the” too many, and the duck finds money",
        "This language model is right about every story of its world. Add one word in front, and "
        "it is wrong.",
        "the the duck likes the bank. the bank is full of …",
        "Without this word it says",
        "water",
        "With it, it says",
        "money",
    ),
]


@cache
def states() -> dict[str, str]:
    """Return the fragment of a link that holds each state, by its slug."""
    _, _, sent = SOURCE.read_text("utf-8").partition("export const SENT = ")
    found: dict[str, str] = json.loads(sent.partition(";\n")[0])
    return found


def story_pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the Markdown of each page."""
    for card in CARDS:
        text = PAGE.format(**vars(card), state=escape(states()[card.slug]))
        yield f"model/{card.slug}.md", text
