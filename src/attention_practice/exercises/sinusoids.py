"""Exercise: the table of places."""

import torch
from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known


def angles_of(mistakes: MistakeNames, positions: Tensor, dim: int) -> Tensor:
    positions = positions + ("from 1" in mistakes)
    pair = torch.arange(dim // 2, dtype=torch.float64)
    times = 1 if "i for 2i" in mistakes else 4 if "twice 2i" in mistakes else 2
    exponent = times * pair / dim
    sign = 1 if "sign" in mistakes else -1
    return positions[:, None] * 10000.0 ** (sign * exponent)


def attempt(mistakes: MistakeNames, length: int, dim: int) -> Tensor:
    angles = angles_of(mistakes, torch.arange(length), dim)
    if "dim/2 - 1" in mistakes:
        pair = torch.arange(dim // 2, dtype=torch.float64)
        angles = torch.arange(length)[:, None] * 10000.0 ** (-pair / (dim // 2 - 1))
    if mistakes & {"columns counted", "odd columns slower"}:
        column = torch.arange(dim, dtype=torch.float64)
        step = 2 if "columns counted" in mistakes else 1
        each = torch.arange(length)[:, None] * 10000.0 ** (-step * column / dim)
        return torch.where(column % 2 == 0, each.sin(), each.cos()).float()
    pair_of = (
        (angles.cos(), angles.sin()) if "exchanged" in mistakes else (angles.sin(), angles.cos())
    )
    if "halves" in mistakes:
        return torch.cat(pair_of, -1).float()
    return torch.stack(pair_of, -1).flatten(-2).float()


def my_sinusoids(length, dim):
    frequency = 10000.0 ** (-torch.arange(0, dim, 2) / dim)
    angle = torch.arange(length)[:, None] * frequency
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)


EXERCISE = Exercise(
    part=3,
    task=(
        "The table of places (length, dim): sin(place * 10000^(-2i/dim)) in column 2i, the cosine "
        "of the same in column 2i + 1."
    ),
    page="steps/where-is-position/",
    attempt=attempt,
    differentiable=False,
    cases=(Case("six places", (6, 4)), Case("three places of eight columns", (3, 8))),
    mistakes=known("""
        Read: steps/where-is-position/#the-formula
        halves: All sines come first, then all cosines. Here the two alternate: sine in column 2i,
            cosine in column 2i + 1.
        i for 2i: The later columns turn too fast: the exponent is -2i/dim, where i counts pairs of
            columns.
        exchanged: Sine and cosine have changed places.
        from 1: Your places begin at 1. The first place is 0.
        sign: The later columns turn faster, and should turn slower: the exponent is -2i/dim, with
            a minus, or the place is divided by the power.
        twice 2i: The later columns turn too slowly: the 2 of 2i is there twice.
        columns counted: The exponent counts columns. i counts pairs of columns: columns 2i and 2i +
            1 have the same angle.
        odd columns slower: The cosine of a pair turns slower than its sine. Both have the same
            angle.
        Read: steps/where-is-position/#for-engineers
        dim/2 - 1: The last pair is slower than 10000^(-2i/dim): the exponent is divided by dim/2 -
            1 and not by dim/2. Some libraries do that.
    """),
    hints=(
        "Place times frequency is a table (length, dim/2) by broadcasting.",
        "`torch.stack((sin, cos), dim=-1).flatten(-2)` makes the columns alternate.",
    ),
    solution=my_sinusoids,
)
