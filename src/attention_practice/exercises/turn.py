"""Exercise: hands that turn from word to word."""

import math

import torch

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import numbers


def my_turn(hands):
    angle = torch.arange(len(hands)) * math.pi / 3
    up, right = hands.T
    turned_up = angle.cos() * up - angle.sin() * right
    turned_right = angle.sin() * up + angle.cos() * right
    return torch.stack([turned_up, turned_right], dim=-1)


TIPS = ("up", "right")

EXERCISE = Exercise(
    title="Hands that turn",
    task=(
        "Turn each hand by 60 degrees for each position, the first one by 0. Row i has how far the "
        "tip of hand i is up and to the right: (L, 2) -> (L, 2)."
    ),
    page="steps/position-by-rotation/",
    cases=(
        Case(
            "four hands at 12 o'clock",
            (torch.tensor([[1.0, 0.0]]).repeat(4, 1),),
            [f"word {place}" for place in range(4)],
            TIPS,
        ),
        Case("three other hands", (numbers(3, 2),), [f"word {place}" for place in range(3)], TIPS),
    ),
    mistakes=planted("""
        Read: steps/position-by-rotation/#turn-a-query-turn-a-key
        from 1 `torch.arange(len(hands))` -> `torch.arange(1, len(hands) + 1)`: Your positions begin
            at 1. The first word has position 0, and its hand does not turn.
        turned back `angle.cos() * up - angle.sin()` -> `angle.cos() * up + angle.sin()`,
            `angle.sin() * up +` -> `-angle.sin() * up +`: Your hands turn the other way: the sign
            of the sine.
        no minus `up - angle` -> `up + angle`: How far up has a plus where its formula has a minus.
        sines alone `+ angle.cos() * right` -> `+ angle.sin() * right`: How far to the right is made
            of two sines. The second part has the cosine.
        exchanged `[turned_up, turned_right]` -> `[turned_right, turned_up]`: Up and right have
            changed places in the result.
        half `math.pi / 3` -> `math.pi / 6`: Your hands turn by 30 degrees for each position.
            60 degrees are pi / 3.
    """),
    hints=(
        "The angle of position i is i times 60 degrees, which is i * math.pi / 3.",
        "`up, right = hands.T` takes the two columns apart, and `torch.stack(..., dim=-1)` puts "
        "two columns together.",
    ),
    solution=my_turn,
    lines="""
        angle = torch.arange(len(hands)) * math.pi / 3
        angle = torch.arange(1, len(hands) + 1) * math.pi / 3

        up, right = hands.T

        turned_up = angle.cos() * up - angle.sin() * right
        turned_up = angle.cos() * up + angle.sin() * right

        turned_right = angle.sin() * up + angle.cos() * right
        turned_right = angle.sin() * up + angle.sin() * right

        return torch.stack([turned_up, turned_right], dim=-1)
        return torch.stack([turned_right, turned_up], dim=-1)
    """,
)
