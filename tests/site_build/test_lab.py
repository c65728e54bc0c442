"""The attention lab, held to the package that the pages teach."""

import itertools
import math
import random
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal
from urllib.parse import quote

import pytest
import torch
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect
from torch import Tensor

from attention_steps import causal_mask, context_vectors, trace_attention
from tests.conftest import ROOT
from tests.site_build.run_page import names_of

LAB_PAGES = [
    "",
    "steps/02-scores/",
    "steps/03-weights/",
    "steps/04-context-vectors/",
    "steps/05-queries-keys-and-values/",
    "steps/06-why-divide-by-the-square-root/",
    "steps/08-causal-masks/",
    "steps/10-multi-head-attention/",
]
LABELS = {
    "projected": "ask with the matrices",
    "scaled": "divide by the square root",
    "causal": "hide the future",
    "cosine": "cosine instead of dot product",
    "plain": "plain shares instead of softmax",
}
NO_NUMBER = "\u2013"
MATRICES = ["query", "key", "value", "scores", "weights", "context"]


# ---- what the package and the pages say ------------------------------------------------------


EMBEDDING: dict[str, list[float]] = names_of("index.md")["embedding"]
NAMES = ["the", "duck", "likes", "the", "muddy", "bank"]
EXAMPLE = [EMBEDDING[name] for name in NAMES]
COMPONENTS = ["water", "money", "acts", "describes"]
STEP_5 = names_of("steps/05-queries-keys-and-values.md")
STEP_10 = "steps/10-multi-head-attention.md"
PROJECTIONS: dict[str, list[list[float]]] = {
    name: STEP_5[name].tolist() for name in ["W_query", "W_key", "W_value"]
}


@dataclass(frozen=True)
class Switches:
    projected: bool = False
    cosine: bool = False
    scaled: bool = False
    causal: bool = False
    plain: bool = False


ALL_SWITCHES = [Switches(*switches) for switches in itertools.product([False, True], repeat=5)]


def by_the_package(
    inputs: list[list[float]],
    on: Switches,
    projections: dict[str, list[list[float]]] = PROJECTIONS,
) -> dict[str, Tensor]:
    """Compute every matrix of the lab, in float64. NaN stands for a number that there is not."""
    tokens = torch.tensor(inputs, dtype=torch.float64)
    query = key = value = tokens
    if on.projected:
        query, key, value = (
            tokens @ torch.tensor(W, dtype=torch.float64).T for W in projections.values()
        )
    measured = (query, key)
    if on.cosine:
        measured = (query / query.norm(dim=-1, keepdim=True), key / key.norm(dim=-1, keepdim=True))
    trace = trace_attention(
        *measured,
        value,
        causal_mask(len(inputs)) if on.causal else None,
        scale=None if on.scaled else 1.0,
    )
    scores, weights, context = trace.masked_scores, trace.weights, trace.context
    if on.plain:
        allowed = scores.masked_fill(scores == -math.inf, 0.0)
        total = allowed.sum(dim=-1, keepdim=True)
        is_zero = total.abs() <= 1e-9 * allowed.abs().sum(dim=-1, keepdim=True)
        weights = allowed / total.masked_fill(is_zero, math.nan)
        context = context_vectors(weights, value)
    return dict(zip(MATRICES, [query, key, value, scores, weights, context], strict=True))


def random_inputs(draw: random.Random, most: int = 12) -> list[list[float]]:
    """Return 1 to 12 vectors: ordinary, huge, tiny, zero, the same or opposite ones."""
    sizes = draw.choice([[1.0], [1.0], [3.0, 0.0], [1e4], [1e4, 1.0, 1e-4, 0.0]])
    inputs = [
        [round(draw.uniform(-1, 1) * draw.choice(sizes), 6) for _ in range(4)]
        for _ in range(draw.randint(1, most))
    ]
    copied, factor = draw.choice(inputs), draw.choice([0.0, 1.0, -1.0])
    if draw.random() < 0.5:
        inputs[0] = [factor * x for x in copied]
    return inputs


# ---- what the lab shows ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def shared_tab(context: BrowserContext) -> Page:
    """Return a tab for all tests: to open another one takes as long as half a test."""
    return context.new_page()


@pytest.fixture
def page(shared_tab: Page) -> Page:
    """Return the tab as it was at first."""
    shared_tab.goto("about:blank")
    shared_tab.unroute_all()
    shared_tab.set_viewport_size({"width": 1280, "height": 720})
    return shared_tab


@pytest.fixture
def complaints(page: Page) -> Iterator[list[str]]:
    """Fail the test at its end if the console has anything to say."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text))
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("dialog", lambda dialog: found.append(dialog.message))
    yield found
    assert not found


def visit(page: Page, address: str) -> Locator:
    """Open a page, and return its lab, which is fetched when it is near the screen."""
    page.goto(address)
    page.locator("attention-lab").evaluate("lab => lab.scrollIntoView()")
    page.locator(".lab").wait_for()
    return page.locator(".lab")


@pytest.fixture
def lab(address: str, page: Page, complaints: list[str]) -> Locator:
    """Open the home page, and return its lab."""
    return visit(page, address)


def shown(lab: Locator) -> dict[str, list[list[float]]]:
    """Return the numbers in the cells of each matrix, also of those that are folded away."""
    grids = lab.evaluate(
        "lab => [...lab.querySelectorAll('.lab-grid')].map(grid => [grid.caption.textContent,"
        "[...grid.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent))])"
    )
    return {name: [[number(text) for text in row[1:]] for row in rows] for name, rows in grids}


def number(text: str) -> float:
    return math.nan if text == NO_NUMBER else float(text)


def tab(lab: Locator, token: int) -> None:
    """Choose the word that is changed."""
    lab.locator(".lab-tabs input").nth(token - 1).evaluate("(tab) => tab.click()")


def field(lab: Locator, token: int, component: int) -> Locator:
    tab(lab, token)
    return lab.locator(".lab-stepper .lab-field").nth(component - 1)


def name_field(lab: Locator, token: int) -> Locator:
    tab(lab, token)
    return lab.get_by_role("textbox", name="word", exact=True)


def asks(lab: Locator, token: int) -> Locator:
    return lab.locator(".lab-words input").nth(token - 1)


def switch(lab: Locator, on: Switches) -> None:
    """Set the switches, also those that the lab of this page does not offer."""
    for name, is_on in asdict(on).items():
        box = lab.locator(f"input[name={name}]")
        if box.is_checked() != is_on:
            box.evaluate("box => box.click()")


def follow(lab: Locator, inputs: list[list[float]], on: Switches) -> None:
    """Bring the lab into a state by a link."""
    tokens = [f"token={i},{','.join(map(str, vector))}" for i, vector in enumerate(inputs)]
    switches = [name for name, is_on in asdict(on).items() if is_on]
    fragment = "&".join(["lab", "query=1", *switches, *tokens])
    lab.page.evaluate("fragment => location.hash = fragment", fragment)
    expect(lab.locator(".lab-tabs input")).to_have_count(len(inputs))


def enter(lab: Locator, inputs: list[list[float]]) -> None:
    """Type vectors into the lab, with as many tokens as there are."""
    tabs = lab.locator(".lab-tabs input")
    while tabs.count() > len(inputs):
        lab.get_by_role("button", name="remove it").click()
    while tabs.count() < len(inputs):
        lab.get_by_role("button", name="+ word").click()
    fields = lab.locator(".lab-stepper .lab-field")
    for i, vector in enumerate(inputs, 1):
        tab(lab, i)
        for e, x in enumerate(vector):
            fields.nth(e).fill(repr(x))


def assert_shown(actual: list[list[float]], expected: Tensor) -> None:
    """Compare cells with numbers: to two decimals, or to two digits if they are huge."""
    torch.testing.assert_close(
        torch.tensor(actual, dtype=torch.float64),
        expected,
        atol=5.001e-3,
        rtol=0.05 if expected.nan_to_num(0, 0, 0).abs().max() >= 99 else 0.0,
        equal_nan=True,
    )


# ---- its numbers -----------------------------------------------------------------------------


def test_its_constants_are_those_of_the_pages(address: str, page: Page) -> None:
    page.goto(address)
    math_module = page.evaluate("import('/assets/lab/math.js').then(math => ({...math}))")
    assert math_module["components"] == COMPONENTS
    assert math_module["embedding"].items() >= EMBEDDING.items()
    assert {name: math_module[name] for name in PROJECTIONS} == PROJECTIONS
    page_10 = names_of(STEP_10)
    assert math_module["heads"] == [
        {
            "W_query": page_10["W_query"][head].tolist(),
            "W_key": page_10["W_key"][head].tolist(),
            "W_value": page_10["W_value"].tolist(),
        }
        for head in range(2)
    ]
    notebook = (ROOT / "docs/notebooks/000_attention_by_dot_product.ipynb").read_text("utf-8")
    printed = re.findall(r"0\.\d+", notebook)
    for vector in math_module["source"].values():
        assert {f"{x:.2f}" for x in vector} <= set(printed)
    assert " ".join(math_module["source"]) == "Your journey starts with one step"


def test_its_numbers_are_those_of_the_package(address: str, page: Page) -> None:
    draw = random.Random(7)
    states = [(random_inputs(draw), on) for on in ALL_SWITCHES for _ in range(7)]
    zero_but_for_rounding = [[x, 0.0, 0.0, 0.0] for x in (0.1, 0.2, -0.3)]
    states.append((zero_but_for_rounding, Switches(plain=True)))
    page.goto(address)
    results = page.evaluate(
        "states => import('/assets/lab/math.js')"
        ".then(({attention}) => states.map(state => attention(...state)))",
        [[inputs, asdict(on)] for inputs, on in states],
    )
    for (inputs, on), result in zip(states, results, strict=True):
        for name, expected in by_the_package(inputs, on).items():
            torch.testing.assert_close(
                torch.tensor(result[name], dtype=torch.float64),
                expected,
                atol=5e-5,
                # Shares of a sum near 0 can be huge, and then they keep fewer decimals.
                rtol=1e-6 if on.plain else 0.0,
                equal_nan=True,
                msg=f"{name} of {inputs} with {on}",
            )


def test_it_shows_the_numbers_of_what_is_typed(lab: Locator) -> None:
    draw = random.Random(3)
    for on in draw.sample(ALL_SWITCHES, 2):
        inputs = random_inputs(draw, most=5)
        enter(lab, inputs)
        switch(lab, on)
        expected = by_the_package(inputs, on)
        visible = ["query", "key", "value"] if on.projected else ["inputs"]
        for name in [*visible, "scores", "weights", "context"]:
            actual = inputs if name == "inputs" else expected[name]
            assert_shown(shown(lab)[name], torch.as_tensor(actual, dtype=torch.float64))


def test_both_heads_and_changed_matrices_give_the_numbers_of_the_package(
    address: str, page: Page
) -> None:
    lab = at(page, address, "steps/10-multi-head-attention/")
    page_10 = names_of(STEP_10)
    draw = random.Random(11)
    rich = [EMBEDDING[name] for name in ("the", "duck", "likes", "the")]
    inputs = [*rich, [0.0, 3.0, 0.0, 3.0], EMBEDDING["bank"]]
    on = Switches(projected=True, scaled=True)
    lab.get_by_text("Change the matrices").click()
    for head in range(2):
        lab.locator(".lab-heads input").nth(head).check(force=True)
        matrices = {
            name: (page_10[name][head] if name != "W_value" else page_10[name]).tolist()
            for name in PROJECTIONS
        }
        assert_shown(shown(lab)["weights"], by_the_package(inputs, on, matrices)["weights"])
        for name, matrix in matrices.items():
            row, column, x = draw.randrange(2), draw.randrange(4), round(draw.uniform(-1, 1), 2)
            matrix[row][column] = x
            changed = lab.get_by_label(f"{name}, row {row + 1}, {COMPONENTS[column]}")
            changed.fill(str(x))
        expected = by_the_package(inputs, on, matrices)
        for name in MATRICES:
            assert_shown(shown(lab)[name], expected[name])
    before = shown(lab)
    lab.get_by_role("button", name="Copy link").click()
    link = page.url
    lab.get_by_role("button", name="Reset").click()
    assert shown(lab) != before
    page.goto("about:blank")
    page.goto(link)
    page.locator(".lab").wait_for()
    assert shown(lab) == before, "a link carries the matrices and the head"


def test_twelve_words_have_their_numbers(lab: Locator) -> None:
    inputs = [EMBEDDING[name] for name in NAMES * 2]
    inputs[3] = [2501.1925, -0.5, 0.0, 1.0]
    follow(lab, inputs, Switches())
    assert_shown(shown(lab)["weights"], by_the_package(inputs, Switches())["weights"])
    assert lab.evaluate(
        "lab => [...lab.querySelectorAll('.lab-numbers:not(details *) td')]"
        ".every(cell => cell.scrollWidth <= cell.clientWidth)"
    ), "no number is wider than its cell"
    for width in (320, 390, 1280):
        lab.page.set_viewport_size({"width": width, "height": 844})
        # The header and the lab take a moment to become narrow.
        lab.page.wait_for_function(f"document.documentElement.scrollWidth === {width}")
    asks(lab, 4).check(force=True)
    expect(lab.locator(".lab-bars b").nth(3)).to_have_text("1.00")


def test_ready_made_changes_give_the_numbers_of_the_package(lab: Locator) -> None:
    tab(lab, 2)
    lab.get_by_role("button", name="double it").click()
    doubled = [EXAMPLE[0], [6.0, 0.0, 2.0, 0.0], *EXAMPLE[2:]]
    assert_shown(shown(lab)["context"], by_the_package(doubled, Switches())["context"])
    lab.get_by_role("button", name="make it zero").click()
    zero = [EXAMPLE[0], [0.0] * 4, *EXAMPLE[2:]]
    assert_shown(shown(lab)["context"], by_the_package(zero, Switches())["context"])
    lab.get_by_role("button", name="Your journey starts").click()
    source = lab.page.evaluate(
        "import('/assets/lab/math.js').then(({source}) => Object.values(source))"
    )
    assert_shown(shown(lab)["weights"], by_the_package(source, Switches())["weights"])
    expect(lab.locator(".lab-stepper")).to_have_count(3)
    before = shown(lab)
    lab.get_by_role("button", name="Copy link").click()
    lab.page.reload()
    lab.wait_for()
    assert shown(lab) == before


def test_each_number_is_what_its_sum_gives(lab: Locator) -> None:
    draw = random.Random(5)
    for on in ALL_SWITCHES:
        follow(lab, random_inputs(draw, most=3), on)
        pressed = lab.evaluate(
            "lab => [...lab.querySelectorAll('tbody td')].filter(cell => !cell.closest("
            "'.lab-scroll[hidden]')).map(cell => {cell.click();"
            "return [cell.textContent, lab.querySelector('.lab-sum code').textContent]})"
        )
        assert len(pressed) > 4
        for cell, text in pressed:
            if cell in (NO_NUMBER, "-inf"):
                assert "=" not in text
            elif text.startswith("hidden by the mask"):
                assert (cell, on.causal) == ("0.00", True)
            else:
                expression, _, result = text.rpartition(" = ")
                assert float(cell) == pytest.approx(float(result), abs=5.06e-3, rel=0.051)
                if expression:
                    assert float(result) == pytest.approx(
                        evaluate(expression), abs=5.001e-5, rel=5e-5 * ("e" in result)
                    )


def evaluate(expression: str) -> float:
    """Compute a sum as the lab writes it."""
    code = re.sub(r"√(\d)", r"math.sqrt(\1)", expression.replace("·", "*"))
    code = code.replace("e^(", "math.exp(")
    assert re.fullmatch(r"(math\.(sqrt|exp)|\de-\d|[-+*/(). \d])*", code)
    value: float = eval(code, {"math": math})
    return value


def test_a_sum_is_written_with_equally_many_decimals(lab: Locator) -> None:
    text = lab.locator(".lab-sum code")
    expect(text).to_have_text("e^(3) / (e^(0) + e^(3) + e^(0) + e^(0) + e^(3) + e^(2)) = 0.3973")
    field(lab, 6, 1).fill("1.25")
    lab.get_by_text("Show scores and context").click()
    lab.get_by_role("grid", name="scores").locator("tr").last.locator("td").nth(1).click()
    expect(lab.locator(".lab-sum")).to_contain_text("Score that \u2068“bank”\u2069 gives")
    expect(text).to_have_text("1.25·3 + 1.00·0 + 0.00·1 + 0.00·0 = 3.7500")
    lab.page.mouse.move(0, 0)
    switch(lab, Switches(scaled=True))
    expect(text).to_have_text("(1.25·3 + 1.00·0 + 0.00·1 + 0.00·0) / √4 = 1.8750")


def test_a_word_of_the_course_brings_its_vector(lab: Locator) -> None:
    name_field(lab, 5).fill("rich")
    rich = [0.0, 3.0, 0.0, 3.0]
    expected = by_the_package([*EXAMPLE[:4], rich, EXAMPLE[5]], Switches())["weights"]
    assert_shown(shown(lab)["weights"], expected)
    name_field(lab, 5).fill("constructor")
    expect(field(lab, 5, 2)).to_have_value("3")


# ---- bad input -------------------------------------------------------------------------------


def test_it_says_beside_a_field_what_is_wrong(lab: Locator) -> None:
    before = shown(lab)
    wrong = field(lab, 3, 3)
    for typed, problem in {
        "": "A number is missing.",
        "   ": "A number is missing.",
        "NaN": "“NaN” is not a number like -0.43.",
        "Infinity": "“Infinity” is not a number",
        "0x10": "“0x10” is not a number",
        "0,43": "“0,43” is not a number",
        "0.43, 0.15, 0.89": "“0.43, 0.15, 0.89” is not a number",
        "1 000": "“1 000” is not a number",
        "1e999": "“1e999” is not between -10000 and 10000.",
        "-10000.1": "“-10000.1” is not between",
        "<img src=x onerror=alert(1)>": "“<img src=x onerror=a…” is not a number",
        "٤٣": "“٤٣” is not a number",
    }.items():
        wrong.fill(typed)
        expect(wrong).to_have_attribute("aria-invalid", "true")
        message = lab.page.locator(f"#{wrong.get_attribute('aria-describedby')}")
        expect(message).to_have_text(re.compile(f"^{re.escape(problem)}.* 2 still counts.$"))
        expect(lab).to_have_class("lab stale")
        assert shown(lab) == before
        assert lab.locator("img, script").count() == 0

        wrong.fill("2")
        expect(wrong).to_have_attribute("aria-invalid", "false")
        expect(message).to_be_empty()
        expect(lab).to_have_class("lab")


def test_a_number_that_is_wrong_keeps_counting_with_its_last_value(lab: Locator) -> None:
    field(lab, 2, 3).fill("two")
    field(lab, 1, 1).fill("1")
    changed = [[1.0, *EXAMPLE[0][1:]], *EXAMPLE[1:]]
    assert_shown(shown(lab)["weights"], by_the_package(changed, Switches())["weights"])
    lab.get_by_role("button", name="+ word").click()
    expect(field(lab, 2, 3)).to_have_value("two")
    expect(field(lab, 2, 3)).to_have_attribute("aria-invalid", "true")


def test_any_name_of_a_token_is_text(lab: Locator) -> None:
    for name in ["<img src=x onerror=a()>", "שלום", "x" * 200, "\u202eevil", "${a}", "", "a,b&c=#"]:
        name_field(lab, 1).fill(name)
        expected = name_field(lab, 1).input_value() or "word 1"
        assert expected.startswith(name[:24])
        expect(lab.locator(".lab-words span").first).to_have_text(expected)
        assert lab.locator("img").count() == 0
        lab.get_by_role("grid", name="weights").locator("tbody td").first.click()
        expect(lab.locator(".lab-sum strong")).to_contain_text(f"gives \u2068“{expected}”\u2069")


def test_it_says_why_there_is_no_number(lab: Locator) -> None:
    enter(lab, [[0.0] * 4, *EXAMPLE[1:]])
    notice = lab.locator(".lab-notice")
    expect(notice).to_be_empty()
    switch(lab, Switches(plain=True))
    expect(notice).to_contain_text("Scores that add up to 0 cannot be divided by their sum")
    switch(lab, Switches(cosine=True))
    expect(notice).to_contain_text("A vector of zeros has no direction")
    expect(notice).to_contain_text("the")
    assert math.isnan(shown(lab)["weights"][0][0])
    switch(lab, Switches())
    expect(notice).to_be_empty()


# ---- hands and ears --------------------------------------------------------------------------


def test_the_keyboard_alone_reaches_and_works_everything(lab: Locator) -> None:
    page = lab.page
    press = page.keyboard.press
    asks(lab, 6).focus()
    order = []
    while page.evaluate("document.activeElement.closest('.lab') !== null"):
        order.append(
            page.evaluate(
                "(e => e.ariaLabel ?? e.textContent.trim())"
                "(document.activeElement.closest('td')?.closest('table') ?? document.activeElement)"
            )
        )
        press("Tab")
    steppers = [(f"less {part}", part, f"more {part}") for part in COMPONENTS]
    assert order == [
        "bank, word 6, asks",
        "bank, word 6, change",
        "word",
        *itertools.chain(*steppers),
        "make it zero",
        "double it",
        "remove it",
        "+ word",
        "inputs",
        "weights",
        "Show scores and context",
        "Take “Your journey starts with one step”, with three numbers for each word",
        "Reset",
        "Copy link",
    ]

    asks(lab, 6).focus()
    press("ArrowLeft")
    expect(lab.locator(".lab-title")).to_contain_text("muddy")
    press("Tab")
    press("ArrowLeft")
    expect(name_field(lab, 5)).to_have_value("muddy")

    water = field(lab, 2, 1)
    water.focus()
    for key, value in {"ArrowUp": "3.1", "ArrowDown": "3", "PageDown": "2", "PageUp": "3"}.items():
        press(key)
        expect(water).to_have_value(value)
    press("Tab")
    press("Enter")
    expect(water).to_have_value("4")
    press("Shift+Tab")
    press("Shift+Tab")
    press("Space")
    expect(water).to_have_value("3")

    weights = lab.get_by_role("grid", name="weights")
    weights.locator("tbody td").first.focus()
    for key in ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "End"]:
        press(key)
    press("ArrowRight")
    heading = lab.locator(".lab-sum strong")
    expect(heading).to_contain_text("Weight that \u2068“the”\u2069 gives \u2068“bank”")
    expect(lab.locator("[aria-selected=true]")).to_have_count(1)
    press("Shift+Tab")
    press("Tab")
    expect(weights.locator("tbody td").nth(5)).to_be_focused()

    lab.get_by_role("button", name="remove it").focus()
    press("Enter")
    expect(lab.get_by_role("textbox", name="word", exact=True)).to_be_focused()
    lab.get_by_role("button", name="+ word").focus()
    press("Enter")
    page.keyboard.type("home")
    expect(lab.locator(".lab-words span").last).to_have_text("home")


def test_a_cell_shows_its_row_its_column_and_what_made_it(lab: Locator) -> None:
    weights = lab.get_by_role("grid", name="weights")
    cell = weights.locator("tbody tr").nth(2).locator("td").nth(4)
    for way in ("hover", "focus"):
        lab.page.mouse.move(0, 0)
        expect(lab.locator(".lab-sum strong")).to_contain_text(r"gives ⁨“duck”")
        getattr(cell, way)()
        expect(lab.locator(".lab-sum strong")).to_have_text(
            "Weight that \u2068“likes”\u2069 gives \u2068“muddy”\u2069: its share of the row of "
            "\u2068“likes”\u2069"
        )
        lit = lab.get_by_role("grid", name="inputs").locator("tbody tr.lit th")
        expect(lit).to_have_text(["likes", "muddy"])
        expect(weights.locator("td.cross")).to_have_count(10)
        expect(weights.locator("th.cross")).to_have_text(["muddy", "likes"])
        expect(weights.locator("[aria-selected=true]")).to_have_text("0.02")
    lab.get_by_text("Show scores and context").click()
    context = lab.get_by_role("grid", name="context")
    context.locator("tbody tr").nth(1).locator("td").nth(3).hover()
    expect(lab.locator("tr.lit")).to_have_count(1)
    expect(lab.get_by_role("grid", name="inputs").locator("tbody td.lit")).to_have_count(6)


def test_a_number_is_dragged_and_stepped(lab: Locator) -> None:
    water = field(lab, 2, 1)
    water.scroll_into_view_if_needed()
    box = water.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse = lab.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 60, y + 5, steps=4)
    mouse.up()
    expect(water).to_have_value("2")
    mouse.move(x + 60, y)
    expect(water).to_have_value("2")
    lab.get_by_role("button", name="less water").click()
    expect(water).to_have_value("1")
    water.press("ArrowUp")
    expect(water).to_have_value("1.1")
    inputs = [EXAMPLE[0], [1.1, 0.0, 1.0, 0.0], *EXAMPLE[2:]]
    assert_shown(shown(lab)["weights"], by_the_package(inputs, Switches())["weights"])


@pytest.mark.parametrize("reduced", ["reduce", "no-preference"])
def test_changes_move_unless_the_reader_wants_no_motion(
    address: str, browser: Browser, reduced: Literal["reduce", "no-preference"]
) -> None:
    context = browser.new_context(reduced_motion=reduced)
    page = context.new_page()
    visit(page, address)
    times = page.evaluate(
        "['path', '.lab-bars i', '.lab-line i', 'tbody td'].map(part => getComputedStyle("
        "document.querySelector(`.lab ${part}`)).transitionDuration)"
    )
    context.close()
    assert times == ["0s" if reduced == "reduce" else "0.2s"] * 4


def test_it_tells_a_screen_reader_what_changed_once(lab: Locator) -> None:
    spoken = lab.get_by_role("status")
    expect(spoken).to_be_empty()
    spoken.evaluate(
        "spoken => {window.said = []; new MutationObserver(() => said.push(spoken.textContent))"
        ".observe(spoken, {childList: true})}"
    )
    water = field(lab, 2, 1)
    water.press_sequentially("123", delay=0)
    expect(spoken).to_contain_text("\u2068“bank”\u2069 takes most from")
    assert lab.page.evaluate("said.length") == 1
    water.fill("1,5")
    expect(spoken).to_contain_text("“1,5” is not a number like -0.43.")
    lab.get_by_role("grid", name="weights").locator("tbody td").first.click()
    expect(spoken).to_contain_text("Weight that")


def test_it_has_between_one_word_and_twelve(lab: Locator) -> None:
    add = lab.get_by_role("button", name="+ word")
    for _ in range(6):
        add.click()
    expect(add).to_be_disabled()
    assert len(shown(lab)["weights"]) == 12
    asks(lab, 12).check(force=True)
    tab(lab, 1)
    remove = lab.get_by_role("button", name="remove it")
    for _ in range(11):
        remove.click()
    expect(remove).to_be_disabled()
    assert shown(lab)["weights"] == [[1.0]]


# ---- reset and link --------------------------------------------------------------------------


def test_reset_brings_the_first_state_back(lab: Locator) -> None:
    seen = lab.locator("> :not(.lab-spoken, .lab-foot)")
    before = seen.all_inner_texts()
    enter(lab, [[1.0, 2.0, 3.0, 4.0]])
    switch(lab, Switches(causal=True, cosine=True))
    field(lab, 1, 2).fill("wrong")
    lab.get_by_role("button", name="Reset").click()
    expect(lab.locator(".lab-told")).to_have_text("The lab is as it was at first.")
    assert seen.all_inner_texts() == before
    expect(field(lab, 2, 1)).to_have_value("3")


def test_a_link_carries_the_state(lab: Locator) -> None:
    page = lab.page
    enter(lab, [[1.5, -2.0, 0.001, 3.0], [0.0, 1e4, -7.25, 0.0], [0.1, 0.2, 0.3, 0.4]])
    name_field(lab, 1).fill("a,b & #“%41”")
    asks(lab, 3).check(force=True)
    switch(lab, Switches(projected=True, scaled=True, plain=True))
    lab.get_by_role("button", name="Copy link").click()
    told = lab.locator(".lab-told")
    expect(told).to_have_text("The link is copied.")
    expect(told.locator("xpath=preceding-sibling::*[1]")).to_have_text("Copy link")
    link = page.evaluate("navigator.clipboard.readText()")
    before = shown(lab)

    page.goto("about:blank")
    page.goto(link)
    lab.wait_for()
    assert shown(lab) == before
    expect(name_field(lab, 1)).to_have_value("a,b & #“%41”")
    expect(asks(lab, 3)).to_be_checked()
    expect(lab).to_be_in_viewport()

    lab.get_by_role("button", name="Reset").click()
    assert "#" not in page.url
    page.evaluate("link => location.assign(link)", link)
    expect(asks(lab, 3)).to_be_checked()
    assert shown(lab) == before


TOKEN = "token=a,1,2,3,4"


HOSTILE = [
    "lab",
    "lab&query=1",
    f"lab&query=2&{TOKEN}",
    f"lab&query=0&{TOKEN}",
    f"lab&query=length&{TOKEN}",
    f"lab&query=1&head=1&{TOKEN}",
    f"lab&query=1&head=length&{TOKEN}",
    f"lab&query=1&parts=3&projected&{TOKEN}",
    f"lab&query=1&parts=2&{TOKEN}",
    f"lab&query=1&W=1,2&{TOKEN}",
    "lab&query=1&token=1,2,3,4",
    "lab&query=1&token=a,1,2,3,NaN",
    "lab&query=1&token=a,1,2,3,1e999",
    "lab&query=1&token=a,1,2,3,",
    f"lab&query=1&token={'a' * 25},1,2,3,4",
    f"lab&query=1&token={quote('<img src=x onerror=alert(1)>')},1,2,3,4",
    "lab&query=1" + f"&{TOKEN}" * 13,
    "lab&query=1&token=%E0%A4%A,%,1,2,3",
    "lab&__proto__=1&token=__proto__",
]


def test_a_hostile_link_changes_nothing(address: str, page: Page, complaints: list[str]) -> None:
    lab = page.locator(".lab")
    for fragment in HOSTILE:
        page.goto(f"{address}#{fragment}")  # without a reload, but for the first
        expect(lab.locator(".lab-told")).to_have_text(
            "The link holds no state that the lab can show."
        )
        field(lab, 1, 1).fill("1")
        expect(lab.locator(".lab-told")).to_be_empty()
        changed = [[1.0, *EXAMPLE[0][1:]], *EXAMPLE[1:]]
        assert_shown(shown(lab)["weights"], by_the_package(changed, Switches())["weights"])
    page.reload()
    expect(lab.locator(".lab-told")).not_to_be_empty()
    assert_shown(shown(lab)["weights"], by_the_package(EXAMPLE, Switches())["weights"])


# ---- its place on the pages ------------------------------------------------------------------


def test_without_javascript_it_is_the_printed_matrix(address: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for path in LAB_PAGES:
        page.goto(address + path)
        table = page.locator("attention-lab table")
        expect(table).to_be_visible()
        printed = page.locator("attention-lab + .printed samp").text_content() or ""
        shown = table.locator("tbody td").evaluate_all(
            "cells => cells.map((cell) => cell.dataset.n ?? cell.innerText)"
        )
        assert [*map(float, shown)] == [*map(float, re.findall(r"\d+\.\d*", printed))]
        box = page.locator("attention-lab").bounding_box()
        assert box
        assert box["height"] < 400, "no room is kept for what does not come"
    context.close()


# The switches that a page has taught.
OFFERED = {
    "steps/03-weights/": ["plain"],
    "steps/05-queries-keys-and-values/": ["projected"],
    "steps/06-why-divide-by-the-square-root/": ["scaled"],
    "steps/08-causal-masks/": ["causal"],
    "steps/10-multi-head-attention/": [],
}


@pytest.mark.parametrize("path", LAB_PAGES)
def test_it_fits_its_page(address: str, page: Page, complaints: list[str], path: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    lab = visit(page, address + path)

    # It starts with the numbers that the page prints.
    printed = page.locator("attention-lab + .printed samp").text_content() or ""
    digits = re.findall(r"\d+\.\d*", printed)
    name = "scores" if "02-scores" in path else "weights"
    cells = page.get_by_role("grid", name=name).locator("tbody td").all_inner_texts()
    assert len(cells) == len(digits)
    for cell, number in zip(cells, digits, strict=True):
        # The lab shows two decimals, and a page as many as it needs.
        rounding = 0.5 * 10.0 ** -len(number.partition(".")[2]) + 5e-3
        assert float(cell) == pytest.approx(float(number), abs=rounding)
    assert not page.locator("attention-lab .heat").is_visible()

    # It offers the switches that the page has taught.
    seen = lab.locator(".lab-switches .lab-option").filter(visible=True).all_inner_texts()
    assert seen == [LABELS[name] for name in OFFERED.get(path, [])]

    # On a phone, what is changed and what it changes are seen together.
    page.evaluate("document.querySelector('.lab-drawing').scrollIntoView()")
    page.evaluate("scrollBy(0, -document.querySelector('.md-header').offsetHeight)")
    for part in [".lab-drawing", ".lab-name", ".lab-stepper:nth-of-type(4)"]:
        expect(lab.locator(part).last).to_be_in_viewport(ratio=1)
    looks = lab.locator(".lab-field").evaluate_all(
        "fields => fields.map(field => [parseFloat(getComputedStyle(field).fontSize),"
        "field.inputMode])"
    )
    assert all(size >= 16 for size, _ in looks)
    assert {mode for _, mode in looks[1:]} == {"decimal"}
    sizes = lab.evaluate(
        "lab => [...lab.querySelectorAll('button, tbody td, .lab-option, .lab-field')]"
        ".filter(target => target.checkVisibility())"
        ".map(target => target.getBoundingClientRect()).map(box => [box.width, box.height])"
    )
    assert min(itertools.chain(*sizes)) >= 24


def test_a_link_shows_the_switches_that_it_sets(address: str, page: Page) -> None:
    lab = visit(page, address + "#lab&query=1&causal&token=a,1,2,3,4")
    switches = lab.locator(".lab-switches .lab-option").filter(visible=True)
    expect(switches).to_have_text([LABELS["causal"]])


@pytest.mark.parametrize(
    ("path", "width"),
    [
        *[("", width) for width in (390, 1280)],
        *[("steps/02-scores/", width) for width in (320, 760)],
        *[("steps/10-multi-head-attention/", width) for width in (390, 1280)],
    ],
)
def test_nothing_moves_when_it_comes(address: str, page: Page, path: str, width: int) -> None:
    held: list[Route] = []
    page.route("**/lab.js", lambda route: held.append(route))
    page.set_viewport_size({"width": width, "height": 2000})  # so high that what is below is seen
    page.goto(address + path, wait_until="commit")
    page.evaluate("document.fonts.ready")
    page.locator("attention-lab").evaluate("lab => lab.scrollIntoView()")
    while not held:
        page.evaluate("new Promise(requestAnimationFrame)")
    page.evaluate(
        "window.moved = []; window.observer = new PerformanceObserver(shifts =>"
        "moved.push(...shifts.getEntries().flatMap(shift => shift.sources.map(source =>"
        "source.node?.nodeName)))); observer.observe({type: 'layout-shift'})"
    )
    held[0].continue_()
    page.locator(".lab").wait_for()
    for _ in range(3):
        page.evaluate("new Promise(requestAnimationFrame)")
    moved = page.evaluate("new Promise(done => setTimeout(() => done(moved)))")
    assert moved == []
    page.wait_for_load_state()  # by then the theme lets wide tables scroll
    assert page.evaluate("document.documentElement.scrollWidth") == width


# ---- what the pages ask the reader to try ----------------------------------------------------


def at(page: Page, address: str, path: str) -> Locator:
    return visit(page, address + path)


def set_vector(lab: Locator, token: int, *vector: float) -> None:
    for e, x in enumerate(vector, 1):
        field(lab, token, e).fill(str(x))


def test_more_water_doubles_the_scores_with_what_is_wet(address: str, page: Page) -> None:
    lab = at(page, address, "steps/02-scores/")
    field(lab, 6, 1).fill("2")
    assert shown(lab)["scores"][5] == [0, 6, 0, 0, 6, 5]


def test_a_negative_score_breaks_plain_shares(address: str, page: Page) -> None:
    lab = at(page, address, "steps/03-weights/")
    field(lab, 5, 1).fill("-3")
    assert shown(lab)["weights"][5][1::3] == [0.66, 0.0]
    lab.get_by_label(LABELS["plain"]).check()
    assert shown(lab)["weights"][5][1::3] == [1.5, -1.5]


def test_one_number_of_rich_decides_where_bank_goes(address: str, page: Page) -> None:
    lab = at(page, address, "steps/04-context-vectors/")
    field(lab, 5, 2).fill("4")
    assert shown(lab)["weights"][5][4] == 0.64
    assert shown(lab)["context"][5][:2] == [0.8, 2.65]


def test_the_division_keeps_a_loud_key_from_taking_all(address: str, page: Page) -> None:
    lab = at(page, address, "steps/06-why-divide-by-the-square-root/")
    asks(lab, 3).check(force=True)
    assert shown(lab)["weights"][2][1] == 0.78
    text = lab.locator(".lab-sum code")
    tab(lab, 2)
    lab.get_by_role("button", name="double it").click()
    expect(text).to_have_text(re.compile(r" = 0\.996\d$"))
    lab.get_by_label(LABELS["scaled"]).uncheck()
    expect(text).to_have_text(re.compile(r" = 0\.999\d$"))


def test_behind_the_mask_the_last_word_changes_its_own_row_alone(address: str, page: Page) -> None:
    lab = at(page, address, "steps/08-causal-masks/")
    for is_masked in (True, False):
        lab.get_by_label(LABELS["causal"]).set_checked(is_masked)
        before = shown(lab)["weights"]
        set_vector(lab, 6, 1, 2, 3, 4 + is_masked)
        after = shown(lab)["weights"]
        changed = [i for i in range(6) if before[i] != after[i]]
        assert changed == [5] if is_masked else len(changed) > 1


def test_without_the_duck_the_second_head_finds_nobody_else(address: str, page: Page) -> None:
    lab = at(page, address, "steps/10-multi-head-attention/")
    before = shown(lab)["weights"]
    name_field(lab, 5).fill("muddy")
    assert shown(lab)["weights"] == before
    lab.locator(".lab-heads input").nth(1).check(force=True)
    tab(lab, 2)
    lab.get_by_role("button", name="make it zero").click()
    row = shown(lab)["weights"][5]
    assert row[5] > 0.8
    assert max(row[:5]) < 0.06
