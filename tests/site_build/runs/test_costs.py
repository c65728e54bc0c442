"""The calculator of "What attention costs", held to the functions on its page."""

import re
from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import product
from typing import Any

import pytest
import torch
from playwright.sync_api import Page, expect
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

from attention_steps import MultiHeadAttention, trace_attention
from tests.site_build.on_stage import number, opened
from tests.site_build.run_page import names_of

GUIDE = "guides/what-attention-costs"
FLOORS = """async (cases) => {
  const path = new URL("/assets/costs/floors.js", location)
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

# What the scene says and draws with other choices, from the numbers of the page.
DRAWN = """async (cases) => {
  const { default: Costs } = await import(new URL("/assets/stage/scenes/costs.js", location))
  const { numbers } = JSON.parse(document.querySelector(".stage script").textContent)
  return cases.map(([is, own = {}, at]) => {
    const scene = new Costs(numbers)
    Object.assign(scene.is, is)
    scene.own = own
    if (at !== undefined) scene.at = at
    const { says, other } = scene.matters
    return { says, other: other ?? "", marks: scene.layout("run", 994, 844) }
  })
}"""
WIDE = {"weight_bytes": 2, "expert_bytes": 2, "memory": 1e12}  # in 16 bits
MINIMAX = {"model": "MiniMax-M2.7"}


@pytest.fixture
def draw(address: str, page: Page) -> Callable[..., dict[str, Any]]:
    """Return what draws the calculator with choices, own sizes and a place on its line."""

    def drawn(*case: Any) -> dict[str, Any]:
        page.goto(f"{address}{GUIDE}/")
        (found,) = page.evaluate(DRAWN, [case])
        assert isinstance(found, dict)
        return found

    return drawn


@pytest.mark.parametrize(
    ("case", "word", "prompt"),
    [
        ([{"view": "step", "texts": 32}], "at least", "at least"),
        ([{**MINIMAX, "view": "step", "texts": 64}, WIDE], "about", "at least"),  # which experts?
        ([{**MINIMAX, "view": "step"}, WIDE, 0], "at least", "about"),
        ([{"view": "step", "model": "DeepSeek-V3", "count": 16}, {"peak": 1e12}], "about", "about"),
    ],
)
def test_what_nothing_passes_is_at_least(
    draw: Callable[..., dict[str, Any]], case: list[Any], word: str, prompt: str
) -> None:
    found = draw(*case)
    assert found["says"] == f"{word}, a decode step"
    assert found["marks"]["title0"]["t"] == f"A decode step, {word}"
    assert re.fullmatch(rf"A prefill of [\d,]+ tokens, {prompt}", found["marks"]["title1"]["t"])
    assert ("at most" in found["other"]) == (word == "at least")


def test_bars_are_as_long_as_the_times_of_the_page(
    draw: Callable[..., dict[str, Any]], guide: dict[str, Any]
) -> None:
    marks = draw({"view": "step"})["marks"]
    cost = guide["floors"](guide["models"]["Llama 3 8B"], 8192, 1, guide["devices"]["H100"])

    def wide(part: str) -> float:
        return float(marks[f"part{part}"]["w"]) + 1

    fetched = cost["weights"] / cost["caches"]
    assert wide("0.0.weights") / wide("0.0.cache") == pytest.approx(fetched, 0.01)
    times = cost["prompt_matrices"] / cost["prompt_attention"]
    assert wide("1.1.matrices") / wide("1.1.attention") == pytest.approx(times, 0.01)


def test_the_points_lie_on_the_roof_at_their_work_for_a_byte(
    draw: Callable[..., dict[str, Any]], guide: dict[str, Any]
) -> None:
    batch = 16
    marks = draw({"view": "roof", "texts": batch})["marks"]
    m = guide["models"]["Llama 3 8B"]
    matrices, attention = guide["work"](m, 8192)
    moved = matrices + batch * guide["cache"](m, 8192)  # two bytes for each number
    per_byte = batch * (matrices + attention) / moved
    (left, foot), (turn, top), _ = marks["roof"]["points"]
    ridge = 989e12 / 3.35e12
    unit = (turn - left) / torch.tensor(ridge).log2().item()  # of an octave
    prompt = (8192 * matrices + 8192 * attention / 2) / matrices
    for name, expected in [("mine", per_byte), ("prompt", prompt)]:
        point = marks[name]
        found = 2 ** ((point["x"] - left) / unit)
        assert found == pytest.approx(expected, rel=0.15), "a prompt has a table"
        height = min(1, (point["x"] - left) / (turn - left))
        assert point["y"] == pytest.approx(foot + (top - foot) * height, abs=1)
    assert marks["mine.name"]["t"].startswith(f"{per_byte:.1f}: ")
    assert marks["peak"]["t"].endswith(f"the roof turns at {round(ridge)}")


def test_what_training_holds_is_that_of_the_page(
    draw: Callable[..., dict[str, Any]], guide: dict[str, Any]
) -> None:
    marks = draw({"view": "training", "texts": 2})["marks"]
    parts = guide["training"](guide["models"]["Llama 3 8B"], 2 * 8192)
    for row, last in enumerate(("activations", "recomputed")):
        for name in ("weights", "gradients", "AdamW", "logits", last):
            drawn = marks[f"part{row}.{'activations' if name == last else name}"]["w"] + 1
            unit = (marks[f"part{row}.weights"]["w"] + 1) / parts["weights"]
            assert drawn == pytest.approx(parts[name] * unit, abs=0.1)
    assert "part1.weights" not in draw({"view": "training", "model": "DeepSeek-V3"})["marks"]


def test_a_device_is_chosen_from_its_menu(address: str, page: Page, guide: dict[str, Any]) -> None:
    stage = opened(page, f"{address}{GUIDE}/")
    stage.get_by_role("button", name="H100: swap").click()
    page.get_by_role("menuitemradio", name="B300").click()
    m, device = guide["models"]["Llama 3 8B"], guide["devices"]["B300"]
    seconds = guide["a_token"](guide["floors"](m, 8192, 1, device))
    expect(number(stage)).to_have_text(f"{1000 * seconds:.2f} ms")


def test_other_sizes_are_typed_and_a_model_brings_its_own(address: str, page: Page) -> None:
    stage = opened(page, f"{address}{GUIDE}/")
    page.get_by_text("Other sizes", exact=True).click()
    layers = page.get_by_label("layers", exact=True)
    expect(layers).to_have_value("32")
    before = number(stage).text_content() or ""
    layers.fill("64")
    expect(number(stage)).not_to_have_text(before)
    page.get_by_label("gigabytes of memory").fill("16")
    expect(stage).to_contain_text("another device")
    expect(stage).to_contain_text("it does not fit")
    for size, value in (("layers", "2.5"), ("heads", ""), ("chosen", "9")):
        field, told = page.get_by_label(size, exact=True), number(stage).text_content() or ""
        right = field.input_value()
        field.fill(value)
        expect(page.locator(".own-sizes output")).to_contain_text(size)
        expect(number(stage)).to_have_text(told)
        field.fill(right)
    stage.get_by_role("button", name="Llama 3 8B: swap").click()
    page.get_by_role("menuitemradio", name="DeepSeek-V3").click()
    expect(layers).to_have_value("61")
    expect(stage).not_to_contain_text("another device")
