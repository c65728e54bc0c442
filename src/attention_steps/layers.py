"""Attention with many heads, as a layer: queries, keys and values are learned from the inputs."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Never, Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attention_steps._arguments import plain_mask
from attention_steps._attend import attend_by, attend_to_shared_keys
from attention_steps._cached import (
    check_cache,
    mask_of_last_queries,
    rotated,
    type_of,
)
from attention_steps._checks import (
    check_attn_mask,
    check_callable,
    check_flag,
)
from attention_steps._layer_checks import (
    check_dtype,
    check_features,
    check_has_torch_form,
    check_heads,
    check_joined_heads,
    check_multi_head_inputs,
    check_multi_head_sizes,
    check_torch_layer,
    refuse_torchs_way,
)
from attention_steps._torch_layer import stacked, taken_over, unstacked
from attention_steps.cache import Cache, unchanged_on_error
from attention_steps.core import AttentionTrace, trace_attention


class MultiHeadAttentionTrace(NamedTuple):
    """Every tensor on the way through `MultiHeadAttention`, head by head.

    Attributes:
        query: Projected queries, rotated if so asked, shape `(..., num_heads, L, head_dim)`.
        key: Projected keys, likewise, with those of a cache, shape
            `(..., num_kv_heads, S, head_dim)`.
        value: Projected values, with those of a cache, shape `(..., num_kv_heads, S, head_dim)`.
        scores: Raw dot products, shape `(..., num_heads, L, S)`, as the next three.
        scaled_scores: `scores` divided by the square root of head_dim.
        masked_scores: `scaled_scores` after the mask.
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


class MultiHeadAttention(nn.Module):
    r"""Several heads side by side, each with its own queries, keys and values.

    With the projected queries, keys and values, for head $n$ of text $b$, and then for two heads:

    $$\mathrm{context}_{bn} = \mathrm{softmax}\left(\frac{\mathrm{query}_{bn} \,
    \mathrm{key}_{bn}^T}{\sqrt{\mathrm{head\_dim}}}\right) \mathrm{value}_{bn}$$

    $$\mathrm{output}_{bi} = \mathrm{concat}(\mathrm{context}_{b,0,i}, \mathrm{context}_{b,1,i}) \,
    \mathrm{W\_out}^T$$

    Source: section 3.2.2 of
    [Vaswani et al. 2017, "Attention Is All You Need"](https://arxiv.org/abs/1706.03762). With
    `num_kv_heads=1` it is the multi-query attention of
    [Shazeer 2019](https://arxiv.org/abs/1911.02150), with a number in between the grouped-query
    attention of [Ainslie et al. 2023](https://arxiv.org/abs/2305.13245).

    Names: `num_heads` is $h$ in the paper, `embed_dim` is $d_{\mathrm{model}}$, head_dim is $d_k$
    and $d_v$, the index $n$ is $i$, $W_{\mathrm{q},n}^T$ is $W_i^Q$, $W_{\mathrm{out}}^T$ is $W^O$.
    $W_{\mathrm{q},n}$ is `q_proj.weight[n * head_dim : (n + 1) * head_dim]`. All starts as in
    `torch.nn.MultiheadAttention`, where the three matrices are not stacked.

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
        >>> query, key, value, *_, context, output = attention.trace(inputs)
        >>> W_out, head_dim = attention.out_proj.weight, 2
        >>> output.detach()
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
        refuse_torchs_way((), unknown)
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
        check_multi_head_sizes(sizes, dropout)
        check_flag("bias", bias)
        if out_bias is not None:
            check_flag("out_bias", out_bias)
        check_dtype(dtype)
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

        It calls torch's function, whose fused code never holds all the weights at once. `trace`
        does the same computation step by step.

        Args:
            query: Tokens that ask, shape `(..., L, embed_dim)`. `...` is the batch, several axes,
                or none.
            key: Tokens that are asked, shape `(..., S, kdim)`. Key and value default to `query`.
            value: Tokens that give, shape `(..., S, vdim)`.
            *positional: Refused, since torch's layer has other arguments there.
            attn_mask: As in `scaled_dot_product_attention`, a mask that broadcasts to
                `(..., num_heads, L, S)`. One for each sequence is `attn_mask[:, None]`.
            is_causal: Query i attends to keys 0 to i. With a cache the queries are the last of the
                keys, and keep to its `window`; a `StaticCache` needs the flag.
            rotate: Called with the queries of all heads, `(..., num_heads, L, head_dim)`, and with
                the keys, to put positions into them: `rotary_embedding` with its other arguments.
                With a cache it is given positions as well, `(L,)`, which go on after its tokens.
            cache: Its method `append` is given the new keys and values, and returns those that the
                queries may see, S of them. Any error leaves a `KVCache` as it was.
            attend: Called in place of torch's function, with queries, keys, values and mask, and by
                name `is_causal`, `enable_gqa` and, only where it is not 0, `dropout_p`. Such as
                `partial(scaled_dot_product_attention, softcap=50, sinks=sinks)`.
            **unknown: Refused, with the way to do what torch's layer does with it.

        Returns:
            Output, shape `(..., L, out_dim)`. For a query with no key to attend to it is the bias
            of `out_proj`, if all values are finite.

        Raises:
            TypeError: If a dtype or an argument is of another kind.
            ValueError: If the axes do not go together, one of key and value is left out, or
                `attn_mask` comes with `is_causal=True`: combine boolean masks with `&`.

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
            refuse_torchs_way(positional, unknown)
            heads = self._project(query, key, value, rotate, cache)
            attn_mask, is_causal = mask_of_last_queries(heads, attn_mask, is_causal, cache)
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
                context = attend_by(attend, heads, attn_mask, dropout_p, is_causal, shares_keys)
            elif shares_keys:
                context = attend_to_shared_keys(*heads, attn_mask, dropout_p, is_causal)
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
        `trace_attention`, and returns what it does. Hooks do not run, since this is no call of the
        layer: under `fully_shard` call the layer itself first.

        Returns:
            A `MultiHeadAttentionTrace`.
        """
        with unchanged_on_error(cache):
            refuse_torchs_way(positional, unknown)
            heads = self._project(query, key, value, rotate, cache)
            attn_mask, is_causal = mask_of_last_queries(heads, attn_mask, is_causal, cache)
            attend = trace_attention if attend is None else attend
            check_callable("attend", attend)
            steps = attend(
                *heads,
                attn_mask,
                self.dropout if self.training else 0.0,
                is_causal,
                enable_gqa=self.num_kv_heads != self.num_heads,
            )
            if not isinstance(steps, AttentionTrace):
                raise TypeError(
                    "attend must return an AttentionTrace, as trace_attention does, "
                    f"got {type_of(steps)}"
                )
            return MultiHeadAttentionTrace(*heads, *steps, self._mix_heads(steps.context))

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> Self:
        """Make a layer with a copy of the weights of `torch.nn.MultiheadAttention`.

        The copy has the same dropout, dtype, device and training mode, and the same parameters are
        frozen; `load_state_dict` takes a state of torch's layer, too. Calls differ:

        - The batch comes first, whatever `module.batch_first` says.
        - A boolean mask is True where attention is allowed, so pass `~attn_mask` and
          `~key_padding_mask[:, None, None, :]`, combined with `&`.
        - The output alone is returned, and `trace` gives the weights, head by head.

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
        check_torch_layer(module)
        biases = module.in_proj_bias, module.out_proj.bias
        # On the meta device no random numbers are drawn for weights that will be replaced.
        copy = cls(
            module.embed_dim,
            module.num_heads,
            kdim=module.kdim,
            vdim=module.vdim,
            out_dim=module.out_proj.weight.shape[0],
            dropout=module.dropout,
            bias=biases[0] is not None,
            out_bias=biases[1] is not None,
            device="meta",
        )
        return taken_over(copy, unstacked(dict(module.named_parameters())), module)

    def to_torch(self, *, batch_first: bool = True) -> nn.MultiheadAttention:
        """Make a `torch.nn.MultiheadAttention` with a copy of the weights: the way back.

        It computes the same from the other arguments that `from_torch` tells of, and has the same
        dropout, dtype, device and training mode. torch stacks the weights of queries, keys and
        values, so these are frozen where all three were.

        Args:
            batch_first: Whether its inputs are `(batch, n, embed_dim)`, as here. If not, they are
                `(n, batch, embed_dim)`, torch's default.

        Returns:
            A layer of torch that computes what this one does. It shares nothing with it.

        Raises:
            TypeError: If a projection was replaced by a module that is no `nn.Linear`.
            ValueError: If torch's layer has no form for this one: shared key heads, a head_dim that
                is not `embed_dim / num_heads`, another `out_dim`, one bias without the other, or
                heads that were pruned.

        Examples:
            >>> import torch
            >>> from attention_steps import MultiHeadAttention
            >>> ours = MultiHeadAttention(4, 2)
            >>> theirs = ours.to_torch()
            >>> inputs = torch.tensor([[[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 2.0, 0.0]]])
            >>> torch.allclose(theirs(inputs, inputs, inputs)[0], ours(inputs), atol=1e-6)
            True
        """
        check_flag("batch_first", batch_first)
        check_has_torch_form(self)
        made = nn.MultiheadAttention(
            self.embed_dim,
            self.num_heads,
            self.dropout,
            bias=self.out_proj.bias is not None,
            kdim=self.kdim,
            vdim=self.vdim,
            batch_first=batch_first,
            device="meta",
        )
        is_stacked = made.in_proj_weight is not None
        return taken_over(made, stacked(dict(self.named_parameters()), is_stacked), self)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *others: Any) -> None:
        """Take the state of torch's layer, too, which stacks three matrices in one."""
        mine = {name: state_dict.pop(name) for name in [*state_dict] if name.startswith(prefix)}
        named = unstacked({name.removeprefix(prefix): x for name, x in mine.items()})
        state_dict.update({f"{prefix}{name}": x for name, x in named.items()})
        super()._load_from_state_dict(state_dict, prefix, *others)

    if TYPE_CHECKING:
        __call__ = forward  # torch types it as Any

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
        key, value = check_multi_head_inputs(query, key, value)
        if cache is not None:
            check_cache(cache)
        check_features("query", query, self.q_proj)
        check_features("key", key, self.k_proj)
        check_features("value", value, self.v_proj)
        query = self._split_heads("q_proj", self.q_proj(query))
        key = self._split_heads("k_proj", self.k_proj(key))
        value = self._split_heads("v_proj", self.v_proj(value))
        if rotate is not None:
            check_callable("rotate", rotate)
            query = rotated("query", query, rotate, cache)
            key = rotated("key", key, rotate, cache)
        if cache is not None:
            key, value = cache.append(key, value)
        check_heads(query, key, value, self.num_heads, self.num_kv_heads)
        return query, key, value

    def _split_heads(self, name: str, projected: Tensor) -> Tensor:
        """(..., n, num_heads * head_dim) -> (..., num_heads, n, head_dim)."""
        if projected.shape[-1] % self.head_dim != 0:
            raise ValueError(
                f"{name} must give whole heads, a multiple of {self.head_dim} features, "
                f"got {projected.shape[-1]}"
            )
        # By head_dim: a device that holds a part of the heads has fewer, and as wide ones.
        return torch.unflatten(projected, -1, (-1, self.head_dim)).transpose(-3, -2)

    def _mix_heads(self, context: Tensor) -> Tensor:
        """(..., num_heads, L, head_dim) -> (..., L, out_dim)."""
        joined = context.transpose(-3, -2).flatten(-2)
        check_joined_heads(joined, self.out_proj)
        output: Tensor = self.out_proj(joined)
        return output
