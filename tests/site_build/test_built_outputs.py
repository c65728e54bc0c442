"""Everything on the built site that looks like a result is an output that the tests compare."""

import re
import shutil
import tomllib
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest
from PIL import Image, ImageOps

from tensor_examples.numbers import numbers_in
from tests.conftest import ROOT
from tests.site_build.built_outputs import (
    Compared,
    Results,
    Shown,
    collected,
    is_drawn,
    of_fences,
    of_source,
    plain,
    results_on,
    without_answer,
)
from tests.site_build.markdown.plain_markdown import convert
from tests.site_build.small_project import HOME, build_from_elsewhere, small_project

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def compared() -> Compared:
    """Return what a run of all examples compares."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]
    paths = [path for path in settings["ini_options"]["testpaths"] if path != "tests"]
    return Compared(ROOT, collected(ROOT, *paths) if paths else set())


def test_every_result_on_the_site_was_compared(site: Path, compared: Compared) -> None:
    assert without_answer(site, compared) == []


def test_the_readme_shows_what_was_compared(compared: Compared) -> None:
    shown = Results(convert((ROOT / "README.md").read_text("utf-8"))).shown
    blocks = [(each.kind, plain(each.text)) for each in shown if each.kind in ("python", "output")]
    assert blocks == compared.blocks(PurePosixPath("README.md")) != []


def test_results_of_every_kind_were_looked_at(site: Path) -> None:
    counts = Counter(
        each.kind.partition(" src")[0] for page in site.rglob("*.html") for each in results_on(page)
    )
    for kind in ("python", "output", "pycon", "heat map", "image", "from"):
        assert counts[kind] > 3, kind


def test_the_steps_on_the_home_page_have_their_own_numbers() -> None:
    home = (ROOT / "docs" / "index.md").read_text("utf-8")
    number, seen = 0, 0
    for before, step in re.findall(r"--before: (\d+)|^1?\d\. .*\(steps/(\d+)-", home, re.MULTILINE):
        number = int(before) if before else number + 1
        assert before or number == int(step)
        seen += bool(step)
    assert seen == number


def test_the_settings_state_no_results() -> None:
    for number, line in enumerate((ROOT / "mkdocs.yml").read_text("utf-8").split("\n"), 1):
        told = re.sub(r"#.*|: [\d.]+\b", "", line)  # without remarks, and without plain settings
        assert not list(numbers_in(told)), f"mkdocs.yml:{number}: print it on a page"


DRAWN = {
    ("0.25 True -inf", "0.2512 True -inf"),
    ("0.3", "tensor([0.2512])"),
    ("1", "1. True"),
    ("\N{MINUS SIGN}1", "-1."),
}
NOT_DRAWN = {("0.26", "0.2512"), ("1.00", "True"), ("True", "1."), ("inf", "-inf"), ("", "1.")}


def test_a_map_shows_what_is_printed() -> None:
    assert all(is_drawn(heat_map, output) for heat_map, output in DRAWN)
    assert not any(is_drawn(heat_map, output) for heat_map, output in NOT_DRAWN)


SCORES = "steps/scores"
BOOK = "notebooks/004_run_out_of_order"
CHANGED = {  # in a file of the site: what is put there instead, and what is told of it
    "a name of a heat map": (
        f"{SCORES}/index.html",
        (
            "<th scope=col>duck</th><th scope=col>likes",
            "<th scope=col>likes</th><th scope=col>duck",
        ),
        "a heat map with the names 'the|likes|duck|",
    ),
    "a figure": (
        f"{SCORES}/index.html",
        ('<figure class="figure">', '<figure class="figure"> 9'),
        "figure of 'bank-scores': is another than",
    ),
    "an output": (
        f"{SCORES}/index.html",
        ("<samp", "<samp>9</samp><samp"),
        "shows output that was",
    ),
    "the text of a download": (
        f"{SCORES}/scores.ipynb",
        ("\N{MINUS SIGN}3", "3"),
        "its text has no",
    ),
    "the text of a notebook": (
        f"{BOOK}/{BOOK[10:]}.ipynb",
        ("13, 13, 26", "13, 13, 25"),
        "its text has no 26",
    ),
    "the text of the search": (
        "search/texts.json",
        ("\N{MINUS SIGN}3", "3"),
        "has no \N{MINUS SIGN}3",
    ),
}


@pytest.mark.parametrize(("name", "change", "told"), CHANGED.values(), ids=CHANGED)
def test_a_change_of_the_site_is_told_with_its_line(
    site: Path, compared: Compared, tmp_path: Path, name: str, change: tuple[str, str], told: str
) -> None:
    file = tmp_path / name
    file.parent.mkdir(parents=True)
    text = (site / name).read_text("utf-8")
    file.write_text(text.replace(*change), "utf-8")
    for titles in (site / name).parent.glob("titles.json"):  # the search has both
        file.with_name(titles.name).write_bytes(titles.read_bytes())
    found = without_answer(tmp_path, compared)
    assert any(told in problem and "docs/" in problem for problem in found), found


def test_an_image_of_the_site_is_compared(site: Path, compared: Compared, tmp_path: Path) -> None:
    image = Path(shutil.copytree(site / BOOK, tmp_path / BOOK)) / "heat-map.webp"
    assert without_answer(tmp_path, compared) == []
    ImageOps.mirror(Image.open(image)).save(image, lossless=True)
    assert "shows an image that differs" in " ".join(without_answer(tmp_path, compared))


SOURCE = 'class A:\n    def f(self):\n        """Say."""\n        g()\n        return h()\n'
SHOWN = "def f(self):\n    g()\n    return h()"


def test_a_definition_is_shown_whole(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(SOURCE)
    assert of_source(SHOWN, file) is of_source(SOURCE, file) is None
    for wrong in (SHOWN.replace("    g()\n", ""), SHOWN.replace("h", "g"), f"{SHOWN}\n    k()"):
        assert "shows code that is not in" in str(of_source(wrong, file))


def test_a_fence_shows_the_definitions_that_it_names() -> None:
    shown = [Shown("from a.py", f"{SHOWN}\n\ndef k(): ...", 1)]
    for named, is_right in {"A.f k": True, "k": False, "k A.f": False}.items():
        assert (list(of_fences(f"```source\na.py {named}\n```", shown)) == []) == is_right
    assert list(of_fences("```source\na.py k\n```", [])) != []


CODE = "```python\nprint(1)\n```\n\n"
RIGHT = f"{CODE}```output\n1\n```\n"
WRONG = f"{CODE}```output\n2\n```\n"
NOT_RUN = "<!-- not run: why not -->\n"
BARS = '```figure kind="bars" of="a"\nTwo bars.\n```\n'
NAMED = '```output name="a" columns="x y"\ntensor([1., 2.])\n```\n'
# Each stood on the site like an output that was compared, or was compared and not to be seen.
PLANTED = {
    "longer-closing-fence.md": "```python\nprint(1)\n`````\n\n```output\n1\n`````\n",
    "build/in-a-folder-that-is-not-collected.md": WRONG,
    "indented.md": "Text.\n\n    2\n",
    "html.md": "<kbd>\n\n    2\n\n</kbd>\n",
    "unknown-language.md": "```txt\n2\n```\n",
    "hidden.md": f"<div hidden markdown>\n\n{RIGHT}\n</div>\n",
    "no-display.md": f'<div style="display: none" markdown>\n\n{CODE}\n</div>\n',
    "not-run.md": NOT_RUN + WRONG,
    "image.md": "![A plot](plot.png)\n",
    "figure.md": f"{NOT_RUN}{CODE}{NAMED}\n{BARS}",
    "script.py": "print(2)\n",
    "notes.txt": "It prints 2.\n",
    "text-of-a-cell.ipynb": "```output\n2\n```\n",
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Build a project in which results are planted, and return what has no answer there."""
    pages = {name: f"# {name}\n\n{text}" for name, text in PLANTED.items()}
    project = small_project(
        tmp_path_factory.mktemp("planted"),
        {"index.md": HOME, "right.md": f"# Right\n\n{RIGHT}", **pages},
    )
    Image.new("RGB", (40, 30), "white").save(project / "docs" / "plot.png")
    settings = f"[pytest]\npythonpath = {ROOT / 'src'}\nexamples_rules = all\n"
    options = "addopts = -p no:doctest -p tensor_examples.plugin --examples\n"
    (project / "pytest.ini").write_text(settings + options)
    built = build_from_elsewhere(project)
    assert built.returncode == 0, built.stderr
    return without_answer(project / "site", Compared(project, collected(project, "docs")))


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_has_no_answer(planted: list[str], name: str) -> None:
    page = name.partition(".")[0]
    assert [problem for problem in planted if problem.startswith((f"{page}/", name))]


def test_what_is_right_has_one(planted: list[str]) -> None:
    assert [problem for problem in planted if problem.startswith(("index", "right"))] == []
