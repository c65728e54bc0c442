"""What the browser fetches of the real model, if `python -m minilm` has written it before."""

import json
from collections.abc import Iterator
from pathlib import Path

from minilm.sentences import WORDS

FOLDER = Path(".cache/minilm")


def of_the_real_model(root: Path) -> Iterator[tuple[str, bytes]]:
    """Return each file by its path, and a module that says what is there, and known senses."""
    told = root / FOLDER / "files.json"
    known = told.read_text("utf-8") if told.is_file() else "null"
    senses = json.dumps({word: [each.one, each.other] for word, each in WORDS.items()})
    script = f"export const known = {known};\nexport const senses = {senses};\n"
    yield "assets/minilm/files.js", script.encode()
    if told.is_file():
        for name in (*json.loads(known)["files"], "LICENSE.txt", "NOTICE.txt"):
            yield f"assets/minilm/{name}", (root / FOLDER / name).read_bytes()
