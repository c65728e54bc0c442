"""Old addresses lead to what answers; that all the places are there, test_site.py looks."""

import re

import pytest
from playwright.sync_api import Page, expect

from attention_practice.exercises import EXERCISES
from attention_verify.words import KNOWN
from site_build.moved import MOVED
from tests.conftest import ROOT

ROTARY = "steps/position-by-rotation/"
POSITIONS, WRONG = "reference/positions/", "guides/what-goes-wrong/"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("steps/where-is-position/", ROTARY),  # a page
        ("steps/where-is-position/#try-a-clock", ROTARY),  # a section of it that is nowhere now
        (
            "steps/where-is-position/#the-formula",
            f"{POSITIONS}#attention_steps.sinusoidal_positions",
        ),
        # a section of a page that is there
        (f"{ROTARY}#for-engineers", f"{WRONG}#two-rotary-layouts"),
        (f"{ROTARY}#turn-a-query-turn-a-key", f"{ROTARY}#turn-a-query-turn-a-key"),
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
