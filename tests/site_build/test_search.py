"""The search: whether it finds what people asked, and the box that shows it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.site_build.reading import wait

HERE = Path(__file__).parent


def rows(name: str) -> dict[str, str]:
    """Return the queries of a table, each with the page or the section that answers it."""
    lines = (HERE / name).read_text("utf-8").splitlines()
    return dict(line.split("\t") for line in lines)


# Questions and messages as people asked and pasted them. Not all must be found: with all of them to
# satisfy, settings are fitted to them.
ASKED = rows("asked.tsv")
# What people asked elsewhere, as they would type it. Nobody may write a page or a setting of the
# search for one of these: they say how it does with what it was not made for.
KEPT_ASIDE = rows("kept_aside.tsv")

# The addresses of the best sections for each query, without the worker and its excerpts.
RANK = """async ([root, queries]) => {
  const [titles, texts] = await (await fetch(`${root}search/sections.json`)).json()
  const { Sections } = await import(`${root}assets/search/sections.js`)
  const sections = new Sections(titles.map((title, i) => [...title, ...texts[i]]))
  return queries.map((query) => sections.rank(query).ranked.slice(0, 40).map(([at]) => at))
}"""


@pytest.fixture(scope="module")
def found(address: str, browser: Browser) -> dict[str, list[str]]:
    """Return the best sections for each query of the tables."""
    page = browser.new_page()
    page.goto(address)
    queries = [*ASKED, *KEPT_ASIDE]
    ranked = page.evaluate(RANK, [address, queries])
    page.close()
    return dict(zip(queries, ranked, strict=True))


def page_of(section: str) -> str:
    return section.partition("#")[0]


def pages_missed(found: dict[str, list[str]], table: dict[str, str]) -> list[str]:
    """Return the queries of which the right page is not among the first three."""
    first = {query: list(dict.fromkeys(map(page_of, found[query])))[:3] for query in table}
    return [query for query, answer in table.items() if page_of(answer) not in first[query]]


def test_the_page_that_answers_is_among_the_first_three(found: dict[str, list[str]]) -> None:
    missed = pages_missed(found, ASKED)
    assert len(ASKED) - len(missed) >= 96, missed


def test_what_the_search_was_not_made_for_is_found_as_well(found: dict[str, list[str]]) -> None:
    assert not KEPT_ASIDE.keys() & ASKED.keys()
    missed = pages_missed(found, KEPT_ASIDE)
    assert len(KEPT_ASIDE) - len(missed) >= 24, missed
    sections = [query for query, answer in KEPT_ASIDE.items() if answer not in found[query][:5]]
    assert len(KEPT_ASIDE) - len(sections) >= 26, sections


def test_each_answer_and_each_result_is_a_place_on_the_site(
    site: Path, found: dict[str, list[str]]
) -> None:
    listed = {at for sections in found.values() for at in sections}
    assert len(listed) > 500
    for at in listed.union(ASKED.values(), KEPT_ASIDE.values()):
        page, _, anchor = at.partition("#")
        html = (site / page / "index.html").read_text("utf-8")
        assert not anchor or f'id="{anchor}"' in html, at


# ---- the box ------------------------------------------------------------------------------------


# What the search says once it has read the texts, and not the titles alone.
WHOLE = re.compile(r"^5 of \d+ sections$")


class Search:
    """The search of a page, as a reader uses it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.dialog = page.get_by_role("dialog", name="Search")
        self.box = self.dialog.get_by_role("textbox")
        self.says = self.dialog.get_by_role("status")
        self.results = self.dialog.get_by_role("listitem")
        self.links = self.dialog.get_by_role("link")


@pytest.fixture
def search(address: str, page: Page) -> Search:
    page.goto(address)
    page.keyboard.press("/")
    search = Search(page)
    expect(search.box).to_be_focused()
    return search


@pytest.mark.parametrize("width", [390, 1440])
def test_five_sections_are_seen_at_once_and_enter_opens_the_first_at_its_heading(
    search: Search, width: int
) -> None:
    high = 844 if width == 390 else 900
    search.page.set_viewport_size({"width": width, "height": high})
    search.box.press_sequentially("why is attention divided by the square root")
    expect(search.says).to_have_text(WHOLE)
    # All in one look, since the answer to the last letter may replace them.
    lines = search.results.locator("span").evaluate_all(
        "all => all.map((e) => e.clientHeight / parseFloat(getComputedStyle(e).lineHeight))"
    )
    assert len(lines) == 5
    assert all(0 < height < 2.1 for height in lines), lines
    bottom = search.results.nth(4).evaluate("e => e.getBoundingClientRect().bottom")
    assert bottom <= high
    expect(search.results.locator("mark").first).to_have_text(
        re.compile("^(divided?|square|root)$")
    )
    target = search.links.first.get_attribute("href") or ""
    assert "#" in target or target.endswith("steps/why-divide-by-the-square-root/")
    search.box.fill("residual stream")
    expect(search.links.first.locator("mark")).to_have_text(["residual", "stream"])
    target = search.links.first.get_attribute("href") or ""
    search.box.press("Enter")
    expect(search.page).to_have_url(target)
    if "#" in target:
        wait(
            search.page,
            "() => Math.abs(document.querySelector(':target')?.getBoundingClientRect().top) < 120",
        )


def test_arrows_lead_through_the_results_and_escape_closes(search: Search) -> None:
    search.box.fill("causal mask")
    expect(search.says).to_have_text(WHOLE)
    search.box.press("ArrowDown")
    expect(search.links.first).to_be_focused()
    search.page.keyboard.press("ArrowDown")
    expect(search.links.nth(1)).to_be_focused()
    search.page.keyboard.press("ArrowUp")
    search.page.keyboard.press("ArrowUp")
    expect(search.box).to_be_focused()
    search.page.keyboard.press("Escape")
    expect(search.dialog).to_be_hidden()


def test_an_answer_that_comes_later_leaves_the_reader_at_his_result(search: Search) -> None:
    search.box.fill("causal mask")
    expect(search.says).to_have_text(WHOLE)
    search.box.press("ArrowDown")
    search.page.keyboard.press("ArrowDown")
    at = search.links.nth(1)
    at.evaluate("link => link.dataset.old = true")
    # As when the texts come after the titles: the same query is answered again.
    search.page.evaluate(
        "() => document.querySelector('.search input').dispatchEvent(new Event('input'))"
    )
    expect(at).not_to_have_attribute("data-old", "true")
    expect(at).to_be_focused()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("zebra mask", "Nowhere on this site: “zebra”."),
        ("atention", "Read “atention” as “attention”."),
        ("zebra", "Nowhere on this site: “zebra”."),
        ("0.4387", "Nothing found"),
        ("", ""),
    ],
)
def test_one_line_says_what_is_not_there(search: Search, query: str, said: str) -> None:
    search.box.fill("softmax")
    expect(search.results).to_have_count(5)
    search.box.fill(query)
    expect(search.says).to_have_text(said)
    expect(search.results).to_have_count(5 if "mask" in query or "at" in query else 0)


def test_a_name_that_looks_like_a_file_is_found(search: Search) -> None:
    search.box.fill("llama.cpp")
    expect(search.results.first).to_contain_text("llama.cpp")


@pytest.mark.parametrize(
    ("word", "step"),
    [
        ("RoPE", "position-by-rotation"),
        ("GQA", "shared-heads"),
        ("linear attention", "without-softmax"),
        ("speculative decoding", "guess-ahead"),
    ],
)
def test_another_name_of_a_step_finds_the_step_first(search: Search, word: str, step: str) -> None:
    search.box.fill(word)
    expect(search.links.first).to_have_attribute("href", re.compile(f"/steps/{step}/$"))


def test_a_paste_without_a_key_is_answered_and_text_stays_text(search: Search) -> None:
    search.box.fill("teacher forcing")
    expect(search.results).to_have_count(5)
    error = (
        "RuntimeError: The size of tensor a (6) must match the size of tensor b (4) <b>&amp;</b>"
    )
    search.page.evaluate(
        """text => {
            const box = document.querySelector(".search input")
            box.value = text
            box.dispatchEvent(new InputEvent("input", {inputType: "insertFromPaste"}))
        }""",
        error,
    )
    place = "guides/error-texts/#the-size-of-tensor-a-must-match-the-size-of-tensor-b"
    expect(search.links.first).to_have_attribute("href", re.compile(re.escape(place)))


def test_the_index_comes_with_the_first_visit_to_the_box_and_titles_answer_first(
    address: str, new_tab: Page
) -> None:
    held: list[Route] = []
    fetched: list[str] = []
    new_tab.context.on("request", lambda request: fetched.append(request.url))
    new_tab.context.route("**/search/sections.json", lambda route: held.append(route))
    new_tab.goto(address, wait_until="networkidle")
    assert not [url for url in fetched if "sections" in url or "worker" in url]
    with new_tab.context.expect_event("request", lambda request: "sections.json" in request.url):
        new_tab.keyboard.press("/")
    search = Search(new_tab)
    search.box.press_sequentially("causal mask")
    expect(search.says).to_have_text("Loading the search…")
    held[0].continue_()
    expect(search.says).to_have_text(WHOLE)
    assert sum("sections.json" in url for url in fetched) == 1


def test_without_a_connection_the_search_says_so_and_tries_again(
    address: str, new_tab: Page
) -> None:
    new_tab.goto(address)
    new_tab.context.route("**/search/sections.json", lambda route: route.abort())
    new_tab.keyboard.press("/")
    search = Search(new_tab)
    search.box.press_sequentially("causal")
    expect(search.says).to_have_text("The search could not be loaded. The next letter tries again.")
    new_tab.context.unroute_all()
    new_tab.keyboard.type(" mask")
    expect(search.results).to_have_count(5)


def test_titles_alone_give_an_answer(address: str, new_tab: Page) -> None:
    """What the worker does with the first line of the index, before the second has come."""
    new_tab.goto(address)
    first = new_tab.evaluate(
        """async (root) => {
            const index = await (await fetch(`${root}search/sections.json`)).text()
            const titles = JSON.parse(index.slice(1, index.indexOf("\\n") - 1))
            const { Sections } = await import(`${root}assets/search/sections.js`)
            const sections = new Sections(titles.map((title) => [...title, "", ""]))
            return sections.find("why divide by the square root", 5).results[0].location
        }""",
        address,
    )
    assert first == "steps/why-divide-by-the-square-root/"
