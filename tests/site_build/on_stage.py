"""A page with a stage, as a reader has it: where it is, scrolling to a state, and a hand."""

from playwright.sync_api import CDPSession, Locator, Page, expect

SCORES, WEIGHTS, CONTEXT = "steps/scores/", "steps/weights/", "steps/context-vectors/"
QUERIES, TURNING = "steps/queries-keys-and-values/", "steps/position-by-rotation/"
TOKENS, HEADS = "steps/tokens-become-vectors/", "steps/multi-head-attention/"
BLOCK, INSIDE = "steps/the-whole-model/", "steps/look-inside/"
CROSS, PADDING = "steps/cross-attention/", "steps/padding-masks/"
LEARNING = "steps/who-finds-the-numbers/"
REAL = "steps/in-a-real-model/"
ROOT_OF, CAUSAL = "steps/why-divide-by-the-square-root/", "steps/causal-masks/"
PAGES = [
    TOKENS,
    SCORES,
    WEIGHTS,
    CONTEXT,
    QUERIES,
    TURNING,
    LEARNING,
    ROOT_OF,
    CAUSAL,
    HEADS,
    BLOCK,
    "steps/guess-the-next-word/",
    INSIDE,
    REAL,
    CROSS,
    PADDING,
]
# Scrolls until the section of a state is read: below the stage of a phone, and else beside it.
TO_STATE = """(state) => {
  const stage = document.querySelector(".stage").getBoundingClientRect();
  const top = stage.width > innerWidth * 0.9 ? stage.bottom + 10 : 100;
  const section = document.querySelector(`section[data-state="${state}"]`);
  scrollBy(0, section.getBoundingClientRect().top - top);
}"""

# Texts of a drawing that lie over one another.
TOUCHING = """() => {
  const all = [...document.querySelectorAll(".stage svg text:not([display])")]
    .map((text) => [text.textContent, text.getBoundingClientRect()])
  const apart = ([, a], [, b]) => a.right <= b.left || b.right <= a.left
    || a.bottom <= b.top + 6 || b.bottom <= a.top + 6
  return all.flatMap((one, k) => all.slice(k + 1).filter((other) => !apart(one, other))
    .map((other) => [one[0], other[0]]))
}"""


def to(page: Page, state: str) -> None:
    """Scroll until the stage rests in a state."""
    page.evaluate(TO_STATE, state)
    expect(page.locator(".stage")).to_have_attribute("data-shows", state)


def opened(page: Page, address: str) -> Locator:
    page.goto(address)
    page.locator(".stage.live").wait_for()
    return page.locator(".stage")


def number(stage: Locator) -> Locator:
    """Return the number that matters."""
    return stage.locator(".big:not([display])")


def middle(part: Locator) -> tuple[float, float]:
    box = part.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def swipe(finger: CDPSession, start: tuple[float, float], right: float, down: float) -> None:
    x, y = start
    finger.send(
        "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    )
    for step in range(1, 9):
        point = {"x": x + right * step / 8, "y": y + down * step / 8}
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
