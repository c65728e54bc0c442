"""A layer whose matrices, texts and words are shared out: `torchrun --nproc-per-node 4 mesh.py`.

Needs torch and the package attention_steps, and an even number of processes. They form a mesh of
two rows. Each row has texts of its own, and the processes of a row share out their words by a ring.
torch's `fully_shard` keeps a part of each matrix on every process. Rank 0 prints, for three ways to
set this up, whether the gradients of the four matrices are those of one process.
"""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from attention_steps import MultiHeadAttention, rotary_embedding
from attention_steps.parallel import head_tail_positions, ring_attention

EMBED_DIM, NUM_HEADS, TEXTS = 16, 4, 4


class SharedWords(nn.Module):
    """The package's layer, with attention by a ring, on the words of one process."""

    def __init__(self, group):
        super().__init__()
        torch.manual_seed(0)  # the same matrices in every process
        self.layer = MultiHeadAttention(
            EMBED_DIM, NUM_HEADS, bias=False, dtype=torch.float64
        )
        self.group = group

    def forward(self, inputs, positions):
        layer = self.layer
        projections = (layer.q_proj, layer.k_proj, layer.v_proj)
        query, key, value = (
            project(inputs).unflatten(-1, (NUM_HEADS, -1)).transpose(1, 2)
            for project in projections
        )
        query, key = (
            rotary_embedding(x, positions, interleaved=False)
            for x in (query, key)
        )
        context = ring_attention(
            query, key, value, positions, self.group, is_causal=True
        )
        return layer.out_proj(context.transpose(1, 2).flatten(2))


def gradients(group, inputs, positions, shard, loss):
    """Return the gradient of each matrix, whole."""
    module = SharedWords(group)
    shard(module)
    loss(module(inputs, positions)).backward()
    found = [matrix.grad for matrix in module.parameters()]
    return [x.full_tensor() if hasattr(x, "full_tensor") else x for x in found]


def main():
    """Compare three ways with one process."""
    rank, world_size = dist.get_rank(), dist.get_world_size()
    if world_size % 2 != 0:
        raise ValueError(
            "a mesh of two rows needs an even number of processes, "
            f"got {world_size} (rank {rank})"
        )
    in_a_row = world_size // 2
    length = 4 * world_size
    count = torch.arange(TEXTS * length * EMBED_DIM, dtype=torch.float64)
    inputs = torch.sin(0.37 * count).reshape(TEXTS, length, EMBED_DIM)

    mesh = init_device_mesh(
        "cpu", (2, in_a_row), mesh_dim_names=("texts", "words")
    )
    everyone = mesh["texts", "words"]._flatten("all")
    row, column = mesh.get_local_rank("texts"), mesh.get_local_rank("words")
    positions = head_tail_positions(length, column, in_a_row)
    mine = inputs.chunk(2)[row][:, positions]

    alone = dist.new_group([rank], use_local_synchronization=True)
    expected = gradients(
        alone,
        inputs,
        torch.arange(length),
        shard=lambda module: None,
        loss=lambda output: output.square().mean(),
    )
    ways = {
        "all processes, the mean of a share": (everyone, 1),
        "all processes, a part of the mean": (everyone, 1 / world_size),
        "the texts alone": (mesh["texts"], 1),
    }
    if rank == 0:
        print(f"{world_size} processes, {TEXTS} texts of {length} words")
    for name, (sharded_over, factor) in ways.items():
        found = gradients(
            mesh.get_group("words"),
            mine,
            positions,
            shard=lambda module, over=sharded_over: fully_shard(
                module, mesh=over
            ),
            loss=lambda output, factor=factor: output.square().mean() * factor,
        )
        same = [
            torch.allclose(a, b, rtol=0, atol=1e-12)
            for a, b in zip(found, expected, strict=True)
        ]
        if rank == 0:
            print(f"{name}: {same}", flush=True)


if __name__ == "__main__":
    dist.init_process_group("gloo")
    main()
    dist.destroy_process_group()
