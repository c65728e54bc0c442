"""Run the code of a page, for what a script of the site must agree with."""

import io
from contextlib import redirect_stdout
from functools import cache
from typing import Any

import torch

from site_build.blocks_and_cells import blocks_in
from tests.conftest import ROOT


@cache
def names_of(page: str, before: str = "\0") -> dict[str, Any]:
    """Run the code of a page, before some text, and return what it leaves behind."""
    text = (ROOT / "docs" / page).read_text("utf-8").partition(before)[0]
    code = "\n".join(block.source for block in blocks_in(page, text).values())
    namespace: dict[str, Any] = {"__name__": "__main__"}
    try:
        with redirect_stdout(io.StringIO()):
            exec(code, namespace)
    finally:  # a page prints as it likes, and other tests of this process as ever
        torch.set_printoptions(profile="default")  # type: ignore[no-untyped-call]
    return namespace
