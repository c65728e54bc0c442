"""Attention as one kernel, compared with the package: `TRITON_INTERPRET=1 python flash.py`.

Needs torch, triton and the package attention_steps. With `TRITON_INTERPRET=1`, Triton's interpreter
runs the kernel on a CPU, one block after another, and this script counts the bytes that are loaded
and stored. Without it, the kernel is compiled for a GPU.
"""

import math
import os

import torch
import triton
import triton.language as tl

from attention_steps import attention_with_lse

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
LOG2_E = tl.constexpr(math.log2(math.e))


@triton.jit
def attention_kernel(
    query,
    key,
    value,
    context,
    lse,
    scale,
    query_len,
    key_len,
    is_causal: tl.constexpr,
    head_dim: tl.constexpr,
    rows: tl.constexpr,
    columns: tl.constexpr,
):
    """Compute the contexts of one block of queries, in one head."""
    block, head = tl.program_id(0), tl.program_id(1)
    i, e = block * rows + tl.arange(0, rows), tl.arange(0, head_dim)
    is_query = i < query_len
    at = (head * query_len + i)[:, None] * head_dim + e[None, :]
    q = tl.load(query + at, mask=is_query[:, None], other=0.0)
    maximum = tl.full([rows], -float("inf"), tl.float32)
    total = tl.zeros([rows], tl.float32)
    mixed = tl.zeros([rows, head_dim], tl.float32)
    end = key_len
    if is_causal:  # no block of keys behind the last query
        end = tl.minimum(key_len, (block + 1) * rows)
    for left in range(0, end, columns):
        j = left + tl.arange(0, columns)
        is_key = j < key_len
        there = (head * key_len + j)[:, None] * head_dim + e[None, :]
        k = tl.load(key + there, mask=is_key[:, None], other=0.0)
        v = tl.load(value + there, mask=is_key[:, None], other=0.0)
        # To base 2, which a GPU computes faster.
        scores = tl.dot(q, tl.trans(k), input_precision="ieee")
        scores *= scale * LOG2_E
        allowed = is_key[None, :]
        if is_causal:
            allowed = allowed & (j[None, :] <= i[:, None])
        scores = tl.where(allowed, scores, -float("inf"))
        larger = tl.maximum(maximum, tl.max(scores, 1))
        shrink = tl.exp2(maximum - larger)
        shares = tl.exp2(scores - larger[:, None])
        total = total * shrink + tl.sum(shares, 1)
        found = tl.dot(shares.to(v.dtype), v, input_precision="ieee")
        mixed = mixed * shrink[:, None] + found
        maximum = larger
    tl.store(context + at, mixed / total[:, None], mask=is_query[:, None])
    sums = (maximum + tl.log2(total)) / LOG2_E
    tl.store(lse + head * query_len + i, sums, mask=is_query)


def attend(query, key, value, *, is_causal=False, rows=16, columns=16):
    """Return contexts and lse: one program for each head and block of queries."""
    heads, query_len, head_dim = query.shape
    context, lse = torch.empty_like(query), query.new_empty(heads, query_len)
    grid = (triton.cdiv(query_len, rows), heads)
    sizes = query_len, key.shape[1], is_causal, head_dim, rows, columns
    tensors = (x.contiguous() for x in (query, key, value))
    attention_kernel[grid](*tensors, context, lse, head_dim**-0.5, *sizes)
    return context, lse


class Bytes:
    """Count what the interpreter loads and stores."""

    def __init__(self):
        """Put a count around each load and store."""
        from triton.runtime.interpreter import InterpreterBuilder

        self.moved = 0
        load = InterpreterBuilder.create_masked_load
        store = InterpreterBuilder.create_masked_store

        def counted_load(builder, pointers, mask, *rest):
            result = load(builder, pointers, mask, *rest)
            self.moved += int(mask.data.sum()) * result.data.itemsize
            return result

        def counted_store(builder, pointers, numbers, mask, *rest):
            self.moved += int(mask.data.sum()) * numbers.data.itemsize
            return store(builder, pointers, numbers, mask, *rest)

        InterpreterBuilder.create_masked_load = counted_load
        InterpreterBuilder.create_masked_store = counted_store


def wave(step, *shape):
    """Make numbers without chance."""
    count = torch.arange(math.prod(shape), dtype=torch.float64)
    return torch.sin(count * step).float().reshape(shape)


def main():
    """Compare whole blocks, and lengths that end within one."""
    device = "cpu" if INTERPRETED else "cuda"
    count = Bytes() if INTERPRETED else None
    for length, size in [(256, 64), (50, 16)]:
        for is_causal in (False, True):
            inputs = [
                wave(step, 2, length, 32).to(device) for step in (0.7, 1.1, 1.9)
            ]
            moved = count.moved if count else 0
            found = attend(
                *inputs, is_causal=is_causal, rows=size, columns=size
            )
            expected = attention_with_lse(*inputs, is_causal=is_causal)
            for mine, one in zip(found, expected, strict=True):
                difference = (mine - one).abs().max()
                assert difference < 1e-5, difference
            text = f"{length} words, blocks of {size}"
            text += ", causal" if is_causal else ""
            print(f"{text}: as the package, within {1e-5:g}", flush=True)
            if count:
                print(f"  {count.moved - moved:,} bytes moved", flush=True)


if __name__ == "__main__":
    main()
