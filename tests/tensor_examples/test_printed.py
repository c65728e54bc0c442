"""A printed tensor is found and read, wherever one is printed in this project."""

import ast
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tensor_examples.fences import find_fences
from tensor_examples.printed import tensors_in
from tests.tensor_examples.project_files import PAGES

CALL = re.compile(r"\b(?:tensor|array)\((?=\[)")


def read_as_python(text: str) -> Iterator[Any]:
    """Yield each printed tensor as nested lists, in another way: as the Python that it is."""
    for found in CALL.finditer(text):
        printed = text[found.start() :]
        lengths = range(len(found[0]), len(printed) + 1)
        end = next(n for n in lengths if printed[:n].count("(") == printed[:n].count(")"))
        call = ast.parse(printed[:end], mode="eval").body
        assert isinstance(call, ast.Call)
        yield nested(call.args[0])


def nested(node: ast.expr) -> Any:
    return [nested(item) for item in node.elts] if isinstance(node, ast.List) else ast.unparse(node)


def numbers(tensor: Any) -> Any:
    """Return nested lists with numbers in place of digits: `1.0` is how Python writes `1.`."""
    return [numbers(item) for item in tensor] if isinstance(tensor, list) else eval(tensor, NAMES)


NAMES = {"nan": "nan", "inf": torch.inf}  # a nan is unequal to itself


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_printed_tensor_of_a_page_is_read(page: Path) -> None:
    fences = find_fences(page.read_text("utf-8").splitlines())
    text = "\n".join("\n".join(fence.lines) for fence in fences if fence.language == "output")
    assert [*map(numbers, tensors_in(text))] == [*map(numbers, read_as_python(text))]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.bool])
@pytest.mark.parametrize("shape", [(1,), (30,), (2, 3), (2, 1, 40)])
def test_what_torch_prints_is_read(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    tensor = (torch.arange(math.prod(shape)).reshape(shape) - 1).to(dtype)
    for printed in (tensor, tensor * 1e-6 if dtype.is_floating_point else tensor, tensor.numpy()):
        text = f"before: {printed!r} after"
        assert [*map(numbers, tensors_in(text))] == [*map(numbers, read_as_python(text))]
        assert len(list(tensors_in(text))) == 1


@pytest.mark.parametrize(
    "text",
    ["tensor([1., ..., 2.])", "tensor([1.+2.j])", "array(['a'])", "tensor([])", "tensor([x])"],
)
def test_what_is_no_tensor_of_numbers_has_none(text: str) -> None:
    assert [*filter(None, tensors_in(text))] == []
