"""Experts on several processes, compared with one: `torchrun --nproc-per-node 4 experts.py`.

Needs torch alone. It runs with any number of processes: each has eight words and two experts, and
each word goes to two experts, wherever these are. Rank 0 prints whether the outputs and the
gradients are those of one process.
"""

import math

import torch
import torch.distributed as dist

WIDTH, HIDDEN, MINE, CHOSEN = 6, 5, 2, 2  # MINE: experts of a process


def wave(step, *shape):
    """Make numbers that are the same in every process, without chance."""
    count = torch.arange(math.prod(shape), dtype=torch.float64)
    return torch.sin(count * step).reshape(shape)


class Trade(torch.autograd.Function):
    """Send so many rows to each rank, and receive so many from each."""

    @staticmethod
    def forward(ctx, rows, sends, receives, group):
        """Trade the rows."""
        ctx.way_back = receives, sends, group
        arrived = rows.new_empty(sum(receives), *rows.shape[1:])
        dist.all_to_all_single(
            arrived, rows.contiguous(), receives, sends, group=group
        )
        return arrived

    @staticmethod
    def backward(ctx, grad):
        """Trade the gradients back."""
        return Trade.apply(grad, *ctx.way_back), None, None, None


def route(x, router):
    """Return the shares and the numbers of the chosen experts."""
    best, chosen = (x @ router.T).topk(CHOSEN, dim=-1)
    return best.softmax(dim=-1), chosen


def apply_own(rows, numbers, up, down):
    """Give each row to the expert of its number, counted from the first of these experts."""
    # Not `zeros_like`: where no row comes, that would end the graph, and the other ranks wait.
    results = 0 * rows
    for number in numbers.unique():
        mine = numbers == number
        results[mine] = (rows[mine] @ up[number].T).relu() @ down[number].T
    return results


def mixture(x, router, up, down, group=None):
    """Compute the mixture for these words; with a group, with the experts of all ranks."""
    shares, chosen = route(x, router)
    word, place = torch.unravel_index(chosen.flatten().argsort(), chosen.shape)
    numbers = chosen[
        word, place
    ]  # in the order of the experts, so of the ranks
    if group is None:
        results = apply_own(x[word], numbers, up, down)
    else:
        sends = (numbers // MINE).bincount(minlength=group.size())
        receives = torch.empty_like(sends)
        dist.all_to_all_single(receives, sends, group=group)
        there = sends.tolist(), receives.tolist()
        arrived = Trade.apply(x[word], *there, group)
        own_numbers = Trade.apply(numbers, *there, group) % MINE
        results = apply_own(arrived, own_numbers, up, down)
        results = Trade.apply(results, *reversed(there), group)
    parts = shares[word, place, None] * results
    return torch.zeros_like(x).index_add(0, word, parts)


def with_gradients(group, *inputs):
    """Return the output, and the gradients of a sum of its squares."""
    leaves = [x.clone().requires_grad_() for x in inputs]
    output = mixture(*leaves, group)
    # An expert may have no word here.
    gradients = torch.autograd.grad(
        output.square().sum(), leaves, materialize_grads=True
    )
    return [output.detach(), *gradients]


def main(group):
    """Compare with one process."""
    rank, world_size = group.rank(), group.size()
    words = wave(0.7, 8 * world_size, WIDTH)
    experts = MINE * world_size
    router = wave(1.1, experts, WIDTH)
    up, down = (
        wave(1.9, experts, HIDDEN, WIDTH),
        wave(2.3, experts, WIDTH, HIDDEN),
    )
    expected = with_gradients(None, words, router, up, down)

    def share(x):
        return x.chunk(world_size)[rank]

    output, of_words, of_router, of_up, of_down = with_gradients(
        group, share(words), router, share(up), share(down)
    )
    # All ranks have the router. An expert has had all its words, wherever they are.
    dist.all_reduce(of_router, group=group)
    names = ["outputs", "words", "router", "experts, up", "experts, down"]
    found = [output, of_words, of_router, of_up, of_down]
    wanted = [
        whole if name == "router" else share(whole)
        for name, whole in zip(names, expected, strict=True)
    ]
    gone = int((route(share(words), router)[1] // MINE != rank).sum())
    travelled = torch.tensor([gone])
    dist.all_reduce(travelled, group=group)
    if rank == 0:
        print(
            f"{world_size} processes, {len(words)} words, {experts} experts, "
            f"{travelled.item()} of {CHOSEN * len(words)} rows travel",
            flush=True,
        )
    for name, mine, one in zip(names, found, wanted, strict=True):
        difference = (mine - one).abs().max()
        dist.all_reduce(difference, op=dist.ReduceOp.MAX, group=group)
        if rank == 0:
            assert difference < 1e-12, f"{name}: {difference}"
            print(f"{name}: as on one device, within 1e-12", flush=True)


if __name__ == "__main__":
    dist.init_process_group("gloo")
    main(dist.group.WORLD)
    # No name in this module may keep the group: its threads have to end before the process does.
    dist.destroy_process_group()
