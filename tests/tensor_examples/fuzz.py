"""Files that are broken in many ways, the same ones each time."""

import json
import random
from collections.abc import Iterator
from typing import Any

STRANGE: list[Any] = [None, True, -1, 2.5, "", "x", "\ud800", [], {}, [[]], {"a": 1}, 10**400]
BYTES = [b"\r", b"\0", b"\xff", b"\xc2\x85", b"\x0c", b"\n", b"`", b'"', b"\\", b"\t", b">>> ("]


def broken_notebooks(text: str, number: int) -> Iterator[bytes]:
    """Yield a notebook with one value of its JSON replaced, left out or wrapped."""
    dice = random.Random(1)
    for _ in range(number):
        notebook = json.loads(text)
        holder, key = dice.choice(list(places(notebook)))
        value = holder.pop(key)
        if change := dice.randrange(4):
            wrong = [dice.choice(STRANGE), [value], {str(key): value}][change - 1]
            holder.insert(key, wrong) if isinstance(holder, list) else holder.update({key: wrong})
        yield json.dumps(notebook, indent=1).encode()


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each value inside lists and objects, as its holder and its key there."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
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
