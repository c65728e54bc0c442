"""The inputs that torch tests its own functions with, taken from its test suite.

torch.testing._internal is private to torch and takes seconds to import, so it is imported here
alone, and late. Its samples for `multi_head_attention_forward` all have a learned key and value
added to each sequence, which this package does not have.
"""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attention_steps import MultiHeadAttention, scaled_dot_product_attention, trace_attention
from tests.attention_steps.oracles import randn, torch_attention

TOLERANCE = {
    torch.float64: 1e-12,
    torch.float32: 1e-5,
    torch.bfloat16: 2 * torch.finfo(torch.bfloat16).eps,
    torch.float16: 2 * torch.finfo(torch.float16).eps,
}


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


@pytest.mark.parametrize("dtype", list(TOLERANCE), ids=str)
def test_samples_of_scaled_dot_product_attention(dtype: torch.dtype) -> None:
    from torch.testing._internal.common_methods_invocations import op_db

    name = "nn.functional.scaled_dot_product_attention"
    operators: list[Any] = op_db
    (operator,) = (operator for operator in operators if operator.name == name)
    count = 0
    for sample in operator.sample_inputs("cpu", dtype, requires_grad=True):
        tensors: list[Tensor] = [sample.input, *sample.args]
        query, key, value = tensors
        arguments = dict(sample.kwargs)
        dropout_p = arguments.pop("dropout_p")
        if query.dim() < key.dim():
            # torch lets one query serve a whole batch. This package wants that said.
            with pytest.raises(ValueError, match="key must have the leading axes of query"):
                scaled_dot_product_attention(query, key, value, **arguments)
            query = query.expand(*key.shape[:-2], *query.shape[-2:])

        context = scaled_dot_product_attention(query, key, value, **arguments)
        expected = torch_attention(query, key, value, **arguments)

        assert_close(context, expected, dtype)
        upstream = randn(*context.shape, seed=9, dtype=dtype)
        for gradient, wanted in zip(
            torch.autograd.grad(context, (query, key, value), upstream),
            torch.autograd.grad(expected, (query, key, value), upstream),
            strict=True,
        ):
            assert_close(gradient, wanted, dtype)
        if dropout_p:
            dropped = trace_attention(query, key, value, dropout_p=dropout_p, **arguments)
            assert_close(dropped.context, dropped.weights.to(dtype) @ value, dtype)
        count += 1
    assert count == 25


def test_samples_of_multihead_attention() -> None:
    from torch.testing._internal.common_modules import module_db

    (module_info,) = (info for info in module_db if info.module_cls is nn.MultiheadAttention)
    compared = refused = 0
    for training in (True, False):
        for sample in module_info.module_inputs_func(
            module_info, device="cpu", dtype=torch.float64, requires_grad=True, training=training
        ):
            theirs = nn.MultiheadAttention(**sample.constructor_input.kwargs).double()
            theirs.train(training)
            for flag, held in (
                ("add_bias_kv", theirs.bias_k is not None),
                ("add_zero_attn", theirs.add_zero_attn),
            ):
                if held:
                    with pytest.raises(ValueError, match=flag):
                        MultiHeadAttention.from_torch(theirs)
                    refused += 1
                    break
            else:
                compare(theirs, sample.forward_input)
                compared += 1
    assert (compared, refused) == (32, 96)


def compare(theirs: nn.MultiheadAttention, forward_input: Any) -> None:
    """Outputs, gradients of the inputs, and the weights of every head."""
    ours = MultiHeadAttention.from_torch(theirs)
    query, key, value = forward_input.args
    hidden = forward_input.kwargs["attn_mask"]
    padded = forward_input.kwargs["key_padding_mask"]
    allowed = None
    if hidden is not None or padded is not None:
        allowed = torch.ones(ours.num_heads, query.shape[-2], key.shape[-2], dtype=torch.bool)
        for mask in (hidden, padded):
            allowed = allowed if mask is None else allowed & ~mask

    output = ours(query, key, value, attn_mask=allowed)
    trace = ours.trace(query, key, value, attn_mask=allowed)
    masks = {"attn_mask": hidden, "key_padding_mask": padded}
    expected, _ = theirs(query, key, value, need_weights=False, **masks)
    _, weights = theirs(query, key, value, average_attn_weights=False, **masks)

    assert_close(output, expected)
    assert_close(trace.output, expected)
    # With need_weights torch's layer gives NaN for a query that sees nothing, here it is zero.
    assert_close(trace.weights, weights.nan_to_num(0.0))
    upstream = randn(*output.shape, seed=9)
    wanted = torch.autograd.grad(expected, (query, key, value), upstream)
    for result in (output, trace.output):
        gradients = torch.autograd.grad(result, (query, key, value), upstream)
        for gradient, expected_gradient in zip(gradients, wanted, strict=True):
            assert_close(gradient, expected_gradient)


def assert_close(actual: Tensor, expected: Tensor, dtype: torch.dtype = torch.float64) -> None:
    # The samples are as large as 9, their gradients larger: small numbers are sums of large ones.
    largest = max(1.0, expected.detach().abs().max().item())
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance * largest)
