"""Who may attend to whom."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_steps import (
    causal_mask,
    document_mask,
    padding_mask,
    sliding_window_mask,
)


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 6), st.none() | st.integers(0, 6), st.none() | st.integers(-7, 7))
def test_causal_mask_follows_its_definition(
    query_len: int, key_len: int | None, offset: int | None
) -> None:
    given: dict[str, Any] = {} if offset is None else {"offset": offset}
    mask = causal_mask(query_len, key_len, **given)
    width = query_len if key_len is None else key_len
    assert mask.dtype == torch.bool
    assert mask.shape == (query_len, width)
    for i in range(query_len):
        for j in range(width):
            assert mask[i, j].item() == (j <= i + (offset or 0))


@pytest.mark.parametrize(
    ("offset", "expected"), [(sys.maxsize, True), (-sys.maxsize, False), (-sys.maxsize - 1, False)]
)
def test_a_very_large_offset_does_not_wrap_around(offset: int, expected: bool) -> None:
    assert (causal_mask(3, offset=offset) == expected).all()


# Padding --------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(st.lists(st.integers(0, 6), max_size=4), st.none() | st.integers(6, 8))
def test_padding_mask_follows_its_definition(lengths: list[int], max_len: int | None) -> None:
    mask = padding_mask(torch.tensor(lengths, dtype=torch.int64), max_len)
    width = max(lengths, default=0) if max_len is None else max_len
    assert mask.dtype == torch.bool
    assert mask.shape == (len(lengths), 1, 1, width)
    for row, length in zip(mask.reshape(len(lengths), width).tolist(), lengths, strict=True):
        assert row == [j < length for j in range(width)]


@pytest.mark.parametrize(
    "dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8], ids=str
)
def test_lengths_may_be_of_any_integer_dtype(dtype: torch.dtype) -> None:
    # 200 positions are more than int8 can count.
    mask = padding_mask(torch.tensor([100, 0], dtype=dtype), 200)
    assert mask.sum(dim=-1).flatten().tolist() == [100, 0]


def test_padding_mask_reads_no_length_when_it_is_told_how_many_keys_there_are() -> None:
    lengths = torch.tensor([3, 0, 5])

    class Padding(torch.nn.Module):
        def forward(self, lengths: torch.Tensor) -> torch.Tensor:
            return padding_mask(lengths, 5)

    compiled: Callable[..., torch.Tensor] = torch.compile(
        padding_mask, fullgraph=True, backend="aot_eager"
    )
    expected = padding_mask(lengths, 5)
    assert torch.equal(compiled(lengths, 5), expected)
    assert torch.equal(torch.export.export(Padding(), (lengths,)).module()(lengths), expected)
    mapped = torch.vmap(lambda lengths: padding_mask(lengths, 5))(lengths.expand(2, 3))
    assert torch.equal(mapped, expected.expand(2, 3, 1, 1, 5))


# Windows --------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(
    st.integers(0, 6),
    st.none() | st.integers(0, 6),
    st.integers(1, 8),
    st.none() | st.integers(-7, 7),
)
def test_sliding_window_mask_follows_its_definition(
    query_len: int, key_len: int | None, window: int, offset: int | None
) -> None:
    given: dict[str, Any] = {} if offset is None else {"offset": offset}
    mask = sliding_window_mask(query_len, key_len, window=window, **given)
    width = query_len if key_len is None else key_len
    assert mask.dtype == torch.bool
    assert mask.shape == (query_len, width)
    for i in range(query_len):
        for j in range(width):
            position = i + (offset or 0)
            assert mask[i, j].item() == (j in range(position - window + 1, position + 1))


def window_of_two(length: int) -> torch.Tensor:
    return sliding_window_mask(length, window=2)


@pytest.mark.slow
@pytest.mark.parametrize("make", [causal_mask, window_of_two])
def test_masks_export_for_any_length(make: Callable[[int], torch.Tensor]) -> None:
    class Masked(torch.nn.Module):
        def forward(self, scores: torch.Tensor) -> torch.Tensor:
            return scores.masked_fill(~make(scores.shape[-1]), 0.0)

    length = torch.export.Dim("length", min=2, max=64)
    exported = torch.export.export(
        Masked(), (torch.ones(7, 7),), dynamic_shapes=[{0: length, 1: length}], strict=False
    )

    for n in (2, 11):
        assert torch.equal(exported.module()(torch.ones(n, n)), make(n).float())


@settings(max_examples=30, deadline=None, derandomize=True, database=None)
@given(st.lists(st.integers(0, 3), max_size=6), st.sampled_from([torch.int64, torch.uint8]))
def test_document_mask_follows_its_definition(documents: list[int], dtype: torch.dtype) -> None:
    mask = document_mask(torch.tensor(documents, dtype=dtype))
    assert mask.tolist() == [[one == other for other in documents] for one in documents]


def test_a_batch_of_documents_has_a_mask_for_each() -> None:
    rows = torch.tensor([[0, 0, 1], [0, 1, 1]])
    mask = document_mask(rows[:, None])
    assert mask.shape == (2, 1, 3, 3)
    assert torch.equal(mask[1, 0], document_mask(rows[1]))
