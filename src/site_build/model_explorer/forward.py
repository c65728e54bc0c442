"""The language model of the course without torch: the build draws it with its learned numbers.

The same as theme/assets/tiny_lm/read.js computes in the browser. The tests hold it equal to the
model of tiny_lm.
"""

import base64
import json
from array import array
from collections.abc import Set
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, sqrt

from tiny_lm.recipe import RECIPE
from tiny_lm.stories import ID, LENGTH, WORDS

PARTS = {
    "norm1": 1,
    **{f"attention.{part}_proj": RECIPE.width for part in ("q", "k", "v", "out")},
    "norm2": 1,
    "up": RECIPE.hidden,
    "down": RECIPE.width,
}
ROWS = {
    "embedding": len(WORDS),
    "position": LENGTH,
    **{f"blocks.{n}.{name}": rows for n in range(RECIPE.layers) for name, rows in PARTS.items()},
    "norm": 1,
}
HEADS = RECIPE.heads

Vector = list[float]
Matrix = list[Vector]


@dataclass(frozen=True)
class Head:
    """What a head computes, with a row for each word."""

    weights: Matrix
    value: Matrix
    note: Matrix


@dataclass(frozen=True)
class ModelRun:
    """What is computed on the way.

    Attributes:
        levels: The vectors of all words before each layer, in its middle, and behind all layers.
        layers: The heads of each layer.
    """

    levels: list[Matrix]
    layers: list[list[Head]]


@cache
def parameters() -> dict[str, Matrix]:
    """Return the matrix, or the one row, of each name."""
    stored = json.loads(files("tiny_lm").joinpath("numbers.json").read_text("utf-8"))
    planes = base64.b64decode(stored["numbers"])  # all first bytes, all second ones, and so on
    count = len(planes) // 4
    numbers = array("f", bytes(planes[k * count + i] for i in range(count) for k in range(4)))
    found, end = {}, 0
    for name, rows in ROWS.items():
        width = RECIPE.hidden if name.endswith("down") else RECIPE.width
        found[name] = [list(numbers[end + i * width :][:width]) for i in range(rows)]
        end += rows * width
    return found


def dot(a: Vector, b: Vector) -> float:
    """Multiply two vectors and add up."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def times(matrix: Matrix, x: Vector) -> Vector:
    """Multiply a matrix and a vector."""
    return [dot(row, x) for row in matrix]


def plus(*vectors: Vector) -> Vector:
    """Add vectors."""
    return [sum(numbers) for numbers in zip(*vectors, strict=True)]


def rms_normed(x: Vector, gain: Matrix) -> Vector:
    """Give a vector the root mean square 1, and each number its gain."""
    size = sqrt(dot(x, x) / len(x) + RECIPE.eps)
    return [number / size * g for number, g in zip(x, gain[0], strict=True)]


def softmax(scores: Vector) -> Vector:
    """Return shares of 1."""
    powers = [exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def shares(x: Vector) -> Vector:
    """Return the share of each word, if the model stopped at a vector."""
    named = parameters()
    return softmax(times(named["embedding"], rms_normed(x, named["norm"])))


def head_of(normed: Matrix, layer: int, head: int, is_off: bool) -> Head:
    """Compute a head for all words; what is off adds nothing."""

    def own(name: str) -> Matrix:
        return parameters()[f"blocks.{layer}.attention.{name}_proj"]

    dim = len(normed[0]) // HEADS
    part = slice(head * dim, (head + 1) * dim)
    query, key, value = ([times(own(name)[part], x) for x in normed] for name in "qkv")
    weights = [
        softmax([dot(asks, answers) / sqrt(dim) for answers in key[: i + 1]])
        for i, asks in enumerate(query)
    ]
    out = [row[part] for row in own("out")]
    context = [
        plus(*([w * v for v in each] for w, each in zip(row, value, strict=False)))
        for row in weights
    ]
    note = [times(out, [0.0] * dim if is_off else each) for each in context]
    return Head(weights, value, note)


def read_text(
    words: list[str], off: Set[str] = frozenset(), patch: tuple[int, int, Vector] | None = None
) -> ModelRun:
    """Read words, the start token first.

    Args:
        words: The text.
        off: Parts, as `layer.head` or `layer.mlp`.
        patch: A layer, a place, and the vector that is put there before this layer.
    """
    named = parameters()
    table, places = named["embedding"], named["position"]
    x = [plus(table[ID[word]], places[i]) for i, word in enumerate(words)]
    levels, layers = [], []
    for layer in range(RECIPE.layers):
        own = f"blocks.{layer}."
        if patch and patch[0] == layer:
            x = [patch[2] if i == patch[1] else each for i, each in enumerate(x)]
        normed = [rms_normed(each, named[own + "norm1"]) for each in x]
        heads = [head_of(normed, layer, h, f"{layer}.{h}" in off) for h in range(HEADS)]
        mid = [plus(each, *(head.note[i] for head in heads)) for i, each in enumerate(x)]
        levels += [x, mid]
        layers.append(heads)
        x = mid
        if f"{layer}.mlp" not in off:
            x = [plus(each, note_of_mlp(each, own)) for each in mid]
    return ModelRun([*levels, x], layers)


def note_of_mlp(x: Vector, own: str) -> Vector:
    """Return the note of an MLP for one word."""
    named = parameters()
    up = times(named[own + "up"], rms_normed(x, named[own + "norm2"]))
    return times(named[own + "down"], [max(0.0, number) for number in up])
