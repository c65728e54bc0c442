"""The pages' content security policy: what the files say, and that a browser keeps it."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from site_build import hooks
from tests.site_build.test_site import Elements

# Notes each breach from the first script on; the theme's scripts cannot undo it.
NOTE_BREACHES = """
window.breaches = []
document.addEventListener("securitypolicyviolation",
    (event) => breaches.push(event.effectiveDirective + " " + event.blockedURI))
"""


def policies(page: Path) -> list[str]:
    return [
        attributes["content"]
        for tag, attributes in Elements(page).found
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]


def test_every_page_has_the_same_policy(site: Path) -> None:
    """Instant navigation would add up different ones."""
    pages = sorted(site.rglob("*.html"))
    assert {len(policies(page)) for page in pages} == {1}
    assert len({policies(page)[0] for page in pages}) == 1


def test_the_policy_allows_the_inline_scripts_of_the_theme_and_no_others(site: Path) -> None:
    directives = dict(
        directive.split(" ", 1) for directive in policies(site / "index.html")[0].split("; ")
    )
    assert directives["default-src"] == "'none'"
    own, *hashes = directives.pop("script-src").split()
    assert own == "'self'"
    assert len(hashes) == 3, "the scope of settings, the palette, and tabs"
    assert all(re.fullmatch(r"'sha256-[\w+/]{43}='", source) for source in hashes)
    assert [name for name, sources in directives.items() if "unsafe" in sources] == [
        "style-src-attr"
    ]


def test_the_policy_comes_before_what_it_holds_for(site: Path) -> None:
    for page in site.rglob("*.html"):
        head = page.read_text("utf-8")
        assert head.index("Content-Security-Policy") < head.index("<link")
        assert head.index("Content-Security-Policy") < head.index("<script")


def test_no_script_is_written_into_an_attribute(site: Path) -> None:
    for page in site.rglob("*.html"):
        for tag, attributes in Elements(page).found:
            handlers = [name for name in attributes if name.startswith("on")]
            assert not handlers, f"{page}: {tag} {handlers}"
            assert not attributes.get("href", "").startswith("javascript:"), page


def test_links_to_other_sites_hand_them_nothing(site: Path) -> None:
    links = 0
    for page in site.rglob("*.html"):
        for tag, attributes in Elements(page).found:
            if tag == "a" and urlsplit(attributes.get("href", "")).netloc:
                assert "noopener" in attributes.get("rel", "").split(), f"{page}: {attributes}"
                links += 1
    assert links > 20


def test_pages_that_are_served_while_writing_have_no_policy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The script that reloads them could not run."""
    page = '<meta charset="utf-8">'
    assert "Content-Security-Policy" in hooks.finish(page)
    monkeypatch.setattr(hooks, "serving", True)
    assert "Content-Security-Policy" not in hooks.finish(page)


def test_using_the_site_breaks_no_policy(address: str, page: Page) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.add_init_script(NOTE_BREACHES)
    page.goto(address, wait_until="networkidle")  # from now on without a reload
    page.get_by_role("button", name="Dark mode").click()
    page.locator(".language-python button[data-md-type=copy]").first.click()
    page.keyboard.press("/")
    page.keyboard.type("causal mask")
    page.locator(".md-search-result__link").first.click()
    expect(page).to_have_title(re.compile("^8. Causal"))
    page.locator(".language-python button[data-md-type=copy]").first.click()
    page.locator(".md-footer__link--next").click()
    expect(page).to_have_title(re.compile("^9"))
    assert page.evaluate("breaches") == []
    assert not complaints


def test_a_script_that_found_its_way_into_a_page_does_not_run(address: str, page: Page) -> None:
    page.add_init_script(NOTE_BREACHES)
    page.goto(address)
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.querySelector("article").append(script);
            const picture = document.createElement("div");
            picture.innerHTML = '<img src="data:," onerror="window.ran = true">';
            document.querySelector("article").append(picture);
        }"""
    )
    page.wait_for_function("breaches.length == 2")
    assert page.evaluate("window.ran") is None
