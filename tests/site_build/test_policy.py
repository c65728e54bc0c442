"""The content security policy, in a browser."""

from playwright.sync_api import Page

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
        get("script", {src: address + "assets/copy/copy.js"}),
        get("link", {rel: "stylesheet", href: address + "assets/site.css"}),
        fetch(address, {mode: "no-cors"}).then(() => "fetch", () => undefined),
    ])
    return got.filter(Boolean)
}"""


def test_no_page_can_reach_another_host(address: str, new_tab: Page) -> None:
    new_tab.goto(address)
    assert new_tab.evaluate(ASK, address) == ["img", "script", "link", "fetch"]
    assert new_tab.evaluate(ASK, address.replace("127.0.0.1", "localhost")) == []
