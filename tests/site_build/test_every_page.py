"""About twenty pages with every kind of element between them; thorough.py looks at every page."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.site_build.one_page import look_at

LOOKED_AT = [
    "",
    "404.html",
    "ten-minutes/",
    "steps/tokens-become-vectors/",
    "steps/scores/",
    "steps/weights/",
    "steps/causal-masks/",
    "steps/multi-head-attention/",
    "steps/position-by-rotation/",
    "steps/who-finds-the-numbers/",
    "steps/windows-and-sinks/",
    "steps/many-devices-one-model/",
    "steps/in-a-real-model/",
    "steps/guess-the-next-word/",
    "guides/what-attention-costs/",
    "guides/writing-a-page/",
    "practice/write-it-yourself/",
    "reference/layers/",
    "reference/attention/",
    "notebooks/003_formula_and_numbers/",
]


@pytest.mark.parametrize("path", LOOKED_AT)
def test_a_page(address: str, site: Path, browser: Browser, path: str) -> None:
    look_at(browser, address, path, site)
