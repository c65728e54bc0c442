"""A ring of three desks: questions stay, and volumes of words travel from desk to desk.

The first output says which volume lies on which desk in each turn. Alone, it is drawn with the
`words` of a sentence shared out in order, and every question asks every word. Two more outputs may
say which positions the words of each desk have, and how many pairs of words each desk computes in
each turn, where a question asks no later word: a panel for each. A pair is a square, and so is the
time in which a desk waits for the busiest, but that one is empty.

Where a fourth turn brings all volumes home, it is the way back: no desk computes in this turn, and
each volume carries a slip on which every desk fills a square.
"""

from itertools import chain, product
from math import cos, pi, sin

from site_build.figures.cards import HIGH, STEP, outline, squares, to, travels, widest
from site_build.figures.svg import Drawing, Stage, path, points, rectangle, short, text
from site_build.markdown.tensors import Tensor, find, names_of, value

DESKS = 3
ROW = 22.0
GAP = 16.0  # between two desks
PASS_ON = "passed on"

Table = list[list[int]]


def ring(tensors: list[Tensor], options: dict[str, str]) -> list[Drawing]:
    """Draw the ring in its turns.

    Args:
        tensors: Which volume lies on which desk; then, for each panel, positions; then pairs.
        options: `words`, those of the sentence, and `meets`, a question and a word to be framed.
    """
    order, *rest = tensors
    words, lies = names_of(options.pop("words", "")), whole(order)
    if any(sorted(row) != list(range(DESKS)) for row in lies):
        raise ValueError(f"each turn has the volumes 0 to {DESKS - 1}, one on each desk")
    if not words or len(words) % DESKS:
        raise ValueError(f"{len(words)} words cannot be shared out to {DESKS} desks")
    meets = names_of(options.pop("meets", ""))
    if meets and len(meets) != 2:
        raise ValueError("two words meet: one that asks, and one that is asked")
    asks, asked = (find(word, words) for word in meets) if meets else (-1, -1)
    if len(rest) % 2:
        raise ValueError("positions and pairs are needed for each panel")
    half, share = len(rest) // 2, len(words) // DESKS
    in_order = [[desk * share + place for place in range(share)] for desk in range(DESKS)]
    held = [whole(positions) for positions in rest[:half]] or [in_order]
    counts: list[Table | None] = [whole(pairs) for pairs in rest[half:]] or [None]
    turns = order.row_names(), order.column_names()
    return [
        Ring(words, lies, positions, pairs, (asks, asked)).draw(*turns)
        for positions, pairs in zip(held, counts, strict=True)
    ]


def whole(tensor: Tensor) -> Table:
    """Return whole numbers, of which each desk has a row or a column."""
    return [[int(value(digits)) for digits in row] for row in tensor.matrix()]


class Ring:
    """What lies where, and where everything is drawn: around the header of each desk's table."""

    def __init__(
        self,
        words: list[str],
        lies: Table,
        positions: Table,
        pairs: Table | None,
        meets: tuple[int, int],
    ) -> None:
        """Take what was printed, and compare the pairs with those that the positions allow."""
        if sorted(chain(*positions)) != list(range(len(words))) or len(positions) != DESKS:
            raise ValueError(f"the positions are not those of {len(words)} words on {DESKS} desks")
        self.words, self.lies, self.positions, self.meets = words, lies, positions, meets
        self.pairs = pairs
        self.has_slips = len(lies) == DESKS + 1 and lies[DESKS] == lies[0]
        for turn, desk in product(range(len(lies)), range(DESKS)):
            found = len(self.met(turn, desk))
            if pairs and found != pairs[turn][desk]:
                raise ValueError(f"desk {desk} has {found} pairs in turn {turn}, not as printed")
        share = len(positions[0])
        self.column = widest(words)
        self.label = widest([f"{word}?" for word in words])
        self.left = self.label + self.column * share / 2 + 4
        self.right = self.column * share / 2 + 6
        self.slip = HIGH / 2 + STEP  # how far above the middle of a volume
        self.top, self.table = (self.slip if self.has_slips else HIGH / 2) + 6, HIGH / 2 + 5
        self.bottom = self.table + ROW * share + (42 if pairs else 6)
        self.radius = (self.left + self.right + GAP) / (2 * sin(pi / DESKS))

    def met(self, turn: int, desk: int) -> list[tuple[int, int]]:
        """Return the pairs that a desk computes, as rows and columns of its little table."""
        if self.has_slips and turn == DESKS:
            return []
        volume = self.positions[self.lies[turn][desk]]
        return [
            (row, column)
            for row, query in enumerate(self.positions[desk])
            for column, key in enumerate(volume)
            if not self.pairs or key <= query
        ]

    def draw(self, turns: list[str], desks: list[str]) -> Drawing:
        """Return the drawing."""
        stages: list[Stage] = []
        for turn, name in enumerate(turns):
            counted, stays = self.counted(turn)
            parts = [*counted, *self.filled(turn)]
            stages.append(Stage(name, parts, [*self.computed(turn), *stays]))
            if turn + 1 < len(turns):
                stages.append(Stage(PASS_ON, [], stays))
        back = [*self.arrows(), *(self.desk(*each) for each in enumerate(desks))]
        volumes = [self.volume(number) for number in range(DESKS)]
        side = self.at(1)[0]
        wide, high = 2 * side + self.left + self.right, 1.5 * self.radius + self.top + self.bottom
        left, top = -side - self.left - 1, -self.radius - self.top - 1
        return Drawing(wide + 2, high + 2, volumes, left, top, stages, back=back)

    def at(self, desk: int) -> tuple[float, float]:
        """Return where the header of a desk's table is."""
        angle = 2 * pi * desk / DESKS
        return self.radius * sin(angle), -self.radius * cos(angle)

    def arrows(self) -> list[str]:
        """Return arrows from desk to desk, around the middle of the desks."""
        middle, radius = (self.right - self.left) / 2, self.radius

        def on(degrees: float) -> tuple[float, float]:
            return middle + radius * sin(degrees * pi / 180), -radius * cos(degrees * pi / 180)

        arc = f"A{short(radius)},{short(radius)} 0 0 1 "
        right = f"M{points([on(62)])}{arc}{points([on(102)])}m-6,-5l4,6l6,-4"
        left = f"M{points([on(258)])}{arc}{points([on(298)])}m-7,2l7,-3l2,7"
        low = self.at(1)[1] + self.bottom / 2
        back = f"M{short(middle + GAP / 2 - 3)},{short(low)}h{short(6 - GAP)}m5,-5l-5,5l5,5"
        return [path("leads", right + back + left)]

    def desk(self, number: int, name: str) -> str:
        """Return a desk with its questions, and room for what they are compared with."""
        x, y = self.at(number)
        box = rectangle(-self.left, -self.top, self.left + self.right, self.top + self.bottom)
        parts = [path("dial", box), text(-self.left + 6, 4.5, name, "number start faint")]
        cells = []
        for row, position in enumerate(self.positions[number]):
            asks = " asks" if position == self.meets[0] else ""
            middle = self.table + ROW * (row + 0.5) + 4.5
            label = f"{self.words[position]}?"
            parts.append(text(self.label - self.left, middle, label, f"number end{asks}"))
            cells += [self.cell(row, column) for column in range(len(self.positions[0]))]
        parts.append(path("gap", "".join(cells)))
        return f'<g transform="translate({short(x)} {short(y)})">{"".join(parts)}</g>'

    def cell(self, row: int, column: int, inset: float = 1) -> str:
        """Return the outline of a cell of a little table."""
        left = self.column * (column - len(self.positions[0]) / 2) + inset
        top = self.table + ROW * row + inset
        return rectangle(left, top, self.column - 2 * inset, ROW - 2 * inset)

    def volume(self, number: int) -> str:
        """Return a volume, which stays for a turn, and then travels along the ring."""
        parts = [outline("tile", 0, 0, self.column * len(self.positions[0]))]
        for place, position in enumerate(self.positions[number]):
            x = self.column * (place + 0.5 - len(self.positions[0]) / 2)
            parts.append(text(x, 4.5, self.words[position], "number"))
        if self.has_slips:
            parts += squares("gap", -STEP * DESKS / 2, -self.slip, DESKS)
        return travels(parts, self.way(number), f"who-{number}")

    def filled(self, turn: int) -> list[str]:
        """Return the square that is filled in a turn on each slip, and then travels with it."""
        if not self.has_slips or turn == DESKS:
            return []
        mark = squares("full", STEP * (turn - DESKS / 2), -self.slip, 1)
        return [travels(mark, self.way(number), f"who-{number}") for number in range(DESKS)]

    def way(self, number: int) -> list[str]:
        """Return the places of a volume, before each turn and in it."""
        way, angle = [], 0
        for desk in (row.index(number) for row in self.lies):
            angle += (120 * desk - angle) % 360
            there = f"rotate({angle}deg) {to(0, -self.radius)} rotate({-angle}deg)"
            way += [there, there]
        return way

    def computed(self, turn: int) -> list[str]:
        """Return the cells that are computed in a turn; the framed one is where two words meet."""
        parts = []
        for desk in range(DESKS):
            met, volume = self.met(turn, desk), self.lies[turn][desk]
            cells = [path("full", "".join(self.cell(*one) for one in met))] if met else []
            for row, column in met:
                words = self.positions[desk][row], self.positions[volume][column]
                if words == self.meets:
                    cells.append(path("framed", self.cell(row, column)))
            x, y = self.at(desk)
            place = f'transform="translate({short(x)} {short(y)})"'
            parts.append(f'<g class="who-{volume}" {place}>{"".join(cells)}</g>')
        return parts

    def counted(self, turn: int) -> tuple[list[str], list[str]]:
        """Return squares for the pairs of a turn, and what is written until the next one."""
        if not self.pairs:
            return [], []
        parts, written = [], []
        busiest = [max(row) for row in self.pairs[: turn + 1]]
        for desk in range(DESKS):
            x, y = self.at(desk)
            count, start = self.pairs[turn][desk], STEP * sum(busiest[:-1])
            left, high = x - self.left + 7 + start, y + self.bottom - 36
            marks = squares("full", left, high, count)
            marks += squares("gap", left + STEP * count, high, busiest[-1] - count)
            parts.append(f'<g class="who-{self.lies[turn][desk]}">{"".join(marks)}</g>')
            total = sum(row[desk] for row in self.pairs[: turn + 1])
            low = y + self.bottom - 9
            written.append(text(x - self.left + 7, low, f"{total} pairs", "number start"))
        middle = (self.right - self.left) / 2
        written.append(text(middle, self.radius / 4 - 6, f"time {sum(busiest)}", "asks"))
        return parts, written
