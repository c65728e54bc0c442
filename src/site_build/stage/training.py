"""The recorded training, as a stage shows it: what the model says, and where one head looks."""

from typing import Any

from site_build.training_demo.world import recorded
from tiny_lm.recipe import RECIPE
from tiny_lm.stories import TRAINING, floor

FIRST = 0  # of the texts, with which the stage begins


def training() -> dict[str, Any]:
    """Return the texts, and for each moment what is said in each and the looks of one head."""
    texts = [["start", *text.split()] for text in RECIPE.texts]
    shown = recorded()["run"]["moments"]
    head = clearest(shown[-1]["texts"], texts)
    return {
        "texts": texts,
        "first": FIRST,
        "steps": [moment["step"] for moment in shown],
        "floor": round(floor(TRAINING), 5),
        "losses": [moment["loss"] for moment in shown],
        "moments": [[in_head(told, head) for told in moment["texts"]] for moment in shown],
    }


def in_head(told: dict[str, Any], head: int) -> dict[str, Any]:
    """Return what is seen of a text, with the looks of one head as shares."""
    return {**told, "looks": [look / 100 for look in told["looks"][head]]}


def clearest(told: list[dict[str, Any]], texts: list[list[str]]) -> int:
    """Return the head that looks most at a word in which the texts differ, in each of them."""
    places = [place for place, words in enumerate(zip(*texts, strict=True)) if len({*words}) > 1]

    def least(head: int) -> int:
        looks: list[int] = [max(text["looks"][head][place] for place in places) for text in told]
        return min(looks)

    return max(range(len(told[0]["looks"])), key=least)
