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


def floors(
    cost: dict[str, Any], word: str = "at least", most: str = "at most", prompt: str = "at least"
) -> dict[str, str]:
    """Write the times as the calculator does."""
    prompt = f"{prompt} {1e3 * cost['a prompt']:.2f} ms" if cost["a prompt"] else "\N{EN DASH}"
    return {
        "a word takes": f"{word} {1e3 * cost['a word']:.2f} ms",
        "words a second": f"{most} {cost['words a second']:.1f}",
        "a prompt takes": prompt,
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
    calculator.get_by_role("combobox", name="device").select_option(device)
    assert results(calculator) == expected(guide, guide["models"][name], n, batch, device)


LABELS = {
    "bytes_weights": "bytes of a weight",
    "bytes_cache": "bytes of a number in the cache",
    "window": "window (0: none)",
    "latent": "latent (0: none)",
    "rotated": "rotated part beside it",
    "query_latent": "latent of the queries",
    "experts": "experts in a layer",
    "chosen": "experts for a word",
    "tied": "one table for words in and out",
}
OPTIONS: list[dict[str, float]] = [
    {"bytes_weights": 0.5, "bytes_cache": 1},
    {"window": 512},
    {"window": 100_000},
    {"latent": 512},
    {"latent": 512, "rotated": 64},
    {"latent": 512, "rotated": 64, "query_latent": 1536},
    {"rotated": 64, "query_latent": 1536},
    {"tied": True},
]


def fill(page: Page, options: dict[str, float]) -> None:
    """Type sizes into the fields of their names."""
    for field, size in options.items():
        control = page.get_by_label(LABELS[field], exact=True)
        if field == "tied":
            control.check()
        else:
            control.fill(str(size))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_it_times_as_the_page_does(
    address: str, page: Page, guide: dict[str, Any], options: dict[str, float]
) -> None:
    page.goto(address + GUIDE)
    fill(page, options)
    shape, device = guide["models"]["Llama 3 8B"], guide["devices"]["H100"]
    cost = guide["costs"](shape, 8192, 1, device, **options)
    assert results(page).items() >= floors(cost).items()
    assert results(page)["parameters"] == f"{cost['parameters']:,}"


@pytest.mark.parametrize(
    ("batch", "n", "said"),
    [
        (1, 1, ("at least", "at most", "at least")),
        (1, 4096, ("at least", "at most", "about")),
        (1, 65_536, ("at least", "at most", "at least")),  # bound by work
        (64, 4096, ("about", "about", "about")),
    ],
)
def test_what_depends_on_the_choice_of_several_words_is_no_floor(
    address: str, page: Page, guide: dict[str, Any], batch: int, n: int, said: tuple[str, str, str]
) -> None:
    page.goto(address + GUIDE)
    fill(page, {"experts": 256, "chosen": 8})
    page.get_by_label("texts at once").fill(str(batch))
    page.get_by_label("words in the text").fill(str(n))
    shape, device = guide["models"]["Llama 3 8B"], guide["devices"]["H100"]
    cost = guide["costs"](shape, n, batch, device, experts=256, chosen=8)
    assert results(page).items() >= floors(cost, *said).items()
    assert results(page)["parameters"] == f"{cost['parameters']:,}"


DEEPSEEK_V3 = (61, 7168, 128, 128, 128, 2048, 129280)


def test_a_latent_has_the_matrices_of_deepseek(guide: dict[str, Any]) -> None:
    layers, embed_dim, heads, _, head_dim, *_ = DEEPSEEK_V3
    latent, rotated, query_latent = 512, 64, 1536
    matrices = {  # from, to: by the names of DeepSeek's code
        "wq_a": (embed_dim, query_latent),
        "wq_b": (query_latent, heads * (head_dim + rotated)),
        "wkv_a": (embed_dim, latent + rotated),
        "wkv_b": (latent, heads * 2 * head_dim),
        "wo": (heads * head_dim, embed_dim),
    }
    counts = guide["whole_model"](DEEPSEEK_V3, latent, rotated, query_latent, 256)
    assert counts["query and output"] + counts["key and value"] == layers * sum(
        rows * columns for rows, columns in matrices.values()
    )


def test_experts_make_the_sizes_of_qwen3_30b_a3b(guide: dict[str, Any]) -> None:
    qwen = (48, 2048, 32, 4, 128, 768, 151936)
    cost = guide["costs"](qwen, 1, 1, guide["devices"]["H100"], experts=128, chosen=8)
    assert round(cost["parameters"] / 1e9, 1) == 30.5  # its model card


def test_a_latent_is_unpacked_for_a_prompt_and_absorbed_for_a_word(guide: dict[str, Any]) -> None:
    layers, _, heads, _, head_dim, *_ = DEEPSEEK_V3
    device = (1.0, 1e30, 1e30)  # bound by work, one operation a second
    latent = {"latent": 512, "rotated": 64}
    n = 1000
    one, cost = (guide["costs"](DEEPSEEK_V3, words, 1, device, **latent) for words in (1, n))
    pair = layers * heads * 2 * (512 + 64 + 512)
    assert cost["a word"] - one["a word"] == (n - 1) * pair
    pair = layers * heads * 2 * (head_dim + 64 + head_dim)
    table = 2 * DEEPSEEK_V3[1] * DEEPSEEK_V3[6]
    matrices = one["a prompt"] - pair - table
    assert cost["a prompt"] == n * matrices + table + pair * n * (n + 1) / 2


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
    expect(page.get_by_role("combobox", name="device")).to_have_value("another")
    device = (None, 0.5e12, 64e9)
    shape = guide["models"]["Llama 3 8B"]
    assert results(page).items() >= floors(guide["costs"](shape, 8192, 1, device)).items()


@pytest.mark.parametrize("size", ["", "0", "-3", "2.5", "1e400"])
def test_what_is_no_size_has_no_cost(calculator: Page, size: str) -> None:
    calculator.get_by_label("layers").fill(size)
    for output in calculator.locator("attention-calculator output").all():
        expect(output).to_have_text("\N{EN DASH}")


def test_a_word_cannot_choose_more_experts_than_there_are(address: str, page: Page) -> None:
    page.goto(address + GUIDE)
    fill(page, {"experts": 8, "chosen": 9})
    assert set(results(page).values()) == {"\N{EN DASH}"}


def test_its_script_is_asked_for_on_its_page_alone(address: str, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address, wait_until="networkidle")
    assert not any("calculator" in url for url in asked)
    page.goto(address + GUIDE, wait_until="networkidle")
    assert sum(url.endswith("calculator.js") for url in asked) == 1
