"""Time and memory of the package beside torch's, as ratios that were measured in one run.

    python -m tests.benchmarks.attention [--quick]

A ratio is ours divided by theirs: 0.9 means a tenth less. The two take turns, and the ratio is the
median over the rounds, so that other work on the machine weighs on both alike. The numbers depend
on the machine all the same; nothing in the tests reads a clock.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

import attention_steps
from tests.benchmarks import in_a_fork, is_quick

# name: batch, length, embed_dim, num_heads
SIZES = {
    "small": (2, 16, 64, 4),
    "middle": (8, 128, 256, 8),
    "large": (4, 512, 512, 8),
}
# The embed_dim and num_heads of one long sentence: for 4096 tokens, weights take 256 MiB.
LONG = (64, 4)


class PlainComposition(nn.Module):
    """What one would write without a package: four linear maps and torch's function."""

    def __init__(self, embed_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query, self.key, self.value, self.out = (
            nn.Linear(embed_dim, embed_dim) for _ in range(4)
        )

    def forward(self, inputs: Tensor, is_causal: bool) -> Tensor:
        batch, length, _ = inputs.shape
        query, key, value = (
            projection(inputs).view(batch, length, self.num_heads, -1).transpose(1, 2)
            for projection in (self.query, self.key, self.value)
        )
        context = F.scaled_dot_product_attention(query, key, value, is_causal=is_causal)
        output: Tensor = self.out(context.transpose(1, 2).flatten(2))
        return output


Layers = dict[str, Callable[[Tensor], Tensor]]


def layers(embed_dim: int, num_heads: int, is_causal: bool, training: bool) -> Layers:
    """Ours and theirs, each as a function of the inputs."""
    ours = attention_steps.MultiHeadAttention(embed_dim, num_heads).train(training)
    torchs = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True).train(training)
    plain = PlainComposition(embed_dim, num_heads).train(training)

    def torchs_layer(inputs: Tensor) -> Tensor:
        mask = None
        if is_causal:
            # torch's layer wants the mask besides the flag.
            mask = torch.ones(inputs.shape[1], inputs.shape[1], dtype=torch.bool).triu(1)
        output, _ = torchs(
            inputs, inputs, inputs, need_weights=False, attn_mask=mask, is_causal=is_causal
        )
        result: Tensor = output
        return result

    return {
        "ours": lambda inputs: ours(inputs, is_causal=is_causal),
        "trace": lambda inputs: ours.trace(inputs, is_causal=is_causal).output,
        "nn.MultiheadAttention": torchs_layer,
        "plain composition": lambda inputs: plain(inputs, is_causal),
    }


def ratio(ours: Callable[[], object], theirs: Callable[[], object], seconds: float) -> float:
    """Median of ours / theirs over rounds in which both take their turn; no seconds: one round."""
    for call in (ours, theirs):
        call()
    calls, rounds = 1, 1
    if seconds:
        # Enough calls in a turn that the clock's own grain does not count.
        once = timed(ours, 1)
        calls = max(1, int(0.005 / once))
        rounds = max(9, int(seconds / (2 * calls * once)))
    ratios = []
    for turn in range(rounds):
        if turn % 2:
            mine, others = timed(ours, calls), timed(theirs, calls)
        else:
            others, mine = timed(theirs, calls), timed(ours, calls)
        ratios.append(mine / others)
    return statistics.median(ratios)


def timed(call: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def report(what: str, measured: float, aim: float | None = None, unit: str = "x") -> None:
    verdict = "" if aim is None else f"  (aim {aim:.2f})" + "   over the aim" * (measured > aim)
    print(f"{what:70} {measured:6.2f}{unit}{verdict}", flush=True)


def time_layers(sizes: list[str], seconds: float) -> None:
    print("\nMultiHeadAttention, self-attention, float32: time")
    for size in sizes:
        batch, length, embed_dim, num_heads = SIZES[size]
        inputs = torch.randn(batch, length, embed_dim)
        for training in (False, True):
            for is_causal in (False, True):
                calls = layers(embed_dim, num_heads, is_causal, training)
                steps = {
                    name: backward(call, inputs) if training else forward(call, inputs)
                    for name, call in calls.items()
                }
                what = "forward and backward" if training else "forward, evaluation"
                what = f"{size:7}{what:21}{'causal' if is_causal else '':7} / "
                for other, aim in (("nn.MultiheadAttention", 1.0), ("plain composition", 1.05)):
                    report(what + other, ratio(steps["ours"], steps[other], seconds), aim)


def forward(call: Callable[[Tensor], Tensor], inputs: Tensor) -> Callable[[], object]:
    return lambda: forward_of(call, inputs)


def forward_of(call: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
    with torch.no_grad():
        return call(inputs)


def backward(call: Callable[[Tensor], Tensor], inputs: Tensor) -> Callable[[], object]:
    inputs = inputs.clone().requires_grad_()

    def step() -> None:
        torch.autograd.backward(call(inputs).sum())

    return step


def time_explicit_steps(sizes: list[str], seconds: float) -> None:
    print("\nscaled_dot_product_attention, explicit steps: time / torch's math path")
    for size in sizes:
        batch, length, embed_dim, num_heads = SIZES[size]
        for training in (False, True):
            shape = (batch, num_heads, length, embed_dim // num_heads)
            tensors = [torch.randn(shape, requires_grad=training) for _ in range(3)]
            mask = torch.rand(length, length) < 0.9
            cases: dict[str, dict[str, Any]] = {
                "no mask": {},
                "causal": {"is_causal": True},
                "boolean mask": {"attn_mask": mask},
                "float mask": {"attn_mask": mask.float().log()},
            }
            for name, arguments in cases.items():
                ours = explicit(attention_steps.scaled_dot_product_attention, tensors, arguments)
                theirs = explicit(F.scaled_dot_product_attention, tensors, arguments)
                with sdpa_kernel(SDPBackend.MATH):
                    measured = ratio(ours, theirs, seconds)
                what = "forward and backward" if training else "forward"
                report(f"{size:7}{what:21}{name}", measured, 1.3)


def explicit(
    function: Callable[..., Tensor], tensors: list[Tensor], arguments: dict[str, Any]
) -> Callable[[], object]:
    def step() -> None:
        context = function(*tensors, **arguments)
        if context.requires_grad:
            torch.autograd.backward(context.sum())

    return step


def time_decoding(aims: dict[int, float], seconds: float) -> None:
    print("\nDecoding token by token, embed_dim 64: time with a cache / everything again")
    for length, aim in aims.items():
        cached, again = decoding(length, with_cache=True), decoding(length, with_cache=False)
        report(f"{length} tokens", ratio(cached, again, seconds), aim)
    longest = max(aims)
    print(f"Time for twice the tokens, {longest // 2} to {longest}")
    for name, with_cache, aim in (("with a cache", True, 4.0), ("everything again", False, 8.0)):
        twice, once = decoding(longest, with_cache), decoding(longest // 2, with_cache)
        report(name, ratio(twice, once, seconds), aim)


def decoding(length: int, with_cache: bool) -> Callable[[], object]:
    """Return what makes the context of each token, in the order in which they are written."""
    tokens = torch.randn(length, 64)
    weights = [torch.randn(64, 64) / 8 for _ in range(3)]

    def step() -> None:
        cache = attention_steps.KVCache()
        for n in range(1, length + 1):
            new = tokens[n - 1 : n] if with_cache else tokens[:n]
            query, key, value = (new @ weight for weight in weights)
            if with_cache:
                key, value = cache.append(key, value)
            attention_steps.scaled_dot_product_attention(
                query, key, value, is_causal=not with_cache
            )

    return step


# One head over the whole of embed_dim, explicit and tile by tile.
HEADS: Layers = {
    "explicit": lambda x: attention_steps.scaled_dot_product_attention(x, x, x),
    "tiled": lambda x: attention_steps.tiled_attention(x, x, x, block_size=256),
}


def compare_memory(length: int) -> None:
    """Compare peaks of memory, each in a fork of this process, which has computed nothing yet."""
    if not Path("/proc/self/clear_refs").exists():
        print("\nPeak memory: not measured, for that Linux is needed")
        return
    for names, aims in (
        (
            ["ours", "trace", "nn.MultiheadAttention", "plain composition"],
            {("ours", "nn.MultiheadAttention"): 1.0, ("ours", "plain composition"): 1.05},
        ),
        (["explicit", "tiled"], {("tiled", "explicit"): 0.2}),
    ):
        print(f"\n{', '.join(names)}, length {length}: growth of peak memory")
        for training in (False, True):
            growth = {name: in_a_fork(peak, name, length, training) for name in names}
            what = "forward and backward" if training else "forward"
            print(what, {name: f"{mebibytes:.1f} MiB" for name, mebibytes in growth.items()})
            for (mine, other), aim in aims.items():
                report(f"       {what}: {mine} / {other}", growth[mine] / growth[other], aim)


def time_tiles(length: int, seconds: float) -> None:
    print(f"\ntiled_attention, length {length}, tiles of 256: time / explicit")
    inputs = torch.randn(1, length, LONG[0])
    for training in (False, True):
        step = backward if training else forward
        tiled, explicit_steps = (step(HEADS[name], inputs) for name in ("tiled", "explicit"))
        what = "forward and backward" if training else "forward"
        report(what, ratio(tiled, explicit_steps, seconds), 2.0)


def time_window(length: int, seconds: float) -> None:
    x, mask = torch.randn(1, 2, length, 64), attention_steps.sliding_window_mask(length, window=128)
    print(f"\nA window of 128 among {length} keys, forward: time / torch's with the same mask")
    theirs = explicit(F.scaled_dot_product_attention, [x, x, x], {"attn_mask": mask})
    options = {"attn_mask": mask, "block_size": 128}
    tiled = explicit(attention_steps.tiled_attention, [x, x, x], options)
    report("tiles of 128", ratio(tiled, theirs, seconds), 1.0)


def peak(name: str, length: int, training: bool) -> float:
    """Return by how many MiB one step raises the peak of this process."""
    calls = layers(*LONG, is_causal=False, training=training) | HEADS
    step = backward if training else forward
    # A short step first, for what is allocated once.
    step(calls[name], torch.randn(1, 16, LONG[0]))()
    run = step(calls[name], torch.randn(1, length, LONG[0]))
    # Linux forgets the peak so far, which importing torch has set.
    Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    run()
    return (memory("VmHWM") - before) / 1024


def memory(what: str) -> int:
    """Kibibytes, from the line of that name in Linux's account of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(what))
    return int(line.split()[1])


def main() -> None:
    quick = is_quick(__doc__)
    sizes, seconds, length = (["small"], 0.0, 512) if quick else ([*SIZES], 0.7, 4096)
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    compare_memory(length)
    time_layers(sizes, seconds)
    time_explicit_steps(sizes, seconds)
    time_decoding({32: 1.0} if quick else {32: 1.0, 128: 0.6, 256: 0.4}, seconds)
    time_tiles(length, seconds)
    time_window(length // 2, seconds)


if __name__ == "__main__":
    main()
