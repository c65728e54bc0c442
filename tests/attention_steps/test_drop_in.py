"""The state of torch's layer, and attention as transformers calls it."""

import math
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attention_steps import (
    MultiHeadAttention,
    SelfAttention,
    scaled_dot_product_attention,
)
from attention_steps.drop_in import transformers_attention
from tests.attention_steps.oracles import assert_near, randn, random_mask


def torchs_layer(**options: Any) -> nn.MultiheadAttention:
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(8, 2, dtype=torch.float64, **options)
    for parameter in layer.parameters():  # biases that count
        nn.init.normal_(parameter)
    return layer


@pytest.mark.parametrize("sizes", [{}, {"kdim": 5, "vdim": 3}])
@pytest.mark.parametrize("bias", [True, False])
def test_it_loads_the_state_of_torchs_layer(sizes: dict[str, Any], bias: bool) -> None:
    theirs = torchs_layer(bias=bias, **sizes)
    state = theirs.state_dict()
    names = list(state)
    expected = MultiHeadAttention.from_torch(theirs).state_dict()
    layer = MultiHeadAttention(8, 2, bias=bias, dtype=torch.float64, **sizes)
    model = nn.Sequential(layer)
    layer.load_state_dict(state)
    assert list(state) == names
    assert all(torch.equal(x, expected[name]) for name, x in layer.state_dict().items())
    model.load_state_dict({f"0.{name}": x + 1.0 for name, x in state.items()})
    assert all(torch.equal(x, expected[n] + 1.0) for n, x in layer.state_dict().items())
    with pytest.raises(RuntimeError, match="size mismatch"):
        MultiHeadAttention(16, 2, bias=bias).load_state_dict(state)
    with pytest.raises(RuntimeError, match="bias_k"):
        layer.load_state_dict(torchs_layer(add_bias_kv=True).state_dict())


def test_a_type_checker_knows_what_a_call_takes_and_returns() -> None:
    """mypy reads this: it would complain of an `ignore` without an error."""
    output: Tensor = MultiHeadAttention(8, 2)(torch.ones(2, 3, 8), is_causal=True)
    assert output.shape == SelfAttention(8, 8)(output).shape
    with pytest.raises(TypeError, match="unexpected keyword argument 'causal'"):
        MultiHeadAttention(8, 2)(output, causal=True)  # type: ignore[arg-type]


# transformers_attention ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["none", "boolean", "float"])
@pytest.mark.parametrize("biased", [True, False])
def test_transformers_are_answered_in_their_axes(kind: str, biased: bool) -> None:
    query, key, value = randn(2, 4, 3, 8), randn(2, 2, 5, 8, seed=1), randn(2, 2, 5, 6, seed=2)
    allowed = random_mask(2, 1, 3, 7, seed=3)  # as of a static cache: with keys to come
    mask = {"none": None, "boolean": allowed, "float": randn(2, 1, 3, 7, seed=4)}[kind]
    bias = randn(1, 4, 3, 5, seed=5)
    sinks = randn(4, seed=6)
    context, weights = transformers_attention(
        nn.Module(),
        query,
        key,
        value,
        mask,
        scaling=0.3,
        softcap=2.0,
        s_aux=sinks,
        position_bias=bias if biased else None,
        sliding_window=3,
    )
    assert weights is None
    assert context.shape == (2, 3, 4, 6)
    added = torch.zeros(2, 4, 3, 5, dtype=torch.float64)
    if mask is not None:
        mask = mask[..., :5]
        is_bool = mask.dtype is torch.bool
        added = added.masked_fill(~mask, -math.inf) if is_bool else added + mask
    expected = scaled_dot_product_attention(
        query,
        key,
        value,
        added + bias if biased else added,
        scale=0.3,
        enable_gqa=True,
        softcap=2.0,
        sinks=sinks,
    )
    assert_near(context.transpose(1, 2), expected)


def test_a_mask_that_is_not_registered_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    makers = SimpleNamespace(ALL_MASK_ATTENTION_FUNCTIONS={"eager": None})
    monkeypatch.setitem(sys.modules, "transformers.masking_utils", makers)
    x = randn(1, 2, 3, 4)
    module: Any = nn.Module()
    module.config = SimpleNamespace(_attn_implementation="mine")
    with pytest.raises(ValueError, match=r"^a mask must be registered .*\(\"mine\", eager"):
        transformers_attention(module, x, x, x, None)
    module.config._attn_implementation = "eager"
    transformers_attention(module, x, x, x, None)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"s_aux": torch.ones(1)}, ValueError, r"s_aux must .* each head, \(4,\), got \(1,\)"),
        ({"s_aux": torch.ones(4).int()}, TypeError, "s_aux must have a floating-point dtype"),
        ({"scaling": math.nan}, ValueError, "scaling must be finite, got nan"),
        ({"scaling": torch.ones(())}, TypeError, r"scaling must .* and pass scaling=1\.0"),
        ({"dropout": 2.0}, ValueError, "dropout must be between 0 and 1, got 2.0"),
    ],
)
def test_an_error_names_the_argument_that_transformers_gave(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    x = torch.ones(1, 4, 3, 8)
    with pytest.raises(error, match=f"^{message}"):
        transformers_attention(nn.Module(), x, x, x, None, **given)


def test_chosen_keys_are_not_passed_over() -> None:
    x = randn(1, 2, 3, 4)
    with pytest.raises(ValueError, match=r"^indices must be None"):
        transformers_attention(nn.Module(), x, x, x, None, indices=torch.zeros(1, 3, 1))
    with pytest.raises(TypeError, match=r"^attention_mask must be a tensor, got list"):
        transformers_attention(nn.Module(), x, x, x, [1])  # type: ignore[arg-type]
