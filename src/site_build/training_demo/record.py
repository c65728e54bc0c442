"""Trains the model that the pages show, and models without a part, and writes what came out.

    python -m site_build.training_demo.record

A browser trains them, as a reader's does: so what is recorded of a start is what a reader finds.
It takes half an hour. What a model can do is read from its numbers with torch.
"""

import base64
import json
import re
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from playwright.sync_api import Page
from torch import Tensor

from site_build.browser import empty_page
from site_build.training_demo.world import as_text
from tiny_lm import model as beside
from tiny_lm.model import LanguageModel, encode, with_numbers
from tiny_lm.recipe import RECIPE
from tiny_lm.stories import ALL, LENGTH, WORDS
from tiny_lm.trace import traced
from tiny_lm.training import answers, mean_loss, start, write

HERE = Path(beside.__file__).parent
STARTS = range(1, 11)
# More of the first steps, in which most happens; in order they are a film.
MOMENTS = [
    *range(0, 20, 5),
    *range(20, 200, 10),
    *[225, 250, 300, 400, 500, 600, 700, 800, 1000, 1250, RECIPE.steps],
]
WRITTEN = [0, 40, 80, 200, RECIPE.steps]
HEADS = ["0.0", "0.1", "1.0", "1.1"]
OF_BANK = 6  # the place of its adjective in the texts

TRAIN = """async ([name, seed, moments, written]) => {
  const { Learner } = await import("/assets/tiny_lm/learner.js");
  const recipe = (await import("/assets/tiny_lm/recipe.js")).default;
  const learner = new Learner(await (await fetch("/assets/tiny_lm/world.json")).json(), seed, name);
  const found = { losses: [], moments: [], written: [] };
  for (;;) {
    const { step } = learner;
    if (moments.includes(step)) found.moments.push({ step, texts: learner.glimpse() });
    if (written.includes(step)) found.written.push({ step, ...learner.write() });
    if (step === recipe.steps) return { ...found, numbers: [...learner.model.numbers] };
    found.losses.push(learner.learn());
  }
}"""


def train(page: Page, name: str, seed: int, film: bool = False) -> dict[str, Any]:
    """Train a model in the browser, and return its losses, its numbers, and a film of it."""
    found: dict[str, Any] = page.evaluate(
        TRAIN, [name, seed, MOMENTS if film else [], WRITTEN if film else []]
    )
    return found


def trained(name: str, numbers: list[float]) -> LanguageModel:
    """Return a model with the numbers of a training."""
    model = with_numbers(start(0, name), torch.tensor(numbers, dtype=torch.float64))
    return model.requires_grad_(False).eval()


def film_of(found: dict[str, Any]) -> dict[str, Any]:
    """Return a training as the pages show it: a loss is the mean of the last ten steps."""
    losses = found["losses"]
    for moment in found["moments"]:
        last = losses[max(0, moment["step"] - 9) : moment["step"] + 1] or losses[-10:]
        moment["loss"] = round(sum(last) / len(last), 3)
        for text in moment["texts"]:
            text |= {answer: round(text[answer], 3) for answer in ("water", "money")}
            text["looks"] = [[round(weight) for weight in head] for head in text["looks"]]
    written = [
        {"step": told["step"], "words": " ".join(told["words"]), "story": told["isStory"]}
        for told in found["written"]
    ]
    return {
        "day": date.today().isoformat(),
        "torch": torch.__version__.partition("+")[0],
        "run": {
            "seed": RECIPE.shown,
            "first": [round(loss, 9) for loss in losses[:5]],
            "losses": {
                step: round(sum(losses[step:end]) / (end - step), 3)
                for step, end in pairwise([0, 25, 50, 100, 200, 400, 800, 1200, RECIPE.steps])
            },
            "moments": found["moments"],
            "written": written,
        },
    }


def numbers_file(numbers: list[float]) -> str:
    """Return the numbers of a model as text, in 32 bits: all first bytes, then all second ones.

    Bytes that are alike stand together, which makes the file smaller where it is compressed.
    """
    planes = torch.tensor(numbers, dtype=torch.float32).view(torch.uint8).view(-1, 4).T.contiguous()
    text = base64.b64encode(planes.numpy().tobytes()).decode()
    return as_text({"words": WORDS, "length": LENGTH, "numbers": text}) + "\n"


def row_of(name: str, seed: int, numbers: list[float]) -> dict[str, Any]:
    """Return what a model can do after its training from a start."""
    model = trained(name, numbers)
    known = [story.words for story in ALL]
    stories = sum(words in known for words in write(model, 100, seed))
    kept_back = answers(model, is_kept_back=True)
    row = {
        "start": seed,
        "loss": round(mean_loss(model), 3),
        **{kind: round(share, 2) for kind, share in answers(model).items()},
        "kept back": round((kept_back["the bank's"] + kept_back["the duck's"]) / 2, 2),
        "stories": stories / 100,
    }
    return row | heads_of(model) if name == "whole" else row


def heads_of(model: LanguageModel) -> dict[str, Any]:
    """Return what the heads do for the last word of the two texts about the bank.

    That is the smaller one of both weights of the bank's adjective, for each head, and the heads
    without which one of both answers is another.
    """
    texts = [encode(text) for text in RECIPE.texts[:2]]
    looks = [
        torch.stack([each[:, -1, OF_BANK] for each in traced(model, t).weights]) for t in texts
    ]
    decide = [
        head for head in HEADS if any(said(model, t, {head}) != said(model, t) for t in texts)
    ]
    least: Tensor = torch.minimum(*looks).flatten()
    return {"looks": [round(share, 2) for share in least.tolist()], "decide": decide}


def said(model: LanguageModel, ids: Tensor, off: set[str] | None = None) -> str:
    """Return the word that a model says after a text."""
    return WORDS[int(traced(model, ids, off or set()).shares[-1, -1].argmax())]


def lines_of(found: Any) -> str:
    """Return what was found as a file, in which a list of numbers is a line."""
    text = json.dumps(found, indent=1)
    text = re.sub(r"\[\s+([^][{}]+?)\s+\]", lambda row: "[" + " ".join(row[1].split()) + "]", text)
    return text + "\n"


def record() -> None:
    """Train all, and write what came out."""
    torch.set_num_threads(1)  # the matrices are too small to be shared out
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in RECIPE.without}
    with empty_page() as page:
        found = train(page, "whole", RECIPE.shown, film=True)
        for seed in STARTS:
            for name in rows:
                rows[name].append(row_of(name, seed, train(page, name, seed)["numbers"]))
                print(name, rows[name][-1], flush=True)
    (HERE / "numbers.json").write_text(numbers_file(found["numbers"]), "utf-8")
    (HERE / "shown.json").write_text(lines_of(film_of(found)), "utf-8")
    (HERE / "trained_without.json").write_text(lines_of(rows), "utf-8")


if __name__ == "__main__":
    record()
