"""The small world of attention_story, as the browser fetches it when a reader starts a training."""

import json
import runpy
from functools import cache
from pathlib import Path
from typing import Any

# Run as a file: the package around it would load torch, which takes longer than a page.
STORIES = Path(__file__).parents[2] / "attention_story" / "stories.py"
LEFT_OUT = STORIES.with_name("left_out.json")
WATCHED = Path(__file__).with_name("recorded.json")


@cache
def world_of() -> dict[str, Any]:
    """Return the words, the losses that can be reached, and what is known of each story."""
    told = runpy.run_path(str(STORIES))
    stories = [
        {
            "ids": [told["ID"][word] for word in story.words],
            "probability": story.probability,
            "questions": story.questions,
            "isKeptBack": story.is_kept_back,
        }
        for story in told["ALL"]
    ]
    floors = [told["floor"](told["TRAINING"], remembered) for remembered in (1, told["LENGTH"])]
    return {
        "words": told["WORDS"],
        "length": told["LENGTH"],
        "floors": floors,  # of a reader who remembers the last word, and of one who remembers all
        "stories": stories,
    }


def world() -> str:
    """Return all of it, as a file."""
    return json.dumps(world_of(), separators=(",", ":"))


def recorded() -> Any:
    """Return what site_build.training_demo.watched wrote."""
    return json.loads(WATCHED.read_text("utf-8"))


def parts_to_leave_out() -> list[str]:
    """Return the names of the models that are trained without a part, the whole one first."""
    return list(json.loads(LEFT_OUT.read_text("utf-8")))


def film() -> str:
    """Return the recorded training, as the short form plays it."""
    shown = {"moments": recorded()["run"]["moments"], "floors": world_of()["floors"]}
    return json.dumps(shown, separators=(",", ":"))
