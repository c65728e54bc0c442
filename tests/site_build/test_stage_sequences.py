"""The stages of two sequences and of a padded one, and the words that a reader swaps."""

import re

from playwright.sync_api import Page, expect

from tests.site_build.on_stage import CROSS, PADDING, number, opened, to
from tests.site_build.run_page import names_of


def test_an_english_adjective_changes_what_a_french_word_takes_but_no_weight(
    address: str, page: Page
) -> None:
    stage = opened(page, address + CROSS)
    expect(number(stage)).to_have_text("0.93")
    stage.get_by_role("button", name="Before canard: le asks").click()
    expect(number(stage)).to_have_text("0.02")
    expect(page.locator(".stage-live")).to_have_text(
        "le takes 0.02 of bank, before canard is written."
    )
    page.locator('[data-stage="weights"] i', has_text="0.96").last.click()
    expect(number(stage)).to_have_text("0.96")
    expect(page.locator(".stage-live")).to_contain_text("aime takes 0.96 of the")
    to(page, "asks")
    stage.get_by_role("button", name="aime asks duck: 0").click()
    expect(number(stage)).to_have_text("0.00")
    to(page, "takes")
    task = page.locator(".stage-task")
    expect(number(stage)).to_have_text(["1.43", "0.47"])
    expect(task).not_to_have_class(re.compile("done"))
    stage.get_by_role("button", name="muddy: swap this word").click()
    page.get_by_role("menuitemradio", name="rich").click()
    names = names_of("steps/cross-attention.md")
    takes = names["weights"][4] @ names["encode"]("the duck likes the rich bank")[:, 5:]
    expect(number(stage)).to_have_text([f"{amount:.2f}" for amount in takes])
    expect(task).to_have_class(re.compile("done"))
    to(page, "between")
    expect(number(stage)).to_have_text("0.00")
    stage.get_by_role("button", name="Before banque: la asks").click()
    expect(number(stage)).to_have_text("0.02")
    stage.get_by_role("button", name="As printed").click()
    expect(number(stage)).to_have_text("0.93")


def test_pads_take_a_share_until_a_mask_hides_them(address: str, page: Page) -> None:
    stage = opened(page, address + PADDING)
    task = page.locator(".stage-task")
    expect(number(stage)).to_have_text("26 %")
    expect(task).not_to_have_class(re.compile("done"))
    pads = stage.get_by_role("slider", name="The number of pads")
    for count, share in [(3, "34 %"), (4, "41 %"), (5, "47 %"), (6, "51 %")]:
        pads.press("ArrowRight")
        expect(pads).to_have_attribute("aria-valuenow", str(count))
        expect(number(stage)).to_have_text(share)
    expect(task).to_have_class(re.compile("done"))
    to(page, "zero")
    expect(number(stage)).to_have_text("1")
    stage.get_by_role("button", name="exp of 1, for the: 2.72").click()
    expect(number(stage)).to_have_text("2.72")
    to(page, "hidden")
    stage.get_by_role("button", name="bank takes nothing of pad").first.click()
    expect(number(stage)).to_have_text("0")
    page.keyboard.press("ArrowLeft")
    expect(number(stage)).to_have_text("0.68")
    expect(page.locator('[data-stage="weights"] i.lit')).to_have_text("0.68")
    stage.get_by_role("button", name="As printed").click()
    to(page, "pads")
    expect(number(stage)).to_have_text("26 %")
    expect(task).not_to_have_class(re.compile("done"))


def test_each_word_that_is_swapped_has_the_row_of_the_course(address: str, page: Page) -> None:
    page.goto(f"{address}robots.txt")
    found = page.evaluate("async () => ({ ...(await import('/assets/stage/words.js')) })")
    rows, slots = found["EMBEDDING"], found["SLOTS"]
    known: dict[str, list[float]] = {}
    for path in ("scores", "queries-keys-and-values", "cross-attention", "padding-masks"):
        known |= names_of(f"steps/{path}.md").get("embedding", {})
    assert len(known) > 6
    assert {word: rows[word] for word in known} == known
    for subjects_or, component in zip(slots, (2, 2, 3), strict=True):  # acts, acts, describes
        assert all(rows[word][component] for word in subjects_or)
