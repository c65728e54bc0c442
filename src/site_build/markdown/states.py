"""States of figures in the reader's hands, to which a sentence of the page links.

`[a tile of 3](#tiles&b=3&t=4)` opens the figure in this state. A link to a choice that the figure
does not have, or to a value that the choice does not have, leads to no place, and fails the build.
"""

import re
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote_plus

DRAWN = Path(__file__).parents[1] / "interactive" / "prerendered"
FIGURE = re.compile(r'<hand-figure figure="([\w-]+)"[^>]*>')
LINK = re.compile(r'href="#([\w-]+)(&[^"]+)"')
CONTROL = re.compile(r'<input type="(?:radio|range)"[^>]*>')
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


def with_states(html: str) -> str:
    """Give each figure of a page a place for each of its states that a sentence links to."""

    def with_its_states(found: re.Match[str]) -> str:
        name = found[1]
        spelled = sorted({state for figure, state in LINK.findall(html) if figure == name})
        there = (state for state in spelled if has_state(name, unescape(state)))
        return found[0] + "".join(f'<i id="{name}{state}"></i>' for state in there)

    return FIGURE.sub(with_its_states, html)


def has_state(name: str, spelled: str) -> bool:
    """Say whether a figure has each choice that an address spells, and the value of each."""
    choices = choices_of(name)
    given = (pair.partition("=") for pair in spelled.removeprefix("&").split("&"))
    return all(
        value.isdecimal() if choice == "t" else unquote_plus(value) in choices.get(choice, ())
        for choice, _, value in given
    )


@cache
def choices_of(name: str) -> dict[str, set[str]]:
    """Return the values of each choice of a figure, as its controls have them."""
    choices: dict[str, set[str]] = {}
    for control in CONTROL.findall(drawn_path(name).read_text("utf-8")):
        given = dict(ATTRIBUTE.findall(control))
        choice = given.get("name", "").removeprefix(f"{name}-")
        if given["type"] == "radio":
            choices.setdefault(choice, set()).add(unescape(given["value"]))
        elif choice:
            least, most, step = (float(given[one]) for one in ("min", "max", "step"))
            steps = range(round((most - least) / step) + 1)
            choices[choice] = {f"{least + step * number:g}" for number in steps}
    return choices


def drawn_path(name: str) -> Path:
    """Return where the picture of a figure stands."""
    return DRAWN / f"{name}.html"
