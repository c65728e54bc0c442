"""What holds on every page; thorough.py looks at those that no push does."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.conftest import LOOKED_AT
from tests.site_build.one_page import look_at


@pytest.mark.parametrize("path", LOOKED_AT)
def test_a_page(address: str, site: Path, browser: Browser, path: str) -> None:
    look_at(browser, address, path, site)
