"""A small world: every story that can be told in it, with its probability.

Each story is about a bank and one who likes, sees or hides it, and then says what one of the two is
full of, or what is found there. In most, both have an adjective: "the muddy duck likes the rich
bank. the bank is full of money." So the same words in another order tell something else, and so
does the same beginning with another question. Some stories are kept back from training, so that a
model can be asked what it was never told.
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
FULL_OF = {"muddy": "water", "wet": "water", "rich": "money", "locked": "money"}
PRONOUN = {
    **dict.fromkeys(ANIMALS, "it"),
    **dict.fromkeys(PEOPLE, "she"),
    **dict.fromkeys(MANY, "they"),
}
KEPT_BACK = {("duck", "rich"), ("frog", "locked"), ("queen", "muddy"), ("thief", "wet")}
TWO = 0.6  # of the stories have two adjectives
ONE_OR_NONE = {"": 0.4, "bank": 0.3, "who": 0.3}  # of the others: whose adjective is told


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


def simple_stories() -> Iterator[Story]:
    """Yield the stories of one bank: its adjective says what is in it, or else who is there."""
    for told, share in ONE_OR_NONE.items():
        adjectives = [*FULL_OF] if told else [""]
        for who, adjective, verb in product(SINGLE + MANY, adjectives, ["like", "see"]):
            of_bank, of_who = (adjective, "") if told == "bank" else ("", adjective)
            s = "" if who in MANY else "s"
            by_default = "water" if who in [*ANIMALS, "ducks"] else "money"
            there = FULL_OF.get(of_bank, by_default)
            beginning = f"{START} the {of_who} {who} {verb}{s} the {of_bank} bank ."
            for ending in [
                f"the bank is full of {there} .",
                f"{PRONOUN[who]} find{s} {there} there .",
                f"the {who} find{s} {there} there .",
            ]:
                words = f"{beginning} {ending}".split()
                questions = {words.index(there): "adjective" if of_bank else "who"}
                if PRONOUN[who] in words:
                    questions[words.index(PRONOUN[who])] = "pronoun"
                probability = (1 - TWO) * share / 8 / len(adjectives) / 2 / 3
                yield Story(probability, words, questions, (who, of_bank) in KEPT_BACK)


def stories_of_two() -> Iterator[Story]:
    """Yield the stories with two adjectives, which ask for one of the two."""
    verbs = {"likes": 0.25, "sees": 0.25, "hides": 0.5}
    for who, of_who, of_bank in product(SINGLE, FULL_OF, FULL_OF):
        one, other = f"the {of_who} {who}", f"the {of_bank} bank"
        differ = FULL_OF[of_who] != FULL_OF[of_bank]
        for verb, share in verbs.items():
            told = f"{other} {verb} {one}" if verb == "hides" else f"{one} {verb} {other}"
            for asked, adjective in [(who, of_who), ("bank", of_bank)]:
                there = FULL_OF[adjective]
                words = f"{START} {told} . the {asked} is full of {there} .".split()
                whose = "the bank's" if asked == "bank" else "the duck's"
                questions = {words.index(there): whose if differ else "both"}
                probability = TWO * share / 6 / 16 / 2
                yield Story(probability, words, questions, (who, of_bank) in KEPT_BACK)


ALL = [*simple_stories(), *stories_of_two()]
TRAINING = [story for story in ALL if not story.is_kept_back]
TEST = [story for story in ALL if story.is_kept_back]
WORDS = sorted({word for story in ALL for word in story.words})
ID = {word: number for number, word in enumerate(WORDS)}
LENGTH = max(len(story.words) for story in ALL)
KINDS = ["adjective", "who", "the bank's", "the duck's", "both", "pronoun"]
PRONOUNS = ["it", "she", "they"]


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
