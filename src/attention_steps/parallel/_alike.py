"""What the ranks tell each other before they begin, so that a mistake is an error on each."""

# torch may be built without torch.distributed: then its names must not be looked up on import.
from __future__ import annotations

import hashlib
from collections.abc import Mapping

import torch
import torch.distributed as dist
from torch import Tensor

from attention_steps._checks import check_flag, check_tensor


def check_alike(
    group: dist.ProcessGroup, check: bool, call: str, tensors: Mapping[str, Tensor]
) -> None:
    """Gather how each rank calls, and refuse on every rank if the calls differ.

    Without this, a rank would wait to receive what no rank sends, or receive other numbers. Where
    it is not asked for, each rank looks at its own tensors alone.
    """
    _check_group(group)
    check_flag("check", check)
    if check:
        _compare(group, call, tensors)
    for name, x in tensors.items():
        check_tensor(name, x)
        if x.is_meta:
            raise ValueError(f"{name} must be on a device that holds numbers, got {x.device}")


def _compare(group: dist.ProcessGroup, call: str, tensors: Mapping[str, Tensor]) -> None:
    parts = [call, *(f"{name} {_described(x)}" for name, x in tensors.items())]
    text = "; ".join(parts).encode()
    devices = [x.device for x in tensors.values() if isinstance(x, Tensor) and not x.is_meta]
    device = devices[0] if devices else torch.device("cpu")
    # Of one size on every rank, however much there is to say.
    mine = hashlib.sha256(text).digest() + len(text).to_bytes(8, "big")
    others = _gather_bytes(mine, device, group)
    if any(other != mine for other in others):
        longest = max(int.from_bytes(other[-8:], "big") for other in others)
        texts = _gather_bytes(text.ljust(longest), device, group)
        lines = _differences([text.decode().rstrip() for text in texts])
        raise ValueError("\n".join(["the ranks must call alike, got", *lines]))


def _described(x: object) -> str:
    # A nested tensor has no shape; it is refused once all ranks know of it.
    if not isinstance(x, Tensor) or x.is_nested:
        return type(x).__name__
    return f"{tuple(x.shape)} {x.dtype}"


def _gather_bytes(mine: bytes, device: torch.device, group: dist.ProcessGroup) -> list[bytes]:
    """Return the bytes of each rank, as many as this one has."""
    numbers = torch.tensor(list(mine), dtype=torch.uint8, device=device)
    gathered = [torch.empty_like(numbers) for _ in range(group.size())]
    dist.all_gather(gathered, numbers, group=group)
    return [bytes(x.tolist()) for x in gathered]


def _differences(texts: list[str]) -> list[str]:
    """Say what each rank has called: all of it, or in a long text what not all have in common."""
    said = [text.split("; ") for text in texts]
    shared = set(said[0]).intersection(*said[1:]) if len(max(texts, key=len)) > 512 else set()
    return [
        f"rank {rank}: " + "; ".join([call, *(part for part in parts if part not in shared)])
        for rank, (call, *parts) in enumerate(said)
    ]


def _check_group(group: object) -> None:
    """Check that the group is a process group to which this rank belongs."""
    # `new_group` returns a placeholder to a rank outside the group. torch's classes of process
    # groups have no base in common.
    if not all(callable(getattr(group, name, None)) for name in ("rank", "size")):
        raise TypeError(
            "group must be a process group to which this rank belongs, "
            f"got {type(group).__name__}; under torchrun it is torch.distributed.group.WORLD, "
            "after init_process_group()"
        )
