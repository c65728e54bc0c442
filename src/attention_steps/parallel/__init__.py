"""Attention that several devices compute together, on torch.distributed.

A rank is one of `world_size` processes or threads, each with a device of its own, or a part of one.
A group is how they reach each other. Every rank of the group calls the same function, with its own
share. Under `torchrun` the group is `torch.distributed.group.WORLD`; `run_on_threads` makes one
within a single process. The backward pass communicates too, so every rank must run it.

With `check=True` the ranks compare their calls before they begin. It takes an exchange, for which a
processor waits. Without it, ranks that call unlike each other wait for ever, or give wrong numbers.

Axes: `L` is the number of tokens that one rank holds, `E` is head_dim, `Ev` is value_dim, and `...`
stands for any leading axes.
"""

from attention_steps.parallel.collectives import (
    all_to_all,
    copy_to_group,
    sum_gradients,
    sum_over_group,
)
from attention_steps.parallel.ring import head_tail_positions, ring_attention
from attention_steps.parallel.threads import run_on_threads

__all__ = [
    "all_to_all",
    "copy_to_group",
    "head_tail_positions",
    "ring_attention",
    "run_on_threads",
    "sum_gradients",
    "sum_over_group",
]
