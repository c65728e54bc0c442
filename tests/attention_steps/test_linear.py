"""Attention without a softmax: one state, three ways to compute it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from attention_steps import linear_attention
from tests.attention_steps.oracles import assert_near, query_key_value, randn


def by_loops(
    query: list[list[float]],
    key: list[list[float]],
    value: list[list[float]],
    decay: list[float],
    beta: list[float] | None,
    state: list[list[float]],
) -> tuple[Tensor, Tensor]:
    """The definition, one number at a time."""
    state = [list(row) for row in state]
    contexts = []
    for t, (q, k, v) in enumerate(zip(query, key, value, strict=True)):
        state = [[decay[t] * number for number in row] for row in state]
        write = list(v)
        if beta is not None:
            there = [
                sum(k[e] * state[e][c] for e in range(len(k))) for c in range(len(v))
            ]  # what the state holds under this key
            write = [beta[t] * (new - old) for new, old in zip(v, there, strict=True)]
        state = [
            [number + k[e] * write[c] for c, number in enumerate(row)]
            for e, row in enumerate(state)
        ]
        contexts.append([sum(q[e] * state[e][c] for e in range(len(q))) for c in range(len(v))])
    return torch.tensor(contexts, dtype=torch.float64), torch.tensor(state, dtype=torch.float64)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    st.integers(1, 7),
    st.integers(1, 8),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 99),
)
def test_every_chunk_size_follows_the_definition(
    length: int, chunk_size: int, decays: bool, delta: bool, continued: bool, seed: int
) -> None:
    query, key, value = (randn(length, size, seed=seed + size) for size in (3, 3, 4))
    key = torch.nn.functional.normalize(key, dim=-1)
    decay = torch.sigmoid(randn(length, seed=seed)) if decays else torch.ones(length)
    beta = torch.sigmoid(randn(length, seed=seed + 1)) if delta else None
    state = randn(3, 4, seed=seed) if continued else torch.zeros(3, 4, dtype=torch.float64)

    context, left = linear_attention(
        query,
        key,
        value,
        decay=decay if decays else None,
        beta=beta,
        state=state if continued else None,
        chunk_size=chunk_size,
    )

    expected = by_loops(
        query.tolist(),
        key.tolist(),
        value.tolist(),
        decay.tolist(),
        None if beta is None else beta.tolist(),
        state.tolist(),
    )
    assert_near(context, expected[0])
    assert_near(left, expected[1])


@pytest.mark.parametrize("chunk_size", [1, 2, 64])
def test_gradients_are_derivatives(chunk_size: int) -> None:
    query, key, value = query_key_value(5, 2)
    decay, beta = torch.sigmoid(randn(5, seed=7)), torch.sigmoid(randn(5, seed=8))
    state = randn(2, 2, seed=9)
    inputs = [t.requires_grad_() for t in (query, key, value, decay, beta, state)]

    def attend(
        query: Tensor, key: Tensor, value: Tensor, decay: Tensor, beta: Tensor, state: Tensor
    ) -> tuple[Tensor, Tensor]:
        return linear_attention(
            query, key, value, decay=decay, beta=beta, state=state, chunk_size=chunk_size
        )

    assert torch.autograd.gradcheck(attend, inputs)


def test_strong_decay_over_a_long_sequence_has_finite_gradients() -> None:
    query, key, value = query_key_value(2000, 2, dtype=torch.float32)
    decay = torch.full((2000,), 0.9, requires_grad=True)
    context, _ = linear_attention(query, key, value, decay=decay)
    [grad] = torch.autograd.grad(context.sum(), decay)
    assert grad.isfinite().all()


@pytest.mark.parametrize("chunk_size", [1, 2, 64])
def test_a_decay_of_zero_has_the_gradient_of_the_recurrence(chunk_size: int) -> None:
    ones = torch.ones(3, 1, dtype=torch.float64)
    decay = torch.tensor([0.5, 0.0, 1.0], dtype=torch.float64, requires_grad=True)
    context, _ = linear_attention(ones, ones, ones, decay=decay, chunk_size=chunk_size)
    [grad] = torch.autograd.grad(context.sum(), decay)
    # The states are 1, 1 + d1 and 1 + d2 + d1 d2.
    assert_near(grad, torch.tensor([0.0, 2.0, 1.0], dtype=torch.float64))


def test_autocast_does_not_round_the_state() -> None:
    ones = torch.ones(300, 1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        context, state = linear_attention(ones, ones, ones)
    assert_near(context[:, 0], torch.arange(1.0, 301.0))
    assert state.item() == 300.0


@pytest.mark.parametrize("decays", [False, True])
def test_memory_grows_with_the_length_and_not_with_its_square(decays: bool) -> None:
    def largest(length: int) -> int:
        """The largest tensor that is kept for the backward pass."""
        sizes = [0]

        def keep(tensor: Tensor) -> Tensor:
            sizes.append(tensor.untyped_storage().nbytes())
            return tensor

        query, key, value = query_key_value(length, 4, dtype=torch.float32)
        decay = torch.full((length,), 0.9, requires_grad=True) if decays else None
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            linear_attention(query.requires_grad_(), key, value, decay=decay)
        return max(sizes)

    assert largest(1024) <= 2 * largest(512)


def test_where_there_are_no_numbers_to_read_none_is_refused() -> None:
    query, key, value = query_key_value(3, 5, 4)
    decay = beta = torch.sigmoid(randn(3, 5))

    def attend(*inputs: Tensor) -> tuple[Tensor, Tensor]:
        return linear_attention(*inputs[:3], decay=inputs[3], beta=inputs[4])

    expected = attend(query, key, value, decay, beta)
    mapped = torch.vmap(attend)(query, key, value, decay, beta)
    for one, other in zip(mapped, expected, strict=True):
        assert_near(one, other)
    on_meta = attend(*(x.to("meta") for x in (query, key, value, decay, beta)))
    with FakeTensorMode() as mode:
        fake = attend(*(mode.from_tensor(x) for x in (query, key, value, decay, beta)))
    for without in (on_meta, fake):
        assert [x.shape for x in without] == [x.shape for x in expected]
