"""Each mistake is named alone, in what people write as well, and what is right passes."""

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import pad
from torch.nn.functional import scaled_dot_product_attention as torch_attention

import attention_steps
from attention_practice.exercises import EXERCISES
from attention_verify import AttentionCase, attention_cases, verify
from attention_verify.cases import FEATURES
from attention_verify.engine import not_tested_by
from attention_verify.mistakes import caches
from attention_verify.oracle import RIGHT, Given, Steps, attention, both
from attention_verify.ways import QUESTION, WAYS
from attention_verify.words import KNOWN
from tests.attention_steps.oracles import assert_near
from tests.attention_verify.attentions import cache_making, making, plain
from tests.test_forgotten import sections_of

ALL = attention_cases(*FEATURES)
OF_TORCH = {*FEATURES} - {"window", "softcap", "sinks", "both"}
# What joins features, or has very many keys, is run by other tests.
ALONE = [case for case in ALL if " and " not in case.name and case.given.key.shape[2] < 1000]
OF_CACHES = {*caches.WAYS}
# Two ways to make each mistake at most: those of other tiles are alike. Others are named with them.
MORE = {
    "tail dropped": 13,
    "tail counted": 13,
    "not all read": 9,
    "root of another axis": 4,
    "mask of another": 3,
    "gradients not added": 3,
}
MUTANTS = [
    (name, way.steps)
    for name, ways in WAYS.items()
    for way in (*ways[:2], *([ways[MORE[name]]] if name in MORE else []))
    if name not in QUESTION
]


@pytest.mark.parametrize("case", ALL, ids=str)
def test_the_oracle_is_the_attention_of_the_package(case: AttentionCase) -> None:
    given = case.given
    lengths = given.query.shape[2], given.key.shape[2]
    mask = given.mask
    if given.causal:
        offset = lengths[1] - lengths[0]
        rule = attention_steps.causal_mask(*lengths, offset=offset)
        if given.window:
            rule = attention_steps.sliding_window_mask(*lengths, window=given.window, offset=offset)
        if mask is None or mask.dtype == torch.bool:
            mask = rule if mask is None else mask & rule
        else:
            mask = mask.masked_fill(~rule, -math.inf)
    assert_near(
        attention(given),
        attention_steps.scaled_dot_product_attention(
            given.query,
            given.key,
            given.value,
            mask,
            scale=given.scale,
            softcap=given.softcap,
            sinks=given.sinks,
            enable_gqa=True,
        ),
    )
    # The same in every dtype; or too fine for 16 bits, and the same in float32.
    is_fine = "fine numbers" in case.name
    for x in (given.query, given.key, given.value):
        assert torch.equal(x.float().double(), x)
        assert torch.equal(x.bfloat16().double(), x) is not is_fine
        assert torch.equal(x.half().double(), x) is not is_fine


def test_every_pair_of_features_that_can_be_joined_is() -> None:
    assert {name for name in not_tested_by(ALL) if " with " in name} == {
        "mask with float-mask",
        "float-mask with both",
        "gradients with float16",
        "gradients with bfloat16",
    }


@pytest.mark.slow
@pytest.mark.parametrize(("name", "steps"), MUTANTS, ids=lambda x: x if isinstance(x, str) else "")
def test_each_mistake_is_named_alone(name: str, steps: Steps) -> None:
    verdict = (
        verify(cache_making(steps), ["window"], interface="cache")
        if name in OF_CACHES
        else verify(making(steps), cases=ALONE)
    )
    assert verdict.mistakes == (name,)
    assert not verdict.passed
    wrong = [r for r in verdict.results if r.status not in ("passes", "left out")]
    assert [(r.case, r.status, r.mistakes, r.other) for r in wrong] == [
        (r.case, "fails", (name,), ()) for r in wrong
    ]


@pytest.mark.parametrize("answer", QUESTION)
def test_an_answer_that_is_right_somewhere_is_told_and_not_blamed(answer: str) -> None:
    steps = RIGHT if answer == "True attends" else WAYS[answer][0].steps
    verdict = verify(making(steps), cases=ALONE)
    assert verdict.passed
    assert verdict.conventions[QUESTION[answer]] == answer
    assert verdict.mistakes == ()


def test_an_answer_that_is_promised_is_asked_for_and_not_told_as_well() -> None:
    top_left = making(WAYS["top-left"][0].steps)
    assert verify(top_left, ["causal"], expect=["top-left"]).passed
    broken = verify(top_left, ["causal"], expect=["bottom-right"])
    assert broken.mistakes == ("top-left",)
    assert not broken.passed
    assert "Told, not blamed" not in broken.text


def test_two_mistakes_at_once_are_both_named() -> None:
    two = both(WAYS["no root"][0].steps, WAYS["tiled groups"][0].steps)
    assert two
    verdict = verify(making(two), ["gqa", "causal"])
    assert set(verdict.mistakes) == {"no root", "tiled groups"}
    (grouped,) = (result for result in verdict.results if result.case == "grouped heads")
    assert set(grouped.mistakes) == {"no root", "tiled groups"}


def top_left(
    query: Tensor, key: Tensor, value: Tensor, is_causal: bool = False, *, diagonal: int
) -> Tensor:
    hidden = torch.ones(query.shape[2], key.shape[2], dtype=torch.bool).triu(diagonal)
    return plain(query, key, value, ~hidden if is_causal else None)


@pytest.mark.parametrize(("diagonal", "name"), [(0, "own key hidden"), (2, "one ahead")])
@pytest.mark.parametrize("interface", ["function", "self"])
def test_a_mask_that_is_off_by_one_is_named_in_torchs_own_alignment(
    diagonal: int, name: str, interface: str
) -> None:
    verdict = verify(partial(top_left, diagonal=diagonal), ["causal"], interface=interface)
    assert verdict.mistakes == (name,)
    assert "No known mistake" not in verdict.text


def folded(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    batch, heads, n = query.shape[:3]
    query, key, value = (x.flatten(0, 1) for x in (query, key, value))
    context = torch_attention(query, key, value)
    return context.view(heads, batch, n, -1).transpose(0, 1)


def in_base_2(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    exp = torch.exp2(scores - scores.amax(-1, keepdim=True))
    context: Tensor = exp / exp.sum(-1, keepdim=True) @ value
    return context


def padding_repeated(query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Tensor:
    """Repeat the lengths of the texts for the heads, where each should stand for all of its own."""
    if mask is not None and mask.shape[1:3] == (1, 1):
        heads = mask[:, 0, 0].repeat(query.shape[1], 1)
        mask = heads.view(*query.shape[:2], 1, -1)
    return torch_attention(query, key, value, mask)


def sink_column(query: Tensor, key: Tensor, value: Tensor, sinks: Any = None) -> Tensor:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if sinks is None:
        return scores.softmax(-1) @ value
    sink = sinks.to(scores).view(1, -1, 1, 1).expand(*scores.shape[:3], 1)
    return torch.cat([sink, scores], -1).softmax(-1)[..., :-1] @ value


def online(query: Tensor, key: Tensor, value: Tensor, mask: Any = None, tile: int = 16) -> Tensor:
    """Take the maximum of tiles, of which the first may be hidden as a whole."""
    allowed = torch.ones(*query.shape[:3], key.shape[2], dtype=torch.bool)
    allowed = allowed if mask is None else allowed & mask
    top = query.new_full((*query.shape[:3], 1), -math.inf)
    total, context = torch.zeros_like(top), torch.zeros_like(query)
    places = ((key, 2), (value, 2), (allowed, 3))
    tiles = (torch.split(x, tile, axis) for x, axis in places)
    for k, v, seen in zip(*tiles, strict=True):
        scores = (query @ k.mT / query.shape[-1] ** 0.5).masked_fill(~seen, -math.inf)
        new = torch.maximum(top, scores.amax(-1, True))
        old, part = (top - new).exp(), (scores - new).exp()
        total, context, top = total * old + part.sum(-1, True), context * old + part @ v, new
    return context / total


def groups_mixed(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Give the gradients of query heads to other key heads than they share."""
    group = query.shape[1] // key.shape[1]
    right = [x.repeat_interleave(group, 1) for x in (key, value)]
    other = [x.repeat(1, group, 1, 1) for x in (key, value)]
    key, value = (y + (x - y).detach() for x, y in zip(right, other, strict=True))
    return torch_attention(query, key, value)


def without_room(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    """Attend in tiles of 4 keys, which are filled up with zeros and hidden by causality alone."""
    more, length = -key.shape[2] % 4, key.shape[2]
    key, value = (pad(x, (0, 0, 0, more)) for x in (key, value))
    j, i = torch.arange(length + more), torch.arange(query.shape[2])[:, None]
    rule = j <= i + length - query.shape[2] if causal else (j >= 0).expand(1, -1)
    return plain(query, key, value, rule)


def across_texts(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    """Take the texts for the length, as `nn.MultiheadAttention` does without batch_first."""
    query, key, value = (x.permute(2, 1, 0, 3) for x in (query, key, value))
    rule = torch.ones(len(query[0, 0]), len(key[0, 0]), dtype=torch.bool).tril()
    return plain(query, key, value, rule if causal else None).permute(2, 1, 0, 3)


@pytest.mark.parametrize(
    ("function", "features", "named"),
    [
        (folded, ["float64"], "texts and heads folded"),
        (in_base_2, ["float64"], "base 2"),
        (padding_repeated, ["mask"], "mask of another"),
        (sink_column, ["sinks"], "column of another"),
        (online, ["mask"], "hidden tile"),
        (groups_mixed, ["gqa", "gradients"], "gradients not added"),
        (without_room, ["causal"], "tail counted"),
        (across_texts, ["causal", "one"], "texts mixed"),
    ],
)
def test_what_people_write_is_named(
    function: Callable[..., Tensor], features: list[str], named: str
) -> None:
    cases = [case for case in ALL if case.features <= {*features}]
    if "one" in features:  # the others have other lengths
        cases = [case for case in cases if case.name == "causal"]
    verdict = verify(function, cases=cases)
    assert named in verdict.mistakes
    assert not verdict.passed


def without_scale_for_one_query(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return torch_attention(query, key, value, scale=1.0 if query.shape[2] == 1 else None)


def test_what_most_cases_contradict_is_not_named() -> None:
    verdict = verify(without_scale_for_one_query, cases=attention_cases()[:8])
    assert verdict.mistakes == (), verdict.text
    assert not verdict.passed


def parts_averaged(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    at = key.shape[2] // 2
    if not at:
        return torch_attention(query, key, value)
    halves = (slice(at), slice(at, None))
    contexts = [torch_attention(query, key[:, :, part], value[:, :, part]) for part in halves]
    return torch.stack(contexts).mean(0)


def one_more_without_a_maximum(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    exp = (query @ key.mT / query.shape[-1] ** 0.5).exp()
    context: Tensor = exp @ value / (1 + exp.sum(-1, keepdim=True))
    return context


def divided_last(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    exp = (query @ key.mT / query.shape[-1] ** 0.5).exp()
    context: Tensor = exp @ value / exp.sum(-1, keepdim=True)
    return context


def scaled_by_a_power_of_two(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    width = 1 << (query.shape[-1] - 1).bit_length()
    return torch_attention(query, key, value, scale=width**-0.5)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (parts_averaged, "contexts averaged"),
        (one_more_without_a_maximum, "one key more"),
        (divided_last, "no maximum"),
        (scaled_by_a_power_of_two, "root of another axis"),
    ],
)
def test_fresh_ones_are_named(function: Callable[..., Tensor], name: str) -> None:
    features = ["float16"] if function is divided_last else []
    verdict = verify(function, features)
    assert verdict.mistakes == (name,), verdict.text
    assert all(result.mistakes for result in verdict.results if result.status == "fails")


def head_dim_cut(query: Tensor, key: Tensor, value: Tensor, *, size: int) -> Tensor:
    width = query.shape[-1] // size * size or query.shape[-1]
    scale = query.shape[-1] ** -0.5
    return torch_attention(query[..., :width], key[..., :width], value, scale=scale)


def head_dim_at_most(query: Tensor, key: Tensor, value: Tensor, *, size: int) -> Tensor:
    scale = query.shape[-1] ** -0.5
    return torch_attention(query[..., :size], key[..., :size], value, scale=scale)


def keys_at_most(query: Tensor, key: Tensor, value: Tensor, *, size: int) -> Tensor:
    return torch_attention(query, key[:, :, :size], value[:, :, :size])


def texts_at_most(query: Tensor, key: Tensor, value: Tensor, *, size: int) -> Tensor:
    key = torch.cat((key[:size], key[:1].expand_as(key[size:])))
    return torch_attention(query, key, value)


@pytest.mark.parametrize(
    ("function", "size"),
    [
        (head_dim_cut, 2),
        (head_dim_cut, 16),
        (head_dim_at_most, 64),
        (head_dim_at_most, 96),
        (keys_at_most, 1024),
        (keys_at_most, 2048),
        (texts_at_most, 2),
        (texts_at_most, 4),
    ],
)
def test_a_kernel_that_is_right_for_some_sizes_alone_does_not_pass(
    function: Callable[..., Tensor], size: int
) -> None:
    sizes = [case for case in attention_cases() if re.search("head_dim|2100|five|no op", case.name)]
    assert not verify(partial(function, size=size), cases=sizes).passed


def hidden_by_product(query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Tensor:
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores + torch.tensor(-1e10, dtype=scores.dtype) * (~mask).to(scores)
    context: Tensor = scores.softmax(-1) @ value
    return context


def test_a_mask_in_half_precision_is_tried() -> None:
    verdict = verify(hidden_by_product, ["mask", "float16"])
    assert [r.case for r in verdict.results if r.status == "fails"] == ["mask and float16"]


def mask_by_texts(query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Tensor:
    mask = mask if mask is None or key.shape[1] == query.shape[1] else mask[:, :1]
    return torch_attention(query, key, value, mask, enable_gqa=True)


def test_a_mask_beside_shared_heads_is_tried() -> None:
    verdict = verify(mask_by_texts, ["mask", "gqa"])
    assert [r.case for r in verdict.results if r.status == "fails"] == ["grouped heads, mask"]


def sigmoid(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return (query @ key.mT / math.sqrt(query.shape[-1])).sigmoid() @ value


def heads_reversed(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return plain(query, key, value).flip(1)


@pytest.mark.parametrize("function", [sigmoid, heads_reversed])
def test_what_is_not_known_is_not_named(function: Callable[..., Tensor]) -> None:
    cases = [case for case in attention_cases("float64") if case.given.key.shape[2] < 1000]
    verdict = verify(function, cases=[case for case in cases if case.given.query.shape[1] > 1])
    assert verdict.mistakes == ()
    number = [result.status for result in verdict.results].count("fails")
    assert f"No known mistake explains: all {number} that fail\n" in verdict.text
    (first, *_) = verdict.results
    assert re.fullmatch(r"\[\d, \d, \d, \d\]", first.place)
    assert abs(float(first.yours) - float(first.right)) > 0.1


def with_einsum(query: Tensor, key: Tensor, value: Tensor, *, causal: bool = False) -> Tensor:
    scores = torch.einsum("bhle,bhse->bhls", query, key) * query.shape[-1] ** -0.5
    if causal:
        above = 1 + key.shape[2] - query.shape[2]
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(above)
        scores = scores + torch.zeros(hidden.shape).masked_fill(hidden, -1e30).to(scores)
    exp: Tensor = (scores - scores.amax(-1, keepdim=True)).exp()
    mixed: Tensor = torch.einsum("bhls,bhsd->bhld", exp, value)
    return mixed / exp.sum(-1, keepdim=True)


def head_by_head(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    heads = zip(query.unbind(1), key.unbind(1), value.unbind(1), strict=True)
    return torch.stack([plain(*head) for head in heads], 1)


@pytest.mark.parametrize(
    ("function", "features"),
    [
        (plain, ["mask", "value-size", "gradients", "float64"]),
        (with_einsum, ["causal", "value-size", "gradients", "float64"]),
        (head_by_head, ["value-size", "gradients", "float64"]),
        (torch_attention, OF_TORCH - {"scale"}),
    ],
)
def test_other_right_ways_to_write_it_pass(
    function: Callable[..., Tensor], features: list[str]
) -> None:
    verdict = verify(function, features)
    assert verdict.passed, verdict.text
    assert verdict.mistakes == ()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_numbers_that_are_too_coarse_are_told_by_their_dtype(dtype: torch.dtype) -> None:
    def coarse(*tensors: Tensor) -> Tensor:
        return plain(*(x.to(dtype) for x in tensors)).to(tensors[0].dtype)

    cases = [c for c in attention_cases("float64") if c.given.key.shape[2] < 1000]
    assert verify(coarse, cases=cases).mistakes == (f"{str(dtype)[6:]} inside",)


def test_a_soft_cap_that_is_a_little_off_is_not_taken_for_rounding() -> None:
    def attend(q: Tensor, k: Tensor, v: Tensor, softcap: float = 0.0, **options: Any) -> Tensor:
        cap = softcap * 1.001 if softcap else None
        return attention(Given(q, k, v, softcap=cap, **options))

    verdict = verify(attend, ["softcap"])
    assert not verdict.passed
    assert verdict.mistakes == ()


# What numbers do not show as those of other steps: the engine says so itself.
SEEN_OTHERWISE = {
    "input changed",
    "strides ignored",
    "second call differs",
    "store shared",
    "float32 inside",
    "float16 inside",
    "bfloat16 inside",
}


def test_each_mistake_has_a_page_and_a_way_to_make_it() -> None:
    assert {*KNOWN} >= {*WAYS} | SEEN_OTHERWISE
    used = {m.name for exercise in EXERCISES.values() for m in exercise.mistakes}
    assert {*KNOWN} <= {*WAYS} | SEEN_OTHERWISE | used
    pages = [KNOWN[name].page for name in (*WAYS, *SEEN_OTHERWISE)]
    for page, _, section in (page.partition("#") for page in pages):
        assert section in (sections_of(page) or set()), page
