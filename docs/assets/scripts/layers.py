"""Layers on several processes, compared with one: `torchrun --nproc-per-node 4 layers.py`.

Needs torch alone. It runs with any number of processes: each has two layers, and the batch goes
through in two pieces for each process. Rank 0 prints whether the gradients are those of one
process, in both orders of the page, and with torch's own schedules.
"""

import math

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import (
    PipelineStage,
    Schedule1F1B,
    ScheduleGPipe,
)

WIDTH, MINE, ROWS = 6, 2, 4  # MINE: layers of a process; ROWS: words of a piece


def wave(step, *shape):
    """Make numbers that are the same in every process, without chance."""
    count = torch.arange(math.prod(shape), dtype=torch.float64)
    return torch.sin(count * step).reshape(shape)


class Layers(nn.Module):
    """Some layers, one after the other."""

    def __init__(self, matrices):
        super().__init__()
        self.matrices = nn.Parameter(matrices.clone())

    def forward(self, x):
        """Compute all of them."""
        for matrix in self.matrices:
            x = (x @ matrix.T).tanh()
        return x


def forward_first(device, devices, pieces):
    """List what a device does, if all pieces go forward first (GPipe)."""
    forward = [("F", n) for n in range(pieces)]
    return forward + [("B", n) for n in range(pieces)]


def by_turns(device, devices, pieces):
    """List what a device does, if it goes back as soon as it can (1F1B)."""
    ahead = min(devices - device, pieces)
    todo = [("F", n) for n in range(ahead)]
    for n in range(pieces):
        todo.append(("B", n))
        if n + ahead < pieces:
            todo.append(("F", n + ahead))
    return todo


def train(group, layers, batch, loss, order):
    """Work through the list of this rank, and wait for nothing but messages."""
    rank, last = group.rank(), group.size() - 1
    pieces = len(batch) // ROWS
    under_way, sent = {}, []

    def send(x, to, tag):
        sent.append((x, dist.isend(x, to, group, tag)))  # kept until it is gone

    def receive(source, tag):
        x = torch.empty(ROWS, WIDTH, dtype=torch.float64)
        dist.recv(x, source, group, tag)
        return x

    for way, n in order(rank, group.size(), pieces):
        if way == "F":
            given = (
                batch.chunk(pieces)[n] if rank == 0 else receive(rank - 1, n)
            )
            given = given.clone().requires_grad_()
            under_way[n] = given, layers(given)
            if rank < last:
                send(under_way[n][1].detach(), rank + 1, n)
        else:
            given, result = under_way.pop(n)
            if rank == last:
                loss(result, None).backward()
            else:
                result.backward(receive(rank + 1, pieces + n))
            if rank > 0:
                send(given.grad, rank - 1, pieces + n)
    for _, work in sent:
        work.wait()


def train_with_torch(group, layers, batch, loss, schedule):
    """Do the same with a schedule of torch."""
    rank, last = group.rank(), group.size() - 1
    stage = PipelineStage(layers, rank, last + 1, batch.device, group=group)
    pieces = len(batch) // ROWS
    # `loss` has divided by the words of the whole batch.
    run = schedule(stage, pieces, loss_fn=loss, scale_grads=False)
    inputs = (batch,) if rank == 0 else ()
    run.step(*inputs, target=batch if rank == last else None)


def main(group):
    """Compare with one process."""
    rank, world_size = group.rank(), group.size()
    matrices = wave(0.7, MINE * world_size, WIDTH, WIDTH) / 2
    batch = wave(1.3, 2 * world_size * ROWS, WIDTH)

    def loss(result, target):
        return result.square().sum() / len(batch)

    whole = Layers(matrices)
    loss(whole(batch), None).backward()
    expected = whole.matrices.grad.chunk(world_size)[rank]
    if rank == 0:
        print(
            f"{world_size} processes, {len(matrices)} layers, "
            f"{2 * world_size} pieces",
            flush=True,
        )
    for way, order in [
        (train, forward_first),
        (train, by_turns),
        (train_with_torch, ScheduleGPipe),
        (train_with_torch, Schedule1F1B),
    ]:
        layers = Layers(matrices.chunk(world_size)[rank])
        way(group, layers, batch, loss, order)
        difference = (layers.matrices.grad - expected).abs().max()
        dist.all_reduce(difference, op=dist.ReduceOp.MAX, group=group)
        if rank == 0:
            assert difference < 1e-12, f"{order.__name__}: {difference}"
            print(
                f"{order.__name__}: gradients as on one device, within 1e-12",
                flush=True,
            )


if __name__ == "__main__":
    dist.init_process_group("gloo")
    main(dist.group.WORLD)
    # No name in this module may keep the group: its threads have to end before the process does.
    dist.destroy_process_group()
