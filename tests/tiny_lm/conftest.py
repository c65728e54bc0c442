"""One thread for what torch computes here: more wait for each other. And a page for scripts."""

from collections.abc import Iterator

import pytest
import torch
from playwright.sync_api import Browser, Page

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def tab(address: str, browser: Browser) -> Iterator[Page]:
    """Open a page of the site on which nothing runs, and any script can be imported."""
    page = browser.new_page()
    page.goto(f"{address}robots.txt")
    yield page
    page.close()
