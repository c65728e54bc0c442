"""How large the model is, and how it learns: once, for Python and for the browser.

The build hands all of it to the browser: src/site_build/theme/assets/tiny_lm/model.js.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Recipe:
    """The constants of both.

    Attributes:
        width: How many numbers a word has.
        hidden: How many neurons an MLP has.
        layers: How many blocks there are.
        heads: How many heads a block has.
        eps: What keeps a norm from dividing by 0.
        steps: How often the numbers change a little.
        stories: How many stories are read for that.
        rate: The size of the largest step.
        beta1, beta2, decay: Those of AdamW.
        shown: The start of the model that the pages show.
        without: What a model can be trained without: its sizes, or the ends of the names of parts
            whose numbers stay at 0; and how many stories are read for a step, if others.
        texts: Those in which a training is watched: the same words in two orders, each asked for
            the bank, and then for the duck.
    """

    width: int = 16
    hidden: int = 32
    layers: int = 2
    heads: int = 2
    eps: float = 1e-6
    steps: int = 1500
    stories: int = 64
    rate: float = 0.015
    beta1: float = 0.9
    beta2: float = 0.99
    decay: float = 0.01
    shown: int = 9
    without: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {
            "whole": {},
            "no attention": {"without": ["out_proj"]},
            "plain means": {"without": ["q_proj"]},
            "means, 128 stories": {"without": ["q_proj"], "stories": 128},
            "no positions": {"without": ["position"]},
            "one block": {"layers": 1},
            "one head": {"heads": 1},
            "no MLP": {"without": ["down"]},
        }
    )
    texts: tuple[str, ...] = (
        "the rich duck likes the muddy bank . the bank is full of",
        "the muddy duck likes the rich bank . the bank is full of",
        "the rich duck likes the muddy bank . the duck is full of",
        "the muddy duck likes the rich bank . the duck is full of",
    )


RECIPE = Recipe()
