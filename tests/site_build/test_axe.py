"""What axe finds around an article, and in what opens over a page.

test_every_page.py lets axe look at the pages of KINDS, and tests/thorough.py at every page.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.site_build.axe import violations, violations_on_a_desktop
from tests.site_build.test_site import OLD

STEP = "steps/causal-masks/"
WIDE = ViewportSize(width=1280, height=900)
PHONE = ViewportSize(width=390, height=844)
# Between them these pages have every kind of element that any page has.
KINDS = [
    "",
    "ten-minutes/",
    "steps/tokens-become-vectors/",
    "steps/weights/",
    "steps/a-head-that-was-trained/",
    "steps/queries-keys-and-values/",
    "steps/why-divide-by-the-square-root/",
    "steps/self-attention-as-a-layer/",
    "steps/causal-masks/",
    "steps/padding-masks/",
    "steps/multi-head-attention/",
    "steps/cross-attention/",
    "steps/where-is-position/",
    "steps/position-by-rotation/",
    "steps/windows-and-sinks/",
    "steps/without-softmax/",
    "steps/many-devices-one-model/",
    "steps/how-it-learns/",
    "steps/let-it-write/",
    "steps/fewer-bits/",
    "guides/check-your-own-pages/",
    "guides/for-teachers/",
    "guides/publishing/",
    "guides/what-attention-costs/",
    "guides/writing-a-page/",
    "practice/write-it-yourself/",
    "model/the-mud-has-moved/",
    "toy/the-singer-hears-the-loud-bass/",
    "reference/layers/",
    "reference/pictures/",
    "reference/practice/",
    "reference/versions/",
    "notebooks/003_formula_and_numbers/",
]


def kinds_of_elements(page: Path) -> set[str]:
    """Return the tags, classes and own colours of a page: "td", "td.hidden", "td background"."""
    found = set()
    for tag, attributes in re.findall(r"<([a-z][\w-]*)([^>]*)>", page.read_text("utf-8")):
        classes = re.search(r'class="?([^">]*)', attributes)
        colours = re.findall(r"\b(color|background|fill|opacity)\b[\w-]*:", attributes)
        found |= {tag, *(f"{tag}.{name}" for name in (classes[1].split() if classes else []))}
        found |= {f"{tag} {name}" for name in colours}
    return found


def test_the_pages_looked_at_have_all_kinds_of_elements(site: Path) -> None:
    looked_at = set().union(*(kinds_of_elements(site / path / "index.html") for path in KINDS))
    # No reader stays at an old address, and no test of axe can: the page leads on at once.
    left = {site / old / "index.html" for old in OLD}
    for page in sorted({*site.rglob("*.html")} - left):
        new = kinds_of_elements(page) - looked_at
        assert not new, (
            f"{page} has what no page of KINDS in {__file__} has. Add the page there, so that axe "
            f"looks at it, or in place of one whose elements it has as well: {sorted(new)}"
        )


def test_axe_finds_nothing_around_an_article(address: str, page: Page) -> None:
    assert not violations_on_a_desktop(page, address + STEP, within="html")


# ---- what opens over a page


@pytest.fixture(params=[("dark", WIDE), ("light", PHONE)], ids=["dark wide", "light phone"])
def overlaid(page: Page, request: pytest.FixtureRequest) -> Page:
    scheme, size = request.param
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(size)
    return page


def test_axe_finds_nothing_in_the_results_of_a_search(address: str, overlaid: Page) -> None:
    overlaid.goto(address)
    overlaid.keyboard.press("/")
    overlaid.keyboard.type("mask")
    overlaid.locator(".md-search-result__item").first.wait_for()
    overlaid.locator(".md-search-result summary").first.click()
    assert not violations(overlaid, within="[data-md-component=search]")


def test_axe_finds_nothing_in_the_drawer(address: str, overlaid: Page) -> None:
    overlaid.set_viewport_size(PHONE)
    overlaid.goto(address + STEP)
    overlaid.get_by_role("button", name="Navigation").click()
    part = overlaid.get_by_role("checkbox", name="3 · From attention to a model").first
    expect(part).to_be_checked()
    assert not violations(overlaid, within=".md-sidebar--primary")
    part.focus()
    overlaid.keyboard.press("Space")
    expect(part).not_to_be_checked()
    assert not violations(overlaid, within=".md-sidebar--primary")


def test_axe_finds_nothing_in_the_solutions(address: str, overlaid: Page) -> None:
    overlaid.goto(address + STEP)
    for solution in overlaid.locator("summary").all():
        solution.click()
    assert not violations(overlaid, within="article details")
