"""Arcs from a word that asks to all words: a vector of weights, or one `row` of a matrix.

`query` says which word asks, where `row` does not. An arc is as thick as its weight. Of a matrix
without `row`, each row is shown in turn, and the last one stays.
"""

from dataclasses import dataclass, replace

from site_build.figures.svg import Drawing, Line, Stage, lines_of, path, short, text
from site_build.markdown.tensors import Tensor, find, two_decimals, value

THICK = 20.0  # of a weight of 1
FAINT = 0.095  # less than this is written in a lighter colour


def arcs(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw an arc for each weight."""
    row = options.pop("row", None)
    query = options.pop("query", row)
    if query is None:
        raise ValueError('choose the word that asks, with row="..." or query="..."')
    lines = lines_of([tensor.column_names() for tensor in tensors], 40)
    panels = []
    for tensor, line in zip(tensors, lines, strict=True):
        in_turn = row is None and len(tensor.shape) == 2
        names, rows = tensor.row_names() if in_turn else [""], tensor.matrix() if in_turn else []
        asks = find(query, line.words)
        vectors = rows or [tensor.vector(row)]
        panels.append((names, [Sentence(line, vector, asks) for vector in vectors]))
    base = max(sentence.height() for _, sentences in panels for sentence in sentences)
    return [in_turn_of(names, sentences, base) for names, sentences in panels]


def in_turn_of(names: list[str], sentences: list["Sentence"], base: float) -> Drawing:
    """Return the drawing of one sentence, or of several, one after another."""
    drawings = [sentence.draw(base) for sentence in sentences]
    if len(drawings) == 1:
        return drawings[0]
    stages = [
        Stage(name, [], [part for stage in drawing.stages for part in stage.parts])
        for name, drawing in zip(names, drawings, strict=True)
    ]
    return replace(drawings[0], stages=stages)


def weight_of(digits: str) -> float:
    """Return a printed weight."""
    if not 0 <= value(digits) <= 1:
        raise ValueError(f"{digits} is not a weight: it is not between 0 and 1")
    return value(digits)


@dataclass(frozen=True)
class Sentence:
    """Words, their weights, and which of them asks."""

    line: Line
    digits: list[str]
    asks: int

    @property
    def weights(self) -> list[float]:
        """The numbers of the digits."""
        return list(map(weight_of, self.digits))

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
        stages = []
        for number, (at, x, weight) in enumerate(
            zip(self.ends(), self.line.centers, self.weights, strict=True)
        ):
            parts = []
            label = two_decimals(self.digits[number])
            if weight:
                style = f' style="--weight:{weight:g};stroke-width:{weight * THICK:.3g}"'
                if number == self.asks:
                    way = loop(at, base, (number == len(self.weights) - 1) - (number == 0))
                else:
                    way = curve(at, x, base)
                parts.append(path("arc", way, style))
            y = base + 38 + self.line.depth(number, 38)
            parts.append(text(x, y, label, "number" if weight >= FAINT else "number faint"))
            stages.append(Stage(f"{self.line.words[number]}: {label}", parts))
        parts = self.line.draw(base + 20, 38, self.asks)
        high = base + 44 + (38 if self.line.low else 0)
        return Drawing(self.line.width, high, parts, stages=stages)

    def ends(self) -> list[float]:
        """Return where each arc begins: side by side, as parts of a whole, so that none cross.

        An arc from further left is above those from nearer, and ends to their right. The loop is
        between both sides, or beside the only one.
        """
        numbers = range(len(self.weights))
        before, after = numbers[: self.asks], numbers[self.asks + 1 :]
        at = self.start - sum(self.weights) * THICK / 2
        ends = [0.0] * len(numbers)
        for number in (*reversed(before), self.asks, *reversed(after)):
            ends[number] = at + self.weights[number] * THICK / 2
            at += self.weights[number] * THICK
        return ends


def high(across: float) -> float:
    """Return how high an arc between two words is."""
    return 18 + 0.42 * across


def curve(start: float, end: float, base: float) -> str:
    """Return an arc between two words."""
    # The curve is as high as three quarters of what pulls it.
    pull = short(base - high(abs(end - start)) / 0.75)
    return (
        f"M{short(start)},{short(base)}C{short(start)},{pull} {short(end)},{pull} "
        f"{short(end)},{short(base)}"
    )


def loop(start: float, base: float, side: int) -> str:
    """Return a small arc from a word to itself, beside a word that is the last or the first."""
    way = f"0,-32 {side * 15},-32 {side * 15},0" if side else "-18,-42 18,-42 0,0"
    return f"M{short(start)},{short(base)}c{way}"
