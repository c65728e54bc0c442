"""Arcs from a word that asks to all words: a vector of weights, or one `row` of a matrix.

`query` says which word asks, where `row` does not. An arc is as thick as its weight.
"""

from dataclasses import dataclass

from site_build.figures.marks import THICK, bent, ribbon, side_by_side
from site_build.figures.svg import Drawing, short, text
from site_build.figures.words import Line, lines_of
from site_build.markdown.tensors import Tensor, index_of, share_of, two_decimals

FAINT = 0.095  # less than this is written in a lighter colour


def arcs(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw an arc for each weight."""
    row = options.pop("row", None)
    query = options.pop("query", row)
    if query is None:
        raise ValueError('choose the word that asks, with row="..." or query="..."')
    lines = lines_of([tensor.column_names() for tensor in tensors], 40)
    sentences = [
        WeightedWords(line, tensor.vector(row), index_of(query, line.words))
        for tensor, line in zip(tensors, lines, strict=True)
    ]
    base = max(sentence.height() for sentence in sentences)
    return [sentence.draw(base) for sentence in sentences]


@dataclass(frozen=True)
class WeightedWords:
    """Words, their weights, and which of them asks."""

    line: Line
    digits: list[str]
    asks: int

    @property
    def weights(self) -> list[float]:
        """The numbers of the digits."""
        return list(map(share_of, self.digits))

    @property
    def start(self) -> float:
        """Where the word that asks is."""
        return self.line.centers[self.asks]

    def height(self) -> float:
        """Return how much room the arcs need that can be seen."""
        pairs = zip(self.line.centers, self.weights, strict=True)
        return high(max(abs(x - self.start) for x, weight in pairs if weight > 0.005)) + THICK / 2

    def draw(self, base: float) -> Drawing:
        """Draw the sentence, with its words below a line."""
        parts: list[str] = []
        for number, (at, x, weight) in enumerate(
            zip(self.ends(), self.line.centers, self.weights, strict=True)
        ):
            label = two_decimals(self.digits[number])
            if weight:
                if number == self.asks:
                    way = loop(at, base, (number == len(self.weights) - 1) - (number == 0))
                else:
                    way = curve(at, x, base)
                parts.append(ribbon("arc", way, weight))
            y = base + 38 + self.line.depth(number, 38)
            parts.append(text(x, y, label, "number" if weight >= FAINT else "number faint"))
        parts += self.line.below(base + 20, 38, self.asks)
        high = base + 44 + (38 if self.line.low else 0)
        return Drawing(self.line.width, high, parts)

    def ends(self) -> list[float]:
        """Return where each arc begins: side by side, as parts of a whole, so that none cross.

        An arc from further left is above those from nearer, and ends to their right. The loop is
        between both sides, or beside the only one.
        """
        numbers = range(len(self.weights))
        order = [*reversed(numbers[: self.asks]), self.asks, *reversed(numbers[self.asks + 1 :])]
        ends = side_by_side([self.weights[number] for number in order])
        return [self.start + end for _, end in sorted(zip(order, ends, strict=True))]


def high(across: float) -> float:
    """Return how high an arc between two words is."""
    return 18 + 0.42 * across


def curve(start: float, end: float, base: float) -> str:
    """Return an arc between two words."""
    # The curve is as high as three quarters of what pulls it.
    pull = base - high(abs(end - start)) / 0.75
    return bent((start, base), (start, pull), (end, pull), (end, base))


def loop(start: float, base: float, side: int) -> str:
    """Return a small arc from a word to itself, beside a word that is the last or the first."""
    way = f"0,-32 {side * 15},-32 {side * 15},0" if side else "-18,-42 18,-42 0,0"
    return f"M{short(start)},{short(base)}c{way}"
