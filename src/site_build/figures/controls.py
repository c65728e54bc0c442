"""What a reader holds below or above a figure: to play it, to choose a panel, to move its marks."""

from html import escape

from site_build.figures.svg import Drawing


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
