"""How much a first visit fetches."""

import gzip
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

KILOBYTE = 1000


@pytest.mark.parametrize("path", ["", "ten-minutes/", "steps/weights/", "steps/how-it-learns/"])
def test_a_first_visit_is_light(site: Path, address: str, browser: Browser, path: str) -> None:
    """All that is fetched until the network is quiet, as a server compresses it."""
    page = browser.new_context().new_page()
    urls: set[str] = set()
    page.on("request", lambda request: urls.add(urlsplit(request.url).path.lstrip("/")))
    page.goto(address + path, wait_until="networkidle")
    page.context.close()
    files = [site / url / "index.html" if url in ("", path) else site / url for url in urls]
    weights = {file.name: len(gzip.compress(file.read_bytes())) for file in files}
    assert 20 * KILOBYTE < sum(weights.values()) <= 130 * KILOBYTE, weights
