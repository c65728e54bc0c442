"""A formula comes to what torch computes, and a wrong one does not."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from formulas.compute import Difference, Scope, difference
from formulas.read import read
from formulas.tree import UnreadError

NAMES = [
    "query",
    "key",
    "value",
    "scores",
    "weights",
    "context",
    "W",
    "head_dim",
    "mask",
    "maximum",
    "total",
]


def page() -> dict[str, Any]:
    """Return attention on tensors whose axes have different lengths."""
    numbers = torch.Generator().manual_seed(3)
    query, key, value, weight = (
        torch.randn(shape, generator=numbers) for shape in [(3, 5), (4, 5), (4, 2), (6, 5)]
    )
    scores = query @ key.T
    mask = torch.ones(3, 4, dtype=torch.bool).tril(1)
    weights = scores.softmax(-1)
    return {
        "query": query,
        "key": key,
        "value": value,
        "W": weight,
        "projected": query @ weight.T,
        "scores": scores,
        "scaled_scores": scores / 5**0.5,
        "head_dim": 5,
        "offset": 1,
        "mask": mask,
        "masked_scores": scores.masked_fill(~mask, -torch.inf),
        "weights": weights,
        "context": weights @ value,
        "attention": torch.softmax(scores / 5**0.5, -1) @ value,
        "lse": scores.logsumexp(-1),
        "ids": torch.tensor([2, 0, 0]),
        "rows": value[torch.tensor([2, 0, 0])],
        "lengths": torch.tensor([1, 4, 2]),
        "until": torch.arange(4) < torch.tensor([[1], [4], [2]]),
        "state": key.cumsum(0),
        "outer": key[1][:, None] * value[1],
        "largest": scores.amax(-1),
        "even": query[:, ::2],
        "chosen": torch.tensor([[0, 2], [1, 3], [0, 1]]),
        "some": torch.stack([scores[i, c].sum() for i, c in enumerate([[0, 2], [1, 3], [0, 1]])]),
        "prefix": torch.stack([key[: t + 1].sum(0) @ query[0] for t in range(4)]),
    }


HOLD = [
    r"\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} \, \mathrm{key}_{je}",
    r"\mathrm{scores} = \mathrm{query} \, \mathrm{key}^T",
    r"\mathrm{scores}_{ij} = \mathrm{query}_{i} \cdot \mathrm{key}_{j}",
    r"\mathrm{weights}_{ij} = "
    r"\frac{\exp(\mathrm{scores}_{ij})}{\sum_{j'} \exp(\mathrm{scores}_{ij'})}",
    r"\mathrm{weights}_{ij} = \exp(\mathrm{scores}_{ij} - \mathrm{lse}_i)",
    r"\mathrm{lse}_i = \log \sum_j \exp(\mathrm{scores}_{ij})",
    r"\mathrm{context}_{ie} = \sum_j \mathrm{weights}_{ij} \, \mathrm{value}_{je}",
    r"\mathrm{context}_i = \sum_j \mathrm{weights}_{ij} \, \mathrm{value}_j",
    r"\mathrm{projected}_{id} = \sum_e W_{de} \, \mathrm{query}_{ie}",
    r"\mathrm{scaled\_scores}_{ij} = \frac{\mathrm{scores}_{ij}}{\sqrt{\mathrm{head\_dim}}}",
    r"\mathrm{attention} = \mathrm{softmax}\left("
    r"\frac{\mathrm{query} \, \mathrm{key}^T}{\sqrt{\mathrm{head\_dim}}}\right) \mathrm{value}",
    r"\mathrm{mask}_{ij} = (j \le i + \mathrm{offset})",
    r"\mathrm{masked\_scores}_{ij} = \begin{cases} \mathrm{scores}_{ij} & \text{if } j \le i + 1"
    r" \\ -\infty & \text{otherwise} \end{cases}",
    r"\mathrm{until}_{bj} = (j < \mathrm{lengths}_b)",
    r"\mathrm{rows}_i = \mathrm{value}[\mathrm{ids}_i]",
    r"\mathrm{state}_t = \mathrm{state}_{t-1} + \mathrm{key}_t",
    r"\mathrm{outer} = \mathrm{key}_1^T \, \mathrm{value}_1",
    r"\mathrm{largest}_i = \max_j \mathrm{scores}_{ij}",
    r"\mathrm{even}_{ic} = \mathrm{query}_{i,2c}",
    r"\mathrm{some}_i = \sum_{c \in \mathrm{chosen}_i} \mathrm{scores}_{ic}",
    r"\mathrm{prefix}_t = \sum_e \mathrm{query}_{0,e} \sum_{s} (s \le t) \, \mathrm{key}_{se}",
    r"\mathrm{weights}_{ij} \le 1",
]


@pytest.mark.parametrize("latex", HOLD)
def test_a_right_formula_holds(latex: str) -> None:
    (equation,) = read(latex)
    assert difference(equation, Scope(page())) is None


@pytest.mark.parametrize(
    ("latex", "at"),
    [
        (r"\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} + \mathrm{key}_{je}", None),
        (
            r"\mathrm{scores}_{ij} = \sum_e \mathrm{query}_{ie} \, \mathrm{query}_{ie}",
            {"i": 0, "j": 0},
        ),
        (
            r"\mathrm{weights}_{ij} = "
            r"\frac{\exp(\mathrm{scores}_{ij})}{\sum_{i'} \exp(\mathrm{scores}_{i'j})}",
            {"i": 0, "j": 0},
        ),
        (
            r"\mathrm{scaled\_scores}_{ij} = \frac{\mathrm{scores}_{ij}}{\mathrm{head\_dim}}",
            {"i": 0, "j": 0},
        ),
        (r"\mathrm{mask}_{ij} = (j \le i)", {"i": 0, "j": 1}),
        (r"\mathrm{until}_{bj} = (j \le \mathrm{lengths}_b)", {"b": 0, "j": 1}),
        (r"\mathrm{scores} = \mathrm{key} \, \mathrm{query}^T", {}),
        (r"\mathrm{state}_t = \mathrm{state}_{t-1} - \mathrm{key}_t", {"t": 0}),
        (r"\mathrm{weights}_{ij} \ge 0.2", None),
        (r"\mathrm{largest}_i = \min_j \mathrm{scores}_{ij}", {"i": 0}),
    ],
)
def test_a_wrong_formula_fails_at_its_first_element(latex: str, at: dict[str, int] | None) -> None:
    (equation,) = read(latex)
    if at is None:
        try:
            assert isinstance(difference(equation, Scope(page())), Difference)
        except UnreadError as error:
            assert "neither summed nor on the left" in str(error)  # noqa: PT017
        return
    found = difference(equation, Scope(page()))
    assert found is not None
    assert found.places == at


@pytest.mark.parametrize(
    ("latex", "problem"),
    [
        (r"\mathrm{scores} = \mathrm{absent}", 'no variable "absent"'),
        (r"\mathrm{scores}_{ij} = \mathrm{value}_{ij}", "the axis i is 3 long, and 4 in value"),
        (r"\mathrm{scores}_{ij} = \mathrm{query}_{ie}", "neither summed nor on the left"),
        (r"\mathrm{scores}_{ije} = 1", "has 2 axes, and 3 indices"),
        (r"\mathrm{scores}_{ij} = \mathrm{query}_i \, \mathrm{key}_j", r"\cdot"),
        (r"\mathrm{scores} = \mathrm{query} \, \mathrm{key}", "no product of shapes"),
        (r"\mathrm{rows}_i = \mathrm{value}_{i+2}", "has no place"),
        (r"\mathrm{head\_dim} = \mathrm{unknown}(\mathrm{query}, \mathrm{key})", "no function"),
    ],
)
def test_what_cannot_be_computed_is_told(latex: str, problem: str) -> None:
    (equation,) = read(latex)
    with pytest.raises(UnreadError) as raised:
        difference(equation, Scope(page()))
    assert problem in str(raised.value)


@settings(deadline=None)
@given(
    st.permutations("abcd").flatmap(
        lambda letters: st.tuples(
            st.just(letters),
            st.sampled_from([letters[:2], letters[1:3], letters[:1]]),
            st.dictionaries(st.sampled_from("abcd"), st.integers(1, 3), min_size=4, max_size=4),
        )
    )
)
def test_a_product_of_two_tensors_is_what_einsum_computes(
    case: tuple[list[str], list[str], dict[str, int]],
) -> None:
    letters, left, sizes = case
    one, two = letters[:3], letters[1:]
    first = torch.arange(math.prod(sizes[x] for x in one)).float().reshape([sizes[x] for x in one])
    second = first.new_tensor(range(7, 7 + math.prod(sizes[x] for x in two)))
    second = second.reshape([sizes[x] for x in two])
    spec = f"{''.join(one)},{''.join(two)}->{''.join(left)}"
    summed = "".join(x for x in letters if x not in left)
    (equation,) = read(
        rf"\mathrm{{out}}_{{{''.join(left)}}} = \sum_{{{summed}}} "
        rf"\mathrm{{first}}_{{{''.join(one)}}} \, \mathrm{{second}}_{{{''.join(two)}}}"
    )
    names = {"first": first, "second": second, "out": torch.einsum(spec, first, second)}
    assert difference(equation, Scope(names)) is None


def test_a_derivative_is_asked_for_by_its_names() -> None:
    (equation,) = read(
        r"\frac{\partial \, \mathrm{weights}_j}{\partial \, \mathrm{scores}_k}"
        r" = \mathrm{weights}_j (\delta_{jk} - \mathrm{weights}_k)"
    )
    scores = torch.tensor([0.5, -1.0, 2.0])

    def derivative(of: str, by: str) -> torch.Tensor:
        assert (of, by) == ("weights", "scores")
        shares = scores.softmax(-1)
        return torch.diag(shares) - shares[:, None] * shares

    names = {"scores": scores, "weights": scores.softmax(-1)}
    assert difference(equation, Scope(names, derivative)) is None
