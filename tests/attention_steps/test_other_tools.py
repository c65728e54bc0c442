"""The reference says how each function fares with other parts of torch: here it is tried."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.distributed import ProcessGroup

from attention_steps import (
    attention_with_lse,
    linear_attention,
    scaled_dot_product_attention,
    tiled_attention,
)
from attention_steps.parallel import ring_attention, run_on_threads
from tests.conftest import ROOT

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
PAGE = (ROOT / "docs" / "reference" / "attention.md").read_text("utf-8")
COLUMNS = ["second derivative", "gradient of each sample", "dtype under bfloat16", "export"]


def explicit(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return scaled_dot_product_attention(query, key, value, is_causal=True)


def parts(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return attention_with_lse(query, key, value, is_causal=True)[0]


def tiles(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return tiled_attention(query, key, value, block_size=32, is_causal=True)


def ring(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    positions = torch.arange(query.shape[-2])
    autocast = torch.is_autocast_enabled("cpu")  # of which a thread knows nothing

    def on_the_rank(
        group: ProcessGroup,
    ) -> Tensor:
        with torch.autocast("cpu", enabled=autocast):
            return ring_attention(query, key, value, positions, group, is_causal=True)

    return run_on_threads(on_the_rank, world_size=1)[0]


def linear(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return linear_attention(query, key, value, chunk_size=32)[0]


def masked_product(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return (query @ key.mT).tril() @ value


FUNCTIONS: dict[str, Attend] = {
    "scaled_dot_product_attention": explicit,
    "attention_with_lse": parts,
    "tiled_attention": tiles,
    "ring_attention": ring,
    "linear_attention": linear,
}


def inputs() -> list[Tensor]:
    numbers = torch.linspace(-1.0, 1.0, 480, dtype=torch.float64).sin()
    return [x.clone().requires_grad_() for x in numbers.view(3, 1, 40, 4)]


def second_derivative(attend: Attend) -> Tensor:
    query, key, value = x = inputs()
    loss = attend(query, key, value).sum()
    first = torch.autograd.grad(loss, x, create_graph=True)
    squares = torch.stack([grad.square().sum() for grad in first])
    return torch.autograd.grad(squares.sum(), x)[0]


def gradient_of_each_sample(attend: Attend) -> Tensor:
    def loss(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return attend(query, key, value).square().sum()

    found: Tensor = torch.vmap(torch.func.grad(loss))(*inputs())
    return found


def compared(attend: Attend, how: Callable[[Attend], Tensor]) -> str:
    try:
        result = how(attend)
    except RuntimeError:
        return "refused"
    right = how(masked_product if attend is linear else explicit)
    return "right" if torch.allclose(result, right) else "wrong"


def dtype_under_autocast(attend: Attend) -> str:
    query, key, value = (x.detach().float() for x in inputs())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return str(attend(query, key, value).dtype).removeprefix("torch.")


def exported(attend: Attend) -> str:
    class Model(torch.nn.Module):
        def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
            return attend(query, key, value)

    x = tuple(tensor.detach() for tensor in inputs())
    any_length = ({1: torch.export.Dim("length", min=2, max=1000)},) * 3
    for answer, shapes in [("any length", any_length), ("one length", None)]:
        try:
            torch.export.export(Model(), x, dynamic_shapes=shapes)
        except Exception:  # torch refuses in classes of many modules
            continue
        return answer
    return "refused"


def table() -> dict[str, list[str]]:
    """Return the cells of the page, by the function."""
    head, _, *rows = PAGE.partition("| function |")[2].partition("\n\n")[0].splitlines()
    assert [cell.strip() for cell in head.strip(" |").split("|")] == COLUMNS
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {name.strip("`"): found for name, *found in cells}


def test_the_page_has_a_row_for_each() -> None:
    assert list(table()) == list(FUNCTIONS)


@pytest.mark.skipif(torch.__version__ < "2.13", reason="torch 2.6 exports more than the page says")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_fares_as_the_page_says(name: str) -> None:
    attend = FUNCTIONS[name]
    assert table()[name] == [
        compared(attend, second_derivative),
        compared(attend, gradient_of_each_sample),
        dtype_under_autocast(attend),
        exported(attend),
    ]
