"""What devices send and compute for attention: counted for many, checked against gloo for few.

    python -m tests.benchmarks.communication [--quick]

For 1 to 64 devices and up to a million tokens it prints, for each device and one layer's attention,
the bytes it sends and the floating-point operations it needs, forward and backward. Nothing of
this size is run. The same counts for 2 and 4 devices and a short text are compared with what the
package gives to gloo, as a wrapper counts it, and with torch's own count of operations. A sum over
devices counts as twice around a ring, whichever way an engine takes. The operations are those of
all pairs, forward; a causal mask leaves half of them.
"""

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import torch
import torch.distributed as dist
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from attention_steps import scaled_dot_product_attention
from attention_steps.parallel import (
    all_to_all,
    copy_to_group,
    head_tail_positions,
    ring_attention,
    run_on_threads,
    sum_over_group,
)
from tests.benchmarks import is_quick

CALL = 40  # bytes of the hash and the length of what a rank says of its call
POSITION = 8  # bytes of one position


@dataclass(frozen=True)
class Model:
    """Sizes of one layer, those of Llama 3 8B by default; the caches hold 16-bit numbers."""

    num_heads: int = 32
    num_kv_heads: int = 8
    head_dim: int = 128
    size: int = 2  # bytes of a number
    accumulated: int = 4  # bytes of a number in a gradient that travels

    @property
    def embed_dim(self) -> int:
        return self.num_heads * self.head_dim


@dataclass(frozen=True)
class Cost:
    """What one device sends, in bytes, and computes, in floating-point operations."""

    forward: int
    backward: int
    flops: int


def ring(model: Model, length: int, devices: int) -> Cost:
    """Keys, values and positions go around; backward they do so again, with their gradients."""
    tokens = length // devices
    numbers = 2 * tokens * model.num_kv_heads * model.head_dim
    share = numbers * model.size + tokens * POSITION
    forward = (devices - 1) * share
    # With one device nothing is passed on.
    home = devices if devices > 1 else 0
    backward = (devices - 1) * share + home * numbers * model.accumulated
    compared = (devices - 1) * tokens * POSITION  # to see that no two tokens stand at one place
    return Cost(
        forward + compared + calls(1, devices), backward, attention_flops(model, length) // devices
    )


def exchange(model: Model, length: int, devices: int) -> Cost:
    """Queries, contexts, keys and values give away all pieces but one; shared heads repeat."""
    tokens = length // devices
    kv_heads = math.lcm(model.num_kv_heads, devices)
    numbers = 2 * tokens * (model.num_heads + kv_heads) * model.head_dim
    sent = numbers * model.size * (devices - 1) // devices
    flops = attention_flops(model, length) // devices
    return Cost(sent + calls(4, devices), sent, flops)


def heads(model: Model, length: int, devices: int) -> Cost:
    """The output is added up forward, the gradient of the input backward: twice around a ring."""
    numbers = length * model.embed_dim
    sent = 2 * (devices - 1) * numbers * model.size // devices
    flops = attention_flops(model, length) // devices
    return Cost(sent + calls(2, devices), sent, flops)


def calls(count: int, devices: int) -> int:
    return count * CALL * (devices - 1)


def attention_flops(model: Model, length: int) -> int:
    """Forward, without a mask: scores and contexts, a multiplication and an addition each."""
    return 4 * length * length * model.num_heads * model.head_dim


SCHEMES: dict[str, Callable[[Model, int, int], Cost]] = {
    "ring": ring,
    "all-to-all": exchange,
    "heads": heads,
}


def print_table(model: Model) -> None:
    print(f"{model}, for each device and one attention, MB = 1e6 bytes\n")
    print(
        f"{'tokens':>9} {'devices':>7} {'scheme':11} {'forward':>11} {'backward':>11} {'GFLOP':>13}"
    )
    for length in (4096, 32_768, 262_144, 1_048_576):
        for devices in (1, 2, 4, 8, 16, 32, 64):
            for name, scheme in SCHEMES.items():
                if name == "heads" and devices > model.num_heads:
                    continue
                if name == "all-to-all" and model.num_heads % devices:
                    continue
                cost = scheme(model, length, devices)
                print(
                    f"{length:9,} {devices:7} {name:11} {cost.forward / 1e6:8,.1f} MB "
                    f"{cost.backward / 1e6:8,.1f} MB {cost.flops / 1e9:13,.1f}"
                )
        print()


# What gloo is given ---------------------------------------------------------------------------


@contextmanager
def counted(devices: int) -> Iterator[Counter[str]]:
    """Count the bytes that one rank gives away, by what it calls, over all ranks."""
    sent: Counter[str] = Counter()
    lock = threading.Lock()
    owners: dict[str, Any] = {
        "send": dist.ProcessGroupGloo,
        "alltoall_base": dist.ProcessGroupGloo,
        "all_reduce": dist,
        "all_gather": dist,
    }
    original = {name: getattr(owner, name) for name, owner in owners.items()}

    def bytes_of(name: str, arguments: tuple[Any, ...]) -> int:
        if name == "send":
            return sum(int(tensor.nbytes) for tensor in arguments[1])
        if name == "alltoall_base":  # the pieces for the others
            return int(arguments[2].nbytes) * (devices - 1) // devices
        if name == "all_gather":
            return int(arguments[1].nbytes) * (devices - 1)
        return 2 * int(arguments[0].nbytes) * (devices - 1) // devices  # around a ring

    def wrapper(name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            with lock:
                sent[name] += bytes_of(name, arguments)
            return original[name](*arguments, **options)

        return call

    with ExitStack() as stack:
        for name, owner in owners.items():
            stack.enter_context(patch.object(owner, name, wrapper(name)))
        yield sent


def run(name: str, model: Model, length: int, backward: bool, group: dist.ProcessGroup) -> None:
    """Attend on one rank in one of the ways."""
    rank, devices = group.rank(), group.size()
    tokens = length if name == "heads" else length // devices
    own_heads = model.num_heads // devices if name == "heads" else model.num_heads

    def numbers(num_heads: int) -> Tensor:
        shape = (num_heads, tokens, model.head_dim)
        return torch.ones(shape, dtype=torch.bfloat16, requires_grad=True)

    if name == "ring":
        query, key, value = (
            numbers(n) for n in (model.num_heads, model.num_kv_heads, model.num_kv_heads)
        )
        positions = head_tail_positions(length, rank, devices)
        result = ring_attention(query, key, value, positions, group, enable_gqa=True)
    elif name == "all-to-all":
        repeat = math.lcm(model.num_kv_heads, devices) // model.num_kv_heads
        query, key, value = (
            numbers(n)
            for n in (model.num_heads, model.num_kv_heads * repeat, model.num_kv_heads * repeat)
        )
        whole = [all_to_all(x, 0, 1, group) for x in (query, key, value)]
        context = scaled_dot_product_attention(whole[0], whole[1], whole[2], enable_gqa=True)
        result = all_to_all(context, 1, 0, group)
    else:
        inputs = torch.ones(length, model.embed_dim, dtype=torch.bfloat16, requires_grad=True)
        x = copy_to_group(inputs, group)
        columns = x[:, : own_heads * model.head_dim]
        query = torch.unflatten(columns, 1, (own_heads, -1)).transpose(0, 1)
        context = scaled_dot_product_attention(query, query, query).transpose(0, 1).flatten(1)
        part = context @ context.new_ones(own_heads * model.head_dim, model.embed_dim)
        result = sum_over_group(part, group)
    if backward:
        torch.autograd.backward(result.sum())


def check(counts: Sequence[int]) -> None:
    """Compare the counts with what gloo is given, and fail where they differ."""
    model = Model(num_heads=4, num_kv_heads=2, head_dim=8)
    length = 16
    for devices in counts:
        for name, scheme in SCHEMES.items():
            expected = scheme(model, length, devices)
            for backward in (False, True):
                with counted(devices) as sent:
                    run_on_threads(partial(run, name, model, length, backward), devices)
                mine = expected.forward + backward * expected.backward
                assert sum(sent.values()) == devices * mine, (name, devices, backward, sent, mine)
            print(
                f"gloo, {devices} devices, {name:11} {expected.forward:6} bytes forward, "
                f"{expected.backward:6} backward, for each: as counted"
            )
    query, key = torch.ones(4, length, 8), torch.ones(2, length, 8)
    with FlopCounterMode(display=False) as flops:
        scaled_dot_product_attention(query, key, key, enable_gqa=True)
    assert flops.get_total_flops() == attention_flops(model, length)
    print(f"torch counts {flops.get_total_flops()} operations for one device: as counted\n")


def main() -> None:
    check([2] if is_quick(__doc__) else [2, 4])
    print_table(Model())


if __name__ == "__main__":
    main()
