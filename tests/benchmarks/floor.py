"""How near one thread of a processor comes to the floors of "What attention costs".

    python -m tests.benchmarks.floor [--quick]

Its bandwidth and its peak are measured first, by reading a large tensor and by a large matrix
product. Then each line is a time over its floor, for the package's layer in float32 with 16 heads
of 128 components, 4 of them with keys: bytes over bandwidth for one new token, operations over peak
for a prompt. The best of several rounds counts, since other programs only make it slower. With
`--quick`, one short round shows that it runs; its numbers say little.
"""

import sys
import timeit
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as torch_attention

from attention_steps import KVCache, MultiHeadAttention, PreallocatedCache

EMBED_DIM, HEADS, KV_HEADS, HEAD_DIM = 2048, 16, 4, 128
FLOAT = 4  # bytes


def seconds(function: Callable[[], object], rounds: int) -> float:
    """Return the time of the best round."""
    function()
    return min(timeit.repeat(function, number=1, repeat=rounds))


def bandwidth(rounds: int, size: int) -> float:
    """Return how many bytes a second are read."""
    numbers = torch.ones(size)
    return size * FLOAT / seconds(numbers.sum, rounds)


def peak(rounds: int, size: int) -> float:
    """Return how many operations a second a matrix product does."""
    matrix = torch.ones(size, size)
    return 2 * size**3 / seconds(lambda: matrix @ matrix, rounds)


def one_token(layer: MultiHeadAttention, length: int, rate: float, rounds: int) -> dict[str, float]:
    """Write one token after `length` others, in four ways, and return each time over the floor."""
    token = torch.ones(1, 1, EMBED_DIM)
    query, key, value = (
        torch.randn(1, heads, tokens, HEAD_DIM)
        for heads, tokens in ((HEADS, 1), (KV_HEADS, length + 1), (KV_HEADS, length + 1))
    )
    # The queries of a group are rows of the head of keys that they share, which is read once.
    rows = query.view(1, KV_HEADS, HEADS // KV_HEADS, HEAD_DIM)

    def projected(context: Callable[[], Tensor]) -> Tensor:
        for project in (layer.q_proj, layer.k_proj, layer.v_proj):
            project(token)
        output: Tensor = layer.out_proj(context().reshape(1, 1, -1))
        return output

    def with_cache() -> Tensor:
        cache = KVCache()
        cache.key, cache.value, cache.length = key[..., :-1, :], value[..., :-1, :], length
        output: Tensor = layer(token, cache=cache)
        return output

    # It grows by a token a round, which a few rounds do not show.
    room = PreallocatedCache(max_len=length + rounds + 1)
    room.append(key[..., :-1, :], value[..., :-1, :])

    def with_room() -> Tensor:
        output: Tensor = layer(token, cache=room)
        return output

    ways: dict[str, Callable[[], Tensor]] = {
        "queries as rows": lambda: projected(lambda: torch_attention(rows, key, value)),
        "enable_gqa": lambda: projected(
            lambda: torch_attention(query, key, value, enable_gqa=True)
        ),
        "KVCache": with_cache,
        "PreallocatedCache": with_room,
    }
    weights = sum(parameter.numel() for parameter in layer.parameters())
    floor = (weights + key.numel() + value.numel()) * FLOAT / rate
    return {name: seconds(way, rounds) / floor for name, way in ways.items()}


def prompt(layer: MultiHeadAttention, length: int, rate: float, rounds: int) -> float:
    """Read a prompt, causal, and return its time over the floor."""
    tokens = torch.ones(1, length, EMBED_DIM)

    def read() -> Tensor:
        query, key, value = (
            torch.unflatten(project(tokens), -1, (-1, HEAD_DIM)).transpose(1, 2)
            for project in (layer.q_proj, layer.k_proj, layer.v_proj)
        )
        context = torch_attention(query, key, value, is_causal=True, enable_gqa=True)
        output: Tensor = layer.out_proj(context.transpose(1, 2).flatten(-2))
        return output

    weights = sum(parameter.numel() for parameter in layer.parameters())
    pairs = length * (length + 1) / 2
    return seconds(read, rounds) * rate / (2 * weights * length + 4 * HEADS * HEAD_DIM * pairs)


def main() -> None:
    quick = sys.argv[1:] == ["--quick"]
    rounds = 1 if quick else 9
    torch.set_num_threads(1)
    torch.manual_seed(0)
    layer = MultiHeadAttention(EMBED_DIM, HEADS, num_kv_heads=KV_HEADS, bias=False).eval()
    with torch.inference_mode():
        bytes_a_second = bandwidth(rounds, 2**20 if quick else 2**26)
        operations_a_second = peak(rounds, 256 if quick else 2048)
        print("time over floor, one thread")
        for length in (0, 64) if quick else (0, 4096, 16_384, 65_536):
            ratios = one_token(layer, length, bytes_a_second, rounds)
            shown = ", ".join(f"{name} {ratio:.1f}" for name, ratio in ratios.items())
            print(f"one token after {length:6,}: {shown}")
        for length in (8,) if quick else (256, 1024, 2048):
            ratio = prompt(layer, length, operations_a_second, min(rounds, 3))
            print(f"a prompt of {length:5,}: {ratio:.2f}")


if __name__ == "__main__":
    main()
