"""Files that are broken in many ways, the same ones each time."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

STRANGE: list[Any] = [None, True, -1, 2.5, "", "x", "\ud800", [], {}, [[]], {"a": 1}, 10**400]
BYTES = [b"\r", b"\0", b"\xff", b"\xc2\x85", b"\x0c", b"\n", b"`", b'"', b"\\", b"\t", b">>> ("]


def broken_notebooks(text: str, number: int) -> Iterator[bytes]:
    """Yield a notebook with one value of its JSON replaced, left out or moved."""
    dice = random.Random(1)
    for _ in range(number):
        notebook = json.loads(text)
        holder, key = dice.choice(list(places(notebook)))
        change = dice.randrange(4)
        if change == 0:
            del holder[key]
        elif change == 1:
            holder[key] = [holder[key]]
        elif change == 2:
            _, source = dice.choice(list(places(notebook)))
            holder[key] = copy.deepcopy(holder[key] if source == key else {str(source): 1})
        else:
            holder[key] = dice.choice(STRANGE)
        yield json.dumps(notebook, indent=1).encode()


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each value inside lists and objects, as what holds it and where it is in there."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(pairs):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


def broken_texts(text: str, number: int) -> Iterator[bytes]:
    """Yield a text with a few bytes put in, left out or doubled."""
    dice = random.Random(2)
    for _ in range(number):
        content = text.encode()
        for _ in range(dice.randrange(1, 4)):
            place = dice.randrange(len(content))
            end = place + dice.randrange(20)
            put = dice.choice([b"", content[place:end] * 2, dice.choice(BYTES)])
            content = content[:place] + put + content[end if dice.random() < 0.5 else place :]
        yield content
