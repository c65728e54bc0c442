"""Exercise: heads on devices."""

from typing import Any

import torch
from torch import Tensor

from attention_practice._devices import PassOn, join_results, on_devices, sum_over
from attention_practice._exercise import Case, Exercise, Function, planted
from attention_practice._inputs import INPUTS, MATRICES, SENTENCE, WORDS, numbers
from attention_steps.core import scaled_dot_product_attention


def run_heads(function: Function, inputs: tuple[Any, ...]) -> Any:
    *tensors, world_size = inputs

    def work(rank: int, pass_on: PassOn) -> Any:
        def add_up(x: Tensor) -> Tensor:
            return sum_over(x, pass_on, world_size)

        return function(*tensors, rank, world_size, add_up)

    return join_results(on_devices(work, world_size), torch.stack)


# fmt: off
def my_heads_on_devices(
    inputs, W_query, W_key, W_value, W_out, bias, rank, world_size, sum_over
):
    query, key, value = (
        inputs @ W.chunk(world_size)[rank].mT for W in (W_query, W_key, W_value)
    )
    context = scaled_dot_product_attention(query, key, value)
    return sum_over(context @ W_out.chunk(world_size, dim=1)[rank].mT) + bias
# fmt: on


EXERCISE = Exercise(
    title="Heads on devices",
    task=(
        "One layer on world_size devices, a head each. This device takes its rows of W_query, "
        "W_key and W_value and its columns of W_out; sum_over(x) returns the sum of x over all "
        "devices. Every device returns the whole result, with the bias."
    ),
    page="steps/heads-on-devices/",
    run=run_heads,
    differentiable=False,
    in_pairs=False,
    cases=(
        Case(f"{SENTENCE} on two devices", (INPUTS, *MATRICES, numbers(4, start=3), 2), WORDS),
        Case("four devices", (numbers(3, 4, start=5), *MATRICES, numbers(4, start=6), 4)),
    ),
    mistakes=planted("""
        root of width `(query, key, value)` -> `(query, key, value, scale=inputs.shape[-1] ** -0.5)`
        Read: steps/heads-on-devices/#every-device-adds-the-bias
        bias everywhere `.mT) + bias` -> `.mT + bias)`: The bias is counted once for each device: it
            is added before the sum. Add it after.
        Read: steps/heads-on-devices/#two-ways-to-cut-a-matrix
        rows of W_out `(world_size, dim=1)[rank].mT` -> `(world_size)[rank]`: This device takes rows
            of W_out. Its context has the components of its heads, and their weights are columns of
            W_out.
        Read: steps/heads-on-devices/#a-device-splits-its-rows-into-all-heads
        all heads `W.chunk(world_size)[rank]` -> `W`, `W_out.chunk(world_size, dim=1)[rank]` ->
            `W_out`: Each device computes one head of the whole width, so the sum is too large. A
            device takes its rows: `W.chunk(world_size)[rank]`.
        Read: steps/heads-on-devices/#by-hand-with-a-list
        contexts summed `sum_over(context` -> `sum_over(context)`, `.mT) + bias` -> `.mT + bias`:
            The contexts of the heads are added up before W_out. Each head's context meets its own
            columns of W_out first, and then the results are added.
        averaged `+ bias` -> `/ world_size + bias`: The sum over the devices is divided by their
            number. The parts of the heads add up.
    """),
    hints=(
        "`W_query.chunk(world_size)[rank]` are this device's rows, and `W_out.chunk(world_size, "
        "dim=1)[rank]` its columns.",
        "Attention in one head, times its columns, summed over all devices; the bias last.",
    ),
    solution=my_heads_on_devices,
    lines="""
        query, key, value = (inputs @ W.chunk(world_size)[rank].mT
            for W in (W_query, W_key, W_value))

        context = scaled_dot_product_attention(query, key, value)

        part = context @ W_out.chunk(world_size, dim=1)[rank].mT
        part = context @ W_out.chunk(world_size)[rank]

        return sum_over(part) + bias
        return sum_over(part + bias)
        return sum_over(part)
        return part + bias
    """,
)
