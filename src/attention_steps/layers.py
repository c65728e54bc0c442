"""Attention as a layer: queries, keys and values are learned from the inputs."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Never, Protocol, Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.modules.module import _global_forward_hooks, _global_forward_pre_hooks

from attention_steps._arguments import plain_mask
from attention_steps._checks import (
    check_attn_mask,
    check_axes,
    check_callable,
    check_device,
    check_flag,
    check_plain,
    check_probability,
    check_same_dtype,
    check_same_leading_axes,
    check_same_length,
    check_size,
    check_tensor,
    is_wide_float,
    shape_of,
)
from attention_steps.cache import unchanged_on_error
from attention_steps.core import (
    AttentionTrace,
    scaled_dot_product_attention,
    trace_attention,
)
from attention_steps.masks import causal_mask, sliding_window_mask


class SelfAttention(nn.Module):
    r"""One head of self-attention: each token asks, and every token of the same sequence answers.

    $$\mathrm{query} = \mathrm{inputs} \, W_{\mathrm{query}}^T, \quad
    \mathrm{key} = \mathrm{inputs} \, W_{\mathrm{key}}^T, \quad
    \mathrm{value} = \mathrm{inputs} \, W_{\mathrm{value}}^T$$

    $$\mathrm{context} = \mathrm{softmax}\left(
    \frac{\mathrm{query} \, \mathrm{key}^T}{\sqrt{\mathrm{d\_out}}}\right) \mathrm{value}$$

    Source: equation (1) and section 3.2 of
    [Vaswani et al. 2017, "Attention Is All You Need"](https://arxiv.org/abs/1706.03762). The
    transpose is that of `nn.Linear`, which keeps its weight as `(d_out, d_in)`.

    Names: `d_out` is $d_k$ and $d_v$ in the paper, `d_in` is $d_{\mathrm{model}}$, the transposed
    weights $W^Q$, $W^K$, $W^V$.

    Args:
        d_in: Number of features of a token.
        d_out: Number of features of a query, a key, a value, and of a context vector.
        bias: Whether the three projections add a learned bias.
        device: Where the parameters are made. Defaults to torch's default device.
        dtype: Their dtype. Defaults to torch's default dtype.

    Attributes:
        W_query: `nn.Linear` from inputs to queries.
        W_key: `nn.Linear` from inputs to keys.
        W_value: `nn.Linear` from inputs to values.

    Raises:
        TypeError: If a size is a float.
        ValueError: If a size is less than 1.

    Examples:
        >>> import torch
        >>> from attention_steps import SelfAttention
        >>> attention = SelfAttention(d_in=2, d_out=2)
        >>> for projection in (attention.W_query, attention.W_key, attention.W_value):
        ...     _ = torch.nn.init.eye_(projection.weight)
        >>> inputs = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        >>> attention(inputs).detach()
        tensor([[0.8022, 0.5989],
                [0.5989, 0.8022],
                [0.7517, 0.7517]])
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        *,
        bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        check_flag("bias", bias)
        check_device(device)
        check_size("d_in", d_in, minimum=1)
        check_size("d_out", d_out, minimum=1)
        _check_dtype(dtype)
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias, device, dtype)
        self.W_key = nn.Linear(d_in, d_out, bias, device, dtype)
        self.W_value = nn.Linear(d_in, d_out, bias, device, dtype)

    def forward(
        self, inputs: Tensor, attn_mask: Tensor | None = None, is_causal: bool = False
    ) -> Tensor:
        """Give each token a context vector, made from the values of the tokens it attends to.

        Args:
            inputs: Tokens, shape `(..., n, d_in)`, in the dtype of the weights.
            attn_mask: A mask that broadcasts to `(..., n, n)`, as in
                `scaled_dot_product_attention`.
            is_causal: A token attends to itself and to earlier tokens.

        Returns:
            Context vectors, shape `(..., n, d_out)`.

        Raises:
            TypeError: If the mask is neither boolean nor float32 nor of the dtype of the queries.
            ValueError: If the mask does not broadcast, or `attn_mask` comes with `is_causal=True`.
        """
        check_plain("inputs", inputs)
        check_axes("inputs", inputs)
        _check_features("inputs", inputs, self.W_query)
        query = self.W_query(inputs)
        key = self.W_key(inputs)
        value = self.W_value(inputs)
        return scaled_dot_product_attention(query, key, value, attn_mask, is_causal=is_causal)

    if TYPE_CHECKING:  # torch types it as Any

        def __call__(  # noqa: D102
            self, inputs: Tensor, attn_mask: Tensor | None = None, is_causal: bool = False
        ) -> Tensor: ...


class MultiHeadAttentionTrace(NamedTuple):
    """Every tensor on the way through `MultiHeadAttention`, head by head.

    Attributes:
        query: Projected queries, rotated if so asked, shape `(..., num_heads, L, head_dim)`.
        key: Projected keys, likewise, with those of a cache, shape
            `(..., num_kv_heads, S, head_dim)`.
        value: Projected values, with those of a cache, shape `(..., num_kv_heads, S, head_dim)`.
        scores: Raw dot products, shape `(..., num_heads, L, S)`, as the next three.
        scaled_scores: `scores` divided by the square root of head_dim.
        masked_scores: `scaled_scores` after the mask, as in `AttentionTrace`.
        weights: The weights that the values were mixed by, after dropout.
        context: Context vectors, shape `(..., num_heads, L, head_dim)`.
        output: The layer's output, shape `(..., L, out_dim)`.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    scores: Tensor
    scaled_scores: Tensor
    masked_scores: Tensor
    weights: Tensor
    context: Tensor
    output: Tensor


class Cache(Protocol):
    """The interface of a cache for `MultiHeadAttention`: `KVCache`, or one of your own.

    An attribute `window` that is not None says how many keys a query sees, its own among them. An
    attribute `length` says how many tokens were appended, from which `rotate` goes on, and one
    called `lengths` how many to each sequence, if they differ. Where a call fails after `append`, a
    cache of your own keeps the new tokens.
    """

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Take new keys and values, and return those that the new queries may see.

        Args:
            key: New keys of all heads, shape `(..., num_kv_heads, n, head_dim)`.
            value: New values of all heads, in the same shape.

        Returns:
            Keys and values, both `(..., num_kv_heads, S, head_dim)`, earlier ones first.
        """
        ...


class MultiHeadAttention(nn.Module):
    r"""Several heads side by side, each with its own queries, keys and values.

    $$\mathrm{head}_n = \mathrm{softmax}\left(
    \frac{\mathrm{query} \, W_{\mathrm{q},n}^T \, (\mathrm{key} \, W_{\mathrm{k},n}^T)^T}
    {\sqrt{\mathrm{head\_dim}}}\right) \mathrm{value} \, W_{\mathrm{v},n}^T$$

    $$\mathrm{output} = \mathrm{concat}(\mathrm{head}_1, \dots, \mathrm{head}_{\mathrm{num\_heads}})
    \, W_{\mathrm{out}}^T$$

    Source: section 3.2.2 of
    [Vaswani et al. 2017, "Attention Is All You Need"](https://arxiv.org/abs/1706.03762). With
    `num_kv_heads=1` it is the multi-query attention of
    [Shazeer 2019](https://arxiv.org/abs/1911.02150), with a number in between the grouped-query
    attention of [Ainslie et al. 2023](https://arxiv.org/abs/2305.13245).

    Names: `num_heads` is $h$ in the paper, `embed_dim` is $d_{\mathrm{model}}$, head_dim is $d_k$
    and $d_v$, the index $n$ is $i$, $W_{\mathrm{q},n}^T$ is $W_i^Q$, $W_{\mathrm{out}}^T$ is $W^O$.
    The rows of `q_proj.weight` are those of all heads, one head after another: $W_{\mathrm{q},n}$
    is `q_proj.weight[n * head_dim : (n + 1) * head_dim]`.

    All starts as in `torch.nn.MultiheadAttention`, where the three matrices are not stacked.

    Args:
        embed_dim: Number of features of a query.
        num_heads: Number of heads.
        num_kv_heads: Number of heads of keys and values, each of which serves a group of
            neighbouring query heads. Defaults to `num_heads`.
        head_dim: Number of features of a query, a key and a value in one head. Defaults to
            `embed_dim // num_heads`.
        kdim: Number of features of a key. Defaults to `embed_dim`.
        vdim: Number of features of a value. Defaults to `embed_dim`.
        out_dim: Number of features of an output. Defaults to `embed_dim`.
        dropout: Probability that a weight is set to zero in training.
        bias: Whether the projections add a learned bias.
        out_bias: Whether the output projection does. Defaults to `bias`.
        device: Where the parameters are made. Defaults to torch's default device.
        dtype: Their dtype. Defaults to torch's default dtype.
        **unknown: Refused, with the way to do what torch's layer does with it.

    Attributes:
        q_proj: `nn.Linear` from `embed_dim` to the queries of all heads.
        k_proj: `nn.Linear` from `kdim` to the keys of all heads.
        v_proj: `nn.Linear` from `vdim` to the values of all heads.
        out_proj: `nn.Linear` from the context vectors of all heads to the output. Each of the
            four may be replaced by any module that maps the features.

    Raises:
        TypeError: If a size is a float.
        ValueError: If a size is less than 1, `num_heads` does not divide `embed_dim` and no
            `head_dim` is given, `num_kv_heads` does not divide `num_heads`, or `dropout` is not
            from 0 to 1.

    Examples:
        >>> import torch
        >>> from attention_steps import MultiHeadAttention
        >>> attention = MultiHeadAttention(embed_dim=4, num_heads=2, bias=False)
        >>> for projection in attention.children():
        ...     _ = torch.nn.init.eye_(projection.weight)
        >>> inputs = torch.tensor([[[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 2.0, 0.0]]])
        >>> attention(inputs).detach()
        tensor([[[0.6698, 0.3302, 0.1116, 1.8884],
                 [0.3302, 0.6698, 1.8884, 0.1116]]])
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        head_dim: int | None = None,
        kdim: int | None = None,
        vdim: int | None = None,
        out_dim: int | None = None,
        dropout: float = 0.0,
        bias: bool = True,
        out_bias: bool | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
        **unknown: Never,
    ) -> None:
        _refuse_unknown(unknown)
        sizes = {
            "embed_dim": embed_dim,
            "num_heads": num_heads,
            "num_kv_heads": num_heads if num_kv_heads is None else num_kv_heads,
            "kdim": embed_dim if kdim is None else kdim,
            "vdim": embed_dim if vdim is None else vdim,
            "out_dim": embed_dim if out_dim is None else out_dim,
        }
        if head_dim is not None:
            sizes["head_dim"] = head_dim
        _check_multi_head_sizes(sizes, dropout)
        check_flag("bias", bias)
        if out_bias is not None:
            check_flag("out_bias", out_bias)
        check_device(device)
        _check_dtype(dtype)
        super().__init__()
        self.embed_dim = int(embed_dim)
        self.num_heads = int(num_heads)
        self.num_kv_heads = int(sizes["num_kv_heads"])
        self.head_dim = int(embed_dim // num_heads if head_dim is None else head_dim)
        self.kdim = int(sizes["kdim"])
        self.vdim = int(sizes["vdim"])
        self.dropout = float(dropout)
        heads_dim, kv_heads_dim = self.num_heads * self.head_dim, self.num_kv_heads * self.head_dim
        made: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        # Any: a type checker lets each have a weight, and be replaced by a module that has none.
        self.q_proj: Any = nn.Linear(self.embed_dim, heads_dim, **made)
        self.k_proj: Any = nn.Linear(self.kdim, kv_heads_dim, **made)
        self.v_proj: Any = nn.Linear(self.vdim, kv_heads_dim, **made)
        made["bias"] = bias if out_bias is None else out_bias
        self.out_proj: Any = nn.Linear(heads_dim, sizes["out_dim"], **made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Give the parameters new initial values. A projection that was replaced keeps its own."""
        for projection in (self.out_proj, self.q_proj, self.k_proj, self.v_proj):
            if isinstance(projection, nn.Linear):
                if projection is self.out_proj:
                    projection.reset_parameters()
                else:
                    nn.init.xavier_uniform_(projection.weight)
                if projection.bias is not None:
                    nn.init.zeros_(projection.bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *positional: Never,
        attn_mask: Tensor | None = None,
        is_causal: bool = False,
        rotate: Callable[..., Tensor] | None = None,
        cache: Cache | None = None,
        attend: Callable[..., Tensor] | None = None,
        **unknown: Never,
    ) -> Tensor:
        """Attend with every head, and mix what the heads have found.

        It calls torch's function, whose fused code never holds all the weights at once; on a CPU,
        dropout keeps torch from that code. `trace` does the same computation step by step.

        Args:
            query: Tokens that ask, shape `(..., L, embed_dim)`, in the dtype of the weights. `...`
                is the batch, several axes, or none.
            key: Tokens that are asked, shape `(..., S, kdim)`. Key and value
                default to `query`, for self-attention.
            value: Tokens that give, shape `(..., S, vdim)`. For cross-attention it is often the
                same tensor as `key`.
            *positional: Refused, since torch's layer has other arguments there.
            attn_mask: A mask that broadcasts to `(..., num_heads, L, S)`. As in
                `scaled_dot_product_attention`; with three axes it is read as
                `(num_heads, L, S)`: give one for each sequence, `(batch, L, S)`, an axis for the
                heads with `attn_mask[:, None]`.
            is_causal: Query i attends to keys 0 to i, as with `causal_mask(L, S)`. With a cache the
                queries are the last of the keys, of their own sequence in a `RaggedCache`, which
                needs the flag or a mask, and keep to its `window`, if it has one.
            rotate: Called with the queries of all heads, `(..., num_heads, L, head_dim)`, and with
                the keys, to put positions into them: `rotary_embedding` with its other arguments.
                With a cache it is given positions as well, `(L,)`, or `(batch, 1, L)` with a
                `RaggedCache` (with a 1 for each further batch axis), which go on after its tokens,
                unless it is a `partial` that has `positions` of its own.
            cache: Its method `append` is given the new keys and values, and returns those that the
                queries may see. They are S then, for the mask too. Any error leaves a `KVCache` as
                it was.
            attend: Called in place of torch's function, with queries, keys, values and mask, and by
                name `is_causal`, `enable_gqa` and, only where it is not 0, `dropout_p`. For a soft
                cap and learned sinks:
                `partial(scaled_dot_product_attention, softcap=50, sinks=sinks)`, of this package,
                which has forward-mode and second derivatives too. For tiles:
                `partial(tiled_attention, block_size=128)`.
            **unknown: Refused, with the way to do what torch's layer does with it.

        Returns:
            Output, shape `(..., L, out_dim)`. For a query with no key to attend to it is the bias
            of `out_proj`, if all values are finite.

        Raises:
            TypeError: If the mask is neither boolean nor float32 nor of the dtype of `query`,
                `is_causal` is not a bool, `cache` has no `append`, or what `rotate` or `attend`
                returns is not a tensor.
            ValueError: If the axes do not go together, one of key and value is left out,
                `attn_mask` comes with `is_causal=True`: combine boolean masks with `&`; or what
                `rotate` or `attend` returns has another shape than it should.

        Examples:
            >>> import torch
            >>> from functools import partial
            >>> from attention_steps import MultiHeadAttention, rotary_embedding
            >>> attention = MultiHeadAttention(embed_dim=4, num_heads=2)
            >>> inputs = torch.tensor([[[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 2.0, 0.0]]])
            >>> rotate = partial(rotary_embedding, interleaved=False)
            >>> attention(inputs, is_causal=True, rotate=rotate).shape
            torch.Size([1, 2, 4])
        """
        with unchanged_on_error(cache):
            heads = self._project(query, key, value, rotate, cache)
            _refuse_positional(positional)
            _refuse_unknown(unknown)
            attn_mask, is_causal = self._mask(heads, attn_mask, is_causal, cache)
            attn_mask = plain_mask(attn_mask, heads[0])
            if attn_mask is not None:
                check_attn_mask(attn_mask, is_causal, *heads[:2])
                # The fused function takes masks with as many axes as the queries.
                attn_mask = attn_mask[(None,) * (heads[0].dim() - attn_mask.dim())]
                # On a CPU it reads a float32 mask as float64 where the queries are.
                if heads[0].dtype is torch.float64 and attn_mask.dtype is torch.float32:
                    attn_mask = attn_mask.double()
            shares_keys = self.num_kv_heads != self.num_heads
            dropout_p = self.dropout if self.training else 0.0
            if attend is not None:
                check_callable("attend", attend)
                context = _attend_by(attend, heads, attn_mask, dropout_p, is_causal, shares_keys)
            elif shares_keys:
                context = _attend_to_shared_keys(*heads, attn_mask, dropout_p, is_causal)
            else:
                context = F.scaled_dot_product_attention(*heads, attn_mask, dropout_p, is_causal)
            return self._mix_heads(context)

    def trace(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *positional: Never,
        attn_mask: Tensor | None = None,
        is_causal: bool = False,
        rotate: Callable[..., Tensor] | None = None,
        cache: Cache | None = None,
        attend: Callable[..., AttentionTrace] | None = None,
        **unknown: Never,
    ) -> MultiHeadAttentionTrace:
        """Compute the same output with explicit steps, and keep every tensor on the way.

        The arguments are those of `forward`, and so are the errors. `attend` is called in place of
        `trace_attention`, and returns what it does: for a soft cap,
        `partial(trace_attention, softcap=50)`. Hooks do not run, since this is no
        call of the layer: under `fully_shard` call the layer itself first.

        Returns:
            A `MultiHeadAttentionTrace`.
        """
        with unchanged_on_error(cache):
            heads = self._project(query, key, value, rotate, cache)
            _refuse_positional(positional)
            _refuse_unknown(unknown)
            attn_mask, is_causal = self._mask(heads, attn_mask, is_causal, cache)
            if attend is not None:
                check_callable("attend", attend)
            steps = (trace_attention if attend is None else attend)(
                *heads,
                attn_mask,
                self.dropout if self.training else 0.0,
                is_causal,
                enable_gqa=self.num_kv_heads != self.num_heads,
            )
            if not isinstance(steps, AttentionTrace):
                raise TypeError(
                    "attend must return an AttentionTrace, as trace_attention does, "
                    f"got {_type_of(steps)}"
                )
            return MultiHeadAttentionTrace(*heads, *steps, self._mix_heads(steps.context))

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> Self:
        """Make a layer with a copy of the weights of `torch.nn.MultiheadAttention`.

        The copy has the same dropout, dtype, device and training mode, and the same parameters are
        frozen. Calls differ:

        - The batch comes first, whatever `module.batch_first` says.
        - A boolean mask is True where attention is allowed, so pass `~attn_mask` and
          `~key_padding_mask[:, None, None, :]`, combined with `&`. A mask of three axes,
          `(batch * num_heads, L, S)`, becomes `~attn_mask.unflatten(0, (-1, num_heads))`.
        - A query with no key to attend to gets the bias of `out_proj`. torch's layer may give NaN.
        - The output alone is returned, and `trace` gives the weights, head by head.
        - `torch.nn.TransformerEncoderLayer` calls its layer in torch's way: a `TorchStyleAttention`
          around the copy can stand in it.

        The parameters have other names, and `load_state_dict` takes a state of torch's layer, too.

        Args:
            module: The layer to copy. It stays as it is, and shares nothing with the copy.

        Returns:
            A layer that computes what `module` does.

        Raises:
            TypeError: If `module` is not a `torch.nn.MultiheadAttention`, or is a subclass with a
                `forward` of its own.
            ValueError: If it was made with `add_bias_kv` or `add_zero_attn`.

        Examples:
            >>> import torch
            >>> from attention_steps import MultiHeadAttention
            >>> theirs = torch.nn.MultiheadAttention(4, 2, batch_first=True)
            >>> ours = MultiHeadAttention.from_torch(theirs)
            >>> inputs = torch.tensor([[[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 2.0, 0.0]]])
            >>> expected, _ = theirs(inputs, inputs, inputs)
            >>> torch.allclose(ours(inputs), expected, atol=1e-6)
            True
        """
        _check_torch_layer(module)
        in_bias, out_weight = module.in_proj_bias, module.out_proj.weight
        out_bias = module.out_proj.bias
        # On the meta device no random numbers are drawn for weights that will be replaced.
        copy = cls(
            module.embed_dim,
            module.num_heads,
            kdim=module.kdim,
            vdim=module.vdim,
            out_dim=out_weight.shape[0],
            dropout=module.dropout,
            bias=in_bias is not None,
            out_bias=out_bias is not None,
            device="meta",
        )
        if module.in_proj_weight is not None:
            weights = _copies(module.in_proj_weight, 3)
        else:
            separate = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
            weights = [_copies(weight)[0] for weight in separate]
        copy.q_proj.weight, copy.k_proj.weight, copy.v_proj.weight = weights
        (copy.out_proj.weight,) = _copies(out_weight)
        if in_bias is not None:
            copy.q_proj.bias, copy.k_proj.bias, copy.v_proj.bias = _copies(in_bias, 3)
        if out_bias is not None:
            (copy.out_proj.bias,) = _copies(out_bias)
        return copy.train(module.training)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *others: Any) -> None:
        """Take the state of torch's layer, too, which stacks three matrices in one."""
        names = ("q_proj", "k_proj", "v_proj")
        for kind in ("weight", "bias"):
            stacked = state_dict.pop(f"{prefix}in_proj_{kind}", None)
            if stacked is not None:
                for name, piece in zip(names, stacked.chunk(3), strict=True):
                    state_dict[f"{prefix}{name}.{kind}"] = piece
        for name in names:
            separate = state_dict.pop(f"{prefix}{name}_weight", None)
            if separate is not None:
                state_dict[f"{prefix}{name}.weight"] = separate
        super()._load_from_state_dict(state_dict, prefix, *others)

    if TYPE_CHECKING:  # torch types it as Any, so that a keyword could be misspelt

        def __call__(  # noqa: D102
            self,
            query: Tensor,
            key: Tensor | None = None,
            value: Tensor | None = None,
            *,
            attn_mask: Tensor | None = None,
            is_causal: bool = False,
            rotate: Callable[..., Tensor] | None = None,
            cache: Cache | None = None,
            attend: Callable[..., Tensor] | None = None,
        ) -> Tensor: ...

    def extra_repr(self) -> str:
        """Say what the printed projections do not show."""
        return (
            f"num_heads={self.num_heads}, num_kv_heads={self.num_kv_heads}, dropout={self.dropout}"
        )

    def _project(
        self,
        query: Tensor,
        key: Tensor | None,
        value: Tensor | None,
        rotate: Callable[..., Tensor] | None,
        cache: Cache | None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Make queries, keys and values for every head."""
        if key is None and value is None:
            key = value = query
        key, value = _check_multi_head_inputs(query, key, value)
        if cache is not None:
            _check_cache(cache)
        modules: Any = self._modules  # found sooner than the attributes
        q_proj, k_proj, v_proj = modules["q_proj"], modules["k_proj"], modules["v_proj"]
        together = None
        if cache is None and key is query and value is query:
            together = _projected_together(query, (q_proj, k_proj, v_proj))
        if together is not None:
            heads = self._split_heads(together)
            numbers = [x.out_features // self.head_dim for x in (q_proj, k_proj, v_proj)]
            query, key, value = heads.split_with_sizes(numbers, dim=-3)
        else:
            _check_features("query", query, q_proj)
            _check_features("key", key, k_proj)
            _check_features("value", value, v_proj)
            query = self._split_heads(q_proj(query))
            key = self._split_heads(k_proj(key))
            value = self._split_heads(v_proj(value))
        if rotate is not None:
            check_callable("rotate", rotate)
            query = _rotated("query", query, rotate, cache)
            key = _rotated("key", key, rotate, cache)
        if cache is not None:
            key, value = cache.append(key, value)
            _lengths_of(cache, query)  # of the first tokens, too
        _check_heads(query, key, value, self.num_heads, self.num_kv_heads)
        return query, key, value

    def _mask(
        self,
        heads: tuple[Tensor, Tensor, Tensor],
        attn_mask: Tensor | None,
        is_causal: bool,
        cache: Cache | None,
    ) -> tuple[Tensor | None, bool]:
        """Make the causal mask of queries that are the last of a cache's keys."""
        check_flag("is_causal", is_causal)
        # Without a cache the flag does. A mask beside the flag is refused later.
        if cache is None or attn_mask is not None:
            return attn_mask, is_causal
        query, key, _ = heads
        query_len, key_len = query.shape[-2], key.shape[-2]
        lengths = _lengths_of(cache, query)
        if not is_causal:
            if lengths is not None:
                raise ValueError(
                    f"is_causal must be True with a {_type_of(cache)}, got False without an "
                    "attn_mask: what lies behind a sequence would be seen, "
                    "padding_mask(cache.lengths, S) is the mask that hides it"
                )
            return None, False
        # The flag of torch's function would put the first query beside the first key.
        if lengths is not None:
            places = _places_after(lengths - query_len, query)
            return torch.arange(key_len, device=query.device) <= places.unsqueeze(-1), False
        given: dict[str, Any] = {"offset": key_len - query_len, "device": query.device}
        window = getattr(cache, "window", None)
        if window is None or key_len <= window:
            if query_len == 1:
                return None, False  # the last query sees all keys
            if query_len == key_len:
                return None, True  # nothing was cached before
            return causal_mask(query_len, key_len, **given), False
        # After several new tokens, `append` returns more keys than a query may see.
        return sliding_window_mask(query_len, key_len, window=window, **given), False

    def _split_heads(self, projected: Tensor) -> Tensor:
        """(..., n, num_heads * head_dim) -> (..., num_heads, n, head_dim)."""
        # By head_dim: a device that holds a part of the heads has fewer, and as wide ones.
        return torch.unflatten(projected, -1, (-1, self.head_dim)).transpose(-3, -2)

    def _mix_heads(self, context: Tensor) -> Tensor:
        """(..., num_heads, L, head_dim) -> (..., L, out_dim)."""
        output: Tensor = self.out_proj(context.transpose(-3, -2).flatten(-2))
        return output


def _projected_together(tokens: Tensor, projections: tuple[Any, ...]) -> Tensor | None:
    """Return what the projections make of the tokens, side by side, or None if that is no gain.

    Three matrices of at most 128 x 128 are copied into one in less time than two products take.
    Autograd would keep the copy, and a hook waits for a call of its module.
    """
    has_hooks = _global_forward_hooks or _global_forward_pre_hooks
    if type(tokens) is not Tensor or torch.is_grad_enabled() or has_hooks:
        return None
    weights: list[Tensor] = []
    biases: list[Tensor] = []
    dtype, features = tokens.dtype, tokens.shape[-1]
    for projection in projections:
        if type(projection) is not nn.Linear or projection.in_features != features:
            return None
        if projection._forward_hooks or projection._forward_pre_hooks:
            return None
        parameters = projection._parameters  # faster than attributes
        weight, bias = parameters["weight"], parameters["bias"]
        if type(weight) is not nn.Parameter or weight.dtype is not dtype or weight.numel() > 2**14:
            return None
        weights.append(weight)
        if bias is not None:
            biases.append(bias)
    if not biases:
        return F.linear(tokens, torch.cat(weights))
    if len(biases) < len(weights):
        return None
    return F.linear(tokens, torch.cat(weights), torch.cat(biases))


def _rotated(
    name: str, heads: Tensor, rotate: Callable[..., Tensor], cache: Cache | None
) -> Tensor:
    """Put positions into the heads: with a cache those after its tokens."""
    if cache is None or (isinstance(rotate, partial) and "positions" in rotate.keywords):
        rotated = rotate(heads)
    else:
        start, lengths = _length_of(cache), _lengths_of(cache, heads)
        if lengths is None:
            places = torch.arange(start, start + heads.shape[-2], device=heads.device)
        else:
            places = _places_after(lengths, heads)
        rotated = rotate(heads, places)
    check_tensor(f"the {name} that rotate returns", rotated)
    if rotated.shape != heads.shape:
        raise ValueError(
            f"rotate must keep the shape of the {name}, {shape_of(heads)}, got {shape_of(rotated)}"
        )
    check_same_dtype(f"the {name} that rotate returns", rotated, f"the {name}", heads)
    return rotated


def _lengths_of(cache: Cache, heads: Tensor) -> Tensor | None:
    """Return the length of each sequence of the cache, or None if they do not differ."""
    lengths: Tensor | None = getattr(cache, "lengths", None)
    if lengths is not None and heads.dim() < 4:
        raise ValueError(
            f"query must have an axis of sequences for a {_type_of(cache)}, (batch, ..., L, "
            f"embed_dim), got {heads.shape[-2]} tokens without one"
        )
    if lengths is not None and lengths.shape != heads.shape[:1]:
        raise ValueError(
            f"cache must have one of its lengths for each sequence, {tuple(heads.shape[:1])}, "
            f"got {shape_of(lengths)}"
        )
    return lengths


def _places_after(lengths: Tensor, heads: Tensor) -> Tensor:
    """Return where new tokens stand behind sequences of some lengths: (batch, 1, ..., 1, L)."""
    # A 1 for the heads and for each axis of the batch but the first.
    behind = lengths.view(-1, *(1,) * (heads.dim() - 2))
    return behind + torch.arange(heads.shape[-2], device=lengths.device)


def _attend_by(
    attend: Callable[..., Tensor],
    heads: tuple[Tensor, Tensor, Tensor],
    attn_mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    enable_gqa: bool,
) -> Tensor:
    """Call a function that stands in for torch's, and check what it returns."""
    # Tiles have no dropout: they are asked for it only where there is some.
    dropout = {"dropout_p": dropout_p} if dropout_p else {}
    context = attend(*heads, attn_mask, is_causal=is_causal, enable_gqa=enable_gqa, **dropout)
    check_tensor("the context that attend returns", context)
    wanted = (*heads[0].shape[:-1], heads[2].shape[-1])
    if context.shape != wanted:
        raise ValueError(
            f"attend must return a context vector for each query, {wanted}, got {shape_of(context)}"
        )
    check_same_dtype("the context that attend returns", context, "value", heads[2])
    return context


def _attend_to_shared_keys(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
) -> Tensor:
    """Call torch's function, which reads each key once for one new query."""
    if attn_mask is not None or is_causal or query.shape[-2] != 1:
        return F.scaled_dot_product_attention(
            query, key, value, attn_mask, dropout_p, is_causal, enable_gqa=True
        )
    # With enable_gqa, a CPU reads each key again for every query of its group. As rows of one head,
    # they are read together.
    rows = torch.unflatten(query, -3, (key.shape[-3], -1)).flatten(-3, -2)
    context = F.scaled_dot_product_attention(rows, key, value, None, dropout_p)
    return context.reshape(*query.shape[:-1], value.shape[-1])


def _copies(parameter: Tensor, pieces: int = 1) -> list[nn.Parameter]:
    """Cut a parameter into equal pieces along its first axis, and copy each."""
    return [
        nn.Parameter(piece.clone(), requires_grad=parameter.requires_grad)
        for piece in parameter.detach().chunk(pieces)
    ]


def _check_multi_head_sizes(sizes: dict[str, int], dropout: float) -> None:
    """Check the arguments of `MultiHeadAttention`."""
    for name, size in sizes.items():
        check_size(name, size, minimum=1)
    check_probability("dropout", dropout)
    embed_dim, num_heads, num_kv_heads = (
        sizes[name] for name in ("embed_dim", "num_heads", "num_kv_heads")
    )
    if "head_dim" not in sizes and embed_dim % num_heads != 0:
        raise ValueError(
            f"num_heads must divide embed_dim, got embed_dim={embed_dim} and num_heads={num_heads}"
        )
    if num_heads % num_kv_heads != 0:
        raise ValueError(
            "num_kv_heads must divide num_heads, "
            f"got num_heads={num_heads} and num_kv_heads={num_kv_heads}"
        )


def _check_multi_head_inputs(
    query: Tensor, key: Tensor | None, value: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Check that the tokens belong together, and return keys and values."""
    if key is None or value is None:
        given, missing = ("key", "value") if value is None else ("value", "key")
        raise ValueError(
            f"key and value must be given together, got {given} without {missing}; leave both out "
            "for self-attention, or pass the same tensor twice, as in "
            "attention(query, memory, memory)"
        )
    check_axes("query", query)
    if key is not query:
        check_same_leading_axes("key", key, "query", query)
    if value is not key:
        check_same_leading_axes("value", value, "query", query)
        check_same_length(key, value)
    return key, value


def _check_dtype(dtype: object) -> None:
    """Refuse a dtype in which nothing can be learned, or that no attention takes."""
    if not (dtype is None or (isinstance(dtype, torch.dtype) and is_wide_float(dtype))):
        raise TypeError(f"dtype must be a floating-point dtype, got {dtype!r}")


def _refuse_positional(positional: tuple[Any, ...]) -> None:
    """Refuse what torch's layer would take for something else."""
    if positional:
        raise TypeError(
            "MultiHeadAttention takes query, key and value by position and all else by name, "
            f"got {len(positional)} more: torch.nn.MultiheadAttention has key_padding_mask, "
            "need_weights and attn_mask there; pass attn_mask= (True: may attend) or is_causal="
        )


def _refuse_unknown(unknown: Mapping[str, Any]) -> None:
    """Refuse keywords, and say what takes the place of those of torch's layer."""
    if not unknown:
        return
    name = next(iter(unknown))
    instead = {
        "key_padding_mask": "pass attn_mask=~key_padding_mask[:, None, None, :]",
        "need_weights": "a call returns the output alone, and trace gives the weights",
        "average_attn_weights": "trace(...).weights.mean(dim=-3) is the mean over the heads",
        "batch_first": "the batch always comes first",
    }.get(name)
    raise TypeError(
        f"MultiHeadAttention got an unexpected keyword argument {name!r}"
        + (f", which is one of torch.nn.MultiheadAttention: {instead}" if instead else "")
    )


def _check_features(name: str, tokens: Tensor, projection: nn.Module) -> None:
    """Refuse tokens that `nn.Linear` does not take. Another module may take any."""
    if type(projection) is nn.Linear and tokens.shape[-1] != projection.in_features:
        raise ValueError(
            f"{name} must have {projection.in_features} features, got {tokens.shape[-1]}: "
            f"{name} {shape_of(tokens)}"
        )
    # A hook, such as that of a sharded module, may bring the two together before the product.
    if type(projection) is nn.Linear and not projection._forward_pre_hooks:
        check_same_dtype(name, tokens, "the weights", projection.weight)


def _check_cache(cache: Cache) -> None:
    if isinstance(cache, (type, list)) or not callable(getattr(cache, "append", None)):
        raise TypeError(f"cache must have a method append, as KVCache() has, got {_type_of(cache)}")


def _length_of(cache: Cache) -> int:
    length: int | None = getattr(cache, "length", None)
    if length is None:
        raise TypeError(
            "cache must have a length, the number of its tokens, for rotate to put the new ones "
            f"behind them, got {_type_of(cache)} without one"
        )
    return length


def _type_of(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def _check_heads(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    num_heads: int,
    num_kv_heads: int,
) -> None:
    """Refuse heads in another ratio. A device may hold a part of them, whole groups."""
    shape, key_shape, value_shape = query.shape, key.shape, value.shape
    if shape[-3] * num_kv_heads != key_shape[-3] * num_heads or (
        key_shape != value_shape and key_shape[:-1] != value_shape[:-1]
    ):
        raise ValueError(
            f"q_proj, k_proj and v_proj must give heads in the ratio {num_heads} to "
            f"{num_kv_heads} to {num_kv_heads}, got query {shape_of(query)}, key {shape_of(key)}, "
            f"value {shape_of(value)}"
        )


def _check_torch_layer(module: nn.MultiheadAttention) -> None:
    """Check that `MultiHeadAttention.from_torch` can copy the layer."""
    # A parametrized layer is a subclass too, with torch's forward.
    forward = getattr(module, "forward", None)
    if getattr(forward, "__func__", None) is not nn.MultiheadAttention.forward:
        own = " with a forward of its own" if isinstance(module, nn.MultiheadAttention) else ""
        raise TypeError(
            "module must compute what torch.nn.MultiheadAttention does, "
            f"got {type(module).__name__}{own}"
        )
    for option, is_set in (
        ("add_bias_kv", module.bias_k is not None),
        ("add_zero_attn", module.add_zero_attn),
    ):
        if is_set:
            raise ValueError(
                f"module must be made with {option}=False, got True: "
                "MultiHeadAttention adds no key to a sequence"
            )
