"""What paper shows of a toy is what the browser draws.

    pytest tests/site_build/test_handouts.py --record-results

draws the pictures anew.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from site_build.handouts import FOLDER, handout
from tests.results import OPTION
from tests.site_build.test_toy import STEPS

# What explains most, where that is not how the page begins.
STATES = {
    "weights": "#the-duck-likes-the-muddy-bank&way=exponential",
    "queries-keys-and-values": "#the-duck-likes-the-rich-bank&alike=0.5&kind=0.5",
    "padding-masks": "#the-bank-likes-money&blanks=6",
}
TOY = """(toy) => {
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


def drawn(page: Page, address: str, name: str) -> str:
    """Return the picture of a page, as the browser draws it."""
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{address}steps/{name}/{STATES.get(name, '')}")
    figure = page.locator("attention-toy")
    figure.scroll_into_view_if_needed()
    page.locator("attention-toy.live").wait_for()
    figure.evaluate("(toy) => toy.settle()")  # which says in words what there is to see
    picture: str = figure.evaluate(TOY)
    return picture


def seen(picture: str) -> tuple[list[str], list[float]]:
    """Return the words of a picture, and how thick its lines are; places depend on the font."""
    texts = re.findall(r">([^<>]+)<", picture)
    return texts, [float(width) for width in re.findall(r'stroke-width[=:]\s?"?([\d.]+)', picture)]


@pytest.mark.parametrize("name", STEPS)
def test_paper_shows_what_the_browser_draws(
    address: str, page: Page, name: str, request: pytest.FixtureRequest
) -> None:
    picture = drawn(page, address, name)
    if request.config.getoption(OPTION):
        Path(FOLDER / f"{name}.html").write_text(f"{picture}\n", "utf-8")
    words, widths = seen(handout(name))
    words_now, widths_now = seen(picture)
    assert words == words_now
    assert widths == pytest.approx(widths_now, abs=0.1)
    assert words


def test_each_picture_has_a_page() -> None:
    assert {file.stem for file in FOLDER.glob("*.html")} == {*STEPS}
