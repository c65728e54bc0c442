"""A cache keeps what earlier tokens can be asked for, so that a new token is computed alone."""

import copy
from typing import Any, Protocol, Self

import torch
from torch import Tensor

from attention_steps._checks import (
    check_fits_cache,
    check_integers,
    check_same_leading_axes,
    check_same_length,
    check_size,
    shape_of,
)
from attention_steps.static_cache import StaticCache


class Cache(Protocol):
    """The interface of a cache for `MultiHeadAttention`: `KVCache`, or one of your own.

    An attribute `window` that is not None says how many keys a query sees, its own among them. An
    attribute `length` says how many tokens were appended, from which `rotate` goes on. Where a call
    fails after `append`, a cache of your own keeps the new tokens.
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


class KVCache:
    r"""The keys and values of the tokens so far, or of the last few.

    $$\mathrm{contexts}_t = \mathrm{softmax}\left(\frac{\mathrm{inputs}_t \,
    \mathrm{key}_{0 \ldots t}^T}{\sqrt{\mathrm{head\_dim}}}\right) \mathrm{value}_{0 \ldots t}$$

    Source: section 2.4 of
    [Shazeer 2019, "Fast Transformer Decoding"](https://arxiv.org/abs/1911.02150), which computes
    attention token by token and hands the keys and values on. With a window it is the rolling
    buffer of [Jiang et al. 2023, "Mistral 7B"](https://arxiv.org/abs/2310.06825), section 2, in
    the order of the tokens.

    Names: `key` and `value` are `past_key` and `past_value` of the operator Attention in ONNX.

    A cache serves one layer. Keys are rotated before they are kept. Each `append` copies what was
    kept; a `PreallocatedCache` does not. Give several new queries a mask that puts them last,
    `causal_mask(L, S, offset=S - L)`. A single one needs none.

    Args:
        window: How many keys a query sees, its own among them, as in `sliding_window_mask`. Then
            the last `window - 1` tokens are kept. Defaults to all.

    Attributes:
        length: How many tokens have been appended, whether they are still kept or not.
        key: The keys that are kept, shape `(..., S, E)`; None before the first token.
        value: The values that are kept, shape `(..., S, Ev)`; None before the first token.

    Raises:
        TypeError: If `window` is a float.
        ValueError: If `window` is less than 1.

    Examples:
        >>> import torch
        >>> from attention_steps import scaled_dot_product_attention
        >>> from attention_steps import KVCache
        >>> inputs = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        >>> cache, contexts, head_dim = KVCache(), [], 2
        >>> for token in inputs.split(1):
        ...     key, value = cache.append(token, token)
        ...     contexts.append(scaled_dot_product_attention(token, key, value)[0])
        >>> cache.length
        3
        >>> contexts[-1]
        tensor([0.7517, 0.7517])
    """

    def __init__(self, window: int | None = None) -> None:
        if window is not None:
            check_size("window", window, minimum=1)
        self.window = window
        self.reset()

    def reset(self) -> None:
        """Forget all tokens, for the next sequence."""
        self.length = 0
        self.key: Tensor | None = None
        self.value: Tensor | None = None

    def reorder(self, index: Tensor) -> None:
        """Keep the sequences that `index` names, as beam search does after each step.

        Args:
            index: Numbers of sequences along the first axis, shape `(batch,)`, integers.

        Raises:
            TypeError: If `index` does not hold integers.
            ValueError: If it has another number of axes, or the cache has no axis of sequences.
        """
        index = _checked_index(index, self.key)
        if self.key is not None and self.value is not None:
            self.key, self.value = self.key[index], self.value[index]

    def __repr__(self) -> str:
        shapes = [None if x is None else tuple(x.shape) for x in (self.key, self.value)]
        return (
            f"{type(self).__name__}(length={self.length}, window={self.window}, "
            f"key={shapes[0]}, value={shapes[1]})"
        )

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Add new tokens, and return what their queries may see. Then drop what no later one may.

        Args:
            key: Keys of the new tokens, shape `(..., L, E)`.
            value: Values of the new tokens, shape `(..., L, Ev)`.

        Returns:
            Keys, shape `(..., S, E)`, and values, shape `(..., S, Ev)`, the new ones last. They may
            be the cache's own tensors: do not change them in place.

        Raises:
            TypeError: If a dtype is not that of the tokens before.
            ValueError: If key and value differ in the leading axes, such as the number of heads, or
                in length. After any error the cache stays as it was.
        """
        _check_cache_arguments(key, value, self.key, self.value)
        past_key = key[..., :0, :] if self.key is None else self.key
        past_value = value[..., :0, :] if self.value is None else self.value
        # Concatenating copies, so what the caller does to its own tensors changes nothing here.
        key = torch.cat((past_key, key), dim=-2)
        value = torch.cat((past_value, value), dim=-2)
        self.length += key.shape[-2] - past_key.shape[-2]
        self.key, self.value = self._last(key), self._last(value)
        return key, value

    def _last(self, kept: Tensor) -> Tensor:
        """The rows that a later token may see, its own place in the window left free."""
        surplus = 0 if self.window is None else kept.shape[-2] - (self.window - 1)
        if surplus <= 0:
            return kept
        # A slice would hold the memory of all rows, as long as a prompt may be.
        return kept[..., surplus:, :].clone()


class PreallocatedCache(KVCache):
    r"""A `KVCache` whose memory is taken once, so that nothing is copied but the new tokens.

    $$\mathrm{key}_{\mathrm{length} \ldots \mathrm{length} + L - 1} = \mathrm{new\_key}$$

    Source: no paper's equation; it is a list that knows beforehand how long it will be.

    Names: `max_len` is the `max_cache_len` of transformers.

    It is for use without gradients: later tokens are written beside those that a backward pass
    would still need, and torch refuses that pass.

    Args:
        max_len: How many tokens there is room for. One more is refused.

    Raises:
        TypeError: If `max_len` is a float.
        ValueError: If `max_len` is less than 1.

    Examples:
        >>> import torch
        >>> from attention_steps import PreallocatedCache
        >>> cache = PreallocatedCache(max_len=100)
        >>> key, value = cache.append(torch.ones(1, 2), torch.ones(1, 2))
        >>> length, L, new_key = 1, 1, torch.zeros(1, 2)
        >>> _ = cache.append(new_key, new_key)
        >>> key = cache.key
        >>> key
        tensor([[1., 1.],
                [0., 0.]])
    """

    def __init__(self, max_len: int) -> None:
        check_size("max_len", max_len, minimum=1)
        super().__init__()
        self.max_len = max_len

    def __copy__(self) -> Self:
        """Copy the memory too: two that shared it would overwrite each other's tokens."""
        return copy.deepcopy(self)

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Write new tokens behind those before them, and return all: see `KVCache.append`."""
        _check_cache_arguments(key, value, self.key, self.value)
        start, end = self.length, self.length + key.shape[-2]
        if end > self.max_len:
            raise ValueError(f"max_len must be at least {end} for these tokens, got {self.max_len}")
        if self.key is None:
            self._room = [
                x.new_empty(*x.shape[:-2], self.max_len, x.shape[-1]) for x in (key, value)
            ]
        for room, new in zip(self._room, (key, value), strict=True):
            room[..., start:end, :] = new
        self.length = end
        self.key, self.value = (room[..., :end, :] for room in self._room)
        return self.key, self.value

    def reorder(self, index: Tensor) -> None:
        """Keep the sequences that `index` names: see `KVCache.reorder`."""
        index = _checked_index(index, self.key)
        if self.key is not None:
            self._room = [room[index] for room in self._room]
            self.key, self.value = (room[..., : self.length, :] for room in self._room)


class unchanged_on_error:  # noqa: N801 (called like a function)
    """Leave a cache as it was where an error ends the block, so that the call can be repeated.

    A class, which `torch.compile` follows more easily than a `contextlib.contextmanager`.
    """

    def __init__(self, cache: object) -> None:
        self.cache: Any = cache if isinstance(cache, (KVCache, StaticCache)) else None

    def __enter__(self) -> None:
        cache = self.cache
        if isinstance(cache, KVCache):
            self.before = cache.length, cache.key, cache.value
        elif cache is not None and not torch.compiler.is_compiling():
            self.length = cache.length.clone()  # what was written behind it is not read

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        cache = self.cache
        if kind is None or cache is None:
            return
        if isinstance(cache, KVCache):
            cache.length, cache.key, cache.value = self.before
        else:
            cache.length.copy_(self.length)


def _checked_index(index: Tensor, key: Tensor | None) -> Tensor:
    """Check the argument of `reorder`, and return it as torch's index of sequences."""
    check_integers("index", index)
    if index.dim() != 1:
        raise ValueError(f"index must have shape (batch,), got {shape_of(index)}")
    if key is not None and key.dim() < 3:
        raise ValueError(
            f"the cache must have an axis of sequences before its tokens, got key {shape_of(key)}"
        )
    return index.long()  # torch takes uint8 for a mask


def _check_cache_arguments(
    key: Tensor, value: Tensor, past_key: Tensor | None, past_value: Tensor | None
) -> None:
    """Check the arguments of `append`."""
    check_same_leading_axes("value", value, "key", key)
    check_same_length(key, value)
    for name, tensor, past in (("key", key, past_key), ("value", value, past_value)):
        if past is not None:
            check_fits_cache(name, tensor, past)
