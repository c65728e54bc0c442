"""Exercise: a ring of devices."""

from typing import Any

import torch

from attention_practice._devices import PassOn, join_results, on_devices
from attention_practice._exercise import Case, Exercise, Function, planted
from attention_practice._inputs import COLUMNS, INPUTS, SENTENCE, WORDS, numbers
from attention_steps.tiles import attention_with_lse, merge_attention


def run_ring(function: Function, inputs: tuple[Any, ...]) -> Any:
    query, key, value, world_size = inputs

    def work(rank: int, pass_on: PassOn) -> Any:
        shares = [x.chunk(world_size, -2)[rank] for x in (query, key, value)]
        return function(*shares, rank, world_size, pass_on)

    return join_results(on_devices(work, world_size), torch.cat)


def my_ring(query, key, value, rank, world_size, pass_on):
    n = torch.arange(len(query))
    done = None
    for turn in range(world_size):
        origin = (rank - turn) % world_size
        allowed = origin * len(n) + n <= (rank * len(n) + n)[:, None]
        part = attention_with_lse(query, key, value, allowed)
        done = merge_attention(*done, *part) if done else part
        key, value = pass_on(key), pass_on(value)
    return done[0]


EXERCISE = Exercise(
    title="A ring of devices",
    task=(
        "Causal attention on a ring of devices. This device holds part number `rank` of query, key "
        "and value. pass_on(x) gives x to the next device and returns the tensor of the device "
        "before. Use attention_with_lse for each part, then merge_attention."
    ),
    page="steps/sequence-on-devices/",
    run=run_ring,
    differentiable=False,
    in_pairs=False,
    cases=(
        Case(f"{SENTENCE} on three devices", (INPUTS, INPUTS, INPUTS, 3), WORDS, COLUMNS),
        Case(
            "four words on two devices",
            (numbers(4, 3), numbers(4, 3, start=1), numbers(4, 2, start=2), 2),
        ),
    ),
    mistakes=planted("""
        causal ignored `, allowed)` -> `)`
        Read: steps/sequence-on-devices/#the-causal-flag-on-every-volume
        own places `(rank - turn) % world_size` -> `rank`: The mask uses this device's places for
            all keys. Keys that came from another device have the places of that device.
        Read: steps/sequence-on-devices/#by-hand-with-a-list
        order `rank - turn` -> `rank + turn`: The mask takes the keys for those of the next device.
            After one turn, the keys here are those of the device before, rank - 1.
        values stay `pass_on(value)` -> `value`: The keys travel, and the values stay.
        one turn short `range(world_size)` -> `range(world_size - 1)`: One turn is missing: the
            queries have not met the last part.
        one turn more `range(world_size)` -> `range(world_size + 1)`: One turn too many: this
            device's own part comes round again and counts twice.
        own part `merge_attention(*done, *part) if done else part` -> `done or part`: The queries
            meet the keys of their own device alone. Let keys and values travel.
        Read: steps/softmax-in-parts/#the-contexts-are-averaged
        averaged `return done[0]` -> `return done[0] / world_size`, `merge_attention(*done, *part)`
            -> `(done[0] + part[0],)`: The parts are averaged. merge_attention weighs them by their
            log-sum-exp.
    """),
    hints=(
        "world_size turns. In each: attend to the part that is here, merge, pass keys and values "
        "on.",
        "After `turn` turns the keys here are those of device (rank - turn) % world_size.",
        "Word k of part r has place r * n + k.",
    ),
    solution=my_ring,
    lines="""
    def my_ring(query, key, value, rank, world_size, pass_on):
        n = torch.arange(len(query))
        done = None

        for turn in range(world_size):
        for turn in range(world_size - 1):
        for turn in range(world_size + 1):

            origin = (rank - turn) % world_size
            origin = (rank + turn) % world_size
            origin = rank

            allowed = origin * len(n) + n <= (rank * len(n) + n)[:, None]

            part = attention_with_lse(query, key, value, allowed)

            done = merge_attention(*done, *part) if done else part

            key, value = pass_on(key), pass_on(value)
            key = pass_on(key)

        return done[0]
    """,
)
