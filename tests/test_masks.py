"""Who may attend to whom."""

import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_steps import causal_mask


def test_causal_mask_is_the_lower_triangle() -> None:
    assert causal_mask(3).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 6), st.integers(0, 6), st.integers(-7, 7))
def test_causal_mask_follows_its_definition(query_len: int, key_len: int, offset: int) -> None:
    mask = causal_mask(query_len, key_len, offset=offset)

    assert mask.dtype == torch.bool
    assert mask.shape == (query_len, key_len)
    for i in range(query_len):
        for j in range(key_len):
            assert mask[i, j].item() == (j <= i + offset)


def test_offset_aligns_the_last_query_with_the_last_key() -> None:
    assert torch.equal(causal_mask(2, 5, offset=3), causal_mask(5)[3:])


@pytest.mark.parametrize(("offset", "expected"), [(sys.maxsize, True), (-sys.maxsize, False)])
def test_a_very_large_offset_does_not_wrap_around(offset: int, expected: bool) -> None:
    assert (causal_mask(3, offset=offset) == expected).all()
