"""The calculator of "What attention costs", held to the functions on its page."""

import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from itertools import product
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

from attention_steps import MultiHeadAttention, trace_attention
from tests.site_build.run_page import names_of

GUIDE = "guides/what-attention-costs"
WIDE = "model=MiniMax-M2.7&weight_bytes=2&expert_bytes=2&memory=1e12"  # in 16 bits
FLOORS = """async (cases) => {
  const path = new URL("/assets/interactive/costs/floors.js", location)
  const {activations, aPrompt, aToken, cache, floors, parameters, stored, training, work} =
    await import(path)
  return cases.map(([m, n, batch, device, count]) => {
    const cost = floors(m, n, batch, device, count)
    return {...cost, a_token: aToken(cost), a_prompt: aPrompt(cost), cache: cache(m, n),
            stored: stored(m), work: work(m, n), parameters: parameters(m),
            activations: activations(m), training: training(m, n)}
  })
}"""
OTHERS: list[dict[str, float]] = [  # than those of the makers
    {"weight_bytes": 0.5, "expert_bytes": 0.5, "cache_bytes": 1},
    {"tied": 1},
    {"window": 512, "windowed": 7},
    {"latent": 512},
    {"latent": 512, "rotated": 64},
    {"latent": 512, "rotated": 64, "query_latent": 1536},
    {"experts": 16, "chosen": 2, "shared": 2, "dense_layers": 1, "dense_dim": 100},
    {"normed": 256, "biased": 1},
]


@pytest.fixture
def guide() -> dict[str, Any]:
    """Return what the code of the page leaves behind."""
    return names_of(f"{GUIDE}.md")


def test_the_page_on_many_devices_has_its_parameters(guide: dict[str, Any]) -> None:
    sizes = names_of("steps/many-devices-one-model.md")["sizes"]
    for name, (stored, used) in sizes.items():
        m = guide["models"][name]
        assert stored == sum(guide["parameters"](m).values())
        assert used == guide["work"](m, 1)[0] // 2


def test_its_floors_are_those_of_the_page(address: str, page: Page, guide: dict[str, Any]) -> None:
    models = [*guide["models"].values()]
    models += [replace(guide["models"]["Llama 3 8B"], **other) for other in OTHERS]
    devices = guide["devices"].values()
    cases = [*product(models, (1, 8192, 2**20), (1, 512), devices, (1, 8))]
    page.goto(address)
    given = [[asdict(m), *rest] for m, *rest in cases]
    for case, found in zip(cases, page.evaluate(FLOORS, given), strict=True):
        m, n, *_ = case
        cost = guide["floors"](*case)
        expected = cost | {
            "a_token": guide["a_token"](cost),
            "a_prompt": guide["a_prompt"](cost),
            "cache": guide["cache"](m, n),
            "stored": guide["stored"](m),
            "work": [*guide["work"](m, n)],
        }
        assert found.pop("parameters") == guide["parameters"](m), case
        assert found.pop("activations") == guide["activations"](m), case
        assert found.pop("training") == guide["training"](m, n), case
        assert found == {name: pytest.approx(size, 1e-12) for name, size in expected.items()}, case


def test_its_counts_are_those_of_the_layer_and_of_torch(guide: dict[str, Any]) -> None:
    m = replace(
        guide["models"]["Llama 3 8B"], layers=1, embed_dim=4, heads=2, kv_heads=2, head_dim=2
    )
    layer = MultiHeadAttention(embed_dim=4, num_heads=2, bias=False)
    assert sum(p.numel() for p in layer.parameters()) == guide["parameters"](m)["attention"]
    words = torch.ones(2, 6, 2)
    with FlopCounterMode(display=False) as counter:
        trace_attention(words, words, words)
    assert counter.get_total_flops() == 6 * guide["work"](m, 6)[1]


def saved(function: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> int:
    """Return how many numbers autograd saves for the way back, beside parameters."""
    storages: dict[int, int] = {}

    def save(tensor: torch.Tensor) -> torch.Tensor:
        if not isinstance(tensor, torch.nn.Parameter) and not isinstance(
            tensor._base, torch.nn.Parameter
        ):
            storage = tensor.untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes() // 4
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(save, lambda tensor: tensor):
        kept_alive = function(x)
    assert kept_alive.requires_grad
    return sum(storages.values())


def test_its_activations_are_what_torch_saves(guide: dict[str, Any]) -> None:
    m = replace(
        guide["models"]["Llama 3 8B"],
        embed_dim=32,
        heads=4,
        kv_heads=2,
        head_dim=8,
        hidden_dim=96,
    )
    width, kv_width = m.heads * m.head_dim, m.kv_heads * m.head_dim
    sizes = {"query": width, "key": kv_width, "value": kv_width, "gate": m.hidden_dim}
    matrix = {
        name: torch.nn.Parameter(torch.ones(rows, m.embed_dim))
        for name, rows in {**sizes, "up": m.hidden_dim, "out": m.embed_dim}.items()
    }
    matrix["down"] = torch.nn.Parameter(torch.ones(m.embed_dim, m.hidden_dim))
    norm = torch.nn.Parameter(torch.ones(m.embed_dim))
    words = 64

    def layer(x: torch.Tensor) -> torch.Tensor:
        y = F.layer_norm(x, norm.shape, norm)
        query, key, value = (
            F.linear(y, matrix[name]).view(1, words, -1, m.head_dim).transpose(1, 2)
            for name in ("query", "key", "value")
        )
        context = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        x = x + F.linear(context.transpose(1, 2).flatten(2), matrix["out"])
        y = F.layer_norm(x, norm.shape, norm)
        gate, up = F.linear(y, matrix["gate"]), F.linear(y, matrix["up"])
        return x + F.linear(F.silu(gate) * up, matrix["down"])

    x = torch.ones(1, words, m.embed_dim, requires_grad=True)
    # Two numbers for each of both norms, and one in each head for the softmax.
    assert saved(layer, x) == words * (guide["activations"](m) + 4 + m.heads)
    again = saved(lambda x: checkpoint(layer, x, use_reentrant=False), x)
    assert again == words * m.embed_dim


def test_parts_of_gpt_oss_are_those_of_its_card(guide: dict[str, Any]) -> None:
    m = guide["models"]["gpt-oss-120b"]
    counts = guide["parameters"](m)
    layer = m.experts * (2 * m.hidden_dim + m.embed_dim)  # biases, which the card counts as MLP
    mlp = counts["experts"] + counts["router"] + m.layers * layer
    assert round(mlp / 1e9, 2) == 114.71
    assert round(counts["attention"] / 1e9, 2) == 0.96
    assert round((counts["embedding"] + counts["unembedding"]) / 1e9, 2) == 1.16


def test_the_matrices_of_deepseek_are_those_of_its_code(guide: dict[str, Any]) -> None:
    m = guide["models"]["DeepSeek-V3"]
    matrices = {  # from, to
        "wq_a": (m.embed_dim, m.query_latent),
        "wq_b": (m.query_latent, m.heads * (m.head_dim + m.rotated)),
        "wkv_a": (m.embed_dim, m.latent + m.rotated),
        "wkv_b": (m.latent, m.heads * 2 * m.head_dim),
        "wo": (m.heads * m.head_dim, m.embed_dim),
    }
    assert guide["attention_of"](m) == sum(rows * columns for rows, columns in matrices.values())


def test_a_latent_is_unpacked_for_a_prompt_and_absorbed_for_a_word(guide: dict[str, Any]) -> None:
    m, n = guide["models"]["DeepSeek-V3"], 1000
    cost = guide["floors"](m, n, 1, (1.0, 1e30, 1e30))  # one operation a second
    in_each = m.layers * m.heads
    assert cost["attention"] == in_each * 2 * (512 + 64 + 512) * n
    assert cost["prompt_attention"] == in_each * 2 * (128 + 64 + 128) * n * (n + 1) / 2


def test_a_window_bounds_what_is_read_and_kept(guide: dict[str, Any]) -> None:
    m = guide["models"]["gpt-oss-120b"]
    every = replace(m, window=0, windowed=0)
    short, long = 100, 1000
    assert guide["cache"](m, short) == guide["cache"](every, short)
    assert guide["cache"](m, long) == guide["cache"](every, (long + 128) / 2)
    seen = sum(min(i, 128) + i for i in range(1, long + 1)) / 2
    device = (1.0, 1e30, 1e30)
    whole, some = (guide["floors"](each, long, 1, device) for each in (every, m))
    share = some["prompt_attention"] / whole["prompt_attention"]
    assert share == pytest.approx(seen / (long * (long + 1) / 2))


# ---- in the reader's hands


def opened(page: Page, address: str, state: str = "") -> Locator:
    """Open the calculator in a state."""
    page.goto("about:blank")
    page.goto(f"{address}{GUIDE}/{state and f'#costs&{state}'}")
    figure = page.locator("hand-figure")
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_class("live")
    return figure


def says(figure: Locator) -> Locator:
    return figure.locator(".hand-says")


@pytest.fixture(scope="module")
def reader(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    yield page
    page.close()


@pytest.mark.parametrize(
    ("state", "word", "prompt"),
    [
        ("texts=5", "at least", "at least"),
        (f"{WIDE}&texts=6", "about", "at least"),  # which experts?
        (f"{WIDE}&length=8", "at least", "about"),
        ("model=DeepSeek-V3&count=16&peak=1e12", "about", "about"),
    ],
)
def test_what_nothing_passes_is_at_least(
    address: str, reader: Page, state: str, word: str, prompt: str
) -> None:
    figure = opened(reader, address, state)
    picture = figure.locator("svg.wide")
    to_write = re.compile(rf"A decode step(?: of \d+ sequences)?, {word}")
    expect(picture).to_contain_text(to_write)
    expect(picture).to_contain_text(re.compile(rf"A prefill of [\d,]+ tokens, {prompt}"))
    begins = re.compile(rf"^(it does not fit\. if it did: )?{word}", re.IGNORECASE)
    expect(says(figure)).to_have_text(begins)
    at_most = "^.* at most" if word == "at least" else "^(?!.* at most)"
    expect(says(figure)).to_have_text(re.compile(at_most))


def test_bars_are_as_long_as_the_times_of_the_page(
    address: str, reader: Page, guide: dict[str, Any]
) -> None:
    figure = opened(reader, address)
    cost = guide["floors"](guide["models"]["Llama 3 8B"], 8192, 1, guide["devices"]["H100"])
    boxes = figure.locator("svg.wide rect[height='26']")
    widths = [float(box.get_attribute("width") or 0) for box in boxes.all()]
    weights, kept, *_ = widths
    assert (weights + 1) / (kept + 1) == pytest.approx(cost["weights"] / cost["caches"], 0.01)
    matrices, attention = widths[-2:]
    times = cost["prompt_matrices"] / cost["prompt_attention"]
    assert (matrices + 1) / (attention + 1) == pytest.approx(times, 0.01)


def test_the_point_on_the_roof_is_the_work_for_a_byte(
    address: str, reader: Page, guide: dict[str, Any]
) -> None:
    texts = 4
    picture = opened(reader, address, f"plot=roof&texts={texts}").locator("svg.wide")
    m, batch = guide["models"]["Llama 3 8B"], 2**texts
    cost = guide["floors"](m, 8192, batch, guide["devices"]["H100"])
    matrices, attention = guide["work"](m, 8192)
    moved = matrices + batch * guide["cache"](m, 8192)  # two bytes for each number
    per_byte = batch * (matrices + attention) / moved
    for look, expected in [
        ("[fill*=hand-now]", per_byte),
        ("[fill*=hand-ground]", (8192 * matrices + 8192 * attention / 2) / matrices),
    ]:
        point = picture.locator(f"circle{look}").last
        across, up = (float(point.get_attribute(name) or 0) for name in ("cx", "cy"))
        assert 2 ** (across / 658 * 14) == pytest.approx(expected, rel=0.15), "a prompt has a table"
        roof = picture.locator("path[stroke*=hand-ink][stroke-width='3']").get_attribute("d") or ""
        left, foot, turn, top, _ = map(float, re.findall(r"[\d.]+", roof))
        height = min(1, (across - left) / (turn - left))
        assert up == pytest.approx(foot + (top - foot) * height, abs=1), "it lies on the roof"
    expect(picture).to_contain_text(f"{per_byte:.1f}: ")
    ridge = round(989e12 / 3.35e12)
    expect(picture).to_contain_text(f"the roof turns at {ridge}")
    assert sum(cost[part] for part in ("weights", "experts", "caches")) > cost["matrices"]


def test_what_training_holds_is_that_of_the_page(
    address: str, reader: Page, guide: dict[str, Any]
) -> None:
    figure = opened(reader, address, "plot=training&texts=1")
    bars = figure.locator("svg.wide rect[height='30']")
    widths = [float(bar.get_attribute("width") or 0) + 1 for bar in bars.all()]
    parts = guide["training"](guide["models"]["Llama 3 8B"], 2 * 8192)
    whole = ["weights", "gradients", "AdamW", "logits"]
    expected = [parts[name] for last in ("activations", "recomputed") for name in [*whole, last]]
    unit = widths[0] / expected[0]
    assert widths == pytest.approx([size * unit for size in expected], abs=0.1)
    with_experts = opened(reader, address, "plot=training&model=DeepSeek-V3").locator("svg.wide")
    expect(with_experts).to_contain_text("without activations")


def test_the_length_is_dragged_and_moved_by_keys(address: str, reader: Page) -> None:
    figure = opened(reader, address)
    handle = figure.locator("svg.wide [role=slider]")
    box = handle.locator(".ring").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    reader.mouse.move(x, y)
    reader.mouse.down()
    reader.mouse.move(x + 110, y + 40, steps=4)
    reader.mouse.up()
    expect(handle).not_to_have_attribute("aria-valuenow", "8192")
    dragged = int(handle.get_attribute("aria-valuenow") or 0)
    assert 8192 < dragged < 2**20
    handle.press("Home")
    expect(handle).to_have_attribute("aria-valuenow", "256")
    handle.press("End")
    expect(handle).to_have_attribute("aria-valuenow", str(2**20))
    expect(says(figure)).to_have_text(re.compile(r"^It does not fit\."))
    expect(handle).to_be_focused()


def test_other_sizes_are_typed_and_a_model_brings_its_own(address: str, reader: Page) -> None:
    figure = opened(reader, address)
    figure.get_by_text("Other sizes").click()
    layers = figure.get_by_label("layers", exact=True)
    expect(layers).to_have_value("32")
    before = says(figure).inner_text()
    layers.fill("64")
    expect(says(figure)).not_to_have_text(before)
    figure.get_by_label("terabytes a second").fill("1.5")
    expect(figure.locator("svg.wide")).to_contain_text("another device")
    figure.get_by_label("gigabytes of memory").fill("16")
    expect(says(figure)).to_have_text(re.compile(r"^It does not fit\."))
    figure.get_by_label("DeepSeek-V3").check()
    expect(layers).to_have_value("61")
    expect(figure.locator("svg.wide")).not_to_contain_text("another device")


def test_what_is_no_size_is_told_and_counts_for_nothing(address: str, reader: Page) -> None:
    figure = opened(reader, address)
    figure.get_by_text("Other sizes").click()
    before = says(figure).inner_text()
    for size, value in (("layers", "2.5"), ("heads", ""), ("chosen", "9")):
        field = figure.get_by_label(size, exact=True)
        right = field.input_value()
        field.fill(value)
        expect(figure.locator(".hand-more output")).to_contain_text(size)
        expect(says(figure)).to_have_text(before)
        field.fill(right)
