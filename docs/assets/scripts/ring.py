"""Attention on several processes, compared with one: `torchrun --nproc-per-node 4 ring.py`.

Needs torch and the package attention_steps. On several machines, each runs the same command with
`--nnodes`, `--node-rank` and `--rdzv-endpoint` besides. It runs with any number of processes: heads
and tokens grow with it, so each process has as many as the others.
"""

import math

import torch
import torch.distributed as dist

from attention_steps import scaled_dot_product_attention
from attention_steps.parallel import (
    all_to_all,
    copy_to_group,
    head_tail_positions,
    ring_attention,
    sum_over_group,
)

HEAD_DIM = 16


def wave(step, *shape):
    """Make numbers that are the same in every process, without chance."""
    count = torch.arange(math.prod(shape), dtype=torch.float64)
    return torch.sin(count * step).reshape(shape)


def with_gradients(attend, *inputs):
    """Return the context, and the gradients of a sum of its numbers, weighted by themselves."""
    leaves = [x.clone().requires_grad_() for x in inputs]
    context = attend(*leaves)
    return [
        context.detach(),
        *torch.autograd.grad(context.square().sum(), leaves),
    ]


def report(name, mine, expected):
    """Print, in rank 0, the largest difference of all ranks."""
    difference = max(
        (a - b).abs().max() for a, b in zip(mine, expected, strict=True)
    )
    dist.all_reduce(difference, op=dist.ReduceOp.MAX)
    if dist.get_rank() == 0:
        same = "to the bit" if difference == 0 else f"within {1e-12:g}"
        assert difference < 1e-12, f"{name}: {difference}"
        print(
            f"{name}: contexts and gradients as on one device, {same}",
            flush=True,
        )


def main(group):
    """Run the three ways to share attention out, and compare each with one process."""
    rank, world_size = group.rank(), group.size()
    length, num_heads = 16 * world_size, 2 * world_size

    query, key, value = (
        wave(step, num_heads, length, HEAD_DIM) for step in (0.7, 1.1, 1.9)
    )
    whole = with_gradients(
        lambda q, k, v: scaled_dot_product_attention(q, k, v, is_causal=True),
        query,
        key,
        value,
    )
    if rank == 0:
        print(
            f"{world_size} processes, {length} tokens, {num_heads} heads",
            flush=True,
        )

    positions = head_tail_positions(length, rank, world_size)
    shares = [x[:, positions] for x in (query, key, value)]
    mine = with_gradients(
        lambda q, k, v: ring_attention(
            q, k, v, positions, group, is_causal=True
        ),
        *shares,
    )
    report("ring", mine, [x[:, positions] for x in whole])

    def ulysses(*shares):
        """Trade heads for tokens, attend, and trade back."""
        heads = [all_to_all(x, 0, 1, group) for x in shares]
        return all_to_all(
            scaled_dot_product_attention(*heads, is_causal=True), 1, 0, group
        )

    positions = torch.arange(length).chunk(world_size)[rank]
    shares = [x[:, positions] for x in (query, key, value)]
    report(
        "all-to-all",
        with_gradients(ulysses, *shares),
        [x[:, positions] for x in whole],
    )

    width = 4 * num_heads
    weights = [wave(step, width, width) / 4 for step in (0.3, 0.5, 0.9, 1.3)]
    inputs = wave(0.2, length, width)

    def layer(x, query_rows, key_rows, value_rows, out_columns):
        """Attend with as many heads of four components as the matrices have rows for."""
        heads = [
            (x @ rows.T).unflatten(-1, (-1, 4)).transpose(0, 1)
            for rows in (query_rows, key_rows, value_rows)
        ]
        context = scaled_dot_product_attention(*heads, is_causal=True)
        return context.transpose(0, 1).flatten(1) @ out_columns.T

    rows = [x.chunk(world_size, dim=0)[rank] for x in weights[:3]]
    columns = weights[3].chunk(world_size, dim=1)[rank]
    report(
        "heads",
        with_gradients(
            lambda x: sum_over_group(
                layer(copy_to_group(x, group), *rows, columns), group
            ),
            inputs,
        ),
        with_gradients(lambda x: layer(x, *weights), inputs),
    )


if __name__ == "__main__":
    dist.init_process_group("gloo")
    main(dist.group.WORLD)
    # No name in this module may keep the group: its threads have to end before the process does.
    dist.destroy_process_group()
