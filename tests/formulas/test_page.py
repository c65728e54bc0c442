"""A formula of a page is held against the tensors of the page, and against others."""

from typing import Any

import pytest

from formulas.page import assignments, displays, problem

CODE = [
    "import torch",
    "inputs = torch.tensor([[1.0, 2.0], [0.5, -1.0]])",
    "query = key = inputs",
    "scores = query @ key.T\nhead_dim = query.shape[-1]",
    "scaled = scores / head_dim ** 0.5",
    "weights = torch.softmax(scores, dim=-1)",
    "shares = torch.softmax(inputs[0], dim=-1)",
    "row = inputs[0]\nshares = torch.softmax(row, dim=-1)",
    "fits = torch.arange(2) < 1\nhidden = scores.masked_fill(~fits, -1.0)",
    "total = torch.zeros(2)\nfor each in inputs:\n    total = total + each\ndoubled = 2 * total",
    "def twice(x):\n    return 2 * x\n\n\ntwo = twice(inputs)",
]


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    names: dict[str, Any] = {}
    for block in CODE:
        exec(block, names)
    return names


@pytest.mark.parametrize(
    "latex",
    [
        r"\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} \, \mathrm{key}_{je}",
        r"\mathrm{scores} = \mathrm{query} \, \mathrm{key}^T",
        r"\mathrm{scaled} = \frac{\mathrm{scores}}{\sqrt{\mathrm{head\_dim}}}",
        r"\mathrm{weights} = \mathrm{softmax}(\mathrm{scores})",
        r"\frac{\partial \, \mathrm{shares}_j}{\partial \, \mathrm{row}_k}"
        r" = \mathrm{shares}_j (\delta_{jk} - \mathrm{shares}_k)",
        r"\mathrm{doubled}_e = 2 \sum_i \mathrm{inputs}_{ie}",  # a loop does not run again
        r"\mathrm{two}_i = \mathrm{twice}(\mathrm{inputs}_i)",
    ],
)
def test_a_right_formula_has_no_problem(latex: str, page: dict[str, Any]) -> None:
    assert problem(latex, page, assignments(CODE)) == ""


@pytest.mark.parametrize(
    ("latex", "told"),
    [
        # The scores of a sentence with itself are symmetric: only other tensors tell these.
        (
            r"\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{je} \, \mathrm{key}_{ie}",
            "with other tensors, the axis",
        ),
        (
            r"\mathrm{scores} = \mathrm{key} \, \mathrm{query}^T",
            "with other tensors, the left side",
        ),
        (  # here only as many columns as on the page fit
            r"\mathrm{hidden}_{ij} = \begin{cases} \mathrm{scores}_{ji} & \text{if } j < 1"
            r" \\ -1 & \text{otherwise} \end{cases}",
            "with other tensors, the left side is",
        ),
        (
            r"\mathrm{two}_i = \mathrm{twice}(\mathrm{query}_i) + 1",
            "the left side is 2 at i=0 at [0], and the right side 3",
        ),
        (
            r"\mathrm{scaled} = \frac{\mathrm{scores}}{\mathrm{head\_dim}}",
            "the left side is 3.5355 at [0, 0], and the right side 2.5",
        ),
        (r"\mathrm{scaled} = \mathrm{inputs}_0", "has the shape [2, 2], and the right side [2]"),
        (
            r"\mathrm{weights}_{ij} = \frac{\exp(\mathrm{scores}_{ij})}"
            r"{\sum_{i'} \exp(\mathrm{scores}_{i'j})}",
            "+ exp(1.25)) = 0.0601",
        ),
        (
            r"\frac{\partial \, \mathrm{shares}_j}{\partial \, \mathrm{row}_k}"
            r" = \mathrm{shares}_j (\delta_{jk} + \mathrm{shares}_k)",
            "at j=0 at k=0",
        ),
        (r"\mathrm{scores}_{ij} = \log(0)", "the right side log(0) = \N{MINUS SIGN}∞"),
        (r"\mathrm{scores} = \mathrm{absent}", 'no variable "absent"'),
        (r"\mathrm{scores} + \mathrm{query}", "no equation"),
    ],
)
def test_a_wrong_formula_is_told_with_its_place(
    latex: str, told: str, page: dict[str, Any]
) -> None:
    assert told in problem(latex, page, assignments(CODE))


def test_the_displays_of_a_page_are_found_with_their_marks() -> None:
    text = "One:\n\n$$a = b$$\n\n$$\na \\le b\n\\qquad \\text{(not computed: a limit)}\n$$\n"
    assert [(line, latex.strip(), mark) for line, latex, mark in displays(text)] == [
        (3, "a = b", ""),
        (5, "a \\le b", "a limit"),
    ]
