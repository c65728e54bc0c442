"""A lazy search index, and purged styles; test_every_page.py weighs the pages."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page

from tests.conftest import ROOT, sources


def test_no_style_asks_the_whole_page_at_each_change(site: Path) -> None:
    """`body:has(...)` was asked again at each change of a script: half a second of a visit."""
    (sheet,) = (site / "assets").glob("style.*.css")
    assert re.findall(r"(?:html|body|:root)[^\s{},]*:has\([^{},]*", sheet.read_text()) == []


def test_the_search_index_is_fetched_when_the_reader_comes_to_the_box(
    address: str, page: Page
) -> None:
    fetched: list[str] = []
    page.context.on("request", lambda request: fetched.append(request.url.rpartition("/")[2]))
    page.goto(address, wait_until="networkidle")
    assert "search_index.json" in fetched
    assert not {"titles.json", "texts.json"} & set(fetched)
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    page.locator(".md-search__form:not(.waits) ~ * .md-search-result__link").first.wait_for()
    assert [fetched.count(name) for name in ("titles.json", "texts.json")] == [1, 1]


# The innermost element that looks otherwise with one style sheet than with another. Fonts are left
# aside, for they come when they come, and movement, of which only the end counts.
LOOKS = """(sheets) => {
  document.querySelector("link[href*='/style.']").disabled = true;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [sheet];
  const parts = [...document.querySelectorAll("*")].flatMap((element) =>
    [null, "::before", "::after"].map((part) => [element, part]));
  // A variable counts where a property takes it.
  const names = [...getComputedStyle(document.body)].filter((name) => !name.startsWith("--"));
  const looks = sheets.map((css) => {
    sheet.replaceSync(css.replace(/@font-face\\s*{[^}]*}/g, "") +
      "*, ::before, ::after { transition: none !important; animation: none !important }");
    return parts.map(([element, part]) => {
      const style = getComputedStyle(element, part);
      if (part && style.content === "none") return "";
      return names.map((name) => `${name}: ${style.getPropertyValue(name)}`).join("\\n");
    });
  });
  const differing = parts.keys().filter((i) => looks[0][i] !== looks[1][i]).toArray();
  const html = (i) => parts[i][0].outerHTML;
  const innermost = differing.sort((i, j) => html(i).length - html(j).length)[0];
  return innermost === undefined ? null : [html(innermost).slice(0, 80), parts[innermost][1],
    ...looks.map((look) => look[innermost])];
}"""


@pytest.mark.parametrize(
    ("path", "width", "scheme"),
    [
        ("", 390, "dark"),
        ("steps/weights/", 1280, "light"),
        ("notebooks/003_formula_and_numbers/", 1280, "dark"),
        ("reference/masks/", 390, "light"),
    ],
)
def test_no_style_is_missed(
    site: Path, address: str, page: Page, path: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    """The page looks as it does with all of the theme's styles."""
    ours = re.findall(r"^  - (assets/.*\.css)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)
    assert ours
    theme = sorted((site / "assets" / "stylesheets").glob("*.css"))
    whole = [*theme, site / "assets" / "_mkdocstrings.css", *(site / style for style in ours)]
    [slim] = (site / "assets").glob("style.*.css")
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(address + path)
    if page.locator("attention-toy").count():
        page.locator("attention-toy").evaluate("toy => toy.scrollIntoView()")
        page.locator("attention-toy.live .toy-tray button").first.wait_for()
    linked = [
        slim,
        *(sheet for sheet in whole if page.locator(f"link[href$='{sheet.name}']").count()),
    ]
    sheets = ["".join(style.read_text("utf-8") for style in styles) for styles in (linked, whole)]
    missed = page.evaluate(LOOKS, sheets)
    assert missed is None, "\n".join(differences(*missed))


def differences(element: str, part: str | None, *looks: str) -> Iterator[str]:
    """Yield the element, and each property that it has with one style sheet alone."""
    yield f"{element} {part or ''}"
    slim, whole = (set(look.splitlines()) for look in looks)
    yield from (f"- {line}" for line in sorted(whole - slim))
    yield from (f"+ {line}" for line in sorted(slim - whole))


def test_no_feature_is_on_whose_styles_are_left_out() -> None:
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert not re.search("annotate|tooltips|mermaid|^repo_url|^  version:", settings, re.MULTILINE)
    for page in sources(".md"):
        assert not re.search(
            r"\{[^}]*\.annotate|```mermaid|^(status|tags):|^===", page.read_text("utf-8"), re.M
        )
