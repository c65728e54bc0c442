"""Compares what another library computes with what the package computes.

The libraries are the group `other-libraries` in pyproject.toml. Where one is absent, its tests are
skipped. docs/guides/other-code.md shows the differences; `tests/results.py` says how they are
recorded.

    pip install --group other-libraries
    pytest tests/other_libraries
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import pytest
import torch
from torch import Tensor, nn

from tests.conftest import ROOT
from tests.results import OPTION, Differences, Results, is_whole, not_repeated


def told(compared: Iterable[str]) -> str:
    """Return what is compared, with what stands before a colon once."""
    parts: dict[str, list[str]] = {}
    for what in compared:
        head, _, rest = what.partition(": ")
        parts.setdefault(head, []).extend([rest] if rest else [])
    return " · ".join(": ".join(filter(None, [head, "; ".join(r)])) for head, r in parts.items())


RESULTS = Results(
    file=Path(__file__).with_name("results.json"),
    page=ROOT / "docs" / "guides" / "other-code.md",
    head=["library", "what is compared", "largest difference"],
    rows=lambda found: [
        (
            library.removesuffix(" of transformers"),
            told(differences).replace("the whole model: ", ""),
            f"{largest:.0e}" if largest else "0",
        )
        for library, differences in found.items()
        for largest in [max(differences.values())]
    ],
    libraries=["jax", "keras", "onnxruntime", "torch", "transformers", "x-transformers"],
)


PROJECTIONS = ["q_proj", "k_proj", "v_proj", "out_proj"]


class Compare(Protocol):
    """Compares the two results of something that a library computes."""

    def __call__(self, library: str, what: str, ours: Tensor, theirs: Tensor) -> None: ...


@pytest.fixture(scope="session")
def found(request: pytest.FixtureRequest) -> Iterator[Differences]:
    """Return a place for the largest differences.

    In the end they are compared with those that are written down, or, if so asked, written down.
    """
    found: Differences = {}
    yield found
    if not request.config.getoption(OPTION):
        whole = is_whole(request.session, Path(__file__).parent)
        problems = not_repeated(RESULTS.read()["found"], found, whole=whole)
        assert not problems, "\n".join(problems)
    RESULTS.record(found, request.session)


@pytest.fixture
def compare(found: Differences) -> Compare:
    def compare(library: str, what: str, ours: Tensor, theirs: Tensor) -> None:
        ours, theirs = ours.detach(), theirs.detach()
        largest = theirs.abs().max().item()
        # Rounding stays below a millionth of the largest number, a wrong mask or scale far above.
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5 * largest)
        difference = (ours - theirs).abs().max().item() / largest
        differences = found.setdefault(library, {})
        differences[what] = max(difference, differences.get(what, 0.0))

    return compare


def give_weights(module: nn.Module) -> None:
    """Give a module random weights with which scores and outputs are neither tiny nor huge."""
    torch.manual_seed(0)
    for name, parameter in module.named_parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5)
        elif name.endswith(("bias", "sinks")):
            nn.init.normal_(parameter, std=0.5)


def copy_weights(
    layer: nn.Module, weights: Iterable[Tensor], biases: Iterable[Tensor] = ()
) -> None:
    """Load the projections of queries, keys, values and the output."""
    layer.load_state_dict(
        {f"{name}.weight": weight for name, weight in zip(PROJECTIONS, weights, strict=True)}
        | {f"{name}.bias": bias for name, bias in zip(PROJECTIONS, biases, strict=False)}
    )
