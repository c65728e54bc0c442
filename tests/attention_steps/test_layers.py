"""Self-attention as a layer, and many heads: against loops, torch's layer, and each other."""

import copy
import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.ao.nn.quantizable import MultiheadAttention as QuantizableMultiheadAttention
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention_steps import (
    AttentionTrace,
    KVCache,
    MultiHeadAttention,
    MultiHeadAttentionTrace,
    PreallocatedCache,
    SelfAttention,
    causal_mask,
    padding_mask,
    rotary_embedding,
    scaled_dot_product_attention,
    sliding_window_mask,
    tiled_attention,
    trace_attention,
)
from tests.attention_steps.oracles import (
    Largest,
    assert_near,
    attention_by_loops,
    randn,
    random_mask,
    torch_attention,
)

INF = math.inf


def layer(
    d_in: int = 3, d_out: int = 2, *, bias: bool = False, dtype: torch.dtype = torch.float64
) -> SelfAttention:
    attention = SelfAttention(d_in, d_out, bias=bias).to(dtype)
    with torch.no_grad():
        for seed, parameter in enumerate(attention.parameters()):
            parameter.copy_(randn(*parameter.shape, seed=seed))
    return attention


def projected(attention: SelfAttention, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values, from the parameters alone."""
    parameters = dict(attention.named_parameters())
    query, key, value = (
        inputs @ parameters[f"{name}.weight"].T + parameters.get(f"{name}.bias", 0.0)
        for name in ("W_query", "W_key", "W_value")
    )
    return query, key, value


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("leading", [(), (4,), (2, 3)])
def test_attends_with_its_own_projections(bias: bool, leading: tuple[int, ...]) -> None:
    attention = layer(bias=bias)
    inputs = randn(*leading, 5, 3, seed=10)
    cases: list[dict[str, Any]] = [{}, {"is_causal": True}, {"attn_mask": random_mask(5, 5)}]
    for arguments in cases:
        context = attention(inputs, **arguments)
        assert context.shape == (*leading, 5, 2)
        query, key, value = projected(attention, inputs)
        expected = attention_by_loops(query, key, value, **arguments)
        torch.testing.assert_close(context, expected)


# Many heads -----------------------------------------------------------------------------------


def numbered(module: nn.Module, dtype: torch.dtype = torch.float64) -> Any:
    """The module with normal numbers in all its parameters, the biases among them."""
    module.to(dtype)
    with torch.no_grad():
        for seed, parameter in enumerate(module.parameters()):
            parameter.copy_(randn(*parameter.shape, seed=seed) / math.sqrt(parameter.shape[-1]))
    return module


def multi_head_by_loops(
    attention: MultiHeadAttention, query: Tensor, key: Tensor, value: Tensor, **arguments: Any
) -> Tensor:
    """Section 3.2.2 of the paper, head by head, from the parameters alone."""
    parameters = {name: tensor.double() for name, tensor in attention.named_parameters()}
    query, key, value = query.double(), key.double(), value.double()
    head_dim = parameters["q_proj.weight"].shape[0] // attention.num_heads
    group_size = attention.num_heads // attention.num_kv_heads
    mask = arguments.pop("attn_mask", None)
    if mask is not None:
        scores_shape = (*query.shape[:-2], attention.num_heads, query.shape[-2], key.shape[-2])
        mask = mask.expand(scores_shape)

    def project(name: str, tokens: Tensor, head: int) -> Tensor:
        rows = slice(head * head_dim, (head + 1) * head_dim)
        bias = parameters.get(f"{name}.bias")
        projected = tokens @ parameters[f"{name}.weight"][rows].T
        return projected if bias is None else projected + bias[rows]

    output_dim = parameters["out_proj.weight"].shape[0]
    output = torch.zeros(*query.shape[:-1], output_dim, dtype=torch.float64)
    for head in range(attention.num_heads):
        context = attention_by_loops(
            project("q_proj", query, head),
            project("k_proj", key, head // group_size),
            project("v_proj", value, head // group_size),
            None if mask is None else mask[..., head, :, :],
            **arguments,
        )
        # The rows of the concatenated heads meet the columns of the output projection.
        columns = slice(head * head_dim, (head + 1) * head_dim)
        output += context @ parameters["out_proj.weight"][:, columns].T
    return output + parameters.get("out_proj.bias", 0.0)


class Setup(NamedTuple):
    """A layer's arguments, the shapes of query, key and value, and what comes after them."""

    name: str
    sizes: dict[str, Any]
    query: tuple[int, ...]
    key: tuple[int, ...] | None = None
    value: tuple[int, ...] | None = None
    arguments: dict[str, Any] = {}  # noqa: RUF012


SIX: dict[str, Any] = {"embed_dim": 12, "num_heads": 6}
TWO: dict[str, Any] = {"embed_dim": 8, "num_heads": 2}
CROSS: dict[str, Any] = {"query": (3, 4, 8), "key": (3, 5, 8), "value": (3, 5, 8)}
HIDES_A_ROW = torch.tensor([[True], [False], [True], [True]]).expand(4, 5)
PADDING = padding_mask(torch.tensor([5, 0, 2]))
SHARED = {**SIX, "num_kv_heads": 2}
WIDE = {**SIX, "num_kv_heads": 2, "head_dim": 5, "out_dim": 3, "kdim": 4, "vdim": 2}

# What the shapes and masks that are drawn below leave out, and half precision.
SETUPS = [
    Setup("self-attention", TWO, (3, 4, 8)),
    Setup("a head for each feature", {"embed_dim": 4, "num_heads": 4}, (3, 4, 4)),
    Setup("mask (H, L, S)", TWO, (4, 8), arguments={"attn_mask": random_mask(2, 4, 4)}),
    Setup("more batch axes", TWO, (2, 3, 4, 8), arguments={"attn_mask": random_mask(2, 4, 4)}),
    Setup("bias of the output alone", {**TWO, "bias": False, "out_bias": True}, **CROSS),
    Setup("bias of the three alone", {**TWO, "out_bias": False}, **CROSS),
    Setup("heads that do not divide", {"embed_dim": 5, "num_heads": 2, "head_dim": 3}, (4, 5)),
    Setup("wide, another output", WIDE, (3, 4, 12), (3, 5, 4), (3, 5, 2)),
    Setup("grouped, causal", {**SIX, "num_kv_heads": 3}, (3, 4, 12), arguments={"is_causal": True}),
    Setup("multi-query", {**SIX, "num_kv_heads": 1, "kdim": 5}, (3, 4, 12), (3, 7, 5), (3, 7, 12)),
    Setup("mask ()", TWO, **CROSS, arguments={"attn_mask": torch.tensor(False)}),
    Setup("mask hides a row", TWO, **CROSS, arguments={"attn_mask": HIDES_A_ROW}),
    Setup("padding and causal", TWO, **CROSS, arguments={"attn_mask": PADDING & causal_mask(4, 5)}),
    Setup("float mask (H, L, S)", TWO, **CROSS, arguments={"attn_mask": randn(2, 4, 5)}),
    Setup("no key, causal", TWO, (3, 4, 8), (3, 0, 8), (3, 0, 8), {"is_causal": True}),
    Setup("no batch, grouped", SHARED, (0, 4, 12)),
    Setup("one query, grouped", SHARED, (3, 1, 12), (3, 5, 12), (3, 5, 12)),
    Setup("one query, one sequence", SHARED, (1, 12), (5, 12), (5, 12)),
    Setup("one query, more batch axes", SHARED, (2, 3, 1, 12), (2, 3, 5, 12), (2, 3, 5, 12)),
    Setup("one query, no key", SHARED, (3, 1, 12), (3, 0, 12), (3, 0, 12)),
    Setup("one query, no batch", SHARED, (0, 1, 12)),
    Setup("one query, causal", SHARED, (3, 1, 12), (3, 5, 12), (3, 5, 12), {"is_causal": True}),
    Setup("one query, masked", SHARED, (3, 1, 12), (3, 5, 12), (3, 5, 12), {"attn_mask": PADDING}),
]


def made_of(
    setup: Setup, dtype: torch.dtype = torch.float64, **sizes: Any
) -> tuple[Any, list[Tensor], dict[str, Any]]:
    """The layer of the setup, its inputs, and its arguments, with a float mask in the dtype."""
    attention = numbered(MultiHeadAttention(**{**setup.sizes, **sizes}), dtype)
    shapes = [shape for shape in (setup.query, setup.key, setup.value) if shape is not None]
    inputs = [
        randn(*shape, seed=10 + seed, dtype=dtype, requires_grad=True)
        for seed, shape in enumerate(shapes)
    ]
    arguments = dict(setup.arguments)
    mask = arguments.get("attn_mask")
    if mask is not None and mask.dtype != torch.bool:
        arguments["attn_mask"] = mask.to(dtype)
    return attention, inputs, arguments


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name)
def test_many_heads_agree_with_loops(setup: Setup, dtype: torch.dtype) -> None:
    # In evaluation a dropout of one half must change nothing.
    attention, inputs, arguments = made_of(setup, dtype, dropout=0.5)
    attention.eval()

    output = attention(*inputs, **arguments)
    traced = attention.trace(*inputs, **arguments).output

    query, key, value = inputs if len(inputs) == 3 else inputs * 3
    expected = multi_head_by_loops(attention, query, key, value, **arguments)
    # In half precision the projections are rounded on the way, those of queries, keys, values and
    # the output.
    tolerance = 1e-12 if dtype == torch.float64 else 8 * torch.finfo(dtype).eps
    for result in (output, traced):
        assert result.dtype == dtype
        torch.testing.assert_close(result.double(), expected, rtol=tolerance, atol=tolerance)
    if dtype == torch.float64:
        wanted = [*inputs, *attention.parameters()]
        upstream = randn(*output.shape, seed=9)
        gradients = torch.autograd.grad(output, wanted, upstream)
        other = torch.autograd.grad(traced, wanted, upstream)
        assert all(gradient.isfinite().all() for gradient in gradients)
        torch.testing.assert_close(gradients, other, rtol=1e-11, atol=1e-11)


def test_the_trace_keeps_every_step_of_every_head() -> None:
    attention = numbered(MultiHeadAttention(12, 6, num_kv_heads=2, kdim=5, vdim=7))
    query, key, value = randn(3, 4, 12), randn(3, 9, 5, seed=1), randn(3, 9, 7, seed=2)
    mask = random_mask(3, 1, 4, 9)

    trace = attention.trace(query, key, value, attn_mask=mask)

    assert isinstance(trace, MultiHeadAttentionTrace)
    assert trace._fields == ("query", "key", "value", *AttentionTrace._fields, "output")
    assert trace.query.shape == (3, 6, 4, 2)
    assert trace.key.shape == trace.value.shape == (3, 2, 9, 2)
    for n in range(6):
        rows = slice(2 * n, 2 * n + 2)
        kv_rows = slice(2 * (n // 3), 2 * (n // 3) + 2)
        projected = (
            query @ attention.q_proj.weight[rows].T + attention.q_proj.bias[rows],
            key @ attention.k_proj.weight[kv_rows].T + attention.k_proj.bias[kv_rows],
            value @ attention.v_proj.weight[kv_rows].T + attention.v_proj.bias[kv_rows],
        )
        for traced, expected in zip(
            (trace.query[:, n], trace.key[:, n // 3], trace.value[:, n // 3]),
            projected,
            strict=True,
        ):
            torch.testing.assert_close(traced, expected)
        for field, expected in trace_attention(*projected, mask[:, 0])._asdict().items():
            torch.testing.assert_close(getattr(trace, field)[:, n], expected)
    side_by_side = torch.cat(trace.context.unbind(dim=1), dim=-1)
    torch.testing.assert_close(trace.output, attention.out_proj(side_by_side))


sizes_of_a_layer = st.tuples(
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(1, 2),
    st.none() | st.integers(1, 5),
    st.none() | st.integers(1, 5),
    st.booleans(),
)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(st.data())
def test_any_call_of_many_heads_agrees_with_loops(data: st.DataObject) -> None:
    head_dim, num_kv_heads, group_size, kdim, vdim, bias = data.draw(sizes_of_a_layer)
    num_heads = num_kv_heads * group_size
    attention = numbered(
        MultiHeadAttention(
            head_dim * num_heads,
            num_heads,
            num_kv_heads=num_kv_heads,
            kdim=kdim,
            vdim=vdim,
            bias=bias,
        )
    )
    leading = data.draw(st.lists(st.integers(0, 3), max_size=2))
    query_len, key_len = data.draw(st.tuples(st.integers(0, 4), st.integers(0, 4)))
    query = randn(*leading, query_len, attention.embed_dim)
    key = randn(*leading, key_len, attention.kdim, seed=1)
    value = randn(*leading, key_len, attention.vdim, seed=2)
    arguments: dict[str, Any] = {}
    kind = data.draw(st.sampled_from(["none", "causal", "boolean", "float"]))
    if kind == "causal":
        arguments["is_causal"] = True
    elif kind != "none":
        scores_shape = (*leading, num_heads, query_len, key_len)
        axes = data.draw(st.integers(0, len(scores_shape)))
        shape = [
            data.draw(st.sampled_from([1, wanted]))
            for wanted in scores_shape[len(scores_shape) - axes :]
        ]
        mask = random_mask(*shape)
        arguments["attn_mask"] = (
            mask if kind == "boolean" else randn(*shape).masked_fill(~mask, -INF)
        )

    expected = multi_head_by_loops(attention, query, key, value, **arguments)

    for output in (
        attention(query, key, value, **arguments),
        attention.trace(query, key, value, **arguments).output,
    ):
        torch.testing.assert_close(output, expected, rtol=1e-12, atol=1e-12)


# A part of the heads --------------------------------------------------------------------------


def cut(attention: MultiHeadAttention, part: int, parts: int) -> MultiHeadAttention:
    """What one of several devices holds: rows of the first three matrices, columns of the last."""
    piece = copy.deepcopy(attention)
    with torch.no_grad():
        for projection in (piece.q_proj, piece.k_proj, piece.v_proj):
            projection.weight = nn.Parameter(projection.weight.chunk(parts)[part])
            projection.bias = nn.Parameter(projection.bias.chunk(parts)[part])
        weight = piece.out_proj.weight.chunk(parts, dim=1)[part]
        piece.out_proj.weight = nn.Parameter(weight)
        piece.out_proj.bias = nn.Parameter(piece.out_proj.bias / parts)
    return piece


@pytest.mark.parametrize("num_kv_heads", [4, 2])
@pytest.mark.parametrize("way", ["forward", "trace"])
def test_parts_of_the_heads_add_up_to_the_layer(num_kv_heads: int, way: str) -> None:
    attention = numbered(MultiHeadAttention(16, 4, num_kv_heads=num_kv_heads))
    inputs, mask = randn(3, 5, 16), random_mask(4, 5, 5)

    def output_of(layer: MultiHeadAttention, mask: Tensor) -> Tensor:
        traced = layer.trace(inputs, attn_mask=mask).output
        return traced if way == "trace" else layer.forward(inputs, attn_mask=mask)

    parts = [output_of(cut(attention, i, 2), mask[2 * i : 2 * i + 2]) for i in range(2)]

    torch.testing.assert_close(sum(parts), output_of(attention, mask))


@pytest.mark.parametrize("names", [["q_proj"], ["k_proj", "v_proj"], ["v_proj"]])
@pytest.mark.parametrize("num_kv_heads", [4, 2])
def test_heads_that_do_not_belong_together_are_refused(names: list[str], num_kv_heads: int) -> None:
    attention = numbered(MultiHeadAttention(16, 4, num_kv_heads=num_kv_heads))
    piece = cut(attention, 0, 2)
    for name in names:
        setattr(attention, name, getattr(piece, name))
    for call in (attention.forward, attention.trace):
        with pytest.raises(ValueError, match=r"^q_proj, k_proj and v_proj must give heads"):
            call(randn(3, 5, 16))


@pytest.mark.parametrize(
    ("name", "new", "message"),
    [
        ("q_proj", nn.Linear(8, 7), "q_proj must give whole heads, .* 4 features, got 7"),
        ("k_proj", nn.Linear(8, 2), "k_proj must give whole heads, .* 4 features, got 2"),
    ],
)
def test_a_projection_that_was_pruned_alone_is_refused(
    name: str, new: nn.Module, message: str
) -> None:
    attention = MultiHeadAttention(8, 2)
    setattr(attention, name, new)
    for call in (attention, attention.trace):
        with pytest.raises(ValueError, match=f"^{message}"):
            call(torch.ones(2, 3, 8))


def test_heads_that_are_pruned_everywhere_but_in_the_output_are_refused() -> None:
    attention = MultiHeadAttention(8, 2)
    for name in ("q_proj", "k_proj", "v_proj"):
        setattr(attention, name, nn.Linear(8, 4))
    for call in (attention, attention.trace):
        with pytest.raises(ValueError, match=r"^out_proj must take the 4 features .* takes 8$"):
            call(torch.ones(2, 3, 8))
    attention.out_proj = nn.Linear(4, 8)
    assert attention(torch.ones(2, 3, 8)).shape == (2, 3, 8)


# A mask of any dtype --------------------------------------------------------------------------


# The dtypes of the layer, and those of a mask that the documentation allows beside each.
def test_a_layer_with_a_soft_cap_and_sinks_can_be_traced() -> None:
    layer = MultiHeadAttention(8, 2, num_kv_heads=1, dtype=torch.float64)
    x = randn(2, 5, 8)
    extras: dict[str, Any] = {"softcap": 0.5, "sinks": randn(2, seed=4)}
    trace = layer.trace(x, is_causal=True, attend=partial(trace_attention, **extras))
    attend = partial(scaled_dot_product_attention, **extras)
    assert_near(trace.output, layer(x, is_causal=True, attend=attend))
    assert not torch.allclose(trace.output, layer(x, is_causal=True))
    with pytest.raises(TypeError, match=r"^attend must return an AttentionTrace.*got Tensor$"):
        layer.trace(x, attend=scaled_dot_product_attention)  # type: ignore[arg-type]


ALLOWED = [
    (dtype, mask_dtype)
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16)
    for mask_dtype in dict.fromkeys((torch.bool, dtype, torch.float32))
]


# From 16 keys on, torch's kernel for the CPU computes in blocks: each length up to one, and then
# those around the ends of others.
LENGTHS = [*range(1, 18), 31, 32, 33, 47, 48, 49, 63, 64]


@pytest.mark.slow
@pytest.mark.parametrize("num_kv_heads", [2, 1])
@pytest.mark.parametrize(("dtype", "mask_dtype"), ALLOWED, ids=str)
def test_a_layer_is_its_trace_whatever_the_dtype_of_the_mask(
    dtype: torch.dtype, mask_dtype: torch.dtype, num_kv_heads: int
) -> None:
    attention = numbered(MultiHeadAttention(8, 2, num_kv_heads=num_kv_heads), dtype)
    tolerance = 64 * torch.finfo(dtype).eps
    for length in LENGTHS:
        inputs = randn(1, length, 8, seed=length).to(dtype).requires_grad_()
        mask = randn(2, length, length)
        mask = mask > -1.0 if mask_dtype is torch.bool else mask.to(mask_dtype)
        for attn_mask in (mask, mask[0]):
            results = (
                attention(inputs, attn_mask=attn_mask),
                attention.trace(inputs, attn_mask=attn_mask).output,
            )
            grads = [torch.autograd.grad(x.sum(), inputs)[0] for x in results]
            for one, other in (results, grads):
                scale = float(other.detach().abs().max())
                torch.testing.assert_close(one, other, rtol=0, atol=tolerance * scale)


# Positions and a cache ------------------------------------------------------------------------


class Kept:
    """A cache without a window, as a reader may write one."""

    def __init__(self) -> None:
        self.kept: list[Tensor] = []

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        new = [key, value]
        pairs = zip(self.kept, new, strict=True)
        self.kept = [torch.cat(pair, dim=-2) for pair in pairs] if self.kept else new
        return self.kept[0], self.kept[1]


def rotate_from(start: int, length: int) -> Callable[[Tensor], Tensor]:
    places = torch.arange(start, start + length)
    return partial(rotary_embedding, positions=places, interleaved=False)


@pytest.mark.parametrize("num_kv_heads", [4, 2])
def test_queries_and_keys_may_be_rotated(num_kv_heads: int) -> None:
    attention = numbered(MultiHeadAttention(16, 4, num_kv_heads=num_kv_heads))
    inputs = randn(3, 5, 16)
    plain = attention.trace(inputs)

    trace = attention.trace(inputs, is_causal=True, rotate=rotate_from(7, 5))

    query, key = (rotate_from(7, 5)(heads) for heads in (plain.query, plain.key))
    torch.testing.assert_close((trace.query, trace.key, trace.value), (query, key, plain.value))
    context = torch_attention(query, key, plain.value, is_causal=True, enable_gqa=True)
    expected = attention.out_proj(context.transpose(1, 2).flatten(2))
    torch.testing.assert_close(trace.output, expected)
    output = attention(inputs, is_causal=True, rotate=rotate_from(7, 5))
    torch.testing.assert_close(output, expected)
    # Only distances count, and without positions not even they.
    torch.testing.assert_close(attention(inputs, is_causal=True, rotate=rotate_from(0, 5)), output)
    assert not torch.allclose(attention(inputs, is_causal=True), output)


def outputs_of(attention: Any) -> list[Callable[..., Tensor]]:
    """The output, computed in both ways."""
    return [attention, lambda *inputs, **given: attention.trace(*inputs, **given).output]


@pytest.mark.parametrize("window", [None, 3])
@pytest.mark.parametrize("chunks", [[1] * 8, [5, 1, 2]], ids=str)
def test_with_a_cache_places_go_on_where_it_ends(chunks: list[int], window: int | None) -> None:
    attention = numbered(MultiHeadAttention(16, 4, num_kv_heads=2))
    inputs = randn(3, 8, 16)
    mask = causal_mask(8) if window is None else sliding_window_mask(8, window=window)
    expected = attention(inputs, attn_mask=mask, rotate=rotate_from(0, 8))
    turn = partial(rotary_embedding, interleaved=False)
    for rotate in (turn, lambda x, places: turn(x, places + 7)):
        for output_of in outputs_of(attention):
            cache = KVCache(window)
            outputs = [
                output_of(tokens, is_causal=True, rotate=rotate, cache=cache)
                for tokens in torch.split(inputs, chunks, dim=1)
            ]
            torch.testing.assert_close(torch.cat(outputs, dim=1), expected)


def test_a_rotation_that_cannot_know_its_places_is_refused() -> None:
    attention, inputs = numbered(MultiHeadAttention(8, 2)), randn(3, 1, 8)
    turn = partial(rotary_embedding, interleaved=False)
    for call in (attention, attention.trace):
        with pytest.raises(TypeError, match=r"cache must have a length, .* got Kept without one"):
            call(inputs, rotate=turn, cache=Kept())
        with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
            call(inputs, rotate=lambda x: turn(x), cache=KVCache())


def refused_calls(attention: Any, tokens: Tensor) -> list[Callable[[KVCache], object]]:
    """Calls that fail before, in and after the attention."""

    def fails(*given: Any, **more: Any) -> Tensor:
        raise KeyboardInterrupt

    broken = copy.deepcopy(attention)
    broken.out_proj.forward = fails
    mask = torch.ones(2, 2, dtype=torch.bool)
    return [
        lambda cache: attention(tokens, attn_mask=mask, cache=cache),
        lambda cache: attention.trace(tokens, attn_mask=mask, cache=cache),
        lambda cache: attention(tokens, attend=fails, cache=cache),
        lambda cache: attention(tokens, attend=lambda *x, **more: x, cache=cache),
        lambda cache: broken(tokens, cache=cache),
        lambda cache: broken.trace(tokens, cache=cache),
    ]


@pytest.mark.parametrize("filled", [0, 4])
@pytest.mark.parametrize(
    "make", [KVCache, partial(KVCache, 3), partial(PreallocatedCache, 20)], ids=str
)
def test_a_refused_call_leaves_the_cache_as_it_was(
    make: Callable[[], KVCache], filled: int
) -> None:
    attention, inputs = numbered(MultiHeadAttention(8, 2)), randn(3, 7, 8)
    with torch.no_grad():
        clean, cache = make(), make()
        for one in (clean, cache):
            attention(inputs[:, :filled], is_causal=True, cache=one)
        before = cache.length, cache.key, cache.value
        for call in refused_calls(attention, inputs[:, filled:]):
            with pytest.raises((ValueError, TypeError, KeyboardInterrupt)):
                call(cache)
            assert cache.length == before[0] == filled
            assert cache.key is before[1]
            assert cache.value is before[2]
        again, expected = (
            attention(inputs[:, filled:], is_causal=True, cache=one) for one in (cache, clean)
        )
    assert torch.equal(again, expected)


def test_a_mask_counts_the_keys_of_the_cache() -> None:
    attention = numbered(MultiHeadAttention(8, 2))
    inputs = randn(3, 6, 8)
    mask = random_mask(3, 1, 6, 6)
    cache = Kept()
    attention(inputs[:, :4], cache=cache)
    output = attention(inputs[:, 4:], attn_mask=mask[:, :, 4:], cache=cache)
    torch.testing.assert_close(output, attention(inputs, attn_mask=mask)[:, 4:])
    for call in (attention.forward, attention.trace):
        with pytest.raises(ValueError, match=r"attn_mask must broadcast .* \(3, 2, 2, (8|10)\)"):
            call(inputs[:, 4:], attn_mask=mask[:, :, 4:, 4:], cache=cache)


class Remembered:
    """A cache with keys and values from before, to which nothing is added."""

    def __init__(self, length: int, window: int | None) -> None:
        self.pair = randn(3, 2, length, 4, seed=1), randn(3, 2, length, 4, seed=2)
        self.window = window

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        return self.pair


@pytest.mark.parametrize("window", [None, 6, 5, 2])
def test_one_new_query_sees_the_window_and_needs_no_mask_for_all_keys(window: int | None) -> None:
    attention = numbered(MultiHeadAttention(16, 4, num_kv_heads=2))
    query, cache = randn(3, 1, 16), Remembered(5, window)
    seen = slice(-2, None) if window == 2 else slice(None)
    key, value = (heads[..., seen, :] for heads in cache.pair)
    masks = []

    def attend(
        q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, *given: Any, **more: Any
    ) -> Tensor:
        masks.append(mask)
        return torch_attention(q, k, v, mask, *given, **more)

    trace = attention.trace(query, is_causal=True, cache=cache)
    context = torch_attention(trace.query, key, value, enable_gqa=True)
    torch.testing.assert_close(trace.context, context)
    expected = attention.out_proj(context.transpose(1, 2).flatten(2))
    for output in (
        attention(query, is_causal=True, cache=cache),
        attention(query, is_causal=True, cache=cache, attend=attend),
    ):
        torch.testing.assert_close(output, expected)
    assert (masks[0] is None) == (window != 2)


@pytest.mark.parametrize("leading", [(3,), ()])
def test_one_new_query_copies_no_keys_that_heads_share(leading: tuple[int, ...]) -> None:
    attention = numbered(MultiHeadAttention(16, 4, num_kv_heads=2, kdim=8, vdim=8)).eval()
    query, memory = randn(*leading, 1, 16), randn(*leading, 50, 8)
    # The fused code makes no copy, but reads the keys again for each query of a group.
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), Largest() as largest:  # type: ignore[no-untyped-call]
        attention(query, memory, memory)
    assert largest.size == memory.numel()  # as many numbers as the keys of two heads


compiles_a_partial = pytest.mark.skipif(
    torch.__version__ < "2.13", reason="the compiler of torch 2.6 cannot ask whether it is callable"
)


@pytest.mark.slow
@compiles_a_partial
def test_compiles_with_places_that_go_on_in_a_cache() -> None:
    attention = numbered(MultiHeadAttention(8, 2, num_kv_heads=1))
    inputs, rotate = randn(3, 6, 8), partial(rotary_embedding, interleaved=False)
    expected = attention(inputs, is_causal=True, rotate=rotate)

    @torch.compile(fullgraph=True, backend="aot_eager")
    def in_pieces(inputs: Tensor) -> Tensor:
        cache = KVCache()
        pieces = [
            attention(inputs[:, i:j], is_causal=True, rotate=rotate, cache=cache)
            for i, j in ((0, 3), (3, 5), (5, 6))
        ]
        return torch.cat(pieces, dim=1)

    torch.testing.assert_close(in_pieces(inputs), expected)


# Dropout of many heads ------------------------------------------------------------------------


@pytest.mark.parametrize("query_len", [5, 1])
@pytest.mark.parametrize("num_kv_heads", [4, 2])
def test_dropout_draws_alike_forward_and_traced(query_len: int, num_kv_heads: int) -> None:
    attention = numbered(MultiHeadAttention(8, 4, num_kv_heads=num_kv_heads, dropout=0.5))
    inputs = randn(3, 5, 8, requires_grad=True)
    tokens = [inputs[:, :query_len], inputs, inputs]
    mask = random_mask(3, 1, 5, 5) if query_len == 5 else None

    # With dropout torch's function takes explicit steps too, and draws for the same weights.
    results = []
    for output_of in outputs_of(attention):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            output = output_of(*tokens, attn_mask=mask)
        gradients = torch.autograd.grad(output.square().sum(), [inputs, *attention.parameters()])
        results.append([output, *gradients])

    torch.testing.assert_close(*results)
    attention.eval()
    assert not torch.allclose(results[0][0], attention(*tokens, attn_mask=mask))


# Copies of torch's layer ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "sizes", [{}, {"kdim": 3}, {"vdim": 5}, {"kdim": 3, "vdim": 5}, {"kdim": 8, "vdim": 8}]
)
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("mask_kind", ["none", "causal", "boolean", "padding", "float"])
def test_a_copy_of_torchs_layer_agrees_with_it(
    sizes: dict[str, int], bias: bool, mask_kind: str
) -> None:
    theirs = numbered(nn.MultiheadAttention(8, 2, bias=bias, batch_first=True, **sizes))
    ours: Any = MultiHeadAttention.from_torch(theirs)
    kdim, vdim = sizes.get("kdim", 8), sizes.get("vdim", 8)
    inputs = [
        randn(*shape, seed=seed, requires_grad=True)
        for seed, shape in enumerate([(3, 4, 8), (3, 5, kdim), (3, 5, vdim)])
    ]
    padding = padding_mask(torch.tensor([5, 1, 2]))
    kinds: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "none": ({}, {}),
        "causal": (
            {"is_causal": True},
            {"attn_mask": ~causal_mask(4, 5)},
        ),
        "boolean": (
            {"attn_mask": random_mask(3, 2, 4, 5) | causal_mask(4, 5)},
            {"attn_mask": ~(random_mask(3, 2, 4, 5) | causal_mask(4, 5)).flatten(0, 1)},
        ),
        "padding": (
            {"attn_mask": padding & causal_mask(4, 5)},
            {"attn_mask": ~causal_mask(4, 5), "key_padding_mask": ~padding[:, 0, 0]},
        ),
        "float": (
            {"attn_mask": randn(4, 5)},
            {"attn_mask": randn(4, 5)},
        ),
    }
    our_arguments, their_arguments = kinds[mask_kind]

    output = ours(*inputs, **our_arguments)
    weights = ours.trace(*inputs, **our_arguments).weights
    expected, expected_weights = theirs(*inputs, **their_arguments, average_attn_weights=False)

    torch.testing.assert_close(output, expected)
    torch.testing.assert_close(weights, expected_weights)
    upstream = randn(3, 4, 8, seed=9)
    torch.testing.assert_close(
        torch.autograd.grad(output, inputs, upstream),
        torch.autograd.grad(expected, inputs, upstream),
    )


def test_a_copy_is_a_copy() -> None:
    theirs = nn.MultiheadAttention(8, 2, dropout=0.3, kdim=3).half().eval()
    theirs.k_proj_weight.requires_grad_(False)
    before = {name: tensor.clone() for name, tensor in theirs.state_dict().items()}
    state = torch.get_rng_state()

    with torch.no_grad():
        ours = MultiHeadAttention.from_torch(theirs)
    assert torch.equal(torch.get_rng_state(), state)

    assert ours.dropout == 0.3
    assert not ours.training
    assert {parameter.dtype for parameter in ours.parameters()} == {torch.float16}
    frozen = [name for name, parameter in ours.named_parameters() if not parameter.requires_grad]
    assert frozen == ["k_proj.weight"]
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.zero_()
    for name, tensor in theirs.state_dict().items():
        assert torch.equal(tensor, before[name])


@pytest.mark.parametrize("in_bias", [True, False])
@pytest.mark.parametrize("out_bias", [True, False])
@pytest.mark.parametrize("out_dim", [8, 5])
def test_a_copy_has_the_output_projection_that_is_there(
    in_bias: bool, out_bias: bool, out_dim: int
) -> None:
    theirs = nn.MultiheadAttention(8, 2, bias=in_bias, batch_first=True)
    theirs.out_proj = nn.Linear(8, out_dim, bias=out_bias)  # type: ignore[assignment]
    numbered(theirs)
    inputs = randn(3, 5, 8)
    ours = MultiHeadAttention.from_torch(theirs)
    expected, _ = theirs(inputs, inputs, inputs)
    torch.testing.assert_close(ours(inputs), expected)
    assert (ours.q_proj.bias is not None) == in_bias
    assert (ours.out_proj.bias is not None) == out_bias
    assert f"(out_proj): Linear(in_features=8, out_features={out_dim}" in repr(ours)


# And back --------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [{}, {"kdim": 3, "vdim": 5}])
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("batch_first", [True, False])
def test_the_way_back_gives_torchs_layer(
    sizes: dict[str, Any], bias: bool, batch_first: bool
) -> None:
    ours = numbered(MultiHeadAttention(8, 2, dropout=0.3, bias=bias, **sizes), torch.float32).eval()
    theirs = ours.to_torch(batch_first=batch_first)
    assert (theirs.dropout, theirs.training, theirs.batch_first) == (0.3, False, batch_first)
    inputs = [randn(3, 4, 8), randn(3, 5, sizes.get("kdim", 8)), randn(3, 5, sizes.get("vdim", 8))]
    inputs = [x.float() for x in inputs]
    expected = ours(*inputs, attn_mask=causal_mask(4, 5))
    turned = inputs if batch_first else [x.transpose(0, 1) for x in inputs]
    output, _ = theirs(*turned, attn_mask=~causal_mask(4, 5))
    torch.testing.assert_close(output if batch_first else output.transpose(0, 1), expected)
    again = MultiHeadAttention.from_torch(theirs).state_dict()
    assert again.keys() == ours.state_dict().keys()
    assert all(torch.equal(x, again[name]) for name, x in ours.state_dict().items())
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.zero_()
    torch.testing.assert_close(ours(*inputs, attn_mask=causal_mask(4, 5)), expected)


def test_a_swapped_model_goes_back_into_torchs_blocks() -> None:
    block = nn.TransformerEncoderLayer(8, 2, dropout=0.0, batch_first=True)
    ours = MultiHeadAttention.from_torch(block.self_attn)
    ours.q_proj.requires_grad_(False)
    state = block.state_dict()
    inputs = torch.randn(2, 3, 8)
    expected = block(inputs)
    block.self_attn = ours.to_torch()
    torch.testing.assert_close(block(inputs), expected)
    assert block.state_dict().keys() == state.keys()
    assert all(torch.equal(x, state[name]) for name, x in block.state_dict().items())
    assert block.self_attn.in_proj_weight.requires_grad  # torch stacks it with two that learn
    for name in ("k_proj", "v_proj"):
        getattr(ours, name).requires_grad_(False)
    assert not ours.to_torch().in_proj_weight.requires_grad


def with_projection(name: str, new: nn.Module) -> MultiHeadAttention:
    layer = MultiHeadAttention(8, 2)
    setattr(layer, name, new)
    return layer


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: MultiHeadAttention(8, 2, num_kv_heads=1), ValueError, "k_proj .* got 8 to 4"),
        (lambda: MultiHeadAttention(8, 2, head_dim=3), ValueError, "q_proj .* got 8 to 6"),
        (lambda: MultiHeadAttention(8, 2, out_dim=5), ValueError, "out_proj .* got 8 to 5"),
        (lambda: MultiHeadAttention(8, 2, out_bias=False), ValueError, "all .* got out_proj with"),
        (lambda: with_projection("v_proj", nn.Linear(8, 4)), ValueError, "v_proj .* got 8 to 4"),
        (lambda: with_projection("q_proj", nn.Identity()), TypeError, "q_proj .* got Identity"),
    ],
)
def test_what_torchs_layer_cannot_hold_is_not_copied_back(
    make: Callable[[], MultiHeadAttention], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{message}"):
        make().to_torch()


class Negated(nn.MultiheadAttention):
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        output, weights = super().forward(*args, **kwargs)
        return -output, weights


def replaced() -> nn.MultiheadAttention:
    layer = nn.MultiheadAttention(8, 2)
    layer.forward = lambda *inputs: inputs  # type: ignore[method-assign]
    return layer


@pytest.mark.parametrize(
    "make", [lambda: Negated(8, 2), lambda: QuantizableMultiheadAttention(8, 2), replaced]
)
def test_a_layer_that_computes_something_else_is_not_copied(make: Callable[[], Any]) -> None:
    theirs = make()
    wanted = rf"^module must compute what .* got {type(theirs).__name__} with a forward of its own"
    with pytest.raises(TypeError, match=wanted):
        MultiHeadAttention.from_torch(theirs)


# As a module ----------------------------------------------------------------------------------


def test_parameters_are_four_linear_maps() -> None:
    attention = MultiHeadAttention(12, 6, num_kv_heads=2, kdim=5, vdim=7)
    weights = [p for name, p in attention.named_parameters() if name.endswith("weight")]
    assert [weight.shape for weight in weights] == [(12, 12), (4, 5), (4, 7), (12, 12)]
    assert all(type(projection) is nn.Linear for projection in attention.children())
    bare = MultiHeadAttention(12, 6, bias=False)
    assert list(bare.state_dict()) == [f"{name}_proj.weight" for name in ("q", "k", "v", "out")]


@pytest.mark.parametrize(
    "make",
    [
        lambda **place: SelfAttention(4, 4, bias=True, **place),
        lambda **place: MultiHeadAttention(4, 2, **place),
    ],
)
def test_is_made_on_a_device_and_in_a_dtype(make: Callable[..., nn.Module]) -> None:
    attention = make(device="meta", dtype=torch.bfloat16)
    assert {(p.device.type, p.dtype) for p in attention.parameters()} == {("meta", torch.bfloat16)}
    with torch.random.fork_rng(devices=[]):
        assert make(dtype=torch.float64)(randn(2, 3, 4)).dtype == torch.float64


@pytest.mark.parametrize("again", [False, True])
def test_initial_values_are_those_of_torchs_layer_with_separate_matrices(again: bool) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        attention = MultiHeadAttention(64, 4, kdim=32, vdim=16)
        if again:
            numbered(attention, torch.float32).reset_parameters()

    for name, fan_in in (("q_proj", 64), ("k_proj", 32), ("v_proj", 16)):
        largest = getattr(attention, name).weight.abs().max().item()
        bound = math.sqrt(6 / (fan_in + 64))
        # The largest of a thousand and more uniform numbers is near their bound.
        assert 0.99 * bound < largest <= bound
    assert 0.99 / 8 < attention.out_proj.weight.abs().max().item() <= 1 / 8
    assert all((p == 0).all() for name, p in attention.named_parameters() if name.endswith("bias"))
    assert "num_heads=4, num_kv_heads=4, dropout=0.0" in repr(attention)


def test_works_under_autocast_with_many_heads() -> None:
    attention = numbered(MultiHeadAttention(8, 2), torch.float32)
    inputs = randn(3, 5, 8, dtype=torch.float32)
    expected = attention(inputs, attn_mask=randn(5, 5).float())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = attention(inputs, attn_mask=randn(5, 5).float())
        traced = attention.trace(inputs, attn_mask=randn(5, 5).float()).output
    for result in (output, traced):
        assert result.dtype == torch.bfloat16
        torch.testing.assert_close(result.float(), expected, rtol=0.05, atol=0.05)


class Wrapped(nn.Module):
    """Some other module around a projection, with no weight of its own, and in its own dtype."""

    def __init__(self, projection: nn.Module, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype
        self.projection = projection.to(dtype)

    def forward(self, inputs: Tensor) -> Tensor:
        output: Tensor = self.projection(inputs.to(self.dtype))
        return output


@pytest.mark.parametrize("mask_kind", ["none", "boolean", "float32", "dtype"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("make", [lambda: SelfAttention(8, 8), lambda: MultiHeadAttention(8, 2)])
def test_nothing_is_asked_of_a_projection(
    make: Callable[[], Any], dtype: torch.dtype, mask_kind: str
) -> None:
    # Adapters have other names inside, and sharding in mixed precision casts in each projection.
    attention = numbered(make(), torch.float32)
    mask = {
        "none": None,
        "boolean": causal_mask(5),
        "float32": randn(5, 5, dtype=torch.float32),
        "dtype": randn(5, 5, dtype=dtype),
    }[mask_kind]
    inputs = randn(3, 5, 8, dtype=torch.float32)
    expected = copy.deepcopy(attention).to(dtype)(inputs.to(dtype), attn_mask=mask)
    for name, projection in list(attention.named_children()):
        setattr(attention, name, Wrapped(projection, dtype))

    output = attention(inputs, attn_mask=mask)

    assert output.dtype == dtype
    assert torch.equal(output, expected)
    if isinstance(attention, MultiHeadAttention):
        traced = attention.trace(inputs, attn_mask=mask).output
        tolerance = 4 * torch.finfo(dtype).eps
        torch.testing.assert_close(traced, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.slow
def test_exports_with_many_heads_for_any_batch_and_length() -> None:
    attention = numbered(MultiHeadAttention(8, 2)).eval()
    batch, length = torch.export.Dim("batch", min=2, max=64), torch.export.Dim("length", max=64)
    exported = torch.export.export(
        attention,
        (randn(3, 5, 8),),
        {"is_causal": True},
        dynamic_shapes={
            "query": {0: batch, 1: length},
            "is_causal": None,
        },
        strict=True,
    )

    for shape in ((2, 7, 8), (4, 2, 8)):
        inputs = randn(*shape)
        output = exported.module()(inputs, is_causal=True)
        torch.testing.assert_close(output, attention(inputs, is_causal=True))


def test_another_function_can_attend() -> None:
    attention = numbered(MultiHeadAttention(8, 4, num_kv_heads=2))
    inputs, sinks = randn(3, 5, 8), randn(4, seed=1).requires_grad_()
    own = partial(scaled_dot_product_attention, softcap=2.0, sinks=sinks)
    output = attention(inputs, is_causal=True, attend=own)

    trace = attention.trace(inputs, is_causal=True)
    context = own(trace.query, trace.key, trace.value, is_causal=True, enable_gqa=True)
    expected = attention.out_proj(context.transpose(1, 2).flatten(2))
    torch.testing.assert_close(output, expected)
    assert not torch.allclose(output, trace.output)
    [grad] = torch.autograd.grad(output.sum(), sinks)
    assert (grad != 0).all()
    for same in (scaled_dot_product_attention, partial(tiled_attention, block_size=2)):
        without = attention(inputs, is_causal=True, attend=same)
        torch.testing.assert_close(without, trace.output)


def test_dropout_reaches_another_function() -> None:
    attention = numbered(MultiHeadAttention(8, 4, dropout=1.0, bias=False)).train()
    output = attention(randn(3, 5, 8), attend=scaled_dot_product_attention)
    assert (output == 0).all()


def test_a_norm_on_queries_and_keys_is_a_projection_with_it() -> None:
    attention: Any = numbered(MultiHeadAttention(8, 2))
    inputs, rotate = randn(3, 5, 8), partial(rotary_embedding, interleaved=False)
    norms = [numbered(nn.RMSNorm(4)) for _ in range(2)]
    trace = attention.trace(inputs)
    query, key = (norm(x) for norm, x in zip(norms, trace[:2], strict=True))
    expected = torch_attention(rotate(query), rotate(key), trace.value)
    for name, norm in zip(("q_proj", "k_proj"), norms, strict=True):
        made = nn.Sequential(
            getattr(attention, name), nn.Unflatten(-1, (-1, 4)), norm, nn.Flatten(-2)
        )
        setattr(attention, name, made)
    torch.testing.assert_close(attention.trace(inputs, rotate=rotate).context, expected)
