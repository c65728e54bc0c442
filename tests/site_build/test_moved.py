"""Old addresses, such as those that an installed wheel prints, lead to what answers."""

import re

import pytest
from playwright.sync_api import Page, expect

from attention_practice.exercises import EXERCISES
from attention_verify.words import KNOWN
from site_build.moved import MOVED
from tests.conftest import ROOT

ROTARY = "steps/position-by-rotation/"
ROOT_OF = "steps/why-divide-by-the-square-root/"
POSITIONS, WRONG = "reference/positions/", "guides/what-goes-wrong/"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("steps/where-is-position/", ROTARY),
        ("steps/where-is-position/#try-a-clock", ROTARY),
        (
            "steps/where-is-position/#the-formula",
            f"{POSITIONS}#attention_steps.sinusoidal_positions",
        ),
        ("steps/where-is-position/#for-engineers", f"{POSITIONS}#which-one-to-take"),
        ("steps/self-attention-as-a-layer/", "steps/who-finds-the-numbers/"),
        (
            "steps/self-attention-as-a-layer/#for-engineers",
            "reference/layers/#a-layer-from-three-matrices",
        ),
        ("guides/comparing-results/", "guides/check-your-attention/"),
        (
            "guides/how-torch-behaves-at-the-edges/#two-masks-at-once",
            "guides/mask-conventions/#two-masks-at-once",
        ),
        ("steps/kernels/", "steps/tiles/"),
        (
            "steps/training-in-a-ring/#the-mean-of-means",
            "steps/sequence-on-devices/#the-mean-of-means",
        ),
        ("steps/scores/#the-transpose-is-left-out", f"{WRONG}#the-transpose-is-left-out"),
        ("steps/weights/#softmax-along-the-wrong-axis", f"{WRONG}#rows-do-not-add-up-to-one"),
        (f"{ROTARY}#the-formula", f"{POSITIONS}#many-hands"),
        (f"{ROTARY}#for-engineers", f"{WRONG}#two-rotary-layouts"),
        (f"{ROTARY}#the-values-are-turned-as-well", f"{WRONG}#the-values-are-turned-as-well"),
        (f"{ROTARY}#which-one-to-take", f"{POSITIONS}#which-one-to-take"),
        (f"{ROTARY}#turn-a-query-turn-a-key", f"{ROTARY}#turn-a-query-turn-a-key"),
        (f"{ROOT_OF}#the-scale-argument", "reference/attention/#attention_steps.trace_attention"),
        (f"{ROOT_OF}#divided-twice", f"{WRONG}#divided-twice"),
        (
            "steps/causal-masks/#multiplying-the-weights-by-the-mask",
            f"{WRONG}#multiplying-the-weights-by-the-mask",
        ),
    ],
)
def test_an_old_address_leads_to_what_answers(address: str, page: Page, old: str, new: str) -> None:
    page.goto(address + old)
    expect(page).to_have_url(address + new)
    if "#" in new:
        expect(page.locator(":target")).to_be_attached()


def test_no_address_of_today_is_an_old_one() -> None:
    printed = [mistake.page for one in EXERCISES.values() for mistake in one.mistakes]
    printed += [one.page for one in EXERCISES.values()]
    printed += [known.page for known in KNOWN.values()]
    gone = {path.removesuffix(".md") for path in MOVED}
    assert not gone & {page.partition("#")[0].rstrip("/") for page in printed}
    for path in (ROOT / "docs" / "steps").glob("*.md"):
        moved = set(re.findall(r"\{ \.moved #([\w-]+) \}", path.read_text("utf-8")))
        old = {f"steps/{path.stem}/#{name}" for name in moved}
        assert not old & set(printed)
