"""From page to page without a reload, and to an address where there is no page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

STEP = "steps/03-weights/"


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """Return a page that may not complain, however long it is used."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(request.url))
    yield page
    assert complaints == []


@pytest.fixture
def mark(address: str, page: Page) -> Iterator[None]:
    """Open a step and mark its document; a reload would lose the mark."""
    page.goto(address + STEP, wait_until="networkidle")  # for the sitemap
    page.evaluate("document.mark = 'still here'")
    yield
    assert page.evaluate("document.mark") == "still here"


@pytest.mark.usefixtures("mark")
def test_a_click_changes_title_navigation_and_contents(page: Page) -> None:
    page.get_by_role("link", name="Next: 4. Context vectors").click()
    expect(page).to_have_title("4. Context vectors - Attention Steps")
    expect(page.locator("article h1")).to_contain_text("4. Context vectors")
    expect(page.locator(".md-nav--primary a.md-nav__link--active").first).to_have_text(
        "4. Context vectors"
    )
    contents = page.locator(".md-sidebar--secondary").get_by_role("link")
    expect(contents.filter(has_text="Weights the wrong way round")).to_have_count(1)
    expect(contents.filter(has_text="Softmax twice")).to_have_count(0)


@pytest.mark.usefixtures("mark")
def test_the_way_back_leads_to_where_the_reader_was(page: Page) -> None:
    page.locator(".md-sidebar--secondary").get_by_role("link", name="Prove it").click()
    expect(page.locator("#prove-it")).to_be_in_viewport()
    page.wait_for_function("() => history.state?.y > 1000")  # noted a moment after
    page.get_by_role("link", name="Next: 4. Context vectors").click()
    expect(page).to_have_title("4. Context vectors - Attention Steps")
    page.wait_for_function("() => scrollY === 0")
    page.go_back()
    expect(page).to_have_title("3. Weights - Attention Steps")
    page.wait_for_function("() => scrollY > 1000")


@pytest.mark.usefixtures("mark")
def test_a_link_into_another_page_leads_to_its_heading(page: Page) -> None:
    page.get_by_role("link", name="2. Scores", exact=True).first.click()
    expect(page).to_have_title("2. Scores - Attention Steps")
    page.get_by_role("link", name="A dot product is not a cosine").first.click()
    expect(page.locator("#a-dot-product-is-not-a-cosine")).to_be_in_viewport()


@pytest.mark.usefixtures("mark")
def test_a_page_that_was_put_in_place_can_be_copied_from(page: Page) -> None:
    page.get_by_role("link", name="Next: 4. Context vectors").click()
    expect(page).to_have_title("4. Context vectors - Attention Steps")
    page.locator(".language-python button[data-md-type=copy]").first.click()
    assert page.evaluate("navigator.clipboard.readText()").startswith("import torch")
    page.get_by_role("link", name="Previous: 3. Weights").click()
    expect(page).to_have_title("3. Weights - Attention Steps")
    expect(page.locator(".language-python").first.locator("nav[role=none]")).to_have_count(1)


@pytest.mark.usefixtures("mark")
def test_the_styles_are_not_read_again(page: Page) -> None:
    """They would be while the new page is shown, in which nothing would have its place."""
    page.evaluate("document.querySelector('link[rel=stylesheet]').dataset.first = ''")
    page.get_by_role("navigation").get_by_role("link", name="Notation", exact=True).click()
    expect(page).to_have_title("Notation - Attention Steps")
    page.locator(".md-header .md-logo").click()
    expect(page).to_have_title("Attention Steps")
    expect(page.locator("link[rel=stylesheet]")).to_have_count(1)
    expect(page.locator("link[rel=stylesheet][data-first]")).to_have_count(1)


@pytest.mark.usefixtures("mark")
def test_a_scheme_that_was_chosen_stays(address: str, page: Page) -> None:
    body = page.locator("body")
    page.get_by_role("button", name="Dark mode").click()
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    page.get_by_role("link", name="Next: 4. Context vectors").click()
    expect(page).to_have_title("4. Context vectors - Attention Steps")
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    other = page.context.new_page()
    other.goto(address)
    expect(other.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    other.get_by_role("button", name="Dark mode").click()
    expect(body).to_have_attribute("data-md-color-scheme", "default")


def test_an_address_without_a_page_says_where_to_go(address: str, page: Page) -> None:
    page.goto(address + "404.html")
    expect(page).to_have_title("Page not found - Attention Steps")
    links = page.locator("article").get_by_role("link")
    expect(links.filter(has_text="1. Tokens become vectors")).to_be_visible()
    links.filter(has_text="What goes wrong").click()
    expect(page).to_have_title("What goes wrong - Attention Steps")
