"""A small page for each state of the language model worth sending: a link has its own words.

The states stand in theme/assets/model_explorer/words.js, which the browser reads as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from site_build.model_explorer.drawn import drawing_words

PAGE = """---
title: {title}
description: {what} Try it on a language model of 4,992 numbers.
search:
  exclude: true
hide:
  - navigation
  - toc
---

# {title}

{what} {before} “{says}”. {after} “{instead}”.

```whole {state} patches="true"
```

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


def story_pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the Markdown of each page."""
    for card in CARDS:
        state = drawing_words()["sent"][card.slug]
        options = " ".join(f'{name}="{value}"' for name, value in state.items())
        text = PAGE.format(**vars(card), state=options)
        yield f"model/{card.slug}.md", text
