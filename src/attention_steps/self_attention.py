"""One head of attention as a layer: queries, keys and values are learned from the inputs."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from attention_steps._checks import check_axes, check_flag, check_plain, check_size
from attention_steps._layer_checks import check_dtype, check_features
from attention_steps.core import scaled_dot_product_attention


class SelfAttention(nn.Module):
    r"""One head of self-attention: each token asks, and every token of the same sequence answers.

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
        >>> d_out = 2
        >>> attention = SelfAttention(d_in=2, d_out=d_out)
        >>> for projection in (attention.W_query, attention.W_key, attention.W_value):
        ...     _ = torch.nn.init.eye_(projection.weight)
        >>> inputs = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        >>> query, key, value = (projection(inputs) for projection in attention.children())
        >>> context = attention(inputs)
        >>> context.detach()
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
        check_size("d_in", d_in, minimum=1)
        check_size("d_out", d_out, minimum=1)
        check_dtype(dtype)
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
        check_features("inputs", inputs, self.W_query)
        query = self.W_query(inputs)
        key = self.W_key(inputs)
        value = self.W_value(inputs)
        return scaled_dot_product_attention(query, key, value, attn_mask, is_causal=is_causal)

    if TYPE_CHECKING:
        __call__ = forward  # torch types it as Any
