"""What the built site must hold, looked at without a browser."""

import html
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from fontTools.ttLib import TTFont
from playwright.sync_api import Browser

from attention_practice._diagnosis import NAN_GRADIENT
from attention_practice.exercises import EXERCISES
from site_build.moved import MOVED
from tests.conftest import ROOT, sources

DOCS = ROOT / "docs"


def source_of(step: str) -> str:
    """Return the source of a step of the course."""
    return (DOCS / "steps" / f"{step}.md").read_text("utf-8")


NOTEBOOKS = sorted(path.stem for path in (DOCS / "notebooks").glob("*.ipynb"))
STEPS = [path.stem for path in sources(".md") if path.parent.name == "steps"]


class Elements(HTMLParser):
    """Collects the start tags of a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_every_page_and_notebook_is_built(site: Path) -> None:
    built = {path.parent.relative_to(site).as_posix() for path in site.rglob("index.html")}
    expected = {
        source.relative_to(DOCS).with_suffix("").as_posix().removesuffix("index") or "."
        for source in sources(".md", ".ipynb")
    }
    moved = {path.removesuffix(".md") for path in MOVED}
    assert built == expected | moved


def test_every_page_has_the_policy_before_what_it_holds_for(site: Path) -> None:
    for page in pages(site):
        head = page.read_text("utf-8")
        policy = head.index("Content-Security-Policy")
        assert policy < min(head.index("<link"), head.index("<script")), page


def test_no_page_needs_what_its_policy_refuses(site: Path) -> None:
    for page in pages(site):
        for tag, attributes in Elements(page).found:
            handlers = [name for name in attributes if name.startswith("on")]
            assert not handlers, f"{page}: <{tag} {attributes}>"
            if attributes.get("http-equiv") == "Content-Security-Policy":
                scripts = attributes["content"].partition("script-src")[2].partition(";")[0]
                assert "unsafe" not in scripts, page


def test_no_page_runs_a_script_that_it_did_not_bring(address: str, browser: Browser) -> None:
    tab = browser.new_page()
    for path in ("", "steps/weights/", "404.html"):
        tab.goto(address + path)
        ran = tab.evaluate(
            """() => {
              const script = document.createElement("script");
              script.textContent = "window.ran = true";
              document.body.append(script);
              document.body.insertAdjacentHTML("beforeend", "<p onclick='window.ran = true'>");
              document.body.lastChild.click();
              return [window.ran === true, typeof __md_get];
            }"""
        )
        assert ran == [False, "function"], "its own scripts run"
    tab.close()


@cache
def ids_of(page: Path) -> set[str]:
    return {attributes["id"] for _, attributes in Elements(page).found if "id" in attributes}


def links(page: Path, site: Path) -> Iterator[tuple[str, Path, str]]:
    """Yield each link inside the site: as written, the file it means, and the place in it."""
    for tag, attributes in Elements(page).found:
        href = attributes.get("href")
        if tag != "a" or href is None or urlsplit(href).scheme or page.name == "404.html":
            continue
        address, anchor = urldefrag(href)
        target = (page.parent / unquote(address)).resolve() if address else page
        yield href, target / "index.html" if target.is_dir() else target, unquote(anchor)


def test_every_link_leads_somewhere(site: Path) -> None:
    checked = 0
    for page in pages(site):
        for href, target, anchor in links(page, site):
            assert target.is_file(), f"{page.relative_to(site)}: {href}"
            if anchor:
                assert anchor in ids_of(target), f"{page.relative_to(site)}: {href}"
            checked += 1
    assert checked > 200


def sections_of_exercises() -> Iterator[str]:
    """Yield the pages and sections that messages of the practice send a reader to."""
    for exercise in EXERCISES.values():
        yield from (exercise.page, *(mistake.page for mistake in exercise.mistakes))
    yield NAN_GRADIENT


def test_every_section_that_an_exercise_names_exists(site: Path) -> None:
    for address in sorted(set(sections_of_exercises())):
        page, _, section = address.partition("#")
        assert (site / page / "index.html").is_file(), address
        assert not section or section in ids_of(site / page / "index.html"), address


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_can_be_downloaded_as_it_is(site: Path, name: str) -> None:
    copy = site / "notebooks" / name / f"{name}.ipynb"
    assert copy.read_bytes() == (DOCS / "notebooks" / f"{name}.ipynb").read_bytes()
    buttons = [a for tag, a in Elements(copy.parent / "index.html").found if "download" in a]
    assert [button["href"] for button in buttons] == [copy.name]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_image_of_a_notebook_is_described(site: Path, name: str) -> None:
    page = site / "notebooks" / name / "index.html"
    drawings = [a for _, a in Elements(page).found if a.get("class") == "drawing"]
    assert drawings
    for drawing in drawings:
        assert re.search(r"\d", drawing["alt"]), "an alt text says what is to be seen, with numbers"
        assert (page.parent / drawing["src"]).is_file()
        assert int(drawing["width"]) > 0
        assert int(drawing["height"]) > 0


@pytest.mark.parametrize(
    "page",
    [
        *(f"steps/{name}/index.html" for name in STEPS if "$$" in source_of(name)),
        *(f"notebooks/{name}/index.html" for name in NOTEBOOKS),
        "reference/attention/index.html",
        "reference/notation/index.html",
    ],
)
def test_formulas_are_mathml(site: Path, page: str) -> None:
    text = (site / page).read_text("utf-8")
    assert "<math" in text
    prose = re.sub(r"<(pre|code)\b.*?</\1>", "", text, flags=re.DOTALL)
    assert "arithmatex" not in prose
    assert not re.findall(r"\$\$|\\\(|\\\[|\\frac|\\mathrm", prose)


FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
ONE_LETTER = re.compile(r"<mi>([^<])</mi>")  # the browser draws it in italics


def italic(letter: str) -> str:
    """Return the mathematical italic form of a letter, where it has one."""
    size = "CAPITAL" if letter.isupper() else "SMALL"
    name = unicodedata.name(letter, "").rpartition(" ")[2]
    try:
        return unicodedata.lookup(f"MATHEMATICAL ITALIC {size} {name}")
    except KeyError:
        return "\u210e" if letter == "h" else letter  # the italic h is Planck's constant


def test_the_math_font_has_every_character_of_formulas(site: Path) -> None:
    found = (match for page in pages(site) for match in FORMULA.finditer(page.read_text("utf-8")))
    text = ONE_LETTER.sub(lambda name: italic(name[1]), " ".join(match[0] for match in found))
    font = TTFont(ROOT / "src/site_build/theme/assets/fonts/math.woff2")
    assert "MATH" in font, "without this table brackets do not stretch"
    wanted = {*html.unescape(re.sub("<[^>]*>", " ", text)), "\N{SQUARE ROOT}"}
    # White space, and the invisible sign for applying a function, need no glyph.
    missing = {c for c in wanted if ord(c) not in font.getBestCmap() and c.strip(" \n\u2061\xa0")}
    assert not missing, "take a larger subset: assets/fonts/LICENSE says how"


def test_a_description_stands_apart_from_its_dash(site: Path) -> None:
    page = (site / "reference" / "attention" / "index.html").read_text("utf-8")
    text = html.unescape(re.sub("<[^>]*>", "", page))
    assert re.findall(r"\u2013\s+Queries, shape", text)
    assert not re.findall(r"\u2013\w", text)


def test_a_link_to_a_page_shows_its_title_and_the_social_card(site: Path) -> None:
    head = [a for tag, a in Elements(site / "steps/weights/index.html").found if tag == "meta"]
    said = {attributes.get("property"): attributes.get("content", "") for attributes in head}
    assert said["og:title"] == "Weights"
    assert said["og:image"].endswith("/assets/social-card.png")
    assert (site / "assets" / "social-card.png").is_file()


def test_all_pages_are_listed_and_robots_find_the_list(site: Path) -> None:
    listed = re.findall("<loc>http://127.0.0.1:8000/(.*)</loc>", (site / "sitemap.xml").read_text())
    built = {path.parent.relative_to(site).as_posix() for path in site.rglob("index.html")}
    assert len(listed) == len(set(listed))
    assert {f"{path}/".removeprefix("./") for path in built} == set(listed)
    robots = (site / "robots.txt").read_text("utf-8")
    assert "Sitemap: http://127.0.0.1:8000/sitemap.xml" in robots


def test_no_model_that_lacks_a_part_is_darker_than_the_whole_one(site: Path) -> None:
    """A larger number has more colour, and so none may stand for something worse."""
    page = (site / "reference" / "training" / "index.html").read_text("utf-8")
    [table] = re.findall(r'<table class="heat-map"[^>]*><caption>Trained without.*?</table>', page)
    whole, *others = [
        [float(number) for number in re.findall(r"<td[^>]*>([\d.]+)", row)]
        for row in table.split("<tr>")[2:]
    ]
    assert len(others) == 7
    for column in zip(whole, *others, strict=True):
        assert column[0] == max(column)
