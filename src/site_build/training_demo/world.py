"""What the browser fetches of the language models: constants, stories, trainings, measurements."""

import json
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Any

from tiny_lm.recipe import RECIPE
from tiny_lm.stories import ALL, ID, LENGTH, WORDS


@cache
def world_of() -> dict[str, Any]:
    """Return the words, and what is known of each story."""
    stories = [
        {
            "ids": [ID[word] for word in story.words],
            "probability": story.probability,
            "questions": story.questions,
            "isKeptBack": story.is_kept_back,
        }
        for story in ALL
    ]
    return {
        "words": WORDS,
        "length": LENGTH,
        "stories": stories,
    }


def recipe_module() -> str:
    """Return the constants, as a module that the browser imports."""
    return f"export default {json.dumps(asdict(RECIPE))};\n"


@cache
def recorded() -> Any:
    """Return what is recorded of the training that is shown."""
    return json.loads(files("tiny_lm").joinpath("shown.json").read_text("utf-8"))


def generated() -> dict[str, str]:
    """Return the text of each file that the browser imports or fetches, by its path in assets."""
    numbers = files("tiny_lm").joinpath("numbers.json").read_text("utf-8")
    pair, *others = json.loads(files("minilm").joinpath("shown.json").read_text("utf-8"))
    # A drawing writes two decimals of a weight.
    pair["looks"] = [
        [[[round(x, -1) for x in head] for head in layer] for layer in each]
        for each in pair["looks"]
    ]
    return {
        "tiny_lm/recipe.js": recipe_module(),
        "tiny_lm/world.json": as_text(world_of()),
        "tiny_lm/numbers.json": numbers,
        # The pair that is seen first, and what a reader can choose later.
        "minilm/shown.js": f"export default {as_text(pair)};\n",
        "minilm/others.js": f"export default {as_text(others)};\n",
    }


def as_text(found: Any) -> str:
    """Return what was found, as short as it can be."""
    return json.dumps(found, separators=(",", ":"))
