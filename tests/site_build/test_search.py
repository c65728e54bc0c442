"""The search: what a reader would type, and the page that should come up."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

# What readers type: words of the pages, questions asked in public, error texts that somebody got;
# and the page or the section that must be seen among the first three results.
ASKED = Path(__file__).with_name("asked.tsv")
QUERIES = dict(line.split("\t") for line in ASKED.read_text("utf-8").splitlines()) | {
    'File "<stdin>", line 1\n    x = q @ k.mT * ~mask + bias ^ 2\n        ^~~~~~~^\n'
    "RuntimeError: The size of tensor a (6) must match the size of tensor b (4) at non-singleton "
    "dimension 1": "guides/error-texts/#the-size-of-tensor-a-must-match-the-size-of-tensor-b",
}

# What people asked elsewhere, as they would type it, and where the site answers. Nobody may write a
# page, another name or a setting of the search for one of these: they say how it does with what it
# was not made for. So rows are only added, by somebody who has not seen what they find.
KEPT_ASIDE = Path(__file__).with_name("kept_aside.tsv")
KEPT = dict(line.split("\t") for line in KEPT_ASIDE.read_text("utf-8").splitlines())
KEPT_FOUND = 19  # of them among the first three; more is better, and then this number grows

OTHER_NAMES = "reference/notation/#other-names"  # where an entry leads that says what is not here

# Asks one after the other, as if somebody typed, and tells which entries of each result are seen
# without opening a fold. The results of the query before are gone when there are others, or none.
ASK = """async (queries) => {
  const box = document.querySelector("[data-md-component=search-query]")
  const list = document.querySelector(".md-search-result__list")
  const address = ({pathname, hash}) => pathname.slice(1) + hash
  const found = {}
  for (const words of queries) {
    list.append(document.createElement("li"))
    const answered = new Promise((resolve) =>
      new MutationObserver((_, observer) => resolve(observer.disconnect()))
        .observe(list, {childList: true}))
    box.value = words
    box.dispatchEvent(new KeyboardEvent("keyup"))
    await answered
    found[words] = [...list.children].map((item) =>
      [...item.querySelectorAll(":scope > a")].map((link) => address(link)))
  }
  return found
}"""


# Asks what the worker of the search asks, without excerpts, which take longest. Returns the entries
# of the first results that are shown without a fold: the page, and its sections that fit best.
FIND = """async (queries) => {
  const part = async (name) => (await fetch(`search/${name}.json`)).json()
  read(await part("titles"), await part("texts"))
  excerpt = () => ""
  const isPage = ({location}) => !location.includes("#")
  return Object.fromEntries(queries.map((words) => [words, find(words).slice(0, 12).map((entries) =>
    [...entries.filter(isPage), ...entries.filter((each) =>
      !isPage(each) && each.score === entries[0].score)].map(({location}) => location))]))
}"""


# Keeps all that the search says of itself from now on.
READ_STATUS = """() => {
  window.said = []
  const status = document.querySelector(".md-search-result__meta")
  new MutationObserver(() => said.push(status.textContent.trim()))
    .observe(status, {childList: true, characterData: true, subtree: true})
}"""


@pytest.fixture(scope="module")
def complaints() -> list[str]:
    """Return a list for what the console says."""
    return []


@pytest.fixture(scope="module")
def search(address: str, browser: Browser, complaints: list[str]) -> Iterator[Page]:
    """Return the home page with its search open."""
    page = browser.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    page.keyboard.press("/")
    box = page.get_by_role("textbox", name="Search")
    box.fill("attention")
    box.press("End")  # one query: letter by letter, answers would come after the first one is seen
    page.locator("form:not(.waits) ~ * .md-search-result__item").first.wait_for()  # all has come
    yield page
    page.close()


@pytest.fixture(scope="module")
def found(address: str, browser: Browser) -> dict[str, list[list[str]]]:
    """Return the entries of each result, for all queries."""
    page = browser.new_page()
    page.goto(address)
    page.add_script_tag(url=f"{address}assets/search/find.js")
    answers: dict[str, list[list[str]]] = page.evaluate(FIND, list(QUERIES | KEPT))
    page.close()
    return answers


@pytest.mark.parametrize("words", QUERIES)
def test_what_is_meant_is_among_the_first_results(
    found: dict[str, list[list[str]]], words: str
) -> None:
    assert QUERIES[words] in [entry for result in found[words][:3] for entry in result]


def test_as_much_is_found_of_what_the_search_was_not_made_for(
    found: dict[str, list[list[str]]],
) -> None:
    assert not KEPT.keys() & QUERIES.keys()
    missed = [
        words
        for words, answer in KEPT.items()
        if answer not in [entry for result in found[words][:3] for entry in result]
    ]
    assert len(KEPT) - len(missed) >= KEPT_FOUND, missed


def test_each_result_leads_to_a_section_that_is_there(
    site: Path, found: dict[str, list[list[str]]]
) -> None:
    """The build leaves out an anchor that a title says, and the browser makes it anew."""
    sections: dict[str, set[str]] = {}
    for results in found.values():
        for page, _, anchor in (entry.partition("#") for result in results for entry in result):
            sections.setdefault(page, set()).update([anchor] if anchor else [])
    assert sum(map(len, sections.values())) > 1000
    for page, anchors in sections.items():
        text = (site / page / "index.html").read_text("utf-8")
        assert anchors <= set(re.findall(r'\bid="([^"]+)"', text)), page


def test_the_box_shows_what_was_found(
    search: Page, found: dict[str, list[list[str]]], complaints: list[str]
) -> None:
    shown = search.evaluate(ASK, list(QUERIES)[::20])  # the theme takes longer than to find
    assert len(shown) > 30
    assert shown == {words: found[words][: len(shown[words])] for words in shown}
    assert {len(results) for results in shown.values()} > {10}  # so many are shown at first
    assert not complaints


def test_results_show_sentences(search: Page) -> None:
    search.evaluate(ASK, ["sum over query_ie key_je"])
    results = search.locator(".md-search-result__item")
    expect(
        results.filter(has_text="scores_ij = sum over e of query_ie key_je").first
    ).to_be_visible()
    assert results.locator("pre").count() == 0


def test_the_number_of_results_is_announced(search: Page) -> None:
    found = search.evaluate(ASK, ["bahdanau"])["bahdanau"]
    expect(search.get_by_role("status").filter(has_text="matching")).to_have_text(
        f"{len(found)} matching documents"
    )


def test_words_that_are_nowhere_find_nothing_and_the_search_says_so(search: Page) -> None:
    search.get_by_role("textbox", name="Search").fill("zebra")
    search.keyboard.press("End")
    expect(search.get_by_role("status").first).to_have_text("No matching documents")


def test_the_titles_answer_first_and_the_search_says_what_it_waits_for(
    address: str, page: Page
) -> None:
    waiting: list[Route] = []
    page.context.route(re.compile("/(titles|texts).json"), lambda route: waiting.append(route))
    page.goto(address)
    with page.context.expect_event("request", lambda request: "titles" in request.url):
        page.keyboard.press("/")  # nothing is typed yet
    page.evaluate(READ_STATUS)
    page.keyboard.type("causal mask")
    says = page.get_by_role("status").first
    expect(says).to_have_text("Loading the search…")
    assert len(waiting) == 1
    with page.context.expect_event("request", lambda request: "texts" in request.url):
        waiting[0].continue_()
    first = page.locator(".md-search-result__link").first
    expect(first).to_have_attribute("href", re.compile("steps/causal-masks/"))
    among = page.locator("form.waits ~ * .md-search-result__meta")
    assert "Texts are being loaded" in among.evaluate("e => getComputedStyle(e, '::after').content")
    titles = int(re.sub(r"\D", "", says.inner_text()))
    waiting[1].continue_()
    expect(among).to_have_count(0)
    expect(says).to_contain_text("matching documents")
    assert int(re.sub(r"\D", "", says.inner_text())) > titles
    said = page.evaluate("said")
    assert all(text[:1].isdigit() for text in said), said


def test_what_was_typed_before_the_scripts_came_is_answered(address: str, page: Page) -> None:
    late: list[Route] = []
    page.route("**/bundle.*.js", lambda route: late.append(route))
    with page.expect_event("request", lambda request: "bundle" in request.url):
        page.goto(address, wait_until="commit")
    page.get_by_role("textbox", name="Search").click()
    page.keyboard.type("causal mask")
    late[0].continue_()
    first = page.locator(".md-search-result__link").first
    expect(first).to_have_attribute("href", re.compile("steps/causal-masks/"))


def test_what_the_site_does_not_treat_is_said_before_the_nearest_pages(search: Page) -> None:
    results = search.locator(".md-search-result__item")
    for words, says in {
        "How does quantization to NF4 work?": "says “NF4”:",
        "How does Hyena differ from attention?": "says “Hyena”:",
        "how do I train Stable Diffusion": "says “Stable” or “Diffusion”:",
        "byte pair encoding": "says “byte pair encoding”:",
        "state space model": "says “space”:",
        "Mamba": "No title has “Mamba”. Mentioned here:",
        "SGLang": "No title has “SGLang”. Mentioned here:",
    }.items():
        search.evaluate(ASK, [words])
        expect(results.first).to_contain_text(says)


def test_a_notice_claims_only_what_is_so_of_whole_pages_and_cuts_no_list(
    search: Page, site: Path, found: dict[str, list[list[str]]]
) -> None:
    lengths = []
    for words in QUERIES:
        notice, *results = found[words]
        if notice != [OTHER_NAMES]:
            continue
        search.evaluate(ASK, [words])
        title = search.locator(".md-search-result__item").first.locator("h1, h2").first.inner_text()
        if not title.startswith("None"):
            continue
        nearest = [site / result[0].partition("#")[0] / "index.html" for result in results[:3]]
        articles = [path.read_text("utf-8").lower().split("<article")[1] for path in nearest]
        # What they say: no title of another page in the navigation, and no address.
        pages = [re.sub("<.*?>", " ", each.split("</article>")[0]) for each in articles]
        claimed = [word.lower() for word in re.findall("“(.*?)”", title)]
        assert not [page for page in pages if any(word in page for word in claimed)], words
        lengths.append(len(results))
    assert max(lengths) > 8  # the theme shows ten at first


def test_the_best_page_that_says_what_the_nearest_do_not_is_listed_too(search: Page) -> None:
    words = "register_buffer vs requires_grad False positional encoding"
    notice, *results = search.evaluate(ASK, [words])[words]
    assert notice == [OTHER_NAMES]
    assert "guides/what-goes-wrong/#a-mask-that-stays-behind" in results[3]


def test_a_word_that_is_nowhere_denies_no_answer(search: Page) -> None:
    questions = [
        "prefix caching cuts no latency",
        "Qwen LLaMA attention bias",
        "use_cache so slow?",
        "torch/nn/functional.py:5560: UserWarning: 1Torch was not compiled with flash attention. "
        "(Triggered internally at ../aten/src/ATen/native/transformers/cuda/sdp_utils.cpp:263.)\n"
        "  attn_output = scaled_dot_product_attention(query, key, value)",
    ]
    found = search.evaluate(ASK, questions)
    assert not [results for results in found.values() if results[0] == [OTHER_NAMES]]


def test_results_come_while_a_word_is_typed_and_under_any_ending(search: Page) -> None:
    whole = search.evaluate(ASK, ["induction"])["induction"]
    for words in ("inducti", "inductions", "induct"):
        assert search.evaluate(ASK, [words])[words][0] == whole[0]


def test_a_word_of_code_is_found_by_its_parts_where_it_is_unknown(search: Page) -> None:
    words = "rotary_embedding_theta_scaling"
    assert search.evaluate(ASK, [words])[words][0][0].startswith("steps/position-by-rotation/")


def test_words_that_do_not_tell_what_is_asked_decide_nothing(search: Page) -> None:
    found = search.evaluate(ASK, ["ALiBi", "How would I use this with the ALiBi?"])
    assert found["ALiBi"] == found["How would I use this with the ALiBi?"]


def test_arrows_and_enter_open_a_result(address: str, page: Page) -> None:
    page.goto(address)
    page.keyboard.press("/")
    box = page.get_by_role("textbox", name="Search")
    box.fill("causal mask")
    box.press("End")
    page.locator("form:not(.waits) ~ * .md-search-result__item").first.wait_for()  # no others come
    link = page.locator(".md-search-result__link").first
    for _ in range(100):  # until the last of them is drawn
        box.press("ArrowDown")
        page.wait_for_timeout(100)
        if link.evaluate("(link) => link === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page).to_have_title(re.compile(r"\d+\. Causal masks - Attention Steps"))


def test_a_name_that_looks_like_a_file_is_found(search: Page) -> None:
    first = search.evaluate(ASK, ["llama.cpp"])["llama.cpp"][0]
    assert first != [OTHER_NAMES]
    expect(search.locator(".md-search-result__item").first).to_contain_text("llama.cpp")


def test_what_is_pasted_without_a_key_is_answered(search: Page) -> None:
    search.evaluate(ASK, ["teacher forcing"])
    search.get_by_role("textbox", name="Search").fill("ring attention")
    first = search.locator(".md-search-result__link").first
    expect(first).to_have_attribute("href", re.compile("steps/sequence-on-devices/"))


def test_without_a_connection_the_search_says_so_and_tries_again(
    address: str, new_tab: Page
) -> None:
    new_tab.goto(address)
    new_tab.route("**/search/*.json", lambda route: route.abort())
    new_tab.keyboard.press("/")
    new_tab.keyboard.type("causal")
    says = new_tab.get_by_role("status").first
    expect(says).to_have_text("The search could not be loaded. The next letter tries again.")
    new_tab.unroute_all()
    new_tab.keyboard.type(" mask")
    expect(says).to_contain_text("matching documents")
