"""The content security policy, in a browser."""

from playwright.sync_api import Page

from site_build.finish.rules import with_rules

# Asks an address in each way that a page has; returns the ways in which it got something.
ASK = """async (address) => {
    const get = (name, properties) => new Promise((done) => {
        const element = Object.assign(document.createElement(name), properties)
        element.onload = () => done(name)
        element.onerror = () => done()
        document.querySelector("article").append(element)
    })
    const got = await Promise.all([
        get("img", {src: address + "assets/logo.svg"}),
        get("script", {src: address + "assets/page-tools/page-tools.js"}),
        get("link", {rel: "stylesheet", href: address + "assets/site.css"}),
        fetch(address, {mode: "no-cors"}).then(() => "fetch", () => undefined),
    ])
    return got.filter(Boolean)
}"""


def test_no_page_can_reach_another_host(address: str, new_tab: Page) -> None:
    new_tab.goto(address)
    assert new_tab.evaluate(ASK, address) == ["img", "script", "link", "fetch"]
    assert new_tab.evaluate(ASK, address.replace("127.0.0.1", "localhost")) == []


def test_a_rule_in_place_of_an_attribute_is_as_strong(page: Page) -> None:
    sheet = "#it.it { --share: 0; --look: 0 } b.it { --wide: 0 !important }"
    attribute = "--share: 1; --look: 1; --wide: 1"
    html = f'<head><style>{sheet}</style></head><b id="it" class="it" style="{attribute}">it</b>'
    for text in (html, with_rules(html)):
        page.set_content(text)
        values = page.locator("b").evaluate(
            """(it) => {
              it.style.setProperty("--look", "2");
              return ["--share", "--look", "--wide"].map((name) =>
                getComputedStyle(it).getPropertyValue(name));
            }"""
        )
        assert values == ["1", "2", "0"]
