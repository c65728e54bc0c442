"""Words side by side, above or below what is drawn of them."""

from dataclasses import dataclass
from math import ceil

from site_build.figures.svg import LETTER, SMALL, path, short, text, text_width


@dataclass(frozen=True)
class Line:
    """Words side by side. Where they are too wide for it, every other one stands lower."""

    words: list[str]
    slot: float
    low: bool

    @property
    def width(self) -> float:
        """How wide the words are together."""
        return self.slot * len(self.words)

    @property
    def centers(self) -> list[float]:
        """Where the middle of each word is."""
        return [self.slot * (number + 0.5) for number in range(len(self.words))]

    @property
    def reach(self) -> float:
        """How far they reach: above a column, the last one may be wider than its room."""
        return max(self.width, self.centers[-1] + text_width(self.words[-1], SMALL) / 2)

    def depth(self, number: int, step: float) -> float:
        """Return how much lower a word stands than the first."""
        return step if self.low and number % 2 else 0.0

    def below(self, top: float, step: float, asks: int | None = None) -> list[str]:
        """Return the words, one of which asks, and ticks that lead to those that stand lower."""
        parts = []
        for number, (x, word) in enumerate(zip(self.centers, self.words, strict=True)):
            if depth := self.depth(number, step):
                parts.append(path("rule", f"M{short(x)},{short(top - LETTER)}v{short(depth)}"))
            parts.append(text(x, top + depth, word, "asks" if number == asks else ""))
        return parts

    def above(self, top: float, step: float, left: float) -> list[str]:
        """Return the words, and ticks that lead down from those that stand higher."""
        parts = []
        for number, (x, word) in enumerate(zip(self.centers, self.words, strict=True)):
            depth = self.depth(number, step)
            if self.low and not depth:
                parts.append(path("rule", f"M{short(left + x)},{short(top + 6)}v{short(step)}"))
            parts.append(text(left + x, top + depth, word))
        return parts


def lines_of(
    sentences: list[list[str]],
    slot: float,
    least: float = 33,
    most: float = 360,
    letter: float = LETTER,
) -> list[Line]:
    """Return the words of each sentence side by side, all as far apart.

    Args:
        sentences: The words.
        slot: How much room each has, if its letters need no more.
        least: How much room each has where there are many.
        most: How wide they are together before every other one stands lower.
        letter: The height of a letter.
    """
    widths = [[text_width(word, letter) for word in words] for words in sentences]
    widest = max(max(sentence) for sentence in widths)
    slot = max(slot, widest + 5)
    low = slot * max(map(len, sentences)) > most
    if low:
        # What stands lower is led to between two words, and leaves room for the next of its line.
        pairs = [
            one + two
            for sentence in widths
            for one, two in zip(sentence, sentence[2:], strict=False)
        ]
        slot = max(least, max(pairs, default=0) / 4 + 4, widest / 2 + 3)
    slot = float(ceil(slot))  # whole numbers take less room on the page
    return [Line(words, slot, low) for words in sentences]
