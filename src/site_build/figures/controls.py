"""What a reader holds below or above a figure: to play it, to choose a panel, to move its marks."""

from html import escape

from site_build.figures.marks import with_hue
from site_build.figures.svg import Drawing
from site_build.markdown.tensors import NO_BREAK, two_decimals, value


def player(drawings: list[Drawing], by: str) -> str:
    """Return what plays a figure and moves it by hand; all panels move at once.

    Args:
        drawings: The panels.
        by: What a step leads on to, such as a word or a row.
    """
    counts = {len(drawing.stages) for drawing in drawings}
    if len(counts) != 1 or not max(counts):
        raise ValueError(f"it cannot move: its panels have {counts} parts to show in turn")
    names = [
        " / ".join(dict.fromkeys(stage.name for stage in stages))
        for stages in zip(*(drawing.stages for drawing in drawings), strict=True)
    ]
    return (
        f'<div class="figure-motion for-scripts" data-needs="figures/motion" data-search-exclude>'
        f"<button type=button>Play</button>"
        f"<label>{escape(by)} <input type=range max={len(names)} value={len(names)} "
        f'data-names="{escape("|".join(names))}"></label><span></span></div>'
    )


def choice(of: str, titles: list[str], name: str) -> str:
    """Return what a reader chooses a panel with, of two that stand in the same place.

    Args:
        of: What is chosen.
        titles: Those of the panels.
        name: What no other choice of the page is called.
    """
    if len(titles) != 2 or not all(titles):
        raise ValueError('two panels to choose from have titles="one|other"')
    labels = (
        f"<label><input type=radio name={escape(name)}{first}>{escape(title.strip())}</label>"
        for title, first in zip(titles, (" checked", ""), strict=True)
    )
    return (
        f'<fieldset class="figure-choice for-scripts" aria-label="{escape(of)}" '
        f"data-search-exclude>{''.join(labels)}</fieldset>"
    )


def slider(name: str, most: float, now: float, step: float = 1) -> str:
    """Return a slider with its name."""
    steps = f" step={step:g}" if step != 1 else ""
    return f"<label>{name} <input type=range max={most:g}{steps} value={now:g}></label>"


def live(
    script: str, does: str, held: str, names: list[str], digits: list[str], data: str = ""
) -> str:
    """Return what is below a figure whose marks a script moves, with a place for what it means.

    Args:
        script: Its name.
        does: What follows; of the `next` word, the numbers are shares, and each has a hue.
        held: What the reader holds, for which the script is needed.
        names: Those of the numbers.
        digits: The numbers that follow, as they are at the start.
        data: What else the script needs.
    """
    numbers = []
    for name, one in zip(names, digits, strict=True):
        share = (
            f' class="{with_hue("", name)}" style="--share:{value(one):.3f}"'
            if does == "next"
            else ""
        )
        written = f"{100 * value(one):.0f} %" if share else two_decimals(one)
        name = escape(name.replace(NO_BREAK, " "))
        numbers.append(f"<span{share}>{name} <b>{written}</b></span>")
    return (
        f'<div class="figure-live" data-needs="{script}" data-does="{does}"{data} '
        f'data-search-exclude><div class="for-scripts">{held}</div>{"".join(numbers)}'
        "<output></output></div>"
    )
