"""The numbers and the lines of the printed drawing are those of torch."""

import re

import pytest
import torch

from attention_story.stories import ID, TEST, TRAINING
from site_build.whole import whole
from site_build.whole.drawn import draw, drawing_words
from site_build.whole.forward import read_text, shares, vocabulary
from tests.site_build.whole.oracle import changed, traced

MUDDY = drawing_words()["texts"]["muddy"]
RICH = MUDDY.replace("muddy", "rich")
OFF = ["", "0.1", "0.0 1.1", "0.mlp", "1.mlp 0.0"]
WIDTH = re.compile(r'class="(\w+)( core)?" d="[^"]*" style="--wide:([\d.]+)"')


@pytest.mark.parametrize("off", OFF)
@pytest.mark.parametrize(
    "text", [MUDDY, RICH, *(" ".join(story.words[1:]) for story in (TEST[0], TRAINING[-1]))]
)
def test_it_computes_what_torch_does(text: str, off: str) -> None:
    run, expected = read_text(["<", *text.split()], {*off.split()}), traced(text, {*off.split()})
    assert (torch.tensor(run.levels, dtype=torch.double) - expected.levels).abs().max() < 1e-10
    for layer, trace in zip(run.layers, expected.traces, strict=True):
        for h, head in enumerate(layer):
            for row, weights in zip(head.weights, trace.weights[0, h], strict=True):
                assert row == pytest.approx(weights[: len(row)].tolist(), abs=1e-10)
            assert (
                torch.tensor(head.value, dtype=torch.double) - trace.value[0, h]
            ).abs().max() < 1e-10
    assert vocabulary() == list(ID)
    assert shares(run.levels[-1][-1]) == pytest.approx(expected.shares(-1, -1).tolist(), abs=1e-10)


@pytest.mark.parametrize("off", OFF)
def test_lines_are_as_wide_and_as_coloured_as_torch_says(off: str) -> None:
    now, twin = (traced(text, {*off.split()}) for text in (MUDDY, RICH))
    ribbons, streams = [], []
    for layer, (trace, other) in enumerate(zip(now.traces, twin.traces, strict=True)):
        share = changed(trace.value[0], other.value[0])  # (head, word)
        for h in range(2):
            for weight, part in zip(trace.weights[0, h, -1], share[h], strict=True):
                if weight >= 0.004:
                    ribbons.append((f"{max(0.8, 17 * weight):.2f}", 17 * weight * part))
        assert draw("muddy", off=off).looks(layer)[1].changed == pytest.approx(share[1].tolist())
    sizes, shares_ = now.levels.norm(dim=-1), changed(now.levels, twin.levels)
    for level in (0, 0, 0, 1, 2, 2, 2, 3, 4, 4):  # of the blocks, from the top
        streams += list(zip(sizes[level].tolist(), shares_[level].tolist(), strict=True))
    drawn = WIDTH.findall(whole({"off": off} if off else {}))
    of_ribbons = [width for kind, core, width in drawn if kind == "ribbon" and not core]
    of_streams = [width for kind, core, width in drawn if kind == "stream" and not core]
    assert sorted(of_ribbons) == sorted(width for width, _ in ribbons)
    assert of_streams == [f"{max(1, size):.2f}" for size, _ in streams]
    cores = [size * part for size, part in streams] + [core for _, core in ribbons]
    assert sorted(width for _, core, width in drawn if core) == sorted(
        f"{core:.2f}" for core in cores if core >= 0.4
    )


@pytest.mark.parametrize("off", OFF)
@pytest.mark.parametrize(("layer", "place"), [(0, 5), (1, 5), (1, 12)])
def test_a_patched_drawing_has_the_numbers_of_torch(off: str, layer: int, place: int) -> None:
    drawn = draw("muddy", off=off, patch=f"{layer}.{place}")
    plain, donor = (traced(text, {*off.split()}) for text in (MUDDY, RICH))
    now = traced(MUDDY, {*off.split()}, (layer, place, donor.levels[2 * layer, place]))
    assert (torch.tensor(drawn.now.levels, dtype=torch.double) - now.levels).abs().max() < 1e-10
    for level, coloured in enumerate(changed(now.levels, plain.levels)):
        assert [share for _, share in drawn.streams(level)] == pytest.approx(coloured.tolist())
    assert drawn.said_of_other.share == pytest.approx(donor.shares(-1, -1).max().item())


def test_it_says_what_it_draws() -> None:
    told = whole({})
    assert "In the first block “of” takes 96 % from “muddy”. The answer is “water”, 100 %." in told
    assert "With all parts on, it is “water”, 100 %." in whole({"off": "0.1"})
    assert "“of” looks at the start and “is”" in told
    patched = whole({"patch": "1.12"})
    assert "“of” comes from the text with “rich”. The answer is “money”, 100 %. Without" in patched
    assert "With all parts on and no patch, it" in whole({"patch": "1.12", "off": "0.1"})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"text": "the dog"}, "does not know dog"),
        ({"open": "2"}, "no part 2"),
        ({"off": "0.plus"}, "no part 0.plus"),
        ({"at": "13"}, "no such place"),
        ({"patch": "2.5"}, "nothing to put in at 2.5"),
        ({"patch": "1.13"}, "nothing to put in at 1.13"),
        ({"colour": "red"}, "no use for colour"),
    ],
)
def test_what_it_cannot_draw_is_refused(options: dict[str, str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        whole(options)
