"""What a reader can watch a model learn, as torch found it: trains all of it anew.

    python -m site_build.training_demo.watched

One training is recorded, for the page without scripts and for the home page, and written beside
this file. And models without one of their parts are trained from several starts, so that a page
can say what each part is for: what came out is read by its code, and written beside the model's.
It takes a quarter of an hour. A browser that begins with the same start finds the same losses for
some hundred steps, to the last digits, and then others nearby: what is rounded otherwise grows.
"""

import json
import re
from collections.abc import Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attention_story import model as story_model
from attention_story.model import LanguageModel, encode
from attention_story.stories import ALL, ID, LENGTH, START, TRAINING, WORDS
from attention_story.training import PAD, rows_of
from site_build.training_demo.switches import (
    STEPS,
    WHOLE,
    WITHOUT,
    Switches,
    learn,
    logits_and_weights,
    random_numbers,
)

RECORDED = Path(__file__).with_name("recorded.json")
LEFT_OUT = Path(story_model.__file__).with_name("left_out.json")
TEXTS = [f"the duck likes the {kind} bank . the bank is full of" for kind in ("muddy", "rich")]
# Picked of some seventy starts: from step 200 to the end, one head looks at the adjective of both
# texts, also if the start is changed by 1e-12. And the model learns all of its world.
SHOWN = 313
SEEDS = [1, 2, 3, 4, 5]
STARTS = range(1, 21)  # of which the page says how many find the same way, and so soon
SOON = 300  # steps: rounding has not grown yet
ADJECTIVE = 5  # its place
PRONOUNS = ["it", "she", "they"]
# More of the first steps, in which most happens; in order they are a film.
MOMENTS = [
    *range(0, 20, 5),
    *range(20, 200, 10),
    *[225, 250, 300, 400, 500, 600, 700, 800, 1000, 1250, STEPS],
]
WRITTEN = [0, 40, 80, 200, STEPS]


@torch.no_grad()
def right(model: LanguageModel, has: Switches = WHOLE) -> dict[str, float]:
    """Return the share of right answers, for each kind of question.

    A text is cut off where it asks: without a mask, a model would read the answer. A model that
    always says "they" is not right about many, so all pronouns count as one kind.
    """
    asked: dict[str, dict[tuple[str, ...], str]] = {}
    for story in TRAINING:
        for place, kind in story.questions.items():
            kind = "pronoun" if kind in ("it or she", "they") else kind
            asked.setdefault(kind, {})[tuple(story.words[:place])] = story.words[place]
    found = {}
    for kind, answers in asked.items():
        rows = torch.full((len(answers), LENGTH), PAD)
        for row, beginning in zip(rows, answers, strict=True):
            row[: len(beginning)] = torch.tensor([ID[word] for word in beginning])
        logits = logits_and_weights(model, rows, has)[0][
            range(len(rows)), (rows >= 0).sum(dim=1) - 1
        ]
        if kind == "pronoun":  # other words may stand there as well
            others = [number for word, number in ID.items() if word not in PRONOUNS]
            logits[:, others] = -torch.inf
        said = logits.argmax(dim=-1).tolist()
        hits = sum(
            WORDS[number] == word for number, word in zip(said, answers.values(), strict=True)
        )
        found[kind] = hits / len(answers)
    return found


@torch.no_grad()
def mean_loss(model: LanguageModel, has: Switches = WHOLE) -> float:
    """Return the mean loss of a guess, over all stories for training by their probability."""
    rows = rows_of(TRAINING)
    targets = rows[:, 1:]
    logits, _ = logits_and_weights(model, rows[:, :-1].masked_fill(targets == PAD, PAD), has)
    losses = cross_entropy(logits.mT, targets, reduction="none")
    told = torch.tensor([[story.probability] for story in TRAINING], dtype=torch.float64)
    guesses = told * (targets != PAD)
    return ((losses * guesses).sum() / guesses.sum()).item()


@torch.no_grad()
def write(model: LanguageModel, has: Switches, random: Iterator[float]) -> list[str]:
    """Draw each word by its share, up to the second full stop, and return the words."""
    words = [START]
    while len(words) < LENGTH and words.count(".") < 2:
        ids = torch.tensor([[ID[word] for word in words]])
        shares = logits_and_weights(model, ids, has)[0][0, -1].softmax(dim=-1).cumsum(dim=-1)
        number = int((shares < next(random)).sum())
        words.append(WORDS[min(number, len(WORDS) - 1)])
    return words[1:]


def is_story(words: list[str]) -> bool:
    """Say whether a text is a story of this world."""
    return [START, *words] in [story.words for story in ALL]


@torch.no_grad()
def glimpse(model: LanguageModel) -> list[dict[str, Any]]:
    """Return, for both texts, the shares of both answers, the word that is said, and the looks.

    Looks are the weights of the last word, a list for each head, in hundredths.
    """
    found = []
    for text in TEXTS:
        logits, weights = logits_and_weights(model, encode(text), WHOLE)
        shares = logits[0, -1].softmax(dim=-1)
        found.append(
            {
                "water": round(shares[ID["water"]].item(), 3),
                "money": round(shares[ID["money"]].item(), 3),
                "said": WORDS[int(shares.argmax())],
                "looks": [hundredths(head) for block in weights for head in block[0, :, -1]],
            }
        )
    return found


def head_at_adjective(texts: list[dict[str, Any]]) -> int | None:
    """Return which head looks mainly at the adjective of both texts, if one does.

    Args:
        texts: A glimpse of both.
    """
    muddy, rich = (text["looks"] for text in texts)
    least = [min(one[ADJECTIVE], other[ADJECTIVE]) for one, other in zip(muddy, rich, strict=True)]
    head = max(range(len(least)), key=least.__getitem__)
    return head if least[head] > 50 else None


def way_from(seed: int) -> int | None:
    """Return which head of a model looks at the adjective after some hundred steps, if one does."""
    model = WHOLE.model(seed)
    for _ in islice(
        learn(model, WHOLE, seed), SOON + 1
    ):  # before a step, the one before it is done
        pass
    return head_at_adjective(glimpse(model))


def hundredths(weights: Tensor) -> list[int]:
    """Return weights as whole numbers."""
    rounded: list[int] = (100 * weights).round().int().tolist()
    return rounded


def record(until: int = STEPS) -> dict[str, Any]:
    """Train the model that is shown, and return what is seen of it at some moments.

    A loss is the mean of the last ten steps, since each step has other stories.
    """
    model = WHOLE.model(SHOWN)
    losses: list[float] = []
    training = learn(model, WHOLE, SHOWN)
    moments, written = [], []
    for step in range(until + 1):
        following = next(training, None)  # at a moment, the step after it has not been taken yet
        losses.append(following if following is not None else losses[-1])
        if step in MOMENTS:
            last = losses[-10:]
            moments.append(
                {"step": step, "loss": round(sum(last) / len(last), 3), "texts": glimpse(model)}
            )
        if step in WRITTEN:
            words = write(model, WHOLE, random_numbers(SHOWN + 7919 * step))
            written.append({"step": step, "words": " ".join(words), "story": is_story(words)})
    return {"seed": SHOWN, "moments": moments, "written": written}


def trained_without(name: str, seed: int) -> dict[str, Any]:
    """Train a model without a part, and return its loss, its answers, and its share of stories."""
    has = WITHOUT[name]
    model = has.model(seed)
    for _ in learn(model, has, seed):
        pass
    random = random_numbers(seed)
    stories = sum(is_story(write(model, has, random)) for _ in range(100))
    answers = {kind: round(share, 2) for kind, share in right(model, has).items()}
    return {"loss": round(mean_loss(model, has), 3), **answers, "stories": stories / 100}


def watched() -> Any:
    """Return what is stored of the training that is shown."""
    return json.loads(RECORDED.read_text("utf-8"))


def as_text(found: Any) -> str:
    """Return what was found as a file, in which a list of numbers is a line."""
    text = json.dumps(found, indent=1)
    text = re.sub(r"\[\s+([^][{}]+?)\s+\]", lambda row: "[" + " ".join(row[1].split()) + "]", text)
    return text + "\n"


def watch() -> None:
    """Train all, and write what came out."""
    torch.set_num_threads(1)  # the matrices are too small to be shared out
    recorded = {
        "day": date.today().isoformat(),
        "torch": torch.__version__.partition("+")[0],
        "run": record(),
        "ways": [way_from(seed) for seed in STARTS],
    }
    left_out: dict[str, Any] = {name: [] for name in WITHOUT}
    for seed in SEEDS:
        for name, rows in left_out.items():
            rows.append(trained_without(name, seed))
            print(seed, name, rows[-1], flush=True)
    for file, found in {RECORDED: recorded, LEFT_OUT: left_out}.items():
        file.write_text(as_text(found), "utf-8")


if __name__ == "__main__":
    watch()
