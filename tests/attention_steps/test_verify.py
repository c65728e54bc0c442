"""The suite: each mistake is named alone, right styles pass, and what cannot be judged is told."""

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any
from unittest import SkipTest

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import pad
from torch.nn.functional import scaled_dot_product_attention as torch_attention
from torch.utils._pytree import tree_leaves

import attention_steps
from attention_steps.drop_in import transformers_attention
from attention_steps.verify import AttentionCase, LeftOutError, attention_cases, verify
from attention_steps.verify.cases import FEATURES
from attention_steps.verify.known import CONVENTIONS, MISTAKES
from attention_steps.verify.oracle import STEPS, WAYS, Changes, Given, attention
from tests.attention_steps.oracles import assert_near

DOCS = Path(__file__).parents[2] / "docs"
OF_TORCH = {*FEATURES} - {"window", "softcap", "sinks", "both"}
ANSWERS = {answer.name: question for question, group in CONVENTIONS.items() for answer in group}
# Two ways to make each mistake at most: those of other tiles are alike. Others are named with them.
MORE = {"tail dropped": 8, "tail counted": 8, "mask of another": 3}
MUTANTS = [
    (name, way.changes)
    for name, ways in WAYS.items()
    for way in (*ways[:2], *([ways[MORE[name]]] if name in MORE else []))
    if name not in ANSWERS
]


def making(changes: Changes) -> Callable[..., Tensor]:
    """Return attention in the dtype of its inputs, with other steps."""

    def attend(query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Tensor:
        return attention(Given(query, key, value, **options), changes)

    return attend


def plain(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    """Return attention as it is often written, with -inf and a plain softmax."""
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return scores.softmax(-1) @ value


@pytest.mark.parametrize("case", attention_cases(*FEATURES), ids=str)
def test_the_oracle_is_the_attention_of_the_package(case: AttentionCase) -> None:
    given = case.given
    lengths = given.query.shape[2], given.key.shape[2]
    mask = given.mask
    if given.causal:
        rule = attention_steps.causal_mask(*lengths, offset=lengths[1] - lengths[0])
        if given.window:
            offset = lengths[1] - lengths[0]
            rule = attention_steps.sliding_window_mask(*lengths, window=given.window, offset=offset)
        mask = rule if mask is None else mask & rule
    assert_near(
        attention(given, {}),
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


def test_the_numbers_of_the_cases_are_the_same_in_every_dtype() -> None:
    for case in attention_cases(*FEATURES):
        for x in (case.given.query, case.given.key, case.given.value):
            assert torch.equal(x.bfloat16().double(), x)
            assert torch.equal(x.half().double(), x)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "changes"), MUTANTS, ids=lambda x: x if isinstance(x, str) else ""
)
def test_each_mistake_is_named_alone(name: str, changes: Changes) -> None:
    verdict = verify(making(changes), FEATURES)
    assert verdict.mistakes == (name,)
    assert not verdict.passed
    wrong = [result for result in verdict.results if result.status != "passes"]
    assert [(r.case, r.status, r.mistakes, r.other) for r in wrong] == [
        (r.case, "fails", (name,), ()) for r in wrong
    ]


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_is_right_somewhere_is_told_and_not_blamed(answer: str) -> None:
    changes = {} if answer == "True attends" else WAYS[answer][0].changes
    verdict = verify(making(changes), FEATURES)
    assert verdict.passed
    assert verdict.conventions[ANSWERS[answer]] == answer
    assert verdict.mistakes == ()


def test_an_answer_that_is_promised_is_asked_for() -> None:
    top_left = making(WAYS["top-left"][0].changes)
    assert verify(top_left, ["causal"], expect=["top-left"]).passed
    broken = verify(top_left, ["causal"], expect=["bottom-right"])
    assert broken.mistakes == ("top-left",)
    assert not broken.passed


def test_two_mistakes_at_once_are_both_named() -> None:
    both = {**WAYS["no root"][0].changes, **WAYS["tiled groups"][0].changes}
    verdict = verify(making(both), ["gqa", "causal"])
    assert set(verdict.mistakes) == {"no root", "tiled groups"}
    (grouped,) = (result for result in verdict.results if result.case == "grouped heads")
    assert set(grouped.mistakes) == {"no root", "tiled groups"}


def sigmoid(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return (query @ key.mT / math.sqrt(query.shape[-1])).sigmoid() @ value


def doubled(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return (2 * query @ key.mT / math.sqrt(query.shape[-1])).softmax(-1) @ value


def heads_reversed(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return plain(query, key, value).flip(1)


def keys_alone(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return plain(value.mean(-2, keepdim=True).expand_as(query), key, value)


@pytest.mark.parametrize("function", [sigmoid, doubled, heads_reversed, keys_alone])
def test_what_is_not_known_is_not_named(function: Callable[..., Tensor]) -> None:
    verdict = verify(function, ["float64"])
    assert verdict.mistakes == ()
    assert not verdict.passed
    number = [result.status for result in verdict.results].count("fails")
    assert f"No known mistake explains: all {number} that fail\n" in verdict.text
    (first, *_) = verdict.results
    assert re.fullmatch(r"\[\d, \d, \d, \d\]", first.place)
    assert abs(float(first.yours) - float(first.right)) > 0.1


def with_einsum(query: Tensor, key: Tensor, value: Tensor, *, causal: bool = False) -> Tensor:
    scores = torch.einsum("bhle,bhse->bhls", query, key) * query.shape[-1] ** -0.5
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(
            1 + key.shape[2] - query.shape[2]
        )
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


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_numbers_that_are_too_coarse_are_told_by_their_dtype(dtype: torch.dtype) -> None:
    def coarse(*tensors: Tensor) -> Tensor:
        return plain(*(x.to(dtype) for x in tensors)).to(tensors[0].dtype)

    assert verify(coarse, ["float64"]).mistakes == (f"{str(dtype)[6:]} inside",)


def test_float64_that_is_computed_in_float32_is_told() -> None:
    def single(*tensors: Tensor) -> Tensor:
        return plain(*(x.float() for x in tensors)).to(tensors[0].dtype)

    verdict = verify(single, ["float64"])
    assert verdict.mistakes == ("float32 inside",)
    assert {r.case for r in verdict.results if r.status == "fails"} == {
        "float64",
        "float64, large scores",
        "float64, 1021 keys",
    }


def test_a_mask_that_alone_loses_digits_is_told() -> None:
    def attend(query: Tensor, key: Tensor, value: Tensor, is_causal: bool = False) -> Tensor:
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.float().masked_fill(hidden, -math.inf) if is_causal else scores
        return scores.softmax(-1).to(query.dtype) @ value

    verdict = verify(attend, ["causal", "float64"], expect=["top-left"])
    assert [r.case for r in verdict.results if r.status != "passes"] == ["float64, causal"]
    assert verdict.mistakes == ("float32 inside",)


def test_layouts_and_other_names_of_arguments() -> None:
    def attend(q: Tensor, k: Tensor, v: Tensor, bias: Any = None, softmax_scale: Any = None) -> Any:
        q, k, v = (x.transpose(1, 2) for x in (q, k, v))
        context = torch_attention(q, k, v, attn_mask=bias, scale=softmax_scale)
        return context.transpose(1, 2), None

    assert verify(attend, ["float-mask", "scale"], layout="blhd").passed
    assert not verify(attend, layout="bhld").passed


def test_torchs_layer_is_judged_by_what_true_means_there() -> None:
    verdict = verify(nn.MultiheadAttention, ["mask", "float-mask", "gradients"], interface="mha")
    assert verdict.passed
    assert verdict.conventions["what True means in the mask"] == "True hides"


def test_a_layer_that_reads_a_padding_mask_otherwise_is_found() -> None:
    class Layer(nn.MultiheadAttention):
        def forward(self, *inputs: Any, **options: Any) -> Any:
            if "key_padding_mask" in options:
                options["key_padding_mask"] = ~options["key_padding_mask"]
            return super().forward(*inputs, **options)

    verdict = verify(Layer, ["mask"], interface="mha")
    assert [r.case for r in verdict.results if r.status == "fails"] == ["padding"]
    assert "key_padding_mask" in verdict.text
    assert "Told, not blamed: True hides elsewhere" in verdict.text


def test_a_mask_that_means_the_opposite_beside_the_causal_rule_is_found() -> None:
    def attend(query: Tensor, key: Tensor, value: Tensor, mask: Any = None, causal: Any = 0) -> Any:
        mask = ~mask if causal and mask is not None else mask
        return attention(Given(query, key, value, mask, causal=bool(causal)), {})

    verdict = verify(attend, ["mask", "causal", "both"])
    assert verdict.mistakes == ("True hides",)
    assert not verdict.passed


def plain_of_transformers(
    module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any, **options: Any
) -> Tensor:
    scores = query @ key.mT * options["scaling"]
    if mask is not None:
        is_boolean = mask.dtype == torch.bool
        scores = scores.masked_fill(~mask, -math.inf) if is_boolean else scores + mask
    context: Tensor = scores.softmax(-1) @ value
    return context.transpose(1, 2)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_interface_of_transformers(swapped: bool) -> None:
    def attend(module: Any, query: Tensor, key: Tensor, *others: Any, **options: Any) -> Any:
        key = key.flip(1) if swapped else key
        return transformers_attention(module, query, key, *others, **options)

    verdict = verify(attend, FEATURES, interface="transformers")
    assert verdict.passed is not swapped


def make_cache(counts_twice: bool = False) -> Callable[..., Tensor]:
    kept: list[list[Tensor]] = [[], []]

    def step(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        kept[0].append(key)
        kept[1].append(value)
        keys, values = (torch.cat(tensors, 2) for tensors in kept)
        offset = keys.shape[2] - query.shape[2]
        mask = attention_steps.causal_mask(query.shape[2], keys.shape[2], offset=offset)
        if counts_twice:
            mask = mask & (torch.arange(keys.shape[2]) > 0)
        return torch_attention(query, keys, values, mask)

    return step


def make_plain_cache() -> Callable[..., Tensor]:
    kept: list[list[Tensor]] = [[], []]

    def step(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        kept[0].append(key)
        kept[1].append(value)
        key, value = (torch.cat(tensors, 2) for tensors in kept)
        rule = (key[:, :, :, 0] * 0 + 1).cumsum(-1)[:, :, None] <= (
            (query[:, :, :, 0] * 0 + 1).cumsum(-1)[..., None] + key.shape[2] - query.shape[2]
        )
        return plain(query, key, value, rule)

    return step


def test_a_cache_in_pieces() -> None:
    verdict = verify(make_cache, ["causal", "gradients"], interface="cache")
    assert verdict.passed, verdict.text
    run = [result.case for result in verdict.results if result.status == "passes"]
    assert run == [
        "causal",
        "causal, 2 keys before",
        "causal, last query",
        "causal, 197 keys",
        "gradients, causal",
    ]
    wrong = verify(lambda: make_cache(counts_twice=True), ["causal"], interface="cache")
    assert not wrong.passed


def without_room(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    """Attend in tiles of 4 keys, which are filled up with zeros and hidden by causality alone."""
    more, length = -key.shape[2] % 4, key.shape[2]
    key, value = (pad(x, (0, 0, 0, more)) for x in (key, value))
    j, i = torch.arange(length + more), torch.arange(query.shape[2])[:, None]
    rule = j <= i + length - query.shape[2] if causal else (j >= 0).expand(1, -1)
    return plain(query, key, value, rule)


def with_one_tile_less(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    """Read the whole tiles of 4 keys alone, under the causal rule."""
    j, i = torch.arange(key.shape[2]), torch.arange(query.shape[2])[:, None]
    whole = max(len(j) // 4, 1) * 4
    rule = (j <= i + len(j) - len(i)) & (j < whole) if causal else None
    return plain(query, key, value, rule)


def across_texts(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    """Take the texts for the length, as `nn.MultiheadAttention` does without batch_first."""
    query, key, value = (x.permute(2, 1, 0, 3) for x in (query, key, value))
    rule = torch.ones(len(query[0, 0]), len(key[0, 0]), dtype=torch.bool).tril()
    return plain(query, key, value, rule if causal else None).permute(2, 1, 0, 3)


def from_one_projection(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    """Cut `(3, num_heads, head_dim)` as if it were `(num_heads, 3, head_dim)`."""
    joined = torch.cat([x.transpose(1, 2).flatten(2) for x in (query, key, value)], -1)
    heads = joined.view(*joined.shape[:2], query.shape[1], -1).transpose(1, 2)
    rule = torch.ones(query.shape[2], key.shape[2], dtype=torch.bool).tril()
    query, key, value = heads.chunk(3, -1)
    return plain(query, key, value, rule if causal else None)


def transposed(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    return plain(query, key, value, mask.mT)


@pytest.mark.parametrize(
    ("function", "named", "cases"),
    [
        (without_room, "tail counted", ["no options", "one query", "one key"]),
        (with_one_tile_less, "tail dropped", ["causal", "causal, 2 keys before"]),
        (across_texts, "texts mixed", ["causal"]),
        (from_one_projection, "heads cut in three", ["causal"]),
        (transposed, "rows hidden", ["square mask"]),
    ],
)
def test_what_is_written_in_another_way_is_named_as_well(
    function: Callable[..., Any], named: str, cases: list[str]
) -> None:
    asked = [case for case in attention_cases("mask", "causal") if case.name in cases]
    verdict = verify(function, cases=asked)
    assert [(r.case, r.mistakes) for r in verdict.results] == [(name, (named,)) for name in cases]


def test_a_layer_that_takes_the_heads_of_a_mask_for_texts_is_found() -> None:
    class Layer(nn.MultiheadAttention):
        def forward(self, *inputs: Any, **options: Any) -> Any:
            if (mask := options.get("attn_mask")) is not None:
                turned = mask.unflatten(0, (self.num_heads, -1)).transpose(0, 1)
                options["attn_mask"] = turned.flatten(0, 1)
            return super().forward(*inputs, **options)

    assert verify(Layer, ["mask"], interface="mha").mistakes == ("mask of another",)


def test_a_cache_that_is_not_new_or_counts_calls_is_found() -> None:
    one = make_cache()
    verdict = verify(lambda: one, ["causal"], interface="cache")
    assert verdict.mistakes == ("second call differs",)

    def make_counting() -> Callable[..., Tensor]:
        kept: list[Tensor] = []

        def step(query: Tensor, *new: Tensor) -> Tensor:
            place, length = len(kept), new[0].shape[2]
            kept.append(torch.empty(0))
            for rows, x in zip(rooms, new, strict=True):
                rows[place:] = [*x.unbind(2)]
            key, value = (torch.stack(rows, 2) for rows in rooms)
            rule = torch.ones(length, key.shape[2], dtype=torch.bool).tril(place)
            return plain(query, key, value, rule)

        rooms: list[list[Tensor]] = [[], []]
        return step

    verdict = verify(make_counting, ["causal"], interface="cache")
    assert verdict.mistakes == ("moved by one",)


def of_one_length(attend: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse what a layer of self-attention cannot be given."""

    def same_length(query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Any:
        assert query.shape[2] == key.shape[2] == value.shape[2]
        return attend(query, key, value, **options)

    return same_length


SELF = ["mask", "float-mask", "causal", "gqa", "value-size", "window", "gradients", "float64"]


@pytest.mark.parametrize("broken", [False, True])
def test_self_attention_is_given_as_many_queries_as_keys(broken: bool) -> None:
    changes = WAYS["no scale"][0].changes if broken else {}
    verdict = verify(of_one_length(making(changes)), SELF, interface="self")
    assert verdict.mistakes == (("no scale",) if broken else ())
    assert {r.status for r in verdict.results} <= {"passes", "left out", "fails" * broken}
    left_out = {r.case: r.says for r in verdict.results if r.status == "left out"}
    names = ["one key", "more queries than keys", "causal, more queries than keys"]
    assert left_out == dict.fromkeys(names, "more queries than keys")
    assert "Left out: 3 (more queries than keys)" in verdict.text
    assert [
        r["says"] for r in json.loads(verdict.json)["results"] if r["status"] == "left out"
    ] == ["more queries than keys"] * 3


@pytest.mark.parametrize("broken", [False, True])
def test_self_attention_that_is_always_causal_runs_what_is_not(broken: bool) -> None:
    changes = WAYS["no scale"][0].changes if broken else {}

    def attend(*tensors: Tensor) -> Tensor:
        return making(changes)(*tensors, causal=True)

    features = ["mask", "gradients", "float64"]
    verdict = verify(of_one_length(attend), features, interface="causal-self")
    assert verdict.mistakes == (("no scale",) if broken else ())
    left_out = {r.case: r.says for r in verdict.results if r.status == "left out"}
    for name in ("one key", "more queries than keys", "causal, more queries than keys"):
        assert left_out.pop(name) == "more queries than keys"
    of_masks = [case for case in attention_cases("mask", "gradients") if "mask" in case.features]
    assert left_out == dict.fromkeys(map(str, of_masks), "a mask without the causal rule")


@pytest.mark.parametrize("interface", ["self", "causal-self"])
@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("heads scrambled", 1),
        ("heads scrambled", 2),
        ("over queries", 0),
        ("query and key swapped", 0),
        ("root of width", 0),
        ("own key hidden", 0),
    ],
)
def test_a_layer_that_mixes_rows_is_named_as_a_function_is(
    name: str, way: int, interface: str
) -> None:
    def attend(*tensors: Tensor, causal: bool = False) -> Tensor:
        causal = causal or interface == "causal-self"
        context = making(WAYS[name][way].changes)(*tensors, causal=causal)
        if causal and name == "own key hidden":  # as a softmax of -inf alone
            context[:, :, 0] = math.nan
        return context

    verdict = verify(of_one_length(attend), ["causal"], interface=interface)
    failing = [result for result in verdict.results if result.status == "fails"]
    assert {(result.mistakes, result.other) for result in failing} == {((name,), ())}
    assert f"In: all {len(failing)} that fail\n" in verdict.text


def test_what_is_left_out_without_a_reason_says_so() -> None:
    def attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        if query.shape[2] == 1:
            raise LeftOutError
        return plain(query, key, value)

    assert "Left out: 1 (no reason)" in verify(attend).text
    layer = verify(nn.MultiheadAttention, ["causal", "value-size"], interface="mha")
    assert "Left out: 5 (the layer is not called with causal); 1 (the layer has one" in layer.text


def test_a_class_that_cannot_be_made_is_refused_once() -> None:
    class Layer(nn.MultiheadAttention):
        def __init__(self, embed_dim: int, num_heads: int) -> None:
            super().__init__(embed_dim, num_heads)

    says = re.escape(
        "function must take (embed_dim, num_heads, batch_first=True) for mha, got "
        "(embed_dim: int, num_heads: int) -> None: got an unexpected keyword argument 'batch_first'"
    )
    with pytest.raises(ValueError, match=says):
        verify(Layer, interface="mha")


def test_cases_that_fail_alike_are_shown_three_times_and_named() -> None:
    text = verify(sigmoid).text
    assert text.count("\nfails ") == 3
    assert "\nand 6 more like these, named below\n" in text
    assert "What they share" not in text  # nothing passes
    text = verify(raises).text
    assert text.count("\nraises ") == 3
    assert "\nand 6 more like these, named below\n\nIt raises the same in: more" in text


@pytest.mark.parametrize(
    ("is_wrong", "features", "shared"),
    [
        (lambda given: given.key.shape[2] > 100, ["causal"], ("197 keys or more",)),
        (lambda given: given.softcap, ["softcap", "causal"], ("softcap",)),
        (
            lambda given: given.causal and given.query.shape[1] != given.key.shape[1],
            ["causal", "gqa", "gradients"],
            (),  # one alone
        ),
        (
            lambda given: given.causal and given.key.shape[2] > 20,
            ["causal", "float64"],
            ("33 keys or more and causal",),
        ),
    ],
)
def test_what_cases_share_that_no_mistake_explains_is_told(
    is_wrong: Callable[[Given], Any], features: list[str], shared: tuple[str, ...]
) -> None:
    def attend(query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Tensor:
        given = Given(query, key, value, **options)
        return attention(given, {}) + bool(is_wrong(given))

    verdict = verify(attend, features)
    assert verdict.shared == shared
    assert (f"and no case that passes: {'; '.join(shared)}" in verdict.text) is bool(shared)


def test_a_shape_that_is_wrong_anywhere_is_told_alone_in_the_layout_of_the_user() -> None:
    def attend(module: Any, query: Tensor, *others: Any, **options: Any) -> Tensor:
        return plain_of_transformers(module, query, *others, **options).transpose(1, 2)

    verdict = verify(attend, interface="transformers")
    assert verdict.mistakes == ()
    says = [result.says for result in verdict.results]
    assert says[0] == "it returned the shape (2, 4, 5, 8), and (2, 5, 4, 8) was expected"
    assert says[7] == "not judged"  # 2 queries of 2 heads
    assert "\n\nAnother form, or not judged for it: all 9 that fail\n\n" in verdict.text

    def not_turned(*tensors: Tensor) -> Tensor:
        return plain(*(x.transpose(1, 2) for x in tensors))

    (wrong, *_) = verify(not_turned, layout="blhd").results
    assert wrong.says == "it returned the shape (2, 4, 5, 8), and (2, 5, 4, 8) was expected"


def test_no_number_is_judged_where_a_second_call_gives_others() -> None:
    calls = iter(range(99))

    def attend(*tensors: Tensor) -> Tensor:
        return making(WAYS["no scale"][0].changes)(*tensors) * (1 + next(calls))

    verdict = verify(attend)
    assert verdict.mistakes == ("second call differs",)
    assert all(result.mistakes == verdict.mistakes for result in verdict.results)
    assert "No known" not in verdict.text
    assert "Is dropout still on?" in verdict.text


def test_a_softmax_over_heads_is_named_alone_where_hidden_keys_get_a_finite_score() -> None:
    def attend(query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Tensor:
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        scores = scores if mask is None else scores.masked_fill(~mask, -1e9)
        return scores.softmax(1) @ value

    verdict = verify(attend, ["mask"])
    assert verdict.mistakes == ("over heads",)


def test_a_class_of_caches_that_are_not_called_is_refused_in_words() -> None:
    class Cache:
        def step(self, *tensors: Tensor) -> None: ...

    made: Any = Cache
    (result, *_) = verify(made, interface="cache", cases=attention_cases("causal")[9:]).results
    assert result.says == "it made Cache, which cannot be called"


def test_raises_that_differ_by_an_address_are_shown_as_alike() -> None:
    kept = [object()]

    def attend(*tensors: Tensor) -> Tensor:
        kept.append(object())  # which leaves its address to no other
        raise TypeError(f"{kept[-1]} is no tensor")

    text = verify(attend).text
    assert text.count("\nraises ") == 3
    assert "It raises the same in: " in text


def test_features_are_named_in_one_string_as_in_the_command() -> None:
    assert attention_cases("causal, scale") == attention_cases("causal", "scale")


def test_a_case_with_another_convention_says_by_what_it_is_compared() -> None:
    def attend(*tensors: Tensor, causal: bool = False) -> Tensor:
        more = tensors[0].shape[2] > tensors[1].shape[2]
        return making(WAYS["top-left"][0].changes if more else {})(*tensors, causal=causal)

    verdict = verify(attend, ["causal"])
    assert verdict.passed
    assert re.search(
        r"^differs causal, more queries than keys  at \[.+\] yours \S+, by your usual answer \S+; "
        r"\d+ of 56 rows are off$",
        verdict.text,
        re.MULTILINE,
    )


def raises(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    raise RuntimeError("no kernel for this\nand more")


def with_nan(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return plain(query, key, value) * math.nan


def without_heads(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return plain(query, key, value).flatten(0, 1)


def in_double(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return plain(query, key, value).double()


def in_place(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    result = plain(query, key, value)
    query.zero_()
    return result


class Counting:
    """Gives other numbers each time."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        self.calls += 1
        return plain(query, key, value) + (self.calls > 7)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (raises, "raises  no options              RuntimeError: no kernel for this\n"),
        (with_nan, "yours nan, right"),
        (without_heads, "it returned the shape (8, 5, 8), and (2, 4, 5, 8) was expected"),
        (in_double, "it returned torch.float64 for inputs in torch.float32"),
        (lambda query, key, value: None, "it returned NoneType, and a tensor was expected"),
        (in_place, "input changed: The function writes into a tensor that it was given."),
        (Counting(), "second call differs: A second call"),
    ],
)
def test_what_a_broken_function_does_is_told(function: Callable[..., Any], says: str) -> None:
    verdict = verify(function)
    assert not verdict.passed
    assert says in verdict.text


def test_a_result_without_a_gradient_is_told() -> None:
    def detached(*tensors: Tensor) -> Tensor:
        return plain(*tensors).detach()

    verdict = verify(detached, ["gradients"])
    assert "its result has no gradient" in verdict.text
    assert not verdict.passed


def test_a_function_gets_its_inputs_on_its_device() -> None:
    seen: set[str] = set()

    def attend(*tensors: Tensor, **options: Any) -> Tensor:
        given = (*tensors, *options.values())
        seen.update(x.device.type for x in given if isinstance(x, Tensor))
        raise NotImplementedError

    verdict = verify(attend, FEATURES, device="meta")
    assert seen == {"meta"}
    assert {result.status for result in verdict.results} == {"raises"}


@pytest.mark.parametrize(
    ("function", "features", "interface"),
    [
        (plain, ["mask", "gradients", "bfloat16"], "function"),
        (make_plain_cache, ["gradients"], "cache"),
        (plain_of_transformers, ["mask", "float-mask", "causal", "both"], "transformers"),
        (nn.MultiheadAttention, ["mask", "float-mask", "gradients"], "mha"),
    ],
)
def test_nothing_stays_on_another_device(
    function: Callable[..., Any], features: list[str], interface: str
) -> None:
    """Until the result is copied or compared, which the device meta cannot do."""
    verdict = verify(function, features, interface=interface, device="meta")
    stopped = "NotImplementedError: (Cannot copy out of meta tensor|aten::equal)"
    run = [result for result in verdict.results if result.status != "left out"]
    assert run
    assert all(re.match(stopped, result.says) for result in run), verdict.text


class Elsewhere(Tensor):
    """Stands for a tensor on a GPU: it meets none of the CPU until it is moved there."""

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, arguments: Any = (), options: Any = None
    ) -> Any:
        options = options or {}
        with torch._C.DisableTorchFunctionSubclass():
            tensors = [x for x in tree_leaves((arguments, options)) if isinstance(x, Tensor)]
            if function is Tensor.cpu:
                return tensors[0].as_subclass(Tensor)
            if function is Tensor.to and not isinstance(tensors[0], Elsewhere):
                return tensors[0].to(tensors[1].dtype).as_subclass(Elsewhere)
            assert all(isinstance(x, Elsewhere) or not x.dim() for x in tensors), function
        call: Callable[..., Any] = super().__torch_function__
        return call(function, types, arguments, options)


@pytest.mark.parametrize(
    ("function", "features", "interface"),
    [
        (plain, ["mask", "gradients", "float16", "bfloat16", "float64"], "function"),
        (make_plain_cache, ["gradients"], "cache"),
    ],
)
def test_results_are_compared_on_the_cpu(
    function: Callable[..., Any],
    features: list[str],
    interface: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    to = Given.to

    def moved(given: Given, device: str, dtype: torch.dtype) -> Given:
        copy = to(given, "cpu", dtype)
        parts: Iterator[Any] = (getattr(copy, field.name) for field in fields(Given))
        there: Iterator[Any] = (
            x.as_subclass(Elsewhere) if isinstance(x, Tensor) else x for x in parts
        )
        return copy if device == "cpu" else Given(*there)

    monkeypatch.setattr(Given, "to", moved)
    verdict = verify(function, features, interface=interface, device="cpu:0")
    assert verdict.passed, verdict.text


def test_what_is_not_asked_for_is_not_tested() -> None:
    verdict = verify(torch_attention)
    assert len(verdict.results) == 9
    assert verdict.not_tested == tuple(FEATURES)
    assert verify(torch_attention, FEATURES).not_tested == ()
    caches = verify(make_cache, ["gradients", "float64", "mask"], interface="cache")
    assert {"causal", "gradients", "float64"}.isdisjoint(caches.not_tested)
    assert "mask" in caches.not_tested  # none of its cases is for a cache
    assert not verify(torch_attention, cases=[]).passed


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"features": ["masks"]}, "features must be among mask, .*, got 'masks'"),
        ({"layout": "lbhd"}, "layout must be one of bhld, blhd, got 'lbhd'"),
        ({"interface": "layer"}, "interface must be one of function, .*, got 'layer'"),
        ({"device": "tpu"}, "device 'tpu' is not there: RuntimeError: Expected one of cpu, cuda"),
        ({"expect": ["lower left"]}, "expect must be among True attends, .*, got 'lower left'"),
    ],
)
def test_what_does_not_exist_is_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        verify(torch_attention, **options)


@pytest.mark.parametrize("case", attention_cases("gqa"), ids=str)
def test_cases_are_for_pytest(case: AttentionCase) -> None:
    case.check(torch_attention)


def test_a_case_says_what_is_wrong() -> None:
    (case,) = (case for case in attention_cases("gqa") if case.name == "grouped heads")
    with pytest.raises(AssertionError, match="Your key heads repeat 0 1 0 1"):
        case.check(making(WAYS["tiled groups"][0].changes))


def test_a_case_that_is_left_out_is_skipped() -> None:
    (case,) = (case for case in attention_cases() if case.name == "one key")
    with pytest.raises(SkipTest, match="more queries than keys"):
        case.check(torch_attention, interface="self")


def test_each_mistake_has_a_page_and_a_way_to_make_it() -> None:
    told = {"input changed", "second call differs", "strides ignored"}  # what numbers do not show
    names = {mistake.name for mistake in MISTAKES if not mistake.name.endswith(" inside")}
    assert names - told | {*ANSWERS} == {*WAYS}
    assert {step for ways in WAYS.values() for way in ways for step in way.changes} <= {*STEPS}
    pages = [m.page for group in (MISTAKES, *CONVENTIONS.values()) for m in group]
    for page, _, section in (page.partition("#") for page in pages):
        text = (DOCS / f"{page.rstrip('/')}.md").read_text("utf-8")
        titles = re.findall(r"^ *#+ (.+?)(?: \{ #(.+) \})?$", text, re.MULTILINE)
        slugs = {own or re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-") for t, own in titles}
        assert section in slugs, page


WRONG = """
import threading
from torch.nn.functional import pad
from torch.nn.functional import scaled_dot_product_attention as attend

def tiled(query, key, value):
    group = query.shape[1] // key.shape[1]
    return attend(query, *(x.repeat(1, group, 1, 1) for x in (key, value)))

def hangs(query, key, value):
    threading.Event().wait()

class Layers:
    number = 3
"""


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "mine.py").write_text(WRONG)
    return subprocess.run(
        [sys.executable, "-m", "attention_steps.verify", *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(DOCS.parent / "src"), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    right = command(tmp_path, "mine:attend", "--features", "gqa, causal")
    assert right.returncode == 0
    assert "Told, not blamed: top-left" in right.stdout

    wrong = command(tmp_path, "mine:tiled", "--features", "gqa", "--json")
    assert wrong.returncode == 1
    told = json.loads(wrong.stdout)
    assert (told["passed"], told["device"]) == (False, "cpu")
    assert [mistake["name"] for mistake in told["mistakes"]] == ["tiled groups"]
    (grouped,) = (result for result in told["results"] if result["case"] == "grouped heads")
    assert grouped["place"]


@pytest.mark.slow
def test_the_command_ends_quietly_where_nobody_reads_on(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(WRONG)
    reads, writes = os.pipe()
    os.close(reads)
    run = subprocess.run(
        [sys.executable, "-m", "attention_steps.verify", "mine:attend"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(DOCS.parent / "src"), "PATH": ""},
        stdout=writes,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writes)
    assert (run.stderr, run.returncode) == ("", 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["mine:attend", "--features", "masks"], 2, "features must be among"),
        (["mine:missing"], 2, "has no attribute 'missing'"),
        (["missing:attend"], 2, "No module named 'missing'"),
        (["mine:Layers.number"], 2, "one that can be called, got int"),
        (["mine:hangs", "--seconds", "0.5"], 1, "no options: no answer after 0.5 s"),
    ],
)
def test_the_command_says_what_stops_it(
    tmp_path: Path, arguments: list[str], code: int, says: str
) -> None:
    run = command(tmp_path, *arguments)
    assert run.returncode == code
    assert says in run.stderr
