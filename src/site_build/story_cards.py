"""A small page for each state of the language model worth sending: a link has its own words.

The states stand in theme/assets/model_explorer/words.js, which the browser reads as well. Their
drawings are written by `pytest --update-outputs tests/site_build/test_whole.py -k drawn`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from site_build.model_explorer import drawing_words

PAGE = """---
title: {title}
description: {what} Try it on a language model of 4,944 numbers.
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


TEXT = "the muddy duck likes the rich bank. the bank is full of …"
CARDS = [
    Card(
        "money-becomes-water",
        "Switch off one head, and money becomes water",
        "One of four heads of this language model looks at the adjective of the bank. Here it is "
        "switched off.",
        TEXT,
        "The whole model says",
        "money",
        "Without this head it says",
        "water",
    ),
    Card(
        "read-where-it-stands",
        "One vector from another text, and money becomes water",
        "Between the two blocks of this language model, the vector of “rich” is put in from a text "
        "with “muddy”. All other vectors stay.",
        TEXT,
        "The whole model says",
        "money",
        "With one vector from “muddy” it says",
        "water",
    ),
    Card(
        "the-verb-decides",
        "A duck that hides a bank, and the bank is rich",
        "This language model is right about every story of its world, and there only banks hide "
        "somebody.",
        "the rich duck hides the muddy bank. the bank is full of …",
        "Where the duck likes the muddy bank, it says",
        "water",
        "Where the duck hides this bank, it says",
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
