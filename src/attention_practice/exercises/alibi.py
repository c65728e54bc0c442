"""Exercise: a bias by distance."""

import torch

from attention_practice._exercise import Case, Exercise, planted


def my_alibi(num_heads, n):
    distance = (torch.arange(n)[:, None] - torch.arange(n)).abs()
    slopes = 2.0 ** (-8.0 * torch.arange(1, num_heads + 1) / num_heads)
    return -slopes[:, None, None] * distance


EXERCISE = Exercise(
    title="A bias by distance",
    task=(
        "A bias (num_heads, n, n) to add to the scores: minus the distance of the two places, "
        "times the slope of the head, 2^(-8 (h + 1) / num_heads) for head h = 0, 1, ..."
    ),
    page="reference/positions/",
    differentiable=False,
    cases=(Case("four heads, five places", (4, 5)), Case("sixteen heads, three places", (16, 3))),
    mistakes=planted("""
        Read: reference/positions/#attention_steps.alibi_slopes
        sign `-slopes` -> `slopes`: Distant words get a higher score. The bias is negative.
        signed `.abs()` -> ``: Later words get a positive bias: the distance has a sign. Take its
            absolute value.
        from 0 `(1, num_heads + 1)` -> `(num_heads)`: The first head has slope 1: heads are counted
            from 0 in the exponent. The first exponent is -8 / num_heads.
        one slope `slopes[:` -> `slopes[:1].expand(num_heads)[:`: All heads have the slope of the
            first. Each head has its own.
        no slope `-slopes[:, None, None]` -> `-torch.ones(num_heads, 1, 1)`: The bias is the
            distance itself. Each head multiplies it by a slope of its own.
        not shared out ` / num_heads` -> ``: The exponent is not divided by num_heads, so all but
            the first heads hardly see a distance.
        last first `slopes[:` -> `slopes.flip(0)[:`: The heads have their slopes in the opposite
            order: head 0 has the steepest.
    """),
    hints=(
        "The distance of two places is a table (n, n) by broadcasting.",
        "Slopes as (num_heads, 1, 1) times that table.",
    ),
    solution=my_alibi,
)
