"""A cache whose shape never changes, so that a compiled model needs one graph for a whole text."""

import torch
from torch import Tensor

from attention_steps._checks import check_fits_cache, check_same_length, check_size


class StaticCache:
    r"""The keys and values of the tokens so far, in memory of a fixed shape.

    $$\mathrm{key}_{b,h,\mathrm{length} \ldots \mathrm{length} + L - 1} = \mathrm{new\_key}_{bh}$$

    What a `KVCache` returns grows with each token, so `torch.compile` begins again. Here the length
    is a tensor, and `append` returns all places, the empty ones too. A `MultiHeadAttention` that is
    called with `is_causal=True` hides those.

    Source: no paper's equation; it is the memory that engines take before they begin.

    Names: transformers calls it a `StaticCache`, too, and `max_len` its `max_cache_len`.

    It is for use without gradients. Each call reads all places, which for a short text in much room
    is more work than a `PreallocatedCache` has.

    Args:
        batch: Number of sequences.
        num_kv_heads: Number of heads of keys and values.
        max_len: How many tokens there is room for. One more is refused, or is an `IndexError` of
            torch where the cache is not on a CPU, or compiled.
        head_dim: Number of features of a key and of a value in one head.
        device: Where the memory is taken. Defaults to torch's default device.
        dtype: Its dtype. Defaults to torch's default dtype.

    Attributes:
        key: The keys, shape `(batch, num_kv_heads, max_len, head_dim)`; zeros in empty places.
        value: The values, in the same shape.
        length: How many tokens have been appended, an integer tensor of shape `()`.

    Raises:
        TypeError: If a size is a float.
        ValueError: If a size is less than 1.

    Examples:
        >>> import torch
        >>> from attention_steps import MultiHeadAttention
        >>> from attention_steps.static_cache import StaticCache
        >>> layer, inputs = MultiHeadAttention(4, 2), torch.randn(1, 3, 4)
        >>> cache = StaticCache(batch=1, num_kv_heads=2, max_len=100, head_dim=2)
        >>> with torch.no_grad():
        ...     parts = [layer(x, is_causal=True, cache=cache) for x in inputs.split(1, dim=1)]
        >>> cache.length
        tensor(3)
        >>> length, L, new_key = 3, 2, torch.ones(1, 2, 2, 2)
        >>> _ = cache.append(new_key, new_key)
        >>> key = cache.key
        >>> torch.allclose(torch.cat(parts, dim=1), layer(inputs, is_causal=True), atol=1e-6)
        True
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_len: int,
        head_dim: int,
        *,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        sizes = {"batch": batch, "num_kv_heads": num_kv_heads, "max_len": max_len}
        for name, size in (sizes | {"head_dim": head_dim}).items():
            check_size(name, size, minimum=1)
        shape = (batch, num_kv_heads, max_len, head_dim)
        self.key = torch.zeros(shape, device=device, dtype=dtype)
        self.value = torch.zeros_like(self.key)
        self.length = torch.zeros((), dtype=torch.int64, device=device)

    def reset(self) -> None:
        """Forget all tokens, for the next sequences."""
        self.length.zero_()

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Write new tokens behind those before them, and return all places, empty ones too.

        Args:
            key: Keys of the new tokens, shape `(batch, num_kv_heads, L, head_dim)`.
            value: Values of the new tokens, in the same shape.

        Returns:
            Keys and values, both `(batch, num_kv_heads, max_len, head_dim)`: the cache's own.

        Raises:
            TypeError: If a dtype is not that of the cache.
            ValueError: If an axis but that of the tokens is not that of the cache, or there is no
                room.
        """
        for name, new in (("key", key), ("value", value)):
            check_fits_cache(name, new, self.key)
        check_same_length(key, value)
        max_len = self.key.shape[-2]
        new_len = key.shape[-2]
        # A GPU would be waited for, and a graph cannot ask; torch itself refuses a place too far.
        if self.length.is_cpu and not torch.compiler.is_compiling():
            end = int(self.length) + new_len
            if end > max_len:
                raise ValueError(f"max_len must be at least {end} for these tokens, got {max_len}")
        places = self.length + torch.arange(new_len, device=key.device)
        self.key.index_copy_(-2, places, key)
        self.value.index_copy_(-2, places, value)
        self.length.add_(new_len)
        return self.key, self.value
