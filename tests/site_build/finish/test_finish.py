"""The last steps on a built site; one that finds nothing to do is an error."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from PIL import Image

from site_build.finish.math_font import write_math_font
from site_build.finish.minify import minify_pages, minify_scripts, minify_styles
from site_build.finish.rules import write_rules
from site_build.finish.social_card import draw_social_cards
from site_build.finish.style_sheet import join_styles
from site_build.finish.unused import drop_unused
from site_build.search.index import other_names, split_index

LINKS = (
    '<head><link rel="stylesheet" href="{0}a.css"><link rel="stylesheet" href="{0}b/b.css"></head>'
)
HEAT_MAP = '<table class="heat-map"><td>1.0</td><td>0.1</td><td>0.1</td><td>0.5</td></table>'
FORMULA = "<math><mi>x</mi></math>"
THEIRS = "assets/javascripts/theirs.js"
FILES = {
    "index.html": f'{LINKS.format("")}\n  \n  <p class="here">{HEAT_MAP}<pre>a\n \nb</pre>',
    "part/index.html": f"{LINKS.format('../')}{FORMULA}",
    "404.html": LINKS.format("/course/"),
    "a.css": ".here { color: var(--red) } .gone { color: blue } :root { --red: red; --blue: blue }",
    "b/b.css": "@media print { .here { color: black } .made { top: 0 } }",
    "assets/made.js": "// says what\nconst made = 1; // why\n",
    "assets/toy/toy.css": "/* says\n what */\n.toy {\n  margin: 0 auto;\n}\n",
    THEIRS: "// stays\n//# sourceMappingURL=theirs.js.map\n",
    f"{THEIRS}.map": "{}",
    "assets/javascripts/lunr/min/words.js": "",
    "assets/javascripts/workers/search.js": "",
    "search/search_index.json": json.dumps(
        {
            "config": {"separator": r"[\s<>]+|&\w+;"},
            "docs": [
                {"location": "part/", "title": "Part", "text": ""},
                {
                    "location": "part/#a",
                    "title": "A",
                    "text": "<p>Look.</p><pre><code>x &lt; 1\n</code></pre> <pre>True\nx</pre>",
                },
            ],
        }
    ),
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("step", "name", "text", "complaint"),
    [
        (split_index, "search/search_index.json", '{"docs": []}', "no documents"),
        (minify_pages, "index.html", "<p>", "no page has a line end"),
        (write_rules, "index.html", "<p>", "no page has a style attribute"),
        (minify_scripts, "assets/made.js", None, "no script"),
        (drop_unused, "assets/javascripts/workers/search.js", None, r"no .*workers/\*"),
        (
            minify_scripts,
            "assets/made.js",
            "const said = `now ${few ? 'one' : `${count} words`}`",
            r"made\.js: a template .* `\$\{count\} words`",
        ),
        (minify_styles, "assets/toy/toy.css", None, "no style sheet"),
        (join_styles, "index.html", HEAT_MAP, "link style sheets"),
        (join_styles, "part/index.html", FORMULA, "link style sheets"),
        (
            join_styles,
            "part/index.html",
            LINKS.format("../") + LINKS.format("../c/"),
            "link style sheets",
        ),
        (write_math_font, "part/index.html", "<h1>Title</h1>", "no page has a formula"),
    ],
)
def test_a_step_that_finds_nothing_to_do_is_an_error(
    site: Path, step: Callable[[Path], None], name: str, text: str | None, complaint: str
) -> None:
    if text is None:
        (site / name).unlink()
    else:
        (site / name).write_text(text, "utf-8")
    with pytest.raises(ValueError, match=complaint):
        step(site)


def test_the_pages_ask_for_one_style_sheet_that_holds_what_they_use(site: Path) -> None:
    join_styles(site)
    (sheet,) = (site / "assets").glob("style.*.css")
    css = sheet.read_text("utf-8").replace(" ", "")
    assert css.startswith(".here{color:var(--red)}:root{--red:red}@mediaprint{")
    assert ".made" in css
    for page, way in {"index.html": "", "part/index.html": "../", "404.html": "/course/"}.items():
        head = (site / page).read_text("utf-8")
        assert head.count("stylesheet") == 1
        assert f'<link rel="stylesheet" href="{way}assets/{sheet.name}">' in head


def test_a_prefix_stays_where_safari_has_nothing_else(site: Path) -> None:
    names = ["user-select", "mask-size"]
    both = ";".join(f"-webkit-{name}: none; {name}: none" for name in names)
    (site / "a.css").write_text(f".here {{ {both} }}", "utf-8")
    join_styles(site)
    (sheet,) = (site / "assets").glob("style.*.css")
    css = sheet.read_text("utf-8")
    assert css.startswith(".here{-webkit-user-select:none;user-select:none;mask-size:none}")


def test_the_titles_and_the_texts_of_the_search_are_in_files_of_their_own(site: Path) -> None:
    split_index(site)
    first, titles, (_, section) = (
        json.loads((site / "search" / f"{name}.json").read_text("utf-8"))
        for name in ("search_index", "titles", "texts")
    )
    assert not first["docs"]
    assert [entry["title"] for entry in titles["docs"]] == ["Part", "A"]
    assert section["text"].strip() == "<p>Look.</p>"
    assert section["code"].split() == ["1", "true", "x"]


def test_other_names_are_given_to_what_they_lead_to(tmp_path: Path) -> None:
    rows = [
        ("RoPE, rotary attention", "../../steps/turn/"),
        ("local attention", "../../steps/window/"),
        ("head attention", "../../steps/window/#two"),
    ]
    cells = (f'<tr><td>{names}</td>\n<td><a href="{to}">a</a></td></tr>' for names, to in rows)
    page = tmp_path / "index.html"
    page.write_text(f'<h2 id="other-names">Names</h2><table>{"".join(cells)}</table>', "utf-8")
    assert other_names(page) == {
        "steps/turn/": {"names": "RoPE rotary", "called": "RoPE, rotary attention"},
        "steps/window/": {"names": "local", "called": "local attention"},
        "steps/window/#two": {"names": "head", "called": "head attention"},
    }


def test_blank_lines_and_indents_go_outside_of_code(site: Path) -> None:
    minify_pages(site)
    text = (site / "index.html").read_text("utf-8")
    assert "</head> <p" in text
    assert "<pre>a\n \nb</pre>" in text


def test_a_page_has_a_rule_for_each_of_its_style_attributes(site: Path) -> None:
    cells = "".join(f'<i style="--share:{share}">{share}</i>' for share in (0.5, 0.25, 0.5))
    (site / "index.html").write_text(
        f'<head></head>{cells}<b id="b" style="font:&quot;A&quot;">style="x"</b>', "utf-8"
    )
    write_rules(site)
    assert (site / "index.html").read_text("utf-8") == (
        '<head><style>:not(#_){&[data-rule="0"]{--share:0.5}&[data-rule="1"]{--share:0.25}'
        '&[data-rule="2"]{font:"A"}}</style></head><i data-rule="0">0.5</i>'
        '<i data-rule="1">0.25</i><i data-rule="0">0.5</i><b id="b" data-rule="2">style="x"</b>'
    )


def test_scripts_lose_their_comments(site: Path) -> None:
    minify_scripts(site)
    assert (site / "assets" / "made.js").read_text("utf-8") == "const made=1;"
    assert (site / THEIRS).read_text("utf-8") == FILES[THEIRS]


def test_what_no_page_asks_for_goes(site: Path) -> None:
    drop_unused(site)
    assert [*(site / THEIRS).parent.rglob("*")] == [site / THEIRS], "nor an empty folder"
    assert (site / THEIRS).read_text("utf-8") == "// stays"


def test_a_style_sheet_of_its_own_loses_its_comments(site: Path) -> None:
    minify_styles(site)
    assert (site / "assets/toy/toy.css").read_text("utf-8").strip() == ".toy{margin:0 auto;}"


def test_the_font_has_what_formulas_need(site: Path) -> None:
    write_math_font(site)
    font = TTFont(site / "assets" / "fonts" / "math.woff2")
    assert "MATH" in font, "without this table brackets do not stretch"
    assert {ord("√"), ord("\N{MATHEMATICAL ITALIC SMALL X}")} <= font.getBestCmap().keys()


def test_the_cards_show_the_sentences_of_the_toy(site: Path) -> None:
    folder = site / "toy" / "the-bank-likes-money"
    folder.mkdir(parents=True)
    draw_social_cards(site, "Name")
    with Image.open(site / "assets" / "social-card.png") as image:
        card = image.convert("RGB")
    assert card.size == (1200, 630)
    for left, brings in ((0, "water"), (600, "money")):
        red, blue = (
            sum(channel.tobytes())
            for channel in card.crop((left, 290, left + 600, 420)).split()[::2]
        )
        assert (red < blue) == (brings == "water")
    assert (folder / "card.png").read_bytes() != (site / "assets" / "social-card.png").read_bytes()
