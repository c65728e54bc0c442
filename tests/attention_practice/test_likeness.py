"""Tests that a result which no known mistake explains is told what it is like."""

from collections.abc import Callable
from typing import Any, ClassVar

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from attention_practice import diagnose
from attention_steps.core import scaled_dot_product_attention
from attention_steps.masks import causal_mask
from attention_steps.tiles import attention_with_lse, merge_attention

GIVEN = "Your result is that of the right function "


def three(inputs: Tensor, *matrices: Tensor) -> list[Tensor]:
    return [F.linear(inputs, W) for W in matrices]


def ring_that_keeps_its_keys(
    query: Tensor, key: Tensor, value: Tensor, rank: int, world_size: int, _: Any
) -> Tensor:
    n = torch.arange(len(query))
    parts = [
        attention_with_lse(query, key, value, origin * len(n) + n <= (rank * len(n) + n)[:, None])
        for origin in ((rank - turn) % world_size for turn in range(world_size))
    ]
    done = parts[0]
    for part in parts[1:]:
        done = merge_attention(*done, *part)
    return done[0]


def from_the_second_block(
    ids: Tensor, table: Tensor, position: Tensor, blocks: Any, norm: Any
) -> Tensor:
    x = table[ids] + position[: ids.shape[-1]]
    for i in range(1, len(blocks)):
        x = blocks[i](x)
    return F.linear(norm(x), table)


def copies(tokens: Tensor) -> Tensor:
    mask = (tokens[:, None] == tokens.roll(1)) & causal_mask(len(tokens))
    mask[:, 0] = False
    return mask


def without_bias(*arguments: Any) -> Tensor:
    given = list(arguments)
    given[5] = 0 * given[5]
    return on_device(*given)


def copied_heads(key: Tensor, num_heads: int) -> Tensor:
    return key[..., torch.arange(num_heads) * key.shape[-3] // num_heads, :, :]


def on_device(
    x: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    out: Tensor,
    bias: Tensor,
    rank: int,
    size: int,
    sum_over: Callable[[Tensor], Tensor],
) -> Tensor:
    query, key, value = three(x, *(W.chunk(size)[rank] for W in (q, k, v)))
    context = scaled_dot_product_attention(query, key, value)
    return sum_over(F.linear(context, out.chunk(size, 1)[rank])) + bias


def window(n: int, size: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril().triu(1 - size)


def without_an_axis(lengths: Tensor, n: int) -> Tensor:
    return (lengths[:, None, None] > torch.arange(n)) & causal_mask(n)


def loss(logits: Tensor, tokens: Tensor, pad: int) -> Tensor:
    return F.cross_entropy(logits[:, :-1].mT, tokens[:, 1:], ignore_index=pad)


# The right result in another form.
FORMS: list[tuple[str, Callable[..., Any], str]] = [
    ("attention", lambda q, k, v: (scaled_dot_product_attention(q, k, v), q), "Your first result"),
    ("attention", lambda q, k, v: (q, scaled_dot_product_attention(q, k, v)), "Your last result"),
    ("project", lambda *inputs: torch.stack(three(*inputs)), "in one tensor. Return several."),
    ("split_heads", lambda x, n: x.chunk(n, -1), "torch.stack(..., dim=-3) makes one"),
    ("merge_heads", lambda x: x.unbind(-3), "torch.cat(..., dim=-1) makes one"),
    ("induction", lambda t: copies(t).long(), "in numbers: 0 is False"),
    (
        "induction",
        lambda t: (~copies(t)).float(),
        "Your mask is False, or 0, where",
    ),
    ("induction", lambda t: ~copies(t), "Your mask is False, or 0, where"),
    ("dropped", lambda w, keep, p: (w / (1 - p)).masked_fill(~keep, torch.inf), "yours is infin"),
    ("project", lambda *inputs: [x.mT for x in three(*inputs)][::-1], ""),
    (
        "share_heads",
        lambda k, n: copied_heads(k, n).movedim(-3, -1),
        "(-3, -2, -1), (-2, -1, -3)",
    ),
    ("padded_causal", lambda lengths, n: without_an_axis(lengths, n), "but the axes are not"),
    (
        "padding_mask",
        lambda lengths, n: (lengths[:, None, None, None] > torch.arange(n)).expand(-1, 1, n, n),
        "Broadcasting would repeat it.",
    ),
    ("context", lambda w, v: (w @ v).roll(-1, -2), "The rows of your result come one place too ea"),
    (
        "context",
        lambda w, v: (w @ v).roll(1, -1),
        "The columns of your result come one place too la",
    ),
    ("context", lambda w, v: (w @ v).flip(-2), "The rows of your result run backwards."),
    ("context", lambda w, v: (w @ v)[..., :-1, :], "The first rows are right, and the others are"),
    ("context", lambda w, v: torch.cat([w @ v, v], -2), "rows are right, and there are more"),
    ("context", lambda w, v: (w @ v).sum(-2), "The right rows are added up."),
    ("context", lambda w, v: (w @ v).mean(-1), "The right columns are averaged."),
    ("context", lambda w, v: (w @ v).exp(), "The right numbers are the logarithms of yours."),
    ("linear", lambda q, k, v: ((q @ k.mT).tril() @ v).softmax(-1), "one softmax too many"),
]

# What the right function makes of other inputs.
INPUTS: list[tuple[str, Callable[..., Any], str]] = [
    ("project", lambda x, q, k, v: three(x, q, q, v), "with `W_query` in place of `W_key`"),
    ("linear", lambda q, k, v: (k @ q.mT).tril() @ v, "if `key` and `query` change places"),
    ("heads_on_devices", without_bias, "if `bias` is not used"),
    ("window_mask", lambda n, size: window(n, size - 1), "with `window` - 1: off by one"),
    ("padded_loss", lambda x, t, pad: loss(x, t, 0), "with 0 in place of `pad`"),
    ("paged", lambda p, t, n: p[t.sort().values].flatten(0, 1)[:n], "with `table` sorted"),
    (
        "share_heads",
        lambda k, n: copied_heads(k.narrow(-3, 0, 1).expand(k.shape), n),
        "with the first of `key` along axis -3 in place of all",
    ),
    (
        "paged",
        lambda p, t, n: p[t.flip(0)].flatten(0, 1)[:n],
        "with the order of `table` along axis -1 reversed",
    ),
    ("ring", ring_that_keeps_its_keys, "where `pass_on` changes nothing, as if it were not used"),
    ("language_model", from_the_second_block, "without the first of `blocks`"),
    ("linear", lambda q, k, v: (q @ k.mT).triu() @ v, "where each row looks the other way"),
]


@pytest.mark.parametrize(("name", "function", "says"), FORMS)
def test_the_right_result_in_another_form_is_told(
    name: str, function: Callable[..., Any], says: str
) -> None:
    report = diagnose(name, function)
    assert not report.passed
    assert report.mistakes == ()
    assert says in report.says
    assert not report.says.startswith(GIVEN)


@pytest.mark.parametrize(("name", "function", "says"), INPUTS)
def test_the_right_result_of_other_inputs_is_told(
    name: str, function: Callable[..., Any], says: str
) -> None:
    report = diagnose(name, function)
    assert (report.mistakes, report.kind) == ((), "relation")
    assert report.says.startswith(GIVEN + says)


def test_what_holds_for_one_input_alone_is_not_told() -> None:
    """The transposed result fits where there are as many queries as keys, and nowhere else."""

    def my_scores(query: Tensor, key: Tensor) -> Tensor:
        scores = query @ key.mT
        return scores.mT * (1.0 if scores.shape[-1] == scores.shape[-2] == 6 else 2.0)

    assert "changed places" not in diagnose(my_scores).says


def test_a_new_cache_that_holds_the_rows_of_another_is_told() -> None:
    class MyCache:
        keys: ClassVar[list[Tensor]] = []
        values: ClassVar[list[Tensor]] = []

        def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
            self.keys.append(key)
            self.values.append(value)
            return torch.cat(self.keys, -2), torch.cat(self.values, -2)

    assert "Begin with nothing on `self`" in diagnose("cache", MyCache).text
