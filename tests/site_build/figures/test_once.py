"""A kind of figure that one page has is drawn in a module with the name of the page."""

from collections import defaultdict

from site_build.figures import KINDS, KINDS_OF_TEXT
from tensor_examples.fences import find_fences
from tests.conftest import ROOT

ONCE = "site_build.figures.once."


def test_what_one_page_draws_has_its_name_and_what_several_draw_has_not() -> None:
    pages = defaultdict(set)
    for path in (ROOT / "docs" / "steps").glob("*.md"):
        for fence in find_fences(path.read_text("utf-8").split("\n")):
            if fence.language == "figure":
                pages[fence.options["kind"]].add(path.stem.replace("-", "_"))
    drawn = {name: kind.__module__ for name, kind in {**KINDS, **KINDS_OF_TEXT}.items()}
    once = {name: {module.removeprefix(ONCE)} for name, module in drawn.items() if ONCE in module}
    assert once == {name: pages[name] for name in once}, (
        "the module of a kind is named after its only page; a kind of several stands above"
    )
    assert drawn.keys() == pages.keys(), "a kind without a figure is in nobody's way if it goes"
