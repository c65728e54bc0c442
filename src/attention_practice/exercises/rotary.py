"""Exercise: rotation."""

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import COLUMNS, INPUTS, SENTENCE, WORDS, numbers


def my_rotary(x, positions):
    frequency = 10000.0 ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1])
    angle = positions[:, None] * frequency
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)


EXERCISE = Exercise(
    title="Rotation",
    task=(
        "Turn each pair of neighbouring components, 0 and 1, 2 and 3, ..., by the angle position * "
        "10000^(-2i/dim), i the number of the pair: (..., L, dim), (L,) -> (..., L, dim)."
    ),
    page="reference/positions/",
    cases=(
        Case(SENTENCE, (INPUTS, torch.arange(6)), WORDS, COLUMNS),
        Case("two new words after five", (numbers(2, 6), torch.tensor([5, 6]))),
        # A table that is kept by its length would turn these like the two before.
        Case("two other places", (numbers(2, 6), torch.tensor([1, 9]))),
        Case("two heads", (numbers(2, 3, 4, start=1), torch.tensor([0, 2, 9]))),
    ),
    mistakes=planted("""
        Read: reference/positions/#many-hands
        turned back `angle.sin()` -> `-angle.sin()`: Each pair is turned the other way: the sign of
            the sine.
        i for 2i `(0, x.shape[-1], 2)` -> `(x.shape[-1] // 2)`: The later pairs turn too fast: the
            exponent is -2i/dim, where i is the number of the pair.
        degrees `* frequency` -> `* frequency * math.pi / 180`: The angles are converted from
            degrees. sin and cos take radians, and the formula has no pi.
        no minus `cos - b` -> `cos + b`: The first component of a pair has a plus where its formula
            has a minus: a * cos - b * sin.
        no plus `, a * sin` -> `, -a * sin`: The second component of a pair has the wrong sign
            between its parts: a * sin + b * cos.
        sign `-torch` -> `torch`: The later pairs turn faster, and should turn slower: the exponent
            is -2i/dim, with a minus.
        sine for cosine `cos, sin =` -> `sin, cos =`: Sine and cosine have changed places: at
            position 0 nothing should turn.
        one angle ` * frequency` -> ``: All pairs turn by the position itself. Later pairs turn
            slower.
        overwritten `(a * cos` -> `(a := a * cos`: The second component of a pair is made from the
            first one after its turn. Keep the old one until both are made.
        Read: guides/what-goes-wrong/#two-rotary-layouts
        halves `x[..., 0::2], x[..., 1::2]` -> `x.chunk(2, -1)`, `torch.stack` -> `torch.cat`,
            `.flatten(-2)` -> ``
        laid in halves `torch.stack` -> `torch.cat`, `.flatten(-2)` -> ``: The pairs are turned
            rightly, and then all first components come before all second ones. Put each pair back
            where it was.
        Read: steps/kv-cache/#a-new-token-starts-at-0-again
        positions ignored `positions[` -> `torch.arange(x.shape[-2])[`: Your words are at 0, 1, 2,
            ..., and `positions` is not used. With a cache, the next word is not at 0.
    """),
    hints=(
        "The angles are a table (L, dim/2): position times frequency, by broadcasting.",
        "first, second = x[..., 0::2], x[..., 1::2]. Turned, the pair is (first cos - second sin, "
        "first sin + second cos).",
        "`torch.stack((a, b), dim=-1).flatten(-2)` puts the pairs back.",
    ),
    solution=my_rotary,
    lines="""
        frequency = 10_000 ** (-torch.arange(0, x.shape[-1], 2) / x.shape[-1])
        frequency = 10_000 ** (-torch.arange(x.shape[-1] // 2) / x.shape[-1])

        angle = positions[:, None] * frequency
        angle = torch.arange(len(positions))[:, None] * frequency

        cos, sin = angle.cos().to(x), angle.sin().to(x)

        a, b = x[..., 0::2], x[..., 1::2]

        turned = a * cos - b * sin, a * sin + b * cos
        turned = a * cos + b * sin, b * cos - a * sin

        return torch.stack(turned, dim=-1).flatten(-2)
    """,
)
