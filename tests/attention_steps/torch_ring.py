"""Compare our ring with torch's own, on processes that torchrun starts; test_parallel.py does so.

torch's loop wants an attention that returns its log-sum-exp. On a CPU that is the fused kernel.
It is private to torch, and wants a default process group, which threads do not have.
"""

from typing import cast

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.tensor.experimental._context_parallel import _attention

from attention_steps import head_tail_positions, ring_attention


def fused(query: Tensor, key: Tensor, value: Tensor, **options: object) -> tuple[Tensor, ...]:
    kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    parts: tuple[Tensor, ...] = kernel(query, key, value, is_causal=options.get("is_causal", False))
    return parts


def wave(step: float) -> Tensor:
    return torch.sin(torch.arange(2 * 16 * 8, dtype=torch.float64) * step).reshape(1, 2, 16, 8)


def main(group: dist.ProcessGroup) -> None:
    rank, world_size = group.rank(), group.size()
    for balanced in (False, True):
        if balanced:
            places = head_tail_positions(16, rank, world_size)
        else:
            places = torch.arange(16).chunk(world_size)[rank]
        query, key, value = (wave(step)[..., places, :].float() for step in (0.7, 1.1, 1.9))
        _attention._cp_options.enable_load_balance = balanced
        theirs, *_ = _attention._templated_ring_attention(
            group, 2, fused, query, key, value, is_causal=True
        )
        ours = ring_attention(query, key, value, places, group, is_causal=True)
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)
        # One line at once: two ranks write to one stream.
        print(f"rank {rank}, balanced {balanced}: alike\n", end="", flush=True)


if __name__ == "__main__":
    dist.init_process_group("gloo")
    main(cast(dist.ProcessGroup, dist.group.WORLD))
    dist.destroy_process_group()
