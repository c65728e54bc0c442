"""A small world: every story that can be told in it, with its probability.

Half of the stories are about a bank, and half about two who meet. Some are kept back from training,
so that a model can be asked what it was never told.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import log

START = "<"  # stands before the first word of each story

ANIMALS, PEOPLE = ["duck", "frog", "fish"], ["queen", "banker", "thief"]
MANY = ["ducks", "queens"]
SINGLE = ANIMALS + PEOPLE
NAMES = ["ida", "mia", "ned", "tom"]
FULL_OF = {"muddy": "water", "wet": "water", "rich": "money", "locked": "money"}
PRONOUN = {
    **dict.fromkeys(ANIMALS, "it"),
    **dict.fromkeys(PEOPLE, "she"),
    **dict.fromkeys(MANY, "they"),
}
KEPT_BACK = {("duck", "rich"), ("frog", "locked"), ("queen", "muddy"), ("thief", "wet")}


@dataclass(frozen=True)
class Story:
    """Words after the start token, and what can be asked about them.

    Attributes:
        probability: How often it is told, of all stories.
        words: Its words, the start token first.
        questions: The kind of each question, by the place of the word that answers it.
        is_kept_back: Whether no training may see it.
    """

    probability: float
    words: list[str]
    questions: dict[int, str]
    is_kept_back: bool


def bank_stories() -> Iterator[Story]:
    """Yield the half about a bank: an adjective says what is in it, or else who likes it."""
    for who, adjective, verb in product(SINGLE + MANY, ["", *FULL_OF], ["like", "see"]):
        s = "" if who in MANY else "s"
        by_default = "water" if who in [*ANIMALS, "ducks"] else "money"
        there = FULL_OF.get(adjective, by_default)
        for ending in [
            f"the bank is full of {there} .",
            f"{PRONOUN[who]} find{s} {there} there .",
            f"the {who} find{s} {there} there .",
        ]:
            words = f"{START} the {who} {verb}{s} the {adjective} bank . {ending}".split()
            questions = {words.index(there): "adjective" if adjective else "who"}
            if PRONOUN[who] in words:
                questions[words.index(PRONOUN[who])] = "they" if who in MANY else "it or she"
            share = 1 / 2 / 8 / (8 if adjective else 2) / 2 / 3  # half have no adjective
            yield Story(share, words, questions, (who, adjective) in KEPT_BACK)


def meetings() -> Iterator[Story]:
    """Yield the half about two who meet, both with a name."""
    named = list(product(SINGLE, NAMES))
    for (one, a), (two, b) in product(named, named):
        if one == two or a == b:
            continue
        places = SINGLE.index(one), NAMES.index(a), SINGLE.index(two), NAMES.index(b)
        is_kept_back = (places[0] + places[1] + 2 * places[2] + 3 * places[3]) % 5 == 0
        for first, second in [(f"{one} {a}", f"{two} {b}"), (f"{two} {b}", f"{one} {a}")]:
            for verb in ["likes", "sees"]:
                told = f"{START} {one} {a} meets {two} {b} . {first} {verb} {second} ."
                questions = {8: "name", 11: "other name"}
                yield Story(1 / 2 / 360 / 4, told.split(), questions, is_kept_back)


ALL = [*bank_stories(), *meetings()]
TRAINING = [story for story in ALL if not story.is_kept_back]
TEST = [story for story in ALL if story.is_kept_back]
WORDS = sorted({word for story in ALL for word in story.words})
ID = {word: number for number, word in enumerate(WORDS)}
LENGTH = max(len(story.words) for story in ALL)


def next_words(
    stories: Iterable[Story], remembered: int = LENGTH
) -> dict[tuple[str, ...], dict[str, float]]:
    """Return, for each beginning, the probability of each word after it and of the beginning.

    Args:
        stories: Those that are told.
        remembered: How many of the last words of a beginning count, defaults to all of them.
    """
    told: dict[tuple[str, ...], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for story in stories:
        for place in range(1, len(story.words)):
            beginning = tuple(story.words[max(0, place - remembered) : place])
            told[beginning][story.words[place]] += story.probability
    return told


def floor(stories: Sequence[Story], remembered: int = LENGTH) -> float:
    r"""The smallest loss that is possible: that of a reader who knows all stories by heart.

    $$\mathrm{floor} = -\sum_{\mathrm{beginning}, \mathrm{word}}
    p(\mathrm{beginning}, \mathrm{word}) \log p(\mathrm{word} \mid \mathrm{beginning})
    \qquad \text{(not computed: its terms are counted, not numbered)}$$

    for one guess, the mean over all of them.
    """
    left = guesses = 0.0
    for after in next_words(stories, remembered).values():
        total = sum(after.values())
        left -= sum(share * log(share / total) for share in after.values())
        guesses += total
    return left / guesses
