"""The parameters of `torch.nn.MultiheadAttention` under our names, and ours under torch's."""

from collections.abc import Mapping
from typing import TypeVar

import torch
from torch import Tensor, nn

NAMES = ("q_proj", "k_proj", "v_proj")
Layer = TypeVar("Layer", bound=nn.Module)


def unstacked(theirs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Cut what torch's layer stacks, and rename it; leave what has our name."""
    ours: dict[str, Tensor] = {}
    for name, x in theirs.items():
        kind = name.removeprefix("in_proj_")
        if kind != name:
            pieces = zip(NAMES, x.chunk(3), strict=True)
            ours |= {f"{projection}.{kind}": piece for projection, piece in pieces}
        else:  # with a kdim or a vdim they stand apart
            ours[name.replace("_proj_weight", "_proj.weight")] = x
    return ours


def stacked(ours: Mapping[str, Tensor], is_stacked: bool) -> dict[str, Tensor]:
    """Name and stack our parameters as torch's layer does: the weights if all are of one width."""
    theirs = {name: x for name, x in ours.items() if name.startswith("out_proj")}
    for kind in ("weight", "bias"):
        three = [ours[f"{name}.{kind}"] for name in NAMES if f"{name}.{kind}" in ours]
        if kind == "weight" and not is_stacked:
            theirs |= {f"{name}_weight": x for name, x in zip(NAMES, three, strict=True)}
        elif three:
            theirs[f"in_proj_{kind}"] = torch.cat(three)
    return theirs


def taken_over(made: Layer, parameters: Mapping[str, Tensor], source: nn.Module) -> Layer:
    """Give a layer copies of parameters, frozen where they were, and the mode of their source."""
    for name, x in parameters.items():
        path, _, attribute = name.rpartition(".")
        copy = nn.Parameter(x.detach().clone(), requires_grad=x.requires_grad)
        setattr(made.get_submodule(path), attribute, copy)
    return made.train(source.training)
