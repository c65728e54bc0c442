"""Compares what a client computes with what the package computes, and keeps the differences.

The libraries are the group `clients` in pyproject.toml. Where one is absent, its tests are skipped.

    pip install --group clients
    pytest tests/clients --record-clients

writes results.json and the table of docs/guides/works-with.md anew.
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import pytest
import torch
from torch import Tensor, nn

from tests.conftest import ROOT

LIBRARIES = ["jax", "keras", "onnxruntime", "torch", "transformers", "x-transformers"]
OPTION = "--record-clients"
PAGE = ROOT / "docs" / "guides" / "works-with.md"
RESULTS = Path(__file__).with_name("results.json")


class Compare(Protocol):
    """Compares the two results of something that a client computes."""

    def __call__(self, client: str, what: str, ours: Tensor, theirs: Tensor) -> None: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, action="store_true", help="write the results of the clients anew")


def read_results() -> dict[str, Any]:
    results: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))
    return results


def shown(results: dict[str, Any]) -> str:
    """Return what the page says of the results: when and with what they were found, and a table."""
    versions = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    rows = [
        f"| {client} | {what} | {f'{difference:.0e}' if difference else '0'} |"
        for client, differences in results["differences"].items()
        for what, difference in differences.items()
    ]
    head = ["| client | what is compared | largest difference |", "| --- | --- | --- |"]
    return "\n".join([f"Run on {results['date']} with {versions}.", "", *head, *rows]) + "\n"


@pytest.fixture(scope="session")
def found(request: pytest.FixtureRequest) -> Iterator[dict[str, dict[str, float]]]:
    """Return a place for the largest differences, and write them down at the end if so asked."""
    found: dict[str, dict[str, float]] = {}
    yield found
    if request.config.getoption(OPTION, default=False):
        assert not request.session.testsfailed, "a run that failed has no results"
        old = shown(read_results())
        new = {
            "date": datetime.now(UTC).date().isoformat(),
            "versions": {
                "Python": sys.version.split()[0],
                **{name: version(name) for name in LIBRARIES},
            },
            "differences": found,
        }
        RESULTS.write_text(json.dumps(new, indent=2) + "\n", "utf-8")
        page = PAGE.read_text("utf-8")
        PAGE.write_text(page.replace(old, shown(new)), "utf-8")


@pytest.fixture
def compare(request: pytest.FixtureRequest, found: dict[str, dict[str, float]]) -> Compare:
    known = read_results()["differences"]

    def compare(client: str, what: str, ours: Tensor, theirs: Tensor) -> None:
        if not request.config.getoption(OPTION, default=False):
            assert what in known.get(client, ()), f"not in the results: run with {OPTION}"
        ours, theirs = ours.detach(), theirs.detach()
        largest = theirs.abs().max().item()
        # Rounding stays below a millionth of the largest number, a wrong mask or scale far above.
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5 * largest)
        difference = (ours - theirs).abs().max().item() / largest
        differences = found.setdefault(client, {})
        differences[what] = max(difference, differences.get(what, 0.0))

    return compare


def give_weights(module: nn.Module) -> None:
    """Give a module random weights with which scores and outputs are neither tiny nor huge."""
    torch.manual_seed(0)
    for name, parameter in module.named_parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5)
        elif name.endswith("bias"):
            nn.init.normal_(parameter, std=0.5)


def copy_weights(
    layer: nn.Module, weights: dict[str, Tensor], biases: dict[str, Tensor] | None = None
) -> None:
    """Load projections by name: q_proj, k_proj, v_proj and out_proj."""
    state = {f"{name}.weight": weight for name, weight in weights.items()}
    state |= {f"{name}.bias": bias for name, bias in (biases or {}).items()}
    layer.load_state_dict(state)
