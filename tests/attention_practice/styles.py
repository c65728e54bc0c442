"""Answers as people write them, as Python's text: what is right, and what is nearly so."""

# By hand, with torch's own function, with einsum, with loops: what is right passes in any style.
STYLES = {
    "scores": [
        "lambda q, k: torch.einsum('...ie,...je->...ij', q, k)",
        "lambda q, k: (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1)",
        "lambda q, k: torch.matmul(q, torch.swapaxes(k, -1, -2))",
        "lambda q, k: torch.stack([(q * k[..., j, :].unsqueeze(-2)).sum(-1)"
        " for j in range(k.shape[-2])], -1)",
    ],
    "weights": [
        "lambda s: F.softmax(s, -1)",
        "lambda s: (s - s.logsumexp(-1, keepdim=True)).exp()",
        "lambda s: (e := (s - s.max(-1, keepdim=True).values).exp()) / e.sum(-1, keepdim=True)",
        "lambda s: s.log_softmax(-1).exp()",
    ],
    "context": ["lambda w, v: torch.einsum('...ij,...je->...ie', w, v)"],
    "attention": [
        "F.scaled_dot_product_attention",
        "lambda q, k, v: (q * q.shape[-1] ** -0.5 @ k.mT).softmax(-1) @ v",
    ],
    "masked_weights": [
        "lambda s, m: torch.where(m.any(-1, True), s.masked_fill(~(m | ~m.any(-1, True)),"
        " -math.inf), torch.zeros_like(s)).softmax(-1) * m.any(-1, True)",
        "attention_weights",
    ],
    "causal_mask": [
        "lambda n: torch.ones(n, n).tril().bool()",
        "lambda n: ~torch.triu(torch.ones(n, n, dtype=torch.bool), 1)",
        "lambda n: torch.tensor([[j <= i for j in range(n)] for i in range(n)],"
        " dtype=torch.bool).view(n, n)",
    ],
    "split_heads": [
        "lambda x, h: x.view(*x.shape[:-1], h, -1).transpose(-3, -2)",
        "lambda x, h: torch.stack(x.chunk(h, -1), -3)",
    ],
    "rotary": [
        "lambda x, p: torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous("
        ")) * torch.exp(1j * p[:, None] * 1e4 ** (-torch.arange(0, x.shape[-1], 2).double() /"
        " x.shape[-1])).to(torch.complex64 if x.dtype == torch.float32 else torch.complex128)"
        ").flatten(-2)",
    ],
    "next_word_loss": [
        "lambda logits, tokens: -logits[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None])"
        ".mean()",
    ],
    "window_mask": [
        "lambda n, w: torch.ones(n, n, dtype=torch.bool).tril().triu(1 - w)",
    ],
    "merge": [
        "lambda c, l, d, m: ((c * (s := (l - m).sigmoid())[..., None] + d * (1 - s)[..., None]),"
        " torch.logaddexp(l, m))",
    ],
    "linear": [
        "lambda q, k, v: torch.stack([(q[..., t, None, :] @ (k[..., :t + 1, :].mT"
        " @ v[..., :t + 1, :]))[..., 0, :] for t in range(q.shape[-2])], -2)",
    ],
    "tiles": [
        "lambda q, k, v, size: F.scaled_dot_product_attention(q, k, v)",
        # the tiles merged by their log-sum-exp
        "lambda q, k, v, size: functools.reduce(lambda a, b: merge_attention(*a, *b),"
        " (attention_with_lse(q, *pair) for pair in zip(k.split(size, -2), v.split(size, -2)))"
        ")[0]",
        # products written out, a number for each component, added up
        "lambda q, k, v, size: functools.reduce(lambda a, b: merge_attention(*a, *b), (("
        "(s := (q[..., :, None, :] * a[..., None, :, :]).sum(-1) / math.sqrt(q.shape[-1])).softmax("
        "-1) @ b, s.logsumexp(-1)) for a, b in zip(k.split(size, -2), v.split(size, -2))))[0]",
    ],
    "rms_norm": [
        "lambda x, w, eps: w * x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)",
        "lambda x, w, eps: x / (x.norm(dim=-1, keepdim=True) ** 2 / x.shape[-1] + eps) ** 0.5 * w",
    ],
    "padded_loss": [
        "lambda logits, tokens, pad: F.cross_entropy(logits[:, :-1].mT, tokens[:, 1:],"
        " ignore_index=pad)",
        "lambda logits, tokens, pad: -logits[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None]"
        ")[..., 0][tokens[:, 1:] != pad].mean()",
        "lambda logits, tokens, pad: torch.stack([F.cross_entropy(a, b) for row, words in"
        " zip(logits, tokens) for a, b in zip(row[:-1], words[1:]) if b != pad]).mean()",
    ],
    "language_model": [
        "lambda ids, words, places, blocks, norm: torch.einsum('...le,ve->...lv', norm("
        "functools.reduce(lambda x, block: block(x), blocks, F.embedding(ids, words) + places["
        "torch.arange(ids.shape[-1])])), words)",
    ],
    "without_head": [
        "lambda c, W, head: torch.einsum('...hle,ohe->...lo', c * (torch.arange(c.shape[-3])"
        " != head)[:, None, None], W.unflatten(1, (c.shape[-3], -1)))",
        "lambda c, W, head: c.transpose(-3, -2).flatten(-2) @ W.mT - c[..., head, :, :] @"
        " W[:, head * c.shape[-1] : (head + 1) * c.shape[-1]].mT",
    ],
    "patched": [
        "lambda x, other, blocks, layer, place: (run := lambda x, blocks: functools.reduce("
        "lambda x, block: block(x), blocks, x)) and run(torch.where((torch.arange(len(x)) == place"
        ")[:, None], run(other, blocks[:layer]), run(x, blocks[:layer])), blocks[layer:])",
    ],
    "next_word": [
        "lambda logits, t, k: (s := (logits / t).softmax(-1) * (logits >= logits.sort(-1).values["
        "..., -k, None])) / s.sum(-1, keepdim=True)",
    ],
}

# What is right on numbers of the usual size, or for one order of the loops, and should not pass.
NEARLY = {
    "attention": [
        "lambda q, k, v: (e := (q @ k.mT / q.shape[-1] ** 0.5).exp()) / e.sum(-1, True) @ v"
    ],
    "masked_weights": ["lambda s, m: (e := s.exp() * m) / e.sum(-1, True).clamp(min=1e-9)"],
    "next_word_loss": [
        "lambda logits, tokens: -logits[:, :-1].softmax(-1).gather(-1, tokens[:, 1:, None]).log()"
        ".mean()"
    ],
    "padding_mask": ["lambda n, _: torch.arange(n.max()) < n[:, None, None, None]"],
    "padded_causal": [
        "lambda n, _: (torch.arange(n.max()) < n[:, None, None, None]) & causal_mask(n.max())"
    ],
    "padded_loss": [
        "lambda logits, tokens, pad: -logits[:, :-1].softmax(-1).gather(-1, tokens[:, 1:, None])"
        ".log()[..., 0][tokens[:, 1:] != pad].mean()"
    ],
    "tiles": [
        # tiles over the queries, one query at a time
        "lambda q, k, v, size: torch.cat([attention_weights(rows @ k.mT / math.sqrt(q.shape[-1]))"
        " @ v for rows in q.split(size, -2)], -2)",
        "lambda q, k, v, size: torch.cat([attention_weights(row @ k.mT / math.sqrt(q.shape[-1]))"
        " @ v for row in q.split(1, -2)], -2)",
    ],
}
