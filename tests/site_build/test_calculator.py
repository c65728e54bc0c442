"""The calculator of "What attention costs", held to the functions on its page."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.site_build.run_page import names_of

GUIDE = "guides/what-attention-costs"
FIELDS = ["layers", "embed_dim", "heads", "kv_heads", "head_dim", "hidden_dim", "words"]


@pytest.fixture
def guide() -> dict[str, Any]:
    """Return what the code of the page leaves behind."""
    return names_of(f"{GUIDE}.md")


@pytest.fixture(scope="module")
def calculator(address: str, browser: Browser) -> Iterator[Page]:
    """Open the page once: a test fills in whatever it counts with."""
    page = browser.new_page()
    page.goto(address + GUIDE)
    yield page
    page.close()


def expected(
    guide: dict[str, Any], shape: tuple[int, ...], n: int, batch: int, device: str = "H100"
) -> list[str]:
    """What the page's functions say, written as the calculator writes it."""
    counts = guide["parameters"](*shape)
    total = sum(counts.values())
    matrices, attention = guide["work"](shape, n)
    projections = counts["query and output"] + counts["key and value"]
    return [
        f"{total:,}",
        f"{100 * projections / total:.1f} %",
        f"{2 * total / 1e9:.1f} GB",
        f"{guide['cache_bytes'](shape, 1):,} bytes",
        f"{batch * guide['cache_bytes'](shape, n) / 1e9:.1f} GB",
        f"{matrices + attention:,}",
        f"{100 * attention / (matrices + attention):.1f} %",
        f"{guide['operations_per_byte'](shape, n, batch):.1f}",
        *floors(guide["costs"](shape, n, batch, guide["devices"][device])),
    ]


def floors(cost: dict[str, Any]) -> list[str]:
    """Write the times as the calculator does."""
    return [
        f"{1e3 * cost['a word']:.2f} ms",
        f"{cost['words a second']:.1f}",
        f"{1e3 * cost['a prompt']:.2f} ms" if cost["a prompt"] else "\N{EN DASH}",
        "yes" if cost["fits"] else "no",
        cost["bound by"],
    ]


def results(page: Page) -> list[str]:
    return page.locator("attention-calculator output").all_inner_texts()


def test_it_starts_with_llama_3_8b(address: str, page: Page, guide: dict[str, Any]) -> None:
    page.goto(address + GUIDE)
    assert results(page) == expected(guide, guide["models"]["Llama 3 8B"], 8192, 1)


@pytest.mark.parametrize("name", ["the duck", "Llama 2 7B", "Llama 3 8B", "Llama 3 70B"])
@pytest.mark.parametrize(
    ("n", "batch", "device"), [(8192, 1, "H100"), (100, 16, "RTX 5090"), (100, 400, "B200")]
)
def test_it_counts_as_the_page_does(
    calculator: Page, guide: dict[str, Any], name: str, n: int, batch: int, device: str
) -> None:
    sizes = dict(zip(FIELDS, guide["models"][name], strict=True)) | {"n": n, "batch": batch}
    for field, size in sizes.items():
        calculator.locator(f"[name={field}]").fill(str(size))
    calculator.get_by_label("device").select_option(device)
    assert results(calculator) == expected(guide, guide["models"][name], n, batch, device)


OPTIONS: list[dict[str, float]] = [
    {"bytes_weights": 0.5, "bytes_cache": 1},
    {"window": 512},
    {"window": 100_000},
    {"latent": 576},
    {"tied": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_times_as_the_page_does(
    address: str, page: Page, guide: dict[str, Any], options: dict[str, float]
) -> None:
    page.goto(address + GUIDE)
    for field, size in options.items():
        if field == "tied":
            page.get_by_label("one table").check()
        else:
            page.locator(f"[name={field}]").fill(str(size))
    shape, device = guide["models"]["Llama 3 8B"], guide["devices"]["H100"]
    assert results(page)[-5:] == floors(guide["costs"](shape, 8192, 1, device, **options))


def test_the_numbers_of_a_device_can_be_typed(
    address: str, page: Page, guide: dict[str, Any]
) -> None:
    page.goto(address + GUIDE)
    for field, size in {"peak": "", "bandwidth": "0.5", "memory": "64"}.items():
        page.locator(f"[name={field}]").fill(size)
    expect(page.get_by_label("device")).to_have_value("another")
    device = (None, 0.5e12, 64e9)
    shape = guide["models"]["Llama 3 8B"]
    assert results(page)[-5:] == floors(guide["costs"](shape, 8192, 1, device))


@pytest.mark.parametrize("size", ["", "0", "-3", "2.5", "1e400"])
def test_what_is_no_size_has_no_cost(calculator: Page, size: str) -> None:
    calculator.get_by_label("layers").fill(size)
    for output in calculator.locator("attention-calculator output").all():
        expect(output).to_have_text("\N{EN DASH}")


def test_its_script_is_asked_for_on_its_page_alone(address: str, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address, wait_until="networkidle")
    assert not any("calculator" in url for url in asked)
    page.goto(address + GUIDE, wait_until="networkidle")
    assert sum(url.endswith("calculator.js") for url in asked) == 1
