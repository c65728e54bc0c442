"""Layers with numbers in them, for the tests of layers."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from tests.attention_steps.oracles import randn


def numbered(module: nn.Module, dtype: torch.dtype = torch.float64) -> Any:
    """The module with normal numbers in all its parameters, the biases among them."""
    module.to(dtype)
    with torch.no_grad():
        for seed, parameter in enumerate(module.parameters()):
            parameter.copy_(randn(*parameter.shape, seed=seed) / math.sqrt(parameter.shape[-1]))
    return module


def outputs_of(attention: Any) -> list[Callable[..., Tensor]]:
    """The output, computed in both ways."""
    return [attention, lambda *inputs, **given: attention.trace(*inputs, **given).output]
