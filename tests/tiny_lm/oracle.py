"""The model once more, in plain lists and without torch: what both others are held to.

It takes the numbers as the file has them, and follows the page "The whole model" word by word.
"""

import base64
import json
from collections.abc import Set
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, sqrt
from struct import unpack

Vector = list[float]
Matrix = list[Vector]

WIDTH, HIDDEN, LAYERS, HEADS = 16, 32, 2, 2
PARTS = {
    "norm1": (1, WIDTH),
    **{f"attention.{part}_proj": (WIDTH, WIDTH) for part in ("q", "k", "v", "out")},
    "norm2": (1, WIDTH),
    "up": (HIDDEN, WIDTH),
    "down": (WIDTH, HIDDEN),
}


@dataclass(frozen=True)
class Head:
    """What a head computes, with a row for each word."""

    weights: Matrix
    note: Matrix


@dataclass(frozen=True)
class Read:
    """What is computed on the way.

    Attributes:
        levels: The vectors of all words before each block, in its middle, and behind all blocks.
        heads: Those of each block.
        hidden: The neurons of each block, with a row for each word.
    """

    levels: list[Matrix]
    heads: list[list[Head]]
    hidden: list[Matrix]

    def shares(self, level: int = -1, at: int = -1) -> Vector:
        """Return the share of each word, if the model stopped at a level."""
        normed = rms_normed(self.levels[level][at], parameters()["norm"])
        return softmax(times(parameters()["embedding"], normed))


@cache
def stored() -> dict[str, str]:
    """Return the file of the numbers."""
    found: dict[str, str] = json.loads(files("tiny_lm").joinpath("numbers.json").read_text("utf-8"))
    return found


@cache
def parameters() -> dict[str, Matrix]:
    """Return the matrix, or the one row, of each name."""
    shapes = {
        "embedding": (len(stored()["words"]), WIDTH),
        "position": (int(stored()["length"]), WIDTH),
    }
    for layer in range(LAYERS):
        shapes |= {f"blocks.{layer}.{name}": shape for name, shape in PARTS.items()}
    shapes["norm"] = (1, WIDTH)
    planes = base64.b64decode(stored()["numbers"])  # all first bytes, all second ones, and so on
    count = len(planes) // 4
    numbers = unpack(
        f"<{count}f", bytes(planes[k * count + i] for i in range(count) for k in range(4))
    )
    found, end = {}, 0
    for name, (rows, width) in shapes.items():
        found[name] = [list(numbers[end + i * width :][:width]) for i in range(rows)]
        end += rows * width
    assert end == count
    return found


def dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def times(matrix: Matrix, x: Vector) -> Vector:
    return [dot(row, x) for row in matrix]


def plus(*vectors: Vector) -> Vector:
    return [sum(numbers) for numbers in zip(*vectors, strict=True)]


def rms_normed(x: Vector, gain: Matrix) -> Vector:
    size = sqrt(dot(x, x) / len(x) + 1e-6)
    return [number / size * g for number, g in zip(x, gain[0], strict=True)]


def softmax(scores: Vector) -> Vector:
    powers = [exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def head_of(normed: Matrix, own: str, head: int, is_off: bool) -> Head:
    named = parameters()
    dim = WIDTH // HEADS
    part = slice(head * dim, (head + 1) * dim)
    query, key, value = (
        [times(named[f"{own}attention.{name}_proj"][part], x) for x in normed] for name in "qkv"
    )
    weights = [
        softmax([dot(asks, answers) / sqrt(dim) for answers in key[: i + 1]])
        for i, asks in enumerate(query)
    ]
    context = [
        plus(*([w * v for v in each] for w, each in zip(row, value, strict=False)))
        for row in weights
    ]
    out = [row[part] for row in named[f"{own}attention.out_proj"]]
    note = [times(out, [0.0] * dim if is_off else each) for each in context]
    return Head(weights, note)


def read(
    text: str, off: Set[str] = frozenset(), patch: tuple[int, int, Vector] | None = None
) -> Read:
    """Read a text.

    Args:
        text: Its words; the start token is put in front.
        off: Parts, as `layer.head` or `layer.mlp`.
        patch: A layer, a place, and the vector that is put there before this layer.
    """
    named, words = parameters(), ["<", *text.split()]
    ids = [stored()["words"].index(word) for word in words]
    x = [plus(named["embedding"][word], named["position"][i]) for i, word in enumerate(ids)]
    levels, all_heads, all_hidden = [], [], []
    for layer in range(LAYERS):
        own = f"blocks.{layer}."
        if patch and patch[0] == layer:
            x = [patch[2] if i == patch[1] else each for i, each in enumerate(x)]
        normed = [rms_normed(each, named[own + "norm1"]) for each in x]
        heads = [head_of(normed, own, h, f"{layer}.{h}" in off) for h in range(HEADS)]
        mid = [plus(each, *(head.note[i] for head in heads)) for i, each in enumerate(x)]
        up = [times(named[own + "up"], rms_normed(each, named[own + "norm2"])) for each in mid]
        hidden = [[max(0.0, number) for number in each] for each in up]
        levels += [x, mid]
        all_heads.append(heads)
        all_hidden.append(hidden)
        x = mid
        if f"{layer}.mlp" not in off:
            x = [plus(m, times(named[own + "down"], h)) for m, h in zip(mid, hidden, strict=True)]
    return Read([*levels, x], all_heads, all_hidden)
