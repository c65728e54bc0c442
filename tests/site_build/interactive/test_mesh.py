"""The figure of "Many devices, one model": what devices hold and add up is what torch finds."""

import re
from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest
import torch
from playwright.sync_api import Page, expect

from tests.site_build.run_page import names_of

PAGE = "steps/many-devices-one-model"
ADDED: dict[str, set[str]] = {
    "nothing": set(),
    "heads": {"heads"},
    "tokens": {"tokens"},
    "sequences": {"sequences"},
    "both": {"tokens", "sequences"},
    "all": {"tokens", "sequences", "heads"},
}
AXES = ["sequences", "tokens", "heads"]
SHARES = """async ({ cases, parts }) => {
  const at = new URL("/assets/interactive/mesh/share.js", location);
  const { devicesOf, gradients, keptOf } = await import(at);
  return cases.map(state => devicesOf(state).map((_, device) =>
    ({ ...gradients(state, parts, device), kept: keptOf(state, device) })));
}"""


def gradient(
    lesson: dict[str, Any], texts: Iterable[int], halves: Iterable[int], heads: Iterable[int]
) -> torch.Tensor:
    """Return what autograd finds for the copies of some devices, in a run of its own."""
    lesson["copies"].update(
        {
            device: copy.detach().clone().requires_grad_()
            for device, copy in lesson["copies"].items()
        }
    )
    loss = sum(lesson["output"](*place).square().mean() / 4 for place in lesson["places"])
    wanted = [lesson["copies"][device] for device in product(texts, halves, heads)]
    return sum(torch.autograd.grad(loss, wanted), torch.zeros(2, 4)).flatten()


def test_every_split_and_every_sum_is_what_torch_finds(address: str, page: Page) -> None:
    lesson = names_of(f"{PAGE}.md")
    parts = lesson["parts"].flatten(1).detach()
    cases = [
        {**dict(zip(AXES, cut, strict=True)), "add": add, "keeps": keeps}
        for cut in product((1, 2), repeat=3)
        for add in ADDED
        for keeps in ("rows", "parts")
    ]
    page.goto(address)
    told = page.evaluate(SHARES, {"cases": cases, "parts": parts.tolist()})
    for state, devices in zip(cases, told, strict=True):
        places = [*product(*(range(int(state[axis])) for axis in AXES))]
        assert len(devices) == len(places)
        copies = int(state["sequences"]) * int(state["tokens"])
        held: set[tuple[int, int]] = set()
        for place, device in zip(places, devices, strict=True):
            mine = [
                {part} if state[axis] == 2 else {0, 1}
                for axis, part in zip(AXES, place, strict=True)
            ]
            head = min(mine[2])
            alone = [mine[0], mine[1], {head}]
            added = [
                {0, 1} if axis in ADDED[str(state["add"])] and state[axis] == 2 else each
                for axis, each in zip(AXES, alone, strict=True)
            ]
            assert device["found"] == pytest.approx(gradient(lesson, *alone).tolist(), abs=1e-5)
            assert device["added"] == pytest.approx(gradient(lesson, *added).tolist(), abs=1e-5)
            whole = lesson["gradient"].chunk(2)[head].flatten()
            assert device["whole"] == pytest.approx(whole.tolist(), abs=1e-5)
            part, of = device["kept"]
            assert of == (copies if state["keeps"] == "parts" else 1)
            assert 0 <= part < of
            held.add((head, part))
        # Together, those with the same rows keep all of them, each its own part.
        if state["keeps"] == "parts":
            assert len(held) == len(places)


@pytest.mark.parametrize(
    ("state", "held", "right"),
    [("", 32, True), ("&add=sequences", 32, False), ("&keeps=parts", 8, True)],
)
def test_the_picture_has_the_numbers_that_are_held_and_added(
    address: str, page: Page, state: str, held: int, right: bool
) -> None:
    lesson = names_of(f"{PAGE}.md")
    last = 5 if "parts" in state else 4
    for moment in (0, last):
        page.goto("about:blank")
        page.goto(f"{address}{PAGE}/#mesh{state}&t={moment}")
        figure = page.locator("hand-figure.live")
        figure.wait_for()
        picture = figure.locator("svg.wide")
        green = picture.locator("[data-key='device-0'] [stroke*=hand-kept]").all()
        lengths = [line.evaluate("line => line.getTotalLength() + 1.2") for line in green]
        assert sum(lengths) / 11 == pytest.approx(held)
        says = figure.locator(".hand-says")
        if moment == 0:
            expect(says).to_contain_text(f"{held} of {4 * lesson['W_value'].numel()} numbers")
    expect(says).to_have_text(re.compile("^(?!Wrong)" if right else "^Wrong"))
    bars = picture.locator("rect[fill*=hand-now][rx='2']").all()
    numbers = [float(bar.get_attribute("width") or 0) for bar in bars]
    whole = lesson["gradient"][:2].flatten()
    unit = (320 - 118) / 4.4
    if not right:
        assert numbers[0] != pytest.approx(float(whole[0]) * unit, abs=1)
    elif held == 32:
        assert numbers == pytest.approx((whole * unit).tolist(), abs=0.1)
    else:
        assert numbers[:2] == pytest.approx((lesson["kept"][0] * unit).tolist(), abs=0.1)
        assert numbers[2:] == [0] * 6
