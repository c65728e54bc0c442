"""What a reader plays with, in three browser engines: Firefox and WebKit say what Chromium says.

    pytest tests/engines.py

The other tests hold Chromium to the numbers of torch. The name keeps pytest from collecting this
file by itself; a scheduled workflow runs it. The page "About this site" shows what passed when.
"""

import io
import os
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from pypdf import PdfReader

from tests.conftest import ROOT
from tests.results import Results
from tests.site_build.on_stage import PAGES, SCORES, TO_STATE
from tests.site_build.runs.test_runs import RUNS
from tests.windows import ENGINES, Window, processor_seconds
from tiny_lm.recipe import RECIPE

SIZES = {"desktop": (1440, 900), "phone": (390, 844)}
TEXTS = """(selector) => [...document.querySelectorAll(selector)]
  .map((element) => element.textContent.replace(/\\s+/g, " ").trim())"""
SELECTED = "() => `selected: ${getSelection()}`"
WAYS = ["mouse and keys", "finger", "print"]
MOMENTS = ["water and money"]  # of a training
RESULTS = Results(
    file=Path(__file__).with_suffix(".json"),
    page=ROOT / "docs" / "guides" / "about-this-site.md",
    head=["browser engine", "version", *WAYS, *MOMENTS],
    rows=lambda found: [
        [
            name,
            each["version"],
            *(told(each.get(way, 0)) for way in WAYS),
            *(each.get(moment, "not tried") for moment in MOMENTS),
        ]
        for name, each in found.items()
    ],
    libraries=[],
)
At = Callable[[str], None]  # opens a page of the site
Scene = Callable[[Window, At], list[str]]  # does something, and returns what is seen after each act


def told(scenes: int) -> str:
    return f"{scenes} scene{'s' * (scenes > 1)} passed" if scenes else "not tried"


# ---- scenes


def texts(window: Window, selector: str) -> str:
    return " | ".join(window.run(TEXTS, selector))


def scores(window: Window, at: At) -> str:
    """Open the stage of the scores, and return what to look at: all that is written in it."""
    at(SCORES)
    window.until("() => !!document.querySelector('.stage.live')")
    return ".stage svg text:not([display])"


def swaps(window: Window, at: At) -> list[str]:
    """Swap words of a stage, by click and by key."""
    seen = scores(window, at)
    found = [texts(window, seen)]
    for keys in (["ArrowDown", "Enter"], ["ArrowUp", "ArrowUp", "Enter"]):
        window.click("[data-press='word 4']")
        window.until("() => document.activeElement.role === 'menuitemradio'")
        window.press(*keys)
        window.until("() => document.activeElement.matches('[data-press=\"word 4\"]')")
        found.append(texts(window, seen))
    return found


# A text grows word by word, and is judged at its end.
STILL = """async () => {
  const told = () => document.querySelector(".stage svg").textContent;
  const before = told();
  await new Promise((done) => setTimeout(done, 1000));
  return told() === before;
}"""
LANGUAGE = "steps/guess-the-next-word/"


def stage(window: Window, state: str, button: str) -> None:
    """Scroll to a state of a stage, until its button is there."""
    section = f"section[data-state={state}]"
    window.run("(section) => document.querySelector(section).scrollIntoView()", section)
    window.until("(name) => document.querySelector(name)?.checkVisibility()", button)
    window.until(STILL)


def inside(window: Window, at: At) -> list[str]:
    """Switch a head off and on again, take a note out of the sum, and patch a word."""
    at("steps/look-inside/")
    found = []
    for state, act in [
        ("parts", "[data-press='part 1.1']"),
        ("notes", "[data-press='note 1.1']"),
        ("patch", "[data-press='patch 1 3']"),
    ]:
        stage(window, state, act)
        window.click(act)
        window.until(STILL)
        found.append(texts(window, DRAWN))
        window.press(" ")
        window.until(STILL)
        found.append(texts(window, DRAWN))
    return found


def builds(window: Window, at: At) -> list[str]:
    """Find the wrong line of a program and mend it; then build one from nothing, by key."""
    at("steps/why-divide-by-the-square-root/")
    window.run("() => document.querySelector('build-it').scrollIntoView()")
    window.until("() => !!document.querySelector('.build-seen td')")
    seen = ".build-ask, .build-place, .build-seen caption, .build-seen td, .build-says"
    found = [texts(window, seen)]
    for place in (0, 2):
        window.click(".build-place", place)
        found.append(texts(window, seen))
    window.click(".build-lines:not([hidden]) [data-line='0']")
    found.append(texts(window, seen))
    window.click("[data-act=empty]")
    window.press("Enter", *["ArrowDown", "Enter"] * 4)
    return [*found, texts(window, seen)]


def write(window: Window, at: At) -> list[str]:
    """Let the model write, at another temperature too, to the end of a story."""
    at(LANGUAGE)
    stage(window, "write", "[data-press=draw]")
    seen = ".stage svg text:not([display])"
    found = []
    for act in ("[data-press=draw]", "[data-press=back]", "[data-hold=warm]", "[data-press=rest]"):
        window.click(act)
        if "warm" in act:
            window.press("ArrowRight", "ArrowRight")
        window.until(STILL)
        found.append(texts(window, seen))
    return found


def sums(window: Window, at: At) -> list[str]:
    """Choose a model for the calculator, and type another size of it."""
    at("guides/what-attention-costs/")
    window.until("() => !!document.querySelector('.stage.live')")
    found = [texts(window, ".stage .big")]
    window.click("[data-press='word 0']", 0)
    window.click(".stage-menu button", 5)
    window.until(STILL)
    found.append(texts(window, ".stage .big"))
    window.click(".own-sizes summary", 0)
    window.until("() => !!document.querySelector('.own-sizes input')")
    window.click(".own-sizes input", 0)
    window.press("End", "0")
    window.until(STILL)
    return [*found, texts(window, ".stage .big")]


def search(window: Window, at: At) -> list[str]:
    """Search by key alone, and go to what was found."""
    at("")
    window.press("/")
    window.until("() => document.activeElement.matches('.search input')")
    window.press(*"bahdanau")
    item = ".search li a"
    # Titles are found first, and have no excerpts.
    window.until("(item) => !!document.querySelector(item + ' span mark')", item)
    found = [texts(window, ".search [role=status]"), texts(window, f"{item} b")]
    window.press("Enter")
    window.until("() => location.pathname.length > 1")
    return [*found, window.run("() => location.pathname + location.hash")]


LOSSES = """async () => {
  const {Learner} = await import("/assets/tiny_lm/learner.js")
  const learner = new Learner(await (await fetch("/assets/tiny_lm/world.json")).json(), 1)
  const losses = Array.from({length: 40}, () => learner.learn().toFixed(9))
  return [...losses, learner.model.numbers.join()]
}"""


def training(window: Window, at: At) -> list[str]:
    """Train the language model for forty steps: the losses, to nine digits, and all numbers."""
    at(LANGUAGE)
    losses: list[str] = window.run(LOSSES)
    return losses


UNFOLD = "() => { for (const fold of document.querySelectorAll('details')) fold.open = true }"
PARTS_OF_FORMULAS = """() => {
  const box = (part) => part.getBoundingClientRect()
  const all = (name) =>
    [...document.querySelectorAll(name)].filter((part) => part.checkVisibility())
  for (const formula of all("math")) formula.scrollIntoView()  // far ones have no size yet
  return JSON.stringify([
    all("math").map((formula) => box(formula).height > 4),
    all("mfrac").map(({children: [above, below]}) => box(above).bottom <= box(below).top + 2),
    all("msup").map(({children: [base, power]}) => box(power).top < box(base).top + 1),
    all("msub").map(({children: [base, index]}) => box(index).bottom > box(base).bottom - 1),
    all("msqrt").map((root) => box(root).height >= box(root.children[0]).height),
    document.fonts.check("20px Math"),
    document.documentElement.scrollWidth - innerWidth,
  ])
}"""


def formulas(window: Window, at: At) -> list[str]:
    """Look at where the parts of formulas are, and whether something is wider than the page."""
    found = []
    for path in ("steps/weights/", "steps/why-divide-by-the-square-root/"):
        at(path)
        window.run(UNFOLD)
        window.run("() => document.fonts.ready.then(() => 1)")
        found.append(window.run(PARTS_OF_FORMULAS))
    return found


def dark(window: Window, at: At) -> list[str]:
    """Switch to the dark, and find it on the next page; and back to the light."""
    at("steps/weights/")
    seen = """() => [getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.body).color, document.querySelector(".scheme").ariaPressed,
      ...[...document.querySelectorAll(".heat-map td")]
        .map((part) => getComputedStyle(part).color)].join(" ")"""
    found = [window.run(seen)]
    window.click(".scheme")
    found.append(window.run(seen))
    at("steps/context-vectors/")
    found.append(window.run(seen))
    window.click(".scheme")
    return [*found, window.run(seen)]


def ways(window: Window, at: At) -> list[str]:
    """Reach a number of a card by key, and go on to the next page."""
    at("steps/softmax-in-parts/")
    window.run("() => document.querySelector('formula-card').scrollIntoView()")
    result = "formula-card [data-of] [tabindex='0']"
    window.until("(cell) => document.querySelector(cell)", result)
    window.run(f'() => document.querySelector("{result}").focus()')
    window.press("ArrowRight", "ArrowDown")
    found = [texts(window, ".card-told")]
    at("steps/cross-attention/")
    window.click("footer [rel=next]")
    window.until("() => location.pathname.includes('padding')")
    return [*found, window.run("() => document.title")]


def finger(window: Window, at: At) -> list[str]:
    """Tap a score of a stage, and a number of a card."""
    seen = scores(window, at)
    found = [texts(window, seen)]
    window.click(".stage [data-press='pick 5 1']", pointer="touch")
    found.append(texts(window, seen))
    found.append(window.run(SELECTED))
    at("steps/softmax-in-parts/")
    window.run("() => document.querySelector('formula-card').scrollIntoView()")
    cell = "formula-card [data-of] [tabindex='0']"
    window.until("(cell) => document.querySelector(cell)", cell)
    window.click(cell, pointer="touch")
    return [*found, texts(window, ".card-told")]


STATES = """() => [...document.querySelectorAll("section[data-state]")]
  .map((section) => section.dataset.state)"""
DRAWN = ".stage svg text:not([display])"
SHOWS = "(state) => document.querySelector('.stage').dataset.shows === state"


def stages(window: Window, at: At) -> list[str]:
    """Read through each page with a stage: what is written in its drawing, in each state."""
    found = []
    for path in [*PAGES, *RUNS]:
        at(path)
        window.until("() => !!document.querySelector('.stage.live')")
        for state in window.run(STATES):
            window.run(TO_STATE, state)
            window.until(SHOWS, state)
            found.append(f"{path} {state}: {texts(window, DRAWN)}")
    return found


def drags(window: Window, at: At) -> list[str]:
    """Drag the arrow of "bank", move it on by key, and press one of its scores."""
    at(SCORES)
    window.until("() => !!document.querySelector('.stage.live')")
    arrow = ".stage [role=slider]"
    seen = "() => document.querySelector('.stage [role=slider]').ariaValueText"
    found = [window.run(seen), texts(window, ".stage .big:not([display])")]
    x, y = window.middle(arrow)
    window.drag((x, y), (x - 30, y), (x - 60, y))
    found += [window.run(seen), texts(window, ".stage .big:not([display])")]
    window.press("ArrowRight", "ArrowUp")
    return [*found, window.run(seen), window.run(SELECTED)]


SCENES = [
    stages,
    drags,
    swaps,
    inside,
    builds,
    write,
    training,
    sums,
    search,
    formulas,
    dark,
    ways,
]

# ---- in each engine

Play = Callable[[str, str, Scene], list[str]]
Passed = dict[str, Counter[str]]  # by engine, how many scenes of each way
Learned = dict[str, dict[str, str]]  # by engine, when a training came to each of its moments


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Window]]:
    """Return what opens a window of an engine, which stays open."""
    with ExitStack() as stack:

        @cache
        def window(engine: str) -> Window:
            opener, commands = ENGINES[engine]
            missing = [command for command in commands if not shutil.which(command)]
            if missing and "CI" not in os.environ:
                pytest.skip(f"not installed: {', '.join(missing)}")
            return stack.enter_context(opener(tmp_path_factory.mktemp(engine)))

        yield window


@pytest.fixture(scope="module")
def play(address: str, opened: Callable[[str], Window]) -> Play:
    @cache
    def played(engine: str, size: str, scene: Scene) -> list[str]:
        window = opened(engine)
        window.resize(*SIZES[size])
        return scene(window, lambda path: window.open(address + path))

    return played


@pytest.fixture(scope="module")
def learned() -> Learned:
    return {}


@pytest.fixture(scope="module")
def passed(
    request: pytest.FixtureRequest, opened: Callable[[str], Window], learned: Learned
) -> Iterator[Passed]:
    """Return a place to count what passed, and write it down at the end if so asked."""
    passed: Passed = defaultdict(Counter)
    yield passed
    found = {
        name: {"version": opened(name).version, **passed[name], **learned.get(name, {})}
        for name in passed
    }
    RESULTS.record(found, request.session)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_is_as_in_chromium(
    play: Play, scene: Scene, size: str, engine: str, passed: Passed
) -> None:
    expected = play("chromium", size, scene)
    assert len(set(expected)) > 1, "what is done changes what is seen"
    assert play(engine, size, scene) == expected
    passed[engine]["mouse and keys"] += 1


# WebKit's driver moves a mouse where it is told to move a finger.
@pytest.mark.parametrize("engine", ["chromium", "firefox"])
def test_a_finger_does_what_it_does_in_chromium(play: Play, engine: str, passed: Passed) -> None:
    expected = play("chromium", "phone", finger)
    assert len(set(expected)) == len(expected), "each act changes what is seen"
    assert play(engine, "phone", finger) == expected
    passed[engine]["finger"] += 1


# How far a training is, and whether it tells the two orders apart.
TRAINED = """() => {
  const [step, said] = document.querySelector("[data-hold=scrub]").ariaValueText
    .match(/after ([\\d,]+) steps, it says (.*)/).slice(1);
  const bars = [...document.querySelectorAll(".stage rect")];
  const [water, money] = ["water", "money"].map((word) =>
    bars.filter((bar) => bar.getAttribute("fill") === `var(--${word})`).at(-1));
  const width = (bar) => Number(bar.getAttribute("width"));
  return [Number(step.replace(",", "")), said === "water" && width(water) > 9 * width(money)];
}"""
LATEST = 600  # the step by which it has come, with the start of the page
# A reader who has nothing against motion: they see a picture as often as there is one.
MOVES = """() => {
  const asked = matchMedia;
  window.matchMedia = (query) => asked(query.replace("reduce", "no-preference"));
}"""
SAME = "the same 4,944 numbers"
VERDICT = "(same) => document.querySelector('.stage svg').textContent.includes(same)"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_reader_trains_the_model(
    address: str, opened: Callable[[str], Window], engine: str, passed: Passed, learned: Learned
) -> None:
    window = opened(engine)
    window.open(f"{address}{LANGUAGE}")
    stage(window, "train", "[data-press=train]")
    window.run(MOVES)
    before = processor_seconds()
    window.click("[data-press=train]")
    window.until("() => document.querySelector('.stage svg').textContent.includes('after 0 steps')")
    step, came = 0, None
    while step < RECIPE.steps:
        step, is_there = window.run(TRAINED)
        if is_there and came is None:
            came = (step, processor_seconds() - before)
        time.sleep(0.1)
    window.until(VERDICT, SAME)
    assert came is not None
    assert came[0] <= LATEST
    learned[engine] = {MOMENTS[0]: f"step {came[0]:,}, {came[1]:.0f} s"}
    passed[engine]["mouse and keys"] += 1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_page_is_whole_on_paper(
    address: str, opened: Callable[[str], Window], engine: str, passed: Passed
) -> None:
    window = opened(engine)
    window.open(f"{address}steps/induction/")
    sheets = PdfReader(io.BytesIO(window.paper())).pages
    words = " ".join(" ".join(sheet.extract_text() for sheet in sheets).split())
    assert "weights = torch.softmax(scores, dim=-1)" in words
    assert "[0.0194, 0.9611, 0.0194, 0.0000, 0.0000]" in words
    assert "Solution of my_induction" in words
    passed[engine]["print"] += 1
