"""Exercise: shared heads."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import numbers


def my_share_heads(key, num_heads):
    return key.repeat_interleave(num_heads // key.shape[-3], dim=-3)


EXERCISE = Exercise(
    title="Shared heads",
    task=(
        "Repeat each head of keys for its group of neighbouring query heads: (..., num_kv_heads, "
        "S, E) -> (..., num_heads, S, E)."
    ),
    page="steps/shared-heads/",
    cases=(
        Case("two heads for four", (numbers(2, 3, 2), 4)),
        Case("three heads for six, a batch of two", (numbers(2, 3, 2, 2, start=1), 6)),
        Case("one head for all four", (numbers(1, 3, 2, start=2), 4)),
    ),
    mistakes=planted("""
        tiled groups `key.repeat_interleave(num_heads // key.shape[-3], dim=-3)` -> `torch.cat([key]
            * (num_heads // key.shape[-3]), dim=-3)`
        Read: steps/shared-heads/#the-formula
        words `dim=-3` -> `dim=-2`: The words are repeated. The heads should be, dim=-3.
        too often `num_heads // key.shape[-3]` -> `num_heads`: Each head is repeated num_heads
            times. Repeat it num_heads // num_kv_heads times.
        axis 0 `dim=-3` -> `dim=0`: Axis 0 is repeated. With a batch in front that is the batch: the
            heads are dim=-3.
        axis 1 `shape[-3], dim=-3` -> `shape[1], dim=1`: The heads are taken for axis 1. Without a
            batch in front that is the axis of the words: the heads are dim=-3.
        divided `dim=-3)` -> `dim=-3) / (num_heads // key.shape[-3])`: Your keys are too small: they
            are divided by the size of the group. Each query head meets the whole key.
    """),
    hints=(
        "A group has num_heads // num_kv_heads heads.",
        "`repeat` gives 0 1 0 1, and `repeat_interleave` 0 0 1 1.",
    ),
    solution=my_share_heads,
    lines="""
        times = num_heads // key.shape[-3]
        times = num_heads

        return key.repeat_interleave(times, dim=-3)
        return key.repeat_interleave(times, dim=-2)
        return key.repeat_interleave(times, dim=0)
        return torch.cat([key] * times, dim=-3)
    """,
)
