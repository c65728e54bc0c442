"""Exercise: the table of places."""

import torch

from attention_practice._exercise import Case, Exercise, planted


def my_sinusoids(length, dim):
    frequency = 10000.0 ** (-torch.arange(0, dim, 2) / dim)
    angle = torch.arange(length)[:, None] * frequency
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)


EXERCISE = Exercise(
    title="The table of places",
    task=(
        "The table of places (length, dim): sin(place * 10000^(-2i/dim)) in column 2i, the cosine "
        "of the same in column 2i + 1."
    ),
    page="reference/positions/",
    differentiable=False,
    cases=(Case("six places", (6, 4)), Case("three places of eight columns", (3, 8))),
    mistakes=planted("""
        Read: reference/positions/#attention_steps.sinusoidal_positions
        halves `torch.stack` -> `torch.cat`, `.flatten(-2)` -> ``: All sines come first, then all
            cosines. Here the two alternate: sine in column 2i, cosine in column 2i + 1.
        i for 2i `(0, dim, 2)` -> `(dim // 2)`: The later columns turn too fast: the exponent is
            -2i/dim, where i counts pairs of columns.
        exchanged `angle.sin(), angle.cos()` -> `angle.cos(), angle.sin()`: Sine and cosine have
            changed places.
        from 1 `(length)[` -> `(1, length + 1)[`: Your places begin at 1. The first place is 0.
        sign `-torch` -> `torch`: The later columns turn faster, and should turn slower: the
            exponent is -2i/dim, with a minus, or the place is divided by the power.
        twice 2i `/ dim` -> `* 2 / dim`: The later columns turn too slowly: the 2 of 2i is there
            twice.
        columns counted `(0, dim, 2)` -> `(dim) * 2`, `angle.sin(), angle.cos()` -> `angle[:,
            0::2].sin(), angle[:, 1::2].cos()`: The exponent counts columns. i counts pairs of
            columns: columns 2i and 2i + 1 have the same angle.
        odd columns slower `(0, dim, 2)` -> `(dim)`, `angle.sin(), angle.cos()` -> `angle[:,
            0::2].sin(), angle[:, 1::2].cos()`: The cosine of a pair turns slower than its sine.
            Both have the same angle.
        Read: reference/positions/#many-hands
        dim/2 - 1 `(0, dim, 2) / dim` -> `(dim // 2) / (dim // 2 - 1)`: The last pair is slower than
            10000^(-2i/dim): the exponent is divided by dim/2 - 1 and not by dim/2. Some libraries
            do that.
    """),
    hints=(
        "Place times frequency is a table (length, dim/2) by broadcasting.",
        "`torch.stack((sin, cos), dim=-1).flatten(-2)` makes the columns alternate.",
    ),
    solution=my_sinusoids,
    lines="""
        frequency = 10_000 ** (-torch.arange(0, dim, 2) / dim)
        frequency = 10_000 ** (-torch.arange(dim // 2) / dim)

        angle = torch.arange(length)[:, None] * frequency
        angle = torch.arange(1, length + 1)[:, None] * frequency

        return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)
        return torch.stack((angle.cos(), angle.sin()), dim=-1).flatten(-2)
        return torch.cat((angle.sin(), angle.cos()), dim=-1)
    """,
)
