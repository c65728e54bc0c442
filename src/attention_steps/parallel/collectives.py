"""Sums and exchanges over a group, whose backward passes communicate, too."""

# torch may be built without torch.distributed: then its names must not be looked up on import.
from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from attention_steps._checks import check_integer, shape_of
from attention_steps.parallel._alike import check_alike


def all_to_all(
    x: Tensor, split_dim: int, join_dim: int, group: dist.ProcessGroup, *, check: bool = True
) -> Tensor:
    r"""Cut a tensor along one axis, give each rank a piece, and join what comes along another.

    With `given[s, r]`, what rank $s$ gives to rank $r$:

    $$\mathrm{results}_{rs} = \mathrm{given}_{sr}$$

    From some tokens of all heads to all tokens of some heads, and back with the axes exchanged, so
    that each rank computes whole heads. The backward pass is the way back.

    Source: [Jacobs et al. 2023, "DeepSpeed Ulysses"](https://arxiv.org/abs/2309.14509).

    Names: for attention it is called Ulysses, or sequence parallel.

    Args:
        x: This rank's share, of the same shape and dtype on all ranks.
        split_dim: The axis that is cut into world_size pieces; rank r gets the r-th.
        join_dim: The axis along which the pieces are joined, in the order of the ranks.
        group: The process group. This rank must be one of it.
        check: Whether the ranks compare their calls first: see the module.

    Returns:
        A tensor with the axis `split_dim` shorter and `join_dim` longer by the factor world_size.

    Raises:
        TypeError: If `group` is not a process group.
        ValueError: If world_size does not divide the axis, or the arguments are not alike on all
            ranks, which every rank reports.

    Examples:
        >>> import torch
        >>> from attention_steps.parallel import run_on_threads, all_to_all
        >>> given = torch.tensor([[0, 10], [1, 11]])  # two heads of each token
        >>> def exchange(group):  # each rank holds one token of two
        ...     x = given[group.rank()].view(2, 1, 1)
        ...     return all_to_all(x, split_dim=0, join_dim=1, group=group).squeeze()
        >>> results = run_on_threads(exchange, 2)
        >>> results  # one head each, with both tokens
        [tensor([0, 1]), tensor([10, 11])]
    """
    call = f"all_to_all, split_dim={split_dim}, join_dim={join_dim}"
    check_alike(group, check, call, {"x": x})
    _check_split(x, split_dim, join_dim, group.size())
    joined: Tensor = _AllToAll.apply(x, split_dim, join_dim, group)  # type: ignore[no-untyped-call]
    return joined


class _AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, split_dim: int, join_dim: int, group: dist.ProcessGroup
    ) -> Tensor:
        ctx.split_dim, ctx.join_dim, ctx.group = split_dim, join_dim, group
        pieces = torch.stack(x.chunk(group.size(), dim=split_dim))
        received = torch.empty_like(pieces)
        # `all_to_all` of torch before 2.13 does not know a group of `run_on_threads`.
        group.alltoall_base(received, pieces, [], []).wait()
        return torch.cat(received.unbind(), dim=join_dim)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        back = _AllToAll.apply(*grads, ctx.join_dim, ctx.split_dim, ctx.group)  # type: ignore[no-untyped-call]
        return back, None, None, None


def copy_to_group(x: Tensor, group: dist.ProcessGroup, *, check: bool = True) -> Tensor:
    r"""Return a tensor that all ranks hold alike, and in the backward pass add up its gradients.

    With the slope that each rank finds for its $x$, the gradient on all ranks is

    $$\mathrm{gradients}_r = \sum_s \mathrm{slopes}_s$$

    Call it where a computation that is the same on all ranks splits up, and `sum_over_group` at
    the end.

    Source: the function f of [Shoeybi et al. 2019,
    "Megatron-LM"](https://arxiv.org/abs/1909.08053).

    Names: Megatron-LM calls it `copy_to_tensor_model_parallel_region`.

    Args:
        x: The same tensor on all ranks.
        group: The process group. This rank must be one of it.
        check: Whether the ranks compare their calls first: see the module.

    Returns:
        `x`, unchanged.

    Raises:
        TypeError: If `group` is not a process group.
        ValueError: If shape or dtype are not alike on all ranks, which every rank reports.

    Examples:
        >>> import torch
        >>> from attention_steps.parallel import run_on_threads, copy_to_group
        >>> slopes = torch.tensor([1.0, 2.0])
        >>> def gradient(group):
        ...     x = torch.ones(1, requires_grad=True)
        ...     y = copy_to_group(x, group) * slopes[group.rank()]  # 1 x, and 2 x
        ...     return torch.autograd.grad(y, x)[0]
        >>> gradients = run_on_threads(gradient, 2)
        >>> gradients
        [tensor([3.]), tensor([3.])]
    """
    check_alike(group, check, "copy_to_group", {"x": x})
    copy: Tensor = _CopyToGroup.apply(x, group)  # type: ignore[no-untyped-call]
    return copy


class _CopyToGroup(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, group: dist.ProcessGroup) -> Tensor:
        ctx.group = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, None]:
        total = _SumOverGroup.apply(*grads, ctx.group)  # type: ignore[no-untyped-call]
        return total, None


def sum_over_group(x: Tensor, group: dist.ProcessGroup, *, check: bool = True) -> Tensor:
    r"""Add up the tensors of all ranks, and in the backward pass give each the whole gradient.

    $$\mathrm{results}_{re} = \sum_s x_{se}$$

    `torch.distributed.all_reduce` changes its argument and has no gradient.

    Source: the function g of [Shoeybi et al. 2019,
    "Megatron-LM"](https://arxiv.org/abs/1909.08053).

    Names: Megatron-LM calls it `reduce_from_tensor_model_parallel_region`.

    Args:
        x: This rank's summand, of the same shape and dtype on all ranks.
        group: The process group. This rank must be one of it.
        check: Whether the ranks compare their calls first: see the module.

    Returns:
        The sum, the same on all ranks.

    Raises:
        TypeError: If `group` is not a process group.
        ValueError: If shape or dtype are not alike on all ranks, which every rank reports.

    Examples:
        >>> import torch
        >>> from attention_steps.parallel import run_on_threads, sum_over_group
        >>> x = torch.tensor([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
        >>> results = run_on_threads(lambda group: sum_over_group(x[group.rank()], group), len(x))
        >>> results[0]
        tensor([ 6., 60.])
    """
    check_alike(group, check, "sum_over_group", {"x": x})
    total: Tensor = _SumOverGroup.apply(x, group)  # type: ignore[no-untyped-call]
    return total


class _SumOverGroup(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, group: dist.ProcessGroup) -> Tensor:
        ctx.group = group
        total = x.clone(memory_format=torch.contiguous_format)
        dist.all_reduce(total, group=group)
        return total

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, None]:
        copy = _CopyToGroup.apply(*grads, ctx.group)  # type: ignore[no-untyped-call]
        return copy, None


def sum_gradients(module: torch.nn.Module, group: dist.ProcessGroup, *, check: bool = True) -> None:
    r"""Add up the gradients of a module's parameters over all ranks, in place.

    $$\mathrm{gradients}_r = \sum_s \mathrm{slopes}_s$$

    Call it on every rank, once, between `backward` and the optimizer's step. The loss of a rank
    must be its summand: the sum over its tokens, divided by the number of all ranks' tokens.

    Source: the sum over replicas of data parallel training, as in [Li et al. 2020, "PyTorch
    Distributed"](https://arxiv.org/abs/2006.15704), which divides it by the number of ranks.

    Names: torch's `DistributedDataParallel` does this during the backward pass, and takes the mean.

    Args:
        module: The same module on all ranks. A parameter without a gradient on this rank counts as
            zeros, unless it requires none. A sparse gradient becomes a dense one.
        group: The process group. This rank must be one of it.
        check: Whether the ranks compare their calls first: see the module.

    Raises:
        TypeError: If `group` is not a process group, or `module` no module.
        ValueError: If the parameters are not alike on all ranks, which every rank reports.

    Examples:
        >>> import torch
        >>> from attention_steps.parallel import run_on_threads, sum_gradients
        >>> slopes = torch.tensor([1.0, 2.0])  # the gradient of a weight is its input
        >>> def gradient(group):
        ...     layer = torch.nn.Linear(1, 1, bias=False)
        ...     layer(slopes[group.rank()].view(1)).backward()
        ...     sum_gradients(layer, group)
        ...     return layer.weight.grad.item()
        >>> gradients = run_on_threads(gradient, 2)
        >>> gradients
        [3.0, 3.0]
    """
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"module must be a torch.nn.Module, got {type(module).__name__}")
    every = dict(module.named_parameters())
    parameters = {name: x for name, x in every.items() if x.requires_grad}
    # Where all are frozen, too: another rank may have a gradient to add.
    said = parameters or dict(list(every.items())[:1])
    if said:
        check_alike(group, check, f"sum_gradients, {len(parameters)} parameters", said)
    for parameter in parameters.values():
        mine = parameter.grad
        grad = torch.zeros_like(parameter) if mine is None else mine.to_dense().contiguous()
        dist.all_reduce(grad, group=group)
        parameter.grad = grad


def _check_split(x: Tensor, split_dim: int, join_dim: int, world_size: int) -> None:
    """Check that `all_to_all` can cut equal pieces, and join them."""
    for name, dim in (("split_dim", split_dim), ("join_dim", join_dim)):
        check_integer(name, dim)
        if not -x.dim() <= dim < x.dim():
            raise ValueError(f"{name} must be an axis of x, {shape_of(x)}, got {dim}")
    size = x.size(split_dim)
    if size % world_size != 0:
        raise ValueError(
            f"split_dim must be an axis that the number of ranks divides, got {split_dim}, of size "
            f"{size}, for {world_size} ranks: x {shape_of(x)}"
        )
