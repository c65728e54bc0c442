"""The toy of each step: one visit, in which it is there, printed, tried, linked and worked out.

    pytest tests/site_build/test_toy_steps.py --record-results

draws the pictures that paper shows of it (site_build.handouts) anew.
"""

import math
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from site_build.handouts import FOLDER, handout
from tests.results import OPTION
from tests.site_build.reading import wait
from tests.site_build.test_toy import DOOR, STEPS

# For each step: what its page asks the reader to do first, and what is then seen; then what else is
# changed, and how the address spells that; and an address that spells nonsense.
FIRST: dict[str, tuple[list[str], str, str]] = {
    "padding-masks": (
        ["blank pages=6"],
        ".toy-verdict",
        "“the” takes 0.51 from the blank pages.",
    ),
    "cross-attention": (["rich"], ".toy-verdict", "The lower sentence does not say which bank."),
}
CHOSEN: dict[str, tuple[list[str], str]] = {
    "padding-masks": (["hide them"], "&blanks=6&hide=yes"),
    "cross-attention": (["The word that asks=note"], "&asking=the-thief-sees-the-old-note"),
}
NONSENSE = {
    "cross-attention": ["&asking=the-bank-likes-money"],
}
# What explains most on paper, where that is not how the page begins.
ON_PAPER = {
    "padding-masks": "#the-bank-likes-money&blanks=6",
}


@pytest.mark.parametrize("step", STEPS)
def test_a_visit_to_a_step(
    address: str, page: Page, step: str, request: pytest.FixtureRequest
) -> None:
    toy = arrived(page, f"{address}steps/{step}/")
    usual, link = shown(toy), toy.evaluate("toy => toy.link")

    at(page, toy, ON_PAPER.get(step, link))
    picture = on_paper(toy)
    if request.config.getoption(OPTION):
        Path(FOLDER / f"{step}.html").write_text(f"{picture}\n", "utf-8")
    (words, widths), (words_now, widths_now) = seen(handout(step)), seen(picture)
    assert words == words_now != []
    assert widths == pytest.approx(widths_now, abs=0.1)
    at(page, toy, link)

    actions, part, text = FIRST[step]
    for action in actions:
        act(toy, action)
    assert " ".join(toy.locator(part).all_inner_texts()) == text
    toy.get_by_role("button", name="Show the numbers").click()
    assert_the_numbers_add_up(toy)

    more, spelled = CHOSEN.get(step, ([], ""))
    for action in more:
        act(toy, action)
    expect(page).to_have_url(re.compile(f"{re.escape(spelled)}&numbers$"))
    chosen, table = shown(toy), toy.locator(".toy-numbers").inner_text()
    theirs = "#" + page.url.partition("#")[2]
    for spelling in ["", *NONSENSE.get(step, [])]:
        at(page, toy, link.partition("&")[0] + spelling, spells=link)
        assert shown(toy) == usual
    at(page, toy, theirs)
    assert shown(toy) == chosen
    assert chosen != usual
    expect(toy.locator(".toy-numbers")).to_have_text(table, use_inner_text=True)
    toy.get_by_role("button", name="Other sentence").click()
    expect(toy.locator(".toy-verdict")).not_to_be_empty()


HEIGHT = "document.querySelector('attention-toy').offsetHeight"


def heights(page: Page) -> list[int]:
    """Return how high the toy is in a narrow and in a wide window."""
    found = []
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("new Promise(requestAnimationFrame)")
        found.append(page.evaluate(HEIGHT))
    return found


def arrived(page: Page, address: str) -> Locator:
    """Open a page, and return its toy, which must be as high before its script as after."""
    held: list[Route] = []
    page.route("**/toy/toy.js", lambda route: held.append(route))
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(address, wait_until="commit")
    page.evaluate("document.fonts.ready")
    toy = page.locator("attention-toy")
    toy.evaluate("toy => toy.scrollIntoView()")
    while not held:
        page.evaluate("new Promise(requestAnimationFrame)")
    before = heights(page)
    held[0].continue_()
    page.locator("attention-toy.live .toy-tray button").first.wait_for()
    assert heights(page) == before
    return toy


def at(page: Page, toy: Locator, link: str, spells: str | None = None) -> None:
    """Go to what an address spells, by way of another sentence."""
    toy.get_by_role("button", name="Other sentence").click()
    page.evaluate("link => { location.hash = link }", link)
    wait(
        page,
        "link => document.querySelector('attention-toy').link === decodeURI(link)",
        arg=spells or link,
    )


def act(toy: Locator, action: str) -> None:
    """Press a button, check a box, or give a control a value."""
    label, _, value = action.partition("=")
    control = toy.get_by_label(label, exact=not value)
    if not control.count():
        toy.get_by_role("button", name=label, exact=True).click()
    elif not value:
        control.click()
    elif control.evaluate("control => control.tagName") == "SELECT":
        control.select_option(value)
    else:
        control.fill(value)


def shown(toy: Locator) -> list[object]:
    """Return what a toy says, and what its controls show."""
    said = [toy.locator(f".toy-{part}").all_inner_texts() for part in ("words", "verdict")]
    controls = toy.locator("input, select").evaluate_all(
        "all => all.map(control => [control.value, control.checked])"
    )
    return [*said, controls]


# ---- on a pocket calculator ----------------------------------------------------------------------

NUMBERS = """(numbers) => ({
  lines: [...numbers.querySelectorAll("p")].map((line) => line.innerText),
  tables: [...numbers.querySelectorAll("table")].map((table) =>
    [...table.rows].map((row) => [...row.cells].map((cell) => cell.innerText)))
})"""


def worked_out(written: str) -> float:
    """Compute what a reader would type into a pocket calculator."""
    signs = {"·": "*", "\N{MINUS SIGN}": "-", "√2": "2**0.5"}
    return float(eval(re.sub("|".join(signs), lambda sign: signs[sign.group()], written)))


def assert_the_numbers_add_up(toy: Locator) -> None:
    toy.locator(".toy-numbers table").first.wait_for()
    numbers = toy.locator(".toy-numbers").evaluate(NUMBERS)
    sums = [line.partition(": ")[2].split(" = ") for line in numbers["lines"] if " = " in line]
    for written, total in sums:
        assert worked_out(written) == pytest.approx(worked_out(total), abs=0.011), written
    assert len(sums) == 3 * len(numbers["tables"])
    for names, *rows in numbers["tables"]:
        if names[-1] != "share":
            continue
        rows = [row for row in rows if row[-1] and "hidden" not in row]
        parts = [worked_out(row[-2]) for row in rows]
        if names[-2] != "score":
            counts = [worked_out(f"1 · {row[-2]}".rpartition(" · ")[0]) for row in rows]
            exact = [n * math.exp(float(row[-3])) for n, row in zip(counts, rows, strict=True)]
            assert parts == pytest.approx(exact, abs=0.1, rel=1e-3)
        for part, row in zip(parts, rows, strict=True):
            assert part / sum(parts) == pytest.approx(float(row[-1]), abs=0.005), row


def test_the_numbers_of_music_add_up(address: str, page: Page) -> None:
    page.goto(f"{address}{DOOR}#the-singer-hears-the-loud-bass&numbers")
    page.locator("attention-toy").scroll_into_view_if_needed()
    assert_the_numbers_add_up(page.locator("attention-toy.live"))


# ---- on paper ------------------------------------------------------------------------------------

PICTURE = """(toy) => {
  toy.settle(); // it says in words what there is to see
  const stages = [...toy.querySelectorAll(".toy-stage")].map((stage) => {
    const svg = stage.querySelector("svg").cloneNode(true);
    svg.removeAttribute("aria-hidden");
    const list = toy.querySelector(".toy-asking select:last-child");
    if (list) { // the word that asks is in a row of lists above the picture
      const {width, height} = svg.viewBox.baseVal;
      svg.setAttribute("viewBox", `0 -40 ${width} ${height + 40}`);
      const [x] = /[\\d.]+/.exec(svg.querySelectorAll("path")[2].getAttribute("d"));
      const asks = svg.querySelector(".toy-on-paper text").cloneNode();
      asks.setAttribute("x", x);
      asks.setAttribute("y", -8);
      asks.setAttribute("class", "bold");
      asks.textContent = list.value;
      svg.querySelector(".toy-on-paper").append(asks);
    }
    const head = stage.previousElementSibling;
    const name = head?.matches(".toy-head") ? `<p>${head.innerHTML}</p>` : "";
    return `${name}<div class="toy-stage">${svg.outerHTML}</div>`;
  });
  const [said, words] = [toy.querySelector(".toy-spoken").textContent, toy.state.words.join(" ")];
  const caption = said.replaceAll(`${words}. `, "").trim();
  return `<div class="handout">${stages.join("")}<p>${caption}</p></div>`;
}"""


def on_paper(toy: Locator) -> str:
    """Return the picture of a toy as it stands, in words that are read without it."""
    picture: str = toy.evaluate(PICTURE)
    return picture


def seen(picture: str) -> tuple[list[str], list[float]]:
    """Return the words of a picture, and how thick its lines are; places depend on the font."""
    texts = re.findall(r">([^<>]+)<", picture)
    return texts, [float(width) for width in re.findall(r'stroke-width[=:]\s?"?([\d.]+)', picture)]


def test_each_picture_has_a_page() -> None:
    assert {file.stem for file in FOLDER.glob("*.html")} == {*STEPS}
