"""The picture of a sentence that the build prints is the one that the browser draws."""

import re

import pytest
from playwright.sync_api import Page

from site_build.toy.picture import WIDE, Band, arcs_of, ribbons_of
from site_build.toy.words import Sentence

UP, HIGH = 100.0, 300.0  # the room of the arcs, and of all
DRAWN = """async ([script, frame]) => {
  const {arcs, ribbons} = await import(script)
  return [arcs(frame), ribbons(frame)]
}"""


def numbers(bands: list[Band]) -> list[list[float]]:
    """Return the places of each curve, and its width."""
    return [[*(one for point in band.curve for one in point), band.width] for band in bands]


def drawn(marks: str) -> list[list[float]]:
    """Return the same, of what the script has drawn."""
    found = re.findall(r'd="(.*?)" stroke-width="(.*?)"', marks)
    return [[float(one) for one in re.findall(r"-?[\d.]+", " ".join(each))] for each in found]


@pytest.mark.parametrize(
    "text", ["the duck likes the muddy bank", "the banker likes the rich bank", "the bank"]
)
def test_arcs_and_ribbons_are_those_of_the_script(address: str, page: Page, text: str) -> None:
    sentence = Sentence(text)
    x = [60.0 + 130 * at for at in range(len(sentence.words))]
    frame = {
        "W": WIDE,
        "H": HIGH,
        "x": x,
        "w": sentence.shares,
        "asks": sentence.asks,
        "up": UP,
        "hues": ["none"] * len(x),
        "line": [0, sentence.place],
    }
    page.goto(address)
    arcs, ribbons = page.evaluate(DRAWN, [f"{address}assets/toy/drawing.js", frame])
    # The script begins its arcs 3 pixels lower, between the words and the picture.
    lower = [0, 3, 0, 0, 0, 0, 0, 3, 0]
    expected = numbers(arcs_of(sentence, x, UP, WIDE))
    for mine, other in zip(drawn(arcs), expected, strict=True):
        assert mine == pytest.approx([a + b for a, b in zip(other, lower, strict=True)], abs=0.06)
    between = (UP + 46, HIGH - 60)
    expected = numbers(ribbons_of(sentence, x, between, WIDE))
    for mine, other in zip(drawn(ribbons), expected, strict=True):
        assert mine == pytest.approx(other, abs=0.06)
