"""The cells of a printed tensor: their colours, the text around them, and their names."""

import re

import pytest

from site_build.markdown.printed_cells import with_cells
from site_build.markdown.tensors import tensors_of

CELL = re.compile(r'<i(?: class="([\w ]+)")?(?: style="--share:([\d.]+)")?>([^<]*)</i>')


def shares(html: str) -> list[float | None]:
    """Return the share of each cell, with its sign, or None where it has none."""
    return [
        (-1 if "minus" in classes else 1) * float(share) if share else None
        for classes, share, _ in CELL.findall(html)
    ]


def matrices(html: str) -> list[dict[str, str]]:
    """Return what is said of each matrix."""
    tags = re.findall(r'<span class="printed-matrix([ \w]*)"([^>]*)>', html)
    return [
        {"is": kind.strip(), **dict(re.findall(r' data-(\w+)="([^"]*)"', said))}
        for kind, said in tags
    ]


def show(text: str, **options: str) -> str:
    """Return a printed text with cells, and see that its text stays."""
    html = with_cells(text, tensors_of(text, options))
    assert re.sub("<[^>]*>", "", html) == text
    assert html.count("<span") == html.count("</span>")
    assert all(re.fullmatch(r"[^\s,[\]]+", digits) for _, _, digits in CELL.findall(html))
    return html


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("tensor([0.0000, 0.2500, 1.0000])", [0, 0.5, 1]),
        ("tensor([0.0100, 0.0900])", [0.1, 0.3]),
        ("tensor([0., 2., 8.])", [0, 0.25, 1]),
        ("tensor([-2.,  1.,  0.])", [-1, 0.5, 0]),
        ("tensor([-0.5000, 0.2500])", [-1, 0.5]),
        ("tensor([ True, False])", [1, None]),
        ("tensor([False, False])", [None, None]),
        ("tensor([0, 1, 4])", [0, 0.25, 1]),
        ("tensor([[1, 0]], dtype=torch.int32)", [1, 0]),
        ("tensor([0.2500,   -inf,    inf,    nan])", [0.5, *[None] * 3]),
        ("tensor([nan, nan])", [None, None]),
        ("tensor([-4., -inf, 2.])", [-1, None, 0.5]),
        ("tensor([0., 0.])", [0, 0]),
        ("tensor([-0.0000, 1.0000])", [0, 1]),
        ("tensor([1.0000e-04, 1.0000e+00])", [0.01, 1]),
        ("tensor([2.5000e+01, 1.0000e+02])", [0.25, 1]),
        ("tensor([2., 4.], grad_fn=<MulBackward0>)", [0.5, 1]),
        ("Parameter containing:\ntensor([[2., 4.]])", [0.5, 1]),
        ("tensor([1.0300, 1.1000])", [0, 1]),
        ("tensor([0.9999, 1.0000])", [1, 1]),
        ("array([[2. , 0.5],\n       [1. , 0. ]])", [1, 0.25, 0.5, 0]),
    ],
)
def test_colours_fit_what_is_printed(printed: str, expected: list[float | None]) -> None:
    html = with_cells(printed, tensors_of(printed, {}))
    assert shares(html) == expected
    assert re.sub("<[^>]*>", "", html) == printed.replace("<MulBackward0>", "&lt;MulBackward0&gt;")


@pytest.mark.parametrize(
    "printed",
    [
        "tensor(2.3000)",
        "torch.Size([2, 3])",
        "[0.5, 0.25]",
        "[0.23609 0.00739]",
        "tensor([0.1000, 0.2000,  ..., 0.8000, 0.9000])",
        "tensor([1.+2.j, 0.+1.j])",
        "tensor([])",
        "tensor([], size=(0, 3))",
        "array(['Your', 'journey'])",
        "tensor([three, numbers])",
        "expected a tensor, got [1.0, 2.0]",
    ],
)
def test_what_is_no_matrix_is_left_alone(printed: str) -> None:
    assert show(printed) == printed


def test_tensors_stand_among_other_text_and_each_has_its_scale_and_name() -> None:
    html = show("a: tensor([2., 4.]) [1.0]\nb: tensor([[1., 0.]]) True", tensors="x y&z")
    assert shares(html) == [0.5, 1, 1, 0]
    assert [matrix.get("name") for matrix in matrices(html)] == ["x", "y&amp;z"]
    assert [matrix["is"] for matrix in matrices(html)] == ["vector", ""]


def test_matrices_of_one_tensor_share_its_scale() -> None:
    html = show(
        "tensor([[[1., 2.],\n         [0., 0.]],\n\n        [[0., 0.],\n         [0., 4.]]])"
    )
    assert shares(html) == [0.25, 0.5, 0, 0, 0, 0, 0, 1]
    assert [row.count("<i") for row in re.findall(r"<span>(.*?)</span>", html)] == [2] * 4
