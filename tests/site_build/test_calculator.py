"""The calculator of "What attention costs", held to the functions on its page."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.site_build.run_page import names_of

GUIDE = "guides/what-attention-costs"
FIELDS = {  # the label of each size of a model, in the order of the page
    "layers": "layers",
    "embed_dim": "embed_dim",
    "heads": "query heads",
    "kv_heads": "key and value heads",
    "head_dim": "head_dim",
    "hidden_dim": "feed-forward size",
    "words": "words it knows",
}


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
) -> dict[str, str]:
    """What the page's functions say, written as the calculator writes it, behind its names."""
    counts = guide["parameters"](*shape)
    total = sum(counts.values())
    matrices, attention = guide["work"](shape, n)
    projections = counts["query and output"] + counts["key and value"]
    return {
        "parameters": f"{total:,}",
        "of these in attention": f"{100 * projections / total:.1f} %",
        "their bytes": f"{2 * total / 1e9:.1f} GB",
        "cache for one word": f"{guide['cache_bytes'](shape, 1):,} bytes",
        "cache for all texts": f"{batch * guide['cache_bytes'](shape, n) / 1e9:.1f} GB",
        "operations to write a word": f"{matrices + attention:,}",
        "of these attention to the text": f"{100 * attention / (matrices + attention):.1f} %",
        "operations for each byte read": f"{guide['operations_per_byte'](shape, n, batch):.1f}",
        **floors(guide["costs"](shape, n, batch, guide["devices"][device])),
    }


def floors(cost: dict[str, Any]) -> dict[str, str]:
    """Write the times as the calculator does."""
    prompt = f"{1e3 * cost['a prompt']:.2f} ms" if cost["a prompt"] else "\N{EN DASH}"
    return {
        "a word takes at least": f"{1e3 * cost['a word']:.2f} ms",
        "words a second, at most": f"{cost['words a second']:.1f}",
        "a prompt takes at least": prompt,
        "fits": "yes" if cost["fits"] else "no",
        "writing is bound by": cost["bound by"],
    }


def results(page: Page) -> dict[str, str]:
    """Return what the calculator says, by its names."""
    names, values = (page.locator(f"attention-calculator {tag}") for tag in ("dt", "output"))
    return dict(zip(names.all_inner_texts(), values.all_inner_texts(), strict=True))


def test_it_starts_with_llama_3_8b(address: str, page: Page, guide: dict[str, Any]) -> None:
    page.goto(address + GUIDE)
    assert results(page) == expected(guide, guide["models"]["Llama 3 8B"], 8192, 1)


@pytest.mark.parametrize("name", ["the duck", "Llama 2 7B", "Llama 3 8B", "Llama 3 70B"])
@pytest.mark.parametrize(
    ("n", "batch", "device"), [(8192, 1, "H100"), (100, 16, "TPU v5e"), (100, 400, "B200")]
)
def test_it_counts_as_the_page_does(
    calculator: Page, guide: dict[str, Any], name: str, n: int, batch: int, device: str
) -> None:
    sizes = dict(zip(FIELDS.values(), guide["models"][name], strict=True))
    for label, size in {**sizes, "words in the text": n, "texts at once": batch}.items():
        calculator.get_by_label(label, exact=True).fill(str(size))
    calculator.get_by_label("device").select_option(device)
    assert results(calculator) == expected(guide, guide["models"][name], n, batch, device)


LABELS = {
    "bytes_weights": "bytes of a weight",
    "bytes_cache": "bytes of a number in the cache",
    "window": "window (0: none)",
    "latent": "latent (0: none)",
    "tied": "one table for words in and out",
}
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
        control = page.get_by_label(LABELS[field], exact=True)
        if field == "tied":
            control.check()
        else:
            control.fill(str(size))
    shape, device = guide["models"]["Llama 3 8B"], guide["devices"]["H100"]
    assert (
        results(page).items() >= floors(guide["costs"](shape, 8192, 1, device, **options)).items()
    )


def test_the_numbers_of_a_device_can_be_typed(
    address: str, page: Page, guide: dict[str, Any]
) -> None:
    page.goto(address + GUIDE)
    rates = {
        "10¹² operations a second": "",
        "terabytes a second": "0.5",
        "gigabytes of memory": "64",
    }
    for label, size in rates.items():
        page.get_by_label(label, exact=True).fill(size)
    expect(page.get_by_label("device")).to_have_value("another")
    device = (None, 0.5e12, 64e9)
    shape = guide["models"]["Llama 3 8B"]
    assert results(page).items() >= floors(guide["costs"](shape, 8192, 1, device)).items()


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
