"""Which printed outputs are the same, which are not, and how a difference is told."""

from decimal import Decimal

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tensor_examples.compare import difference, tokens

SAME = {
    "last digit up": ("tensor(0.9544)", "tensor(0.9545)"),
    "last digit down": ("tensor(0.9544)", "tensor(0.9543)"),
    "carry": ("tensor(0.9999)", "tensor(1.0000)"),
    "whole numbers printed with decimals": ("tensor([1., 0.])", "tensor([1.0000, 0.0000])"),
    "minus zero": ("tensor([-0.0000, 1.0000])", "tensor([0.0000, 1.0000])"),
    "minus zero, whole": ("tensor(-0.)", "tensor(0.)"),
    "scientific on one side": ("tensor([1.0000e-01])", "tensor([0.1000])"),
    "last digit, scientific": ("tensor(2.5000e-08)", "tensor(2.5001e-08)"),
    "rows wrapped elsewhere": ("tensor([1.25, 2.25,\n        3.25])", "tensor([1.25, 2.25, 3.25])"),
    "padding": ("tensor([ 1.25, -2.25])", "tensor([1.25, -2.25])"),
    "numpy padding": ("[[1.   2.25]\n [3.25 4.  ]]", "[[1. 2.25] [3.25 4.]]"),
    "numpy last digits": ("[0.5  0.25 1.  ]", "[0.5        0.25000001 1.        ]"),
    "a dict of tensors": ("{'a': tensor([0.25])}", "{'a': tensor([0.26])}"),
    "a tuple of tensors": ("(tensor(0.1250), tensor(1.))", "(tensor(0.1251), tensor(1.0000))"),
    "a sentence": ("The score is 0.4521.", "The score is 0.4520."),
    "a percentage": ("50.25% of it", "50.24% of it"),
    "complex": ("tensor([1.0000+2.5000j])", "tensor([1.0001+2.4999j])"),
    "space at the end of a line": ("a \nb", "a\nb  "),
    "empty lines at the end": ("a\n\n", "a"),
    "nan": ("tensor([nan, inf, -inf])", "tensor([nan, inf, -inf])"),
    "an address in memory": ("<Line at 0x10f636400>", "<Line at 0x7fa126fded90>"),
}

DIFFERENT = {
    "two last digits": ("tensor(0.9544)", "tensor(0.9546)"),
    "a whole number is no rounded one": ("1.", "0.6"),
    "a masked weight": ("tensor([1., 0.])", "tensor([0.5000, 0.5000])"),
    "zero is exact": ("tensor([0., 1.])", "tensor([0.0001, 1.0000])"),
    "short and small": ("1e-05", "2e-05"),
    "zero and small": ("0.", "1e-05"),
    "one decimal": ("0.5", "0.6"),
    "large whole floats": ("tensor(100000.)", "tensor(100001.)"),
    "a short number and a near one": ("1.", "0.99"),
    "scientific on one side": ("tensor(1.0000e-05)", "tensor(0.0000)"),
    "an exponent": ("tensor(2.5000e-08)", "tensor(2.5000e-07)"),
    "a sign": ("tensor(0.5000)", "tensor(-0.5000)"),
    "an integer": ("tensor([3, 1])", "tensor([3, 2])"),
    "an integer and a float": ("tensor([3])", "tensor([3.])"),
    "a boolean": ("tensor([True, False])", "tensor([True, True])"),
    "a dtype": ("tensor([1.], dtype=torch.float64)", "tensor([1.], dtype=torch.float16)"),
    "a missing dtype": ("tensor([1.], dtype=torch.float64)", "tensor([1.])"),
    "a shape": ("torch.Size([6, 3])", "torch.Size([6, 4])"),
    "a grad_fn": ("tensor(1., grad_fn=<AddBackward0>)", "tensor(1., grad_fn=<MulBackward0>)"),
    "a grad_fn that is missing": ("tensor(1., grad_fn=<AddBackward0>)", "tensor(1.)"),
    "nan": ("tensor([nan])", "tensor([0.])"),
    "the sign of an infinity": ("tensor([inf])", "tensor([-inf])"),
    "a word": ("query (6, 3)", "key (6, 3)"),
    "a number to the base of 16": ("0x10", "0x11"),
    "a version": ("torch 2.13.0", "torch 2.13.1"),
    "spaces between words": ("a  b", "a b"),
    "spaces in a string": ("['a  b']", "['a b']"),
    "an indent": ("  a", "a"),
    "an empty line": ("a\n\nb", "a\nb"),
    "a row less": ("tensor([[1.],\n        [2.]])", "tensor([[1.]])"),
    "elements run together": ("[1 2]", "[12]"),
    "nothing": ("", "0"),
    "nothing any more": ("0", ""),
    "the sign of an imaginary part": ("(1.0000+2.0000j)", "(1.0000-2.0000j)"),
}


@pytest.mark.parametrize(("expected", "actual"), SAME.values(), ids=SAME.keys())
def test_what_is_the_same_number(expected: str, actual: str) -> None:
    assert difference(expected, actual) is None
    assert difference(actual, expected) is None


@pytest.mark.parametrize(("expected", "actual"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_what_is_not(expected: str, actual: str) -> None:
    for exact in (False, True):
        assert difference(expected, actual, exact=exact)
        assert difference(actual, expected, exact=exact)


INVISIBLE = {"space at the end of a line", "empty lines at the end", "nan"}


@pytest.mark.parametrize("name", sorted(SAME.keys() - INVISIBLE))
def test_exact_tells_apart_whatever_can_be_seen(name: str) -> None:
    expected, actual = SAME[name]
    assert difference(expected, actual, exact=True)
    assert difference(actual, expected, exact=True)


FOURS = "element [1, 1]: expected 4.0000, got 4.5000 (they differ by 0.5000)"
OTHER_LAYOUT = "the same words and numbers, with other spaces or line breaks"
MESSAGES = [
    ("tensor([[1., 2.],\n [3., 4.0000]])", "tensor([[1., 2.],\n [3., 4.5000]])", 1, FOURS),
    ("[[1 2]\n [3 4]]", "[[1 2]\n [3 5]]", 1, "element [1, 1]: expected 4, got 5"),
    ("tensor([1, 2])", "tensor([1, 3])", 0, "element [1]: expected 2, got 3"),
    ("[[1., 2.],\n [3., 4.]]", "[[1., 2.]]", 0, "expected the shape (2, 2), got (1, 2)"),
    ("tensor([nan, 1.])", "tensor([0., 1.])", 0, "element [0]: expected nan, got 0."),
    ("a\nb", "a", 0, "expected a new line, got nothing more"),
    ("a", "a b", 0, "expected nothing more, got 1 space(s)"),
    ("", "7", 0, "expected nothing more, got 7"),
    ("tensor([inf])", "tensor([-inf])", 0, "element [0]: expected inf, got -inf"),
    ("{'a': [1, 2]}", "{'a': [1, 3]}", 0, "element [1]: expected 2, got 3"),
    ("[{'a': 1, 'b': 2}]", "[{'a': 1, 'b': 3}]", 0, "element [0]: expected 2, got 3"),
    ("it's [1, 2]", "it's [1, 3]", 0, "element [1]: expected 2, got 3"),
    ("a\n[1,\n 2]", "a\n[1,\n  2]", 2, OTHER_LAYOUT),
    # Which element it is cannot be known after an ellipsis.
    ("[0., ..., 1.]", "[0., ..., 2.]", 0, "expected 1., got 2. (they differ by 1)"),
]


@pytest.mark.parametrize(("expected", "actual", "line", "message"), MESSAGES)
def test_a_difference_names_line_element_and_values(
    expected: str, actual: str, line: int, message: str
) -> None:
    found = difference(expected, actual, exact="other spaces" in message)
    assert found
    assert (found.line, found.message) == (line, message)


def test_exact_names_the_element_as_well() -> None:
    found = difference("tensor([0.25, 0.75])", "tensor([0.25, 0.76])", exact=True)
    assert found
    assert found.message == "element [1]: expected 0.75, got 0.76 (they differ by 0.01)"


numbers = st.floats(allow_nan=True, width=32)
tensors = st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=1, max_size=4).map(
    lambda rows: repr(torch.tensor(rows))
)
ALPHABET = st.sampled_from(list("01.5e-+[](){}'\" \nab,jnan"))
printed = st.one_of(tensors, st.text(ALPHABET), st.text())


@given(printed)
def test_an_output_is_itself_and_all_of_it_is_compared(output: str) -> None:
    assert difference(output, output) is difference(output, output, exact=True) is None
    seen = "".join(token.text for token in tokens(output))
    assert "".join(seen.split()) == "".join(output.split())


@given(printed, printed)
def test_any_two_outputs(first: str, second: str) -> None:
    assert (difference(first, second) is None) == (difference(second, first) is None)
    found = difference(first, second, exact=True)
    if found:
        assert 0 <= found.line < max(1, len(first.split("\n")))
    else:
        assert difference(first, second) is None


@given(st.decimals(-1000, 1000, places=4), st.integers(0, 50))
def test_one_unit_of_the_last_digit_and_no_more(number: Decimal, units: int) -> None:
    other = number + units * Decimal("0.0001")
    outputs = f"tensor([1., {number:.4f}])", f"tensor([1., {other:.4f}])"
    assert (difference(*outputs) is None) == (units <= 1)
    assert (difference(*outputs, exact=True) is None) == (outputs[0] == outputs[1])
