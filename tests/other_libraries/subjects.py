"""The attention of public libraries, each called as `attention_verify` calls a function.

A subject is a function of this file. `FEATURES` says what its library documents.
"""

import os
from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.nn.functional import scaled_dot_product_attention

import attention_steps
from attention_steps.drop_in import transformers_attention

# Keras asks for its backend when it is imported.
os.environ.setdefault("KERAS_BACKEND", "jax")
HALF = ["float16", "bfloat16"]
USUAL = ["mask", "float-mask", "causal", "both", "scale", "gqa", "value-size", "gradients"]


def torch_math(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    with sdpa_kernel(SDPBackend.MATH):
        return scaled_dot_product_attention(
            query, key, value, attn_mask, 0.0, is_causal, scale=scale, enable_gqa=enable_gqa
        )


def _flex(
    function: Callable[..., Any],
    *tensors: Tensor,
    mask: Tensor | None = None,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Tensor:
    (batch, heads, query_len, _), key_len = tensors[0].shape, tensors[1].shape[2]
    offset = key_len - query_len
    is_boolean = mask is not None and mask.dtype == torch.bool
    table = None if mask is None else mask.expand(batch, heads, query_len, key_len)

    def score(s: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        s = s if softcap is None else softcap * torch.tanh(s / softcap)
        return s if table is None or is_boolean else s + table[b, h, i, j]

    def rule(b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        allowed = (j <= i + offset) if causal else j >= 0
        allowed = allowed if window is None else allowed & (j > i + offset - window)
        return allowed & table[b, h, i, j] if is_boolean and table is not None else allowed

    blocks = create_block_mask(rule, batch, heads, query_len, key_len, device=tensors[0].device)
    groups = {"enable_gqa": heads != tensors[1].shape[1]}
    result = function(*tensors, score, blocks, scale, **groups)
    assert isinstance(result, Tensor)
    return result


def torch_flex(*tensors: Tensor, **options: Any) -> Tensor:
    return _flex(flex_attention, *tensors, **options)


def torch_flex_compiled(*tensors: Tensor, **options: Any) -> Tensor:
    torch.compiler.reset()  # each case is compiled by itself: torch gives up after some
    return _flex(torch.compile(flex_attention), *tensors, **options)


def torch_layer(embed_dim: int, num_heads: int, batch_first: bool) -> nn.Module:
    return nn.MultiheadAttention(embed_dim, num_heads, batch_first=batch_first)


class LayerWithoutWeights(nn.MultiheadAttention):
    def forward(self, *tensors: Any, **options: Any) -> Any:
        options["need_weights"] = False
        return super().forward(*tensors, **options)


def _window(query: Tensor, key: Tensor, window: int | None, mask: Tensor | None) -> Tensor | None:
    """Return the mask with the rule of a window, for which these functions have no argument."""
    if window is None:
        return mask
    rule = attention_steps.sliding_window_mask(query.shape[2], key.shape[2], window=window)
    return rule if mask is None else mask & rule


def ours(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    causal: bool = False,
    window: int | None = None,
    **options: Any,
) -> Tensor:
    return attention_steps.scaled_dot_product_attention(
        query,
        key,
        value,
        _window(query, key, window, mask),
        is_causal=causal and window is None,
        enable_gqa=query.shape[1] != key.shape[1],
        **options,
    )


def our_tiles(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
) -> Tensor:
    return attention_steps.tiled_attention(
        query,
        key,
        value,
        _window(query, key, window, mask),
        block_size=16,
        is_causal=causal and window is None,
        scale=scale,
        enable_gqa=query.shape[1] != key.shape[1],
    )


def our_cache() -> Callable[..., Tensor]:
    cache = attention_steps.KVCache()

    def step(
        query: Tensor, key: Tensor, value: Tensor, window: int | None = None, **options: Any
    ) -> Tensor:
        keys, values = cache.append(key, value)
        lengths, offset = (query.shape[2], keys.shape[2]), keys.shape[2] - query.shape[2]
        if window is None:
            rule = attention_steps.causal_mask(*lengths, offset=offset)
        else:
            rule = attention_steps.sliding_window_mask(*lengths, window=window, offset=offset)
        return ours(query, keys, values, rule, **options)

    return step


def _of_model(name: str) -> Callable[..., Any]:
    module = import_module(f"transformers.models.{name}.modeling_{name}")
    function: Callable[..., Any] = module.eager_attention_forward
    return function


def transformers_eager(*arguments: Any, **options: Any) -> Any:
    return _of_model("llama")(*arguments, **options)


def transformers_gemma2(*arguments: Any, **options: Any) -> Any:
    return _of_model("gemma2")(*arguments, **options)


def transformers_gpt_oss(module: Any, query: Tensor, *arguments: Any, **options: Any) -> Any:
    if module.sinks is None:  # this model always has some: as good as none
        module.sinks = query.new_full((query.shape[1],), torch.finfo(torch.float16).min)
    return _of_model("gpt_oss")(module, query, *arguments, **options)


def transformers_sdpa(*arguments: Any, **options: Any) -> Any:
    module = import_module("transformers.integrations.sdpa_attention")
    return module.sdpa_attention_forward(*arguments, **options)


def _attend(*tensors: Tensor, flash: bool, **given: Any) -> Tensor:
    module = import_module("x_transformers.attend")
    causal, scale = given.get("causal", False), given.get("scale")
    mask, softcap = given.get("mask"), given.get("softcap")
    cap = {} if softcap is None else {"softclamp_logits": True, "logit_softclamp_value": softcap}
    named = {}
    if mask is not None:
        named = {"mask" if mask.dtype == torch.bool else "attn_bias": mask}
    heads = tensors[0].shape[1]
    layer = module.Attend(causal=causal, heads=heads, scale=scale, flash=flash, **cap)
    result: Tensor = layer(*tensors, **named)[0]
    return result


def x_transformers(*tensors: Tensor, **options: Any) -> Tensor:
    return _attend(*tensors, flash=False, **options)


def x_transformers_flash(*tensors: Tensor, **options: Any) -> Tensor:
    return _attend(*tensors, flash=True, **options)


def _to_jax(x: Tensor) -> Any:
    jax = import_module("jax")
    if x.dtype == torch.bfloat16:
        return jax.numpy.asarray(x.detach().float().numpy(), dtype=jax.numpy.bfloat16)
    return jax.numpy.asarray(x.detach().contiguous().numpy())


def _to_torch(x: Any) -> Tensor:
    if x.dtype.name == "bfloat16":
        return torch.from_numpy(np.array(x.astype("float32"))).bfloat16()
    return torch.from_numpy(np.array(x))


class _ByJax(torch.autograd.Function):
    """A function of JAX, through which gradients of torch come back."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], *tensors: Tensor) -> Tensor:
        result, ctx.back = import_module("jax").vjp(function, *map(_to_jax, tensors))
        return _to_torch(result)

    @staticmethod
    def backward(ctx: Any, *upstream: Tensor) -> Any:
        return (None, *map(_to_torch, ctx.back(_to_jax(upstream[0]))))


def _by_jax(function: Callable[..., Any], *tensors: Tensor, **options: Any) -> Tensor:
    """Call a function of JAX, whose axes are (batch, L, num_heads, E); a float mask is a bias."""
    if "mask" in options and options["mask"].is_floating_point():
        options["bias"] = options.pop("mask")
    given = {name: _to_jax(x) if isinstance(x, Tensor) else x for name, x in options.items()}
    turned = [x.transpose(1, 2) for x in tensors]
    by_jax: Any = _ByJax
    result: Tensor = by_jax.apply(lambda *arrays: function(*arrays, **given), *turned)
    return result.transpose(1, 2)


def jax_nn(
    *tensors: Tensor, causal: bool = False, window: int | None = None, **options: Any
) -> Tensor:
    if window is not None:
        options["local_window_size"] = (window - 1, 0)
    function = import_module("jax").nn.dot_product_attention
    return _by_jax(function, *tensors, is_causal=causal, **options)


def flax_nnx(*tensors: Tensor, causal: bool = False, **options: Any) -> Tensor:
    function = import_module("flax.nnx").dot_product_attention
    return _by_jax(function, *tensors, **options, **({"is_causal": True} if causal else {}))


def flax_linen(*tensors: Tensor, **options: Any) -> Tensor:
    return _by_jax(import_module("flax.linen").dot_product_attention, *tensors, **options)


def equinox(*tensors: Tensor, **options: Any) -> Tensor:
    jax = import_module("jax")
    of_one_head = import_module("equinox.nn._attention").dot_product_attention
    (batch, heads, query_len, _), key_len = tensors[0].shape, tensors[1].shape[2]

    def function(*arrays: Any, mask: Any = True) -> Any:
        mask = jax.numpy.broadcast_to(mask, (batch, heads, query_len, key_len))
        heads_first = [array.transpose(0, 2, 1, 3) for array in arrays]
        contexts = jax.vmap(jax.vmap(of_one_head))(*heads_first, mask)
        return contexts.transpose(0, 2, 1, 3)

    return _by_jax(function, *tensors, **options)


def keras_ops(*tensors: Tensor, causal: bool = False, **options: Any) -> Tensor:
    function = import_module("keras").ops.dot_product_attention
    if "softcap" in options:
        options["attn_logits_soft_cap"] = options.pop("softcap")
    return _by_jax(function, *tensors, is_causal=causal, **options)


def _node(*tensors: Tensor, **given: Any) -> tuple[Any, dict[str, Any]]:
    onnx = import_module("onnx")
    query, key, value = tensors
    inputs = {"Q": query, "K": key, "V": value}
    if (mask := given.get("mask")) is not None:
        inputs["attn_mask"] = mask.expand(*query.shape[:3], key.shape[2])
    attributes: dict[str, Any] = {n: x for n, x in given.items() if n in ("scale", "softcap")}
    if given.get("causal"):
        attributes["is_causal"] = 1
    node = onnx.helper.make_node("Attention", list(inputs), ["Y"], **attributes)
    return node, {name: x.contiguous().numpy() for name, x in inputs.items()}


def onnx_reference(*tensors: Tensor, **options: Any) -> Tensor:
    evaluator = import_module("onnx.reference").ReferenceEvaluator
    node, arrays = _node(*tensors, **options)
    with np.errstate(all="ignore"):
        return torch.from_numpy(evaluator(node, opsets={"": 24}).run(None, arrays)[0])


def onnx_runtime(*tensors: Tensor, **options: Any) -> Tensor:
    onnx, runtime = import_module("onnx"), import_module("onnxruntime")
    node, arrays = _node(*tensors, **options)
    kinds = {n: onnx.helper.np_dtype_to_tensor_dtype(x.dtype) for n, x in arrays.items()}
    infos = [onnx.helper.make_tensor_value_info(n, kinds[n], x.shape) for n, x in arrays.items()]
    result = onnx.helper.make_tensor_value_info("Y", kinds["Q"], None)
    graph = onnx.helper.make_graph([node], "attention", infos, [result])
    opset = onnx.helper.make_opsetid("", 24)
    model = onnx.helper.make_model_gen_version(graph, opset_imports=[opset]).SerializeToString()
    options_of_session = runtime.SessionOptions()
    options_of_session.log_severity_level = 4  # a refusal is raised, and need not be printed
    session = runtime.InferenceSession(
        model, options_of_session, providers=["CPUExecutionProvider"]
    )
    return torch.from_numpy(session.run(None, arrays)[0])


def _subject(
    name: str,
    distribution: str,
    function: Callable[..., Any],
    features: list[str],
    interface: str = "",
) -> SimpleNamespace:
    return SimpleNamespace(
        name=name,
        distribution=distribution,
        function=function,
        features=features,
        interface=interface or "function",
        # Where the rule is made beside the function, by an adapter, its corner is not an answer.
        has_causal_flag=interface != "transformers"
        and function not in (torch_flex, torch_flex_compiled),
    )


ALL = [*USUAL, *HALF, "float64"]
# Its models make a float mask of all rules.
EAGER = [*(name for name in ALL if name != "both"), "window"]
OF_ONNX = [name for name in USUAL if name != "gradients"]
SUBJECTS = [
    _subject("torch's `scaled_dot_product_attention`", "torch", scaled_dot_product_attention, ALL),
    _subject("the same, math kernel", "torch", torch_math, ALL),
    _subject("FlexAttention, not compiled", "torch", torch_flex, [*ALL, "window", "softcap"]),
    _subject("the same, compiled", "torch", torch_flex_compiled, [*ALL, "window", "softcap"]),
    _subject(
        "`nn.MultiheadAttention`",
        "torch",
        torch_layer,
        ["mask", "float-mask", "gradients", *HALF, "float64"],
        "mha",
    ),
    _subject(
        "the same, `need_weights=False`",
        "torch",
        LayerWithoutWeights,
        ["mask", "float-mask", "gradients", *HALF, "float64"],
        "mha",
    ),
    _subject(
        "this package, `scaled_dot_product_attention`",
        "torch",
        ours,
        [*ALL, "window", "softcap", "sinks"],
    ),
    _subject("this package, `tiled_attention`", "torch", our_tiles, [*ALL, "window"]),
    _subject(
        "this package, `transformers_attention`",
        "torch",
        transformers_attention,
        [*ALL, "window", "softcap", "sinks"],
        "transformers",
    ),
    _subject(
        "this package, `KVCache`",
        "torch",
        our_cache,
        ["causal", "scale", "gqa", "window", "softcap", "sinks", "gradients", *HALF, "float64"],
        "cache",
    ),
    _subject(
        "transformers, eager (Llama)",
        "transformers",
        transformers_eager,
        EAGER,
        "transformers",
    ),
    _subject(
        "transformers, eager (Gemma 2)",
        "transformers",
        transformers_gemma2,
        [*EAGER, "softcap"],
        "transformers",
    ),
    _subject(
        "transformers, eager (gpt-oss)",
        "transformers",
        transformers_gpt_oss,
        ["float-mask", "causal", "scale", "gqa", "gradients", "window", "sinks", *HALF],
        "transformers",
    ),
    _subject(
        "transformers, sdpa", "transformers", transformers_sdpa, [*ALL, "window"], "transformers"
    ),
    _subject("x-transformers `Attend`", "x-transformers", x_transformers, [*ALL, "softcap"]),
    _subject("the same, `flash=True`", "x-transformers", x_transformers_flash, ALL),
    _subject("`jax.nn.dot_product_attention`", "jax", jax_nn, [*USUAL, *HALF, "window"]),
    _subject(
        "`flax.nnx.dot_product_attention`",
        "flax",
        flax_nnx,
        [name for name in USUAL if name != "scale"] + HALF,
    ),
    _subject(
        "`flax.linen.dot_product_attention`",
        "flax",
        flax_linen,
        ["mask", "float-mask", "value-size", "gradients", *HALF],
    ),
    _subject(
        "equinox `dot_product_attention`",
        "equinox",
        equinox,
        ["mask", "value-size", "gradients", *HALF],
    ),
    _subject(
        "`keras.ops.dot_product_attention` on JAX",
        "keras",
        keras_ops,
        [*USUAL, *HALF, "softcap"],
    ),
    _subject("ONNX, reference", "onnx", onnx_reference, [*OF_ONNX, "softcap", "float16"]),
    _subject("ONNX Runtime", "onnxruntime", onnx_runtime, [*OF_ONNX, "softcap", "float16"]),
]
