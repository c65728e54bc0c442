"""A small page for each sentence worth sending, so that a link to it has words of its own."""

from collections.abc import Iterator

from site_build.toy.picture import sent
from site_build.toy.words import Sentence

PAGE = """---
title: {title}
description: {verdict} Swap a word, and see who is asked and what is brought.
search:
  exclude: true
hide:
  - navigation
  - toc
---

# {question}

<div class="toy-home" markdown>

Attention looks at the other words of the sentence. Swap one, and see.

```toy sentence="{text}" start="../../steps/tokens-become-vectors/"
```

</div>

[Attention, one step at a time](../index.md) explains each number of this picture.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and the Markdown of each page."""
    for sentence in sent():
        slug = slug_of(sentence)
        text = PAGE.format(
            title=sentence.text.capitalize(),
            question=question_asked(sentence),
            verdict=sentence.verdict,
            text=sentence.text,
        )
        yield f"toy/{slug}.md", text


def slug_of(sentence: Sentence) -> str:
    """Return how an address spells a sentence."""
    return sentence.text.replace(" ", "-")


def question_asked(sentence: Sentence) -> str:
    """Return what the page asks."""
    return f"Which {sentence.words[sentence.asks]} is meant?"
