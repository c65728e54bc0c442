"""Cards and blocks stand, at each step, where the printed tensors say, and are counted by them."""

import re
from itertools import chain, pairwise, product
from xml.etree.ElementTree import Element

import pytest
import torch
from playwright.sync_api import Browser, Page, expect
from pymdownx.superfences import SuperFencesException

from tests.site_build.figures.test_figures import (
    WORDS,
    coordinates,
    draw,
    drawing,
    moments,
    of_class,
    texts,
)

DESKS = 'rows="0|1|2" columns="desk 0|desk 1|desk 2"'
TURNS = [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
ORDERS = [[[0, 1], [2, 3], [4, 5]], [[0, 5], [1, 4], [2, 3]]]
PAIRS = [[[3, 3, 3], [0, 4, 4], [0, 0, 4]], [[3, 3, 3], [2, 2, 2], [2, 2, 2]]]
SIX = f'rows="{WORDS}" columns="{WORDS}"'
LOWER = torch.ones(6, 6, dtype=torch.int).tril()
Table = list[list[int]]


def shapes(element: Element, css_class: str) -> int:
    """Count the closed shapes in the paths of a class."""
    return sum(path.get("d", "").count("z") for path in of_class(element, css_class))


def ways(element: Element) -> list[list[list[float]]]:
    """Return the numbers of each place on the way of each card."""
    found = (card.get("data-way", "") for card in element.iter() if "data-way" in card.attrib)
    return [
        [[float(one) for one in re.findall(r"-?\d+\.?\d*", place)] for place in way.split("|")]
        for way in found
    ]


def ring(positions: Table, pairs: Table) -> Element:
    """Draw the ring of six words."""
    printed = "\n".join(f"tensor({table})" for table in (TURNS, positions, pairs))
    return drawing("ring", f'words="{WORDS}" moves="turn"', DESKS, printed)


@pytest.mark.parametrize(("positions", "pairs"), list(zip(ORDERS, PAIRS, strict=True)))
def test_the_squares_of_a_ring_are_the_printed_pairs_and_the_time_of_waiting(
    positions: Table, pairs: Table
) -> None:
    panel = ring(positions, pairs)
    stages = [part for part in panel if "data-at" in part.attrib]
    for turn, stage in enumerate(stages[::2]):
        now = stage.find("g[@class='now']")
        assert now is not None
        tables, tallies = now.findall("g"), stage.findall("g")[:3]
        for desk, (table, tally) in enumerate(zip(tables, tallies, strict=True)):
            busiest = max(pairs[turn])
            assert shapes(table, "full") == shapes(tally, "full") == pairs[turn][desk]
            assert shapes(tally, "gap") == busiest - pairs[turn][desk]
            assert table.get("class") == tally.get("class") == f"who-{TURNS[turn][desk]}"
        sums = torch.tensor(pairs)[: turn + 1]
        expected = [f"{total} pairs" for total in sums.sum(0).tolist()]
        assert texts(now) == [*expected, f"time {int(sums.amax(1).sum())}"]


def test_volumes_travel_the_ring_forward_and_lie_where_the_output_says() -> None:
    volumes = ways(ring(ORDERS[0], PAIRS[0]))
    for turn, desk in product(range(3), range(3)):
        way = volumes[TURNS[turn][desk]]
        for at in (2 * turn, 2 * turn + 1):  # before a turn and in it
            angle, *_, back = way[at]
            assert angle == -back, "its words stay upright"
            assert angle % 360 == 120 * desk
    assert all(here[0] <= after[0] for way in volumes for here, after in pairwise(way))


def test_on_the_way_back_each_desk_fills_a_square_of_each_slip_and_then_it_goes_home() -> None:
    names = DESKS.replace("0|1|2", "0|1|2|home", 1)
    panel = drawing("ring", f'{RING} moves="turn"', names, f"tensor({[*TURNS, TURNS[0]]})")
    volumes = panel.findall("g[@data-way]")
    assert [shapes(volume, "gap") for volume in volumes] == [3, 3, 3]
    turns = panel.findall("g[@data-at]")[::2]
    for turn, pairs, filled in zip(turns, (4, 4, 4, 0), (1, 1, 1, 0), strict=True):
        assert [shapes(table, "full") for table in turn.iterfind("g/g")] == [pairs] * 3
        marks = turn.findall("g[@data-way]")
        assert [shapes(mark, "full") for mark in marks] == [1, 1, 1] * filled
        with_them = [volume.get("data-way") for volume in volumes] * filled
        assert [mark.get("data-way") for mark in marks] == with_them
    for desk, volume in enumerate(volumes):
        [way] = ways(volume)
        assert way[0][0] == 120 * desk == way[-1][0] - 360


def test_a_block_is_a_square_where_all_pairs_are_allowed_and_a_triangle_where_some_are() -> None:
    causal = (LOWER * 2 - torch.eye(6, dtype=torch.int)).tolist()
    packed = [
        [kind if row // 3 == column // 3 else 0 for column, kind in enumerate(line)]
        for row, line in enumerate(causal)
    ]
    names = 'rows="a b c d e f" tensors="causal packed"'
    printed = f"tensor({causal})\ntensor({packed})"
    for table, stage in zip(
        (causal, packed), moments(draw("blocks", 'moves="rule"', names, printed)), strict=True
    ):
        drawn = [way for path in of_class(stage, "full") for way in path.get("d", "").split("M")]
        flat = list(chain(*table))
        assert [sum("h" in way for way in drawn), sum("L" in way for way in drawn)] == [
            flat.count(2),
            flat.count(1),
        ]
        count = 36 - flat.count(0)
        assert texts(stage) == [
            f"{'causal' if table is causal else 'packed'}: {count} of 36 blocks"
        ]
        hues = [
            group.get("class") for group in stage.iter("g") if "who" in (group.get("class") or "")
        ]
        assert hues == ["who-0"] * 3 + ["who-1"] * 3


def test_the_blocks_of_a_sum_are_the_exponentials_of_a_softmax() -> None:
    scores = torch.tensor([0.0, 3.0, 1.0, 4.0])
    rows, total, maximum = [], 0.0, -torch.inf
    for score in scores.tolist():
        before, maximum = maximum, max(maximum, score)
        factor = float(torch.exp(torch.tensor(before - maximum)))
        total = total * factor + float(torch.exp(torch.tensor(score - maximum)))
        rows.append([maximum, factor, total])
    printed = f"tensor({rows})"
    names = 'rows="a b c d" columns="maximum factor total"'
    for count, stage in enumerate(moments(draw("running", 'moves="word"', names, printed)), 1):
        (new,) = [coordinates(path) for path in of_class(stage, "full")]
        kept = [way for path in of_class(stage, "tile") for way in path.get("d", "").split("M")[1:]]
        wide = torch.tensor([float(way.split("h")[1].split("v")[0]) for way in kept] + [new[2]])
        assert torch.allclose(wide / wide.sum(), torch.softmax(scores[:count], 0), atol=0.002)


RING = f'words="{WORDS}"'
RUN = f"tensor({TURNS})"


@pytest.mark.parametrize(
    ("kind", "options", "names", "printed", "complaint"),
    [
        ("ring", RING, DESKS, f"{RUN} tensor({ORDERS[0]}) tensor({PAIRS[1]})", "desk 0 has 0 pa"),
        ("ring", RING, DESKS, f"{RUN} tensor({ORDERS[0]})", "positions and pairs are needed"),
        ("ring", RING, DESKS, f"{RUN} tensor({TURNS}) tensor({PAIRS[1]})", "positions are not"),
        ("ring", RING, DESKS, "tensor([[0, 1, 1]])", "each turn has the volumes 0 to 2"),
        ("ring", 'words="a b"', DESKS, RUN, "2 words cannot be shared out"),
        ("ring", f'{RING} meets="bank"', DESKS, RUN, "two words meet"),
        (
            "blocks",
            "",
            'rows="a"',
            "tensor([[1]]) tensor([[2]])",
            "no block that the first does not",
        ),
        ("blocks", "", 'rows="a"', "tensor([[3]]) tensor([[2]])", "3 is not one of 0 to 2"),
        ("blocks", "", 'rows="a"', "tensor([[1]])", "two outputs of one shape"),
        (
            "running",
            "",
            'rows="a b" columns="maximum factor total"',
            "tensor([[0., 0., 1.], [0., 1., 0.5]])",
            "is less than",
        ),
        ("map", 'choose="One"', SIX, f"tensor({LOWER.tolist()})", "two panels to choose from"),
    ],
)
def test_wrong_use_fails(kind: str, options: str, names: str, printed: str, complaint: str) -> None:
    with pytest.raises(SuperFencesException, match=complaint):
        draw(kind, options, names, printed)


# ---- in a browser

LEADS = [
    "sequence-on-devices",
]
PLACES = """(figure) => {
  for (const one of figure.getAnimations({subtree: true})) one.finish()
  return [...figure.querySelectorAll("[data-way]")].map((card) =>
    getComputedStyle(card).transform.split(",").slice(4).map((one) => Math.round(parseFloat(one))))
}"""


@pytest.mark.parametrize("name", LEADS)
def test_cards_move_at_each_step_and_end_where_they_stand_without_a_script(
    address: str, page: Page, browser: Browser, name: str
) -> None:
    page.goto(f"{address}steps/{name}/")
    figure = page.locator(".figure:has([data-way])").first
    slider = figure.get_by_role("slider")
    expect(slider).to_be_visible()
    slider.press("Home")
    last, seen = int(slider.get_attribute("max") or 0), [figure.inner_html()]
    start = figure.evaluate(PLACES)
    for _ in range(last):
        slider.press("ArrowRight")
        seen.append(figure.inner_html())
    assert len(set(seen)) == last + 1
    end = figure.evaluate(PLACES)
    assert end != start
    slider.press("Home")
    page.emulate_media(media="print")
    assert figure.evaluate(PLACES) == end
    context = browser.new_context(java_script_enabled=False, viewport=page.viewport_size)
    plain = context.new_page()
    plain.goto(f"{address}steps/{name}/")
    assert plain.locator(".figure:has([data-way])").first.evaluate(PLACES) == end
    context.close()


def test_a_reader_chooses_a_panel_and_paper_has_both(address: str, page: Page) -> None:
    page.goto(f"{address}steps/sequence-on-devices/")
    figure = page.locator(".figure:has(.figure-choice)")
    panels = figure.locator(".figure-panels > *")
    for key, seen in ((None, "10"), ("ArrowRight", "01"), ("ArrowLeft", "10")):
        if key:
            figure.locator(":checked").press(key)
        for panel, opacity in zip(panels.all(), seen, strict=True):
            expect(panel).to_have_css("opacity", opacity)
    page.emulate_media(media="print")
    for panel in panels.all():
        expect(panel).to_have_css("opacity", "1")
    expect(figure.get_by_role("radio")).to_have_count(0)
