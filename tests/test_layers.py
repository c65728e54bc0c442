"""Self-attention as a layer."""

from typing import Any

import pytest
import torch
from torch import Tensor

from attention_steps import SelfAttention
from oracles import attention_by_loops, randn, random_mask, torch_attention


def layer(
    d_in: int = 3, d_out: int = 2, *, bias: bool = False, dtype: torch.dtype = torch.float64
) -> SelfAttention:
    attention = SelfAttention(d_in, d_out, bias=bias).to(dtype)
    with torch.no_grad():
        for seed, parameter in enumerate(attention.parameters()):
            parameter.copy_(randn(*parameter.shape, seed=seed))
    return attention


def projected(attention: SelfAttention, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values, from the parameters alone."""
    parameters = dict(attention.named_parameters())
    query, key, value = (
        inputs @ parameters[f"{name}.weight"].T + parameters.get(f"{name}.bias", 0.0)
        for name in ("W_query", "W_key", "W_value")
    )
    return query, key, value


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("leading", [(), (4,), (2, 3)])
def test_attends_with_its_own_projections(bias: bool, leading: tuple[int, ...]) -> None:
    attention = layer(bias=bias)
    inputs = randn(*leading, 5, 3, seed=10)

    cases: list[dict[str, Any]] = [{}, {"is_causal": True}, {"attn_mask": random_mask(5, 5)}]
    for arguments in cases:
        context = attention(inputs, **arguments)

        assert context.shape == (*leading, 5, 2)
        query, key, value = projected(attention, inputs)
        expected = attention_by_loops(query, key, value, **arguments)
        torch.testing.assert_close(context, expected)


def test_parameters_have_the_names_of_the_lesson() -> None:
    plain = dict(SelfAttention(3, 2).named_parameters())
    biased = dict(SelfAttention(3, 2, bias=True).named_parameters())

    names = ["W_query", "W_key", "W_value"]
    assert list(plain) == [f"{name}.weight" for name in names]
    assert {parameter.shape for parameter in plain.values()} == {(2, 3)}
    assert set(biased) == {f"{name}.{part}" for name in names for part in ("weight", "bias")}


def test_every_parameter_learns() -> None:
    attention = layer(bias=True)

    attention(randn(5, 3, seed=10)).square().sum().backward()

    for name, parameter in attention.named_parameters():
        assert parameter.grad is not None
        assert parameter.grad.isfinite().all()
        # The same number added to all scores of a row changes no weight.
        assert name == "W_key.bias" or parameter.grad.abs().max() > 0


def test_keeps_nothing_of_a_call() -> None:
    attention = layer()
    before = {name: set(vars(module)) for name, module in attention.named_modules()}
    inputs = randn(5, 3, seed=10)
    copy = inputs.clone()

    attention(inputs, is_causal=True)

    assert {name: set(vars(module)) for name, module in attention.named_modules()} == before
    assert list(attention.buffers()) == []
    assert torch.equal(inputs, copy)


def test_a_later_token_never_changes_an_earlier_row() -> None:
    attention = layer()
    inputs = randn(6, 3, seed=10)
    changed = torch.cat([inputs[:4], randn(2, 3, seed=11)])

    before, after = attention(inputs, is_causal=True), attention(changed, is_causal=True)

    assert torch.equal(before[:4], after[:4])
    assert not torch.equal(before[4:], after[4:])


def test_permuting_the_tokens_permutes_the_output() -> None:
    attention = layer()
    inputs = randn(5, 3, seed=10)
    order = torch.tensor([3, 0, 4, 1, 2])

    torch.testing.assert_close(attention(inputs[order]), attention(inputs)[order])


def test_works_under_autocast() -> None:
    attention = layer(dtype=torch.float32)
    inputs = randn(5, 3, seed=10, dtype=torch.float32)
    query, key, value = projected(attention, inputs)

    with torch.autocast("cpu", dtype=torch.bfloat16):
        context = attention(inputs)

    assert context.dtype == torch.bfloat16
    expected = torch_attention(query, key, value)
    torch.testing.assert_close(context.float(), expected, rtol=0.05, atol=0.05)
