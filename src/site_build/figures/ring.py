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

from site_build.figures.marks import (
    HIGH,
    STEP,
    Grid,
    group,
    head,
    label,
    leads,
    outline,
    squares,
    together,
    who,
    widest,
)
from site_build.figures.motion import to, travels
from site_build.figures.svg import (
    Drawing,
    Point,
    Stage,
    path,
    points,
    rectangle,
    short,
    text,
    through,
)
from site_build.markdown.tensors import Tensor, index_of, names_of

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
    words, lies = names_of(options.pop("words", "")), order.counts(DESKS)
    if any(sorted(row) != list(range(DESKS)) for row in lies):
        raise ValueError(f"each turn has the volumes 0 to {DESKS - 1}, one on each desk")
    if not words or len(words) % DESKS:
        raise ValueError(f"{len(words)} words cannot be shared out to {DESKS} desks")
    meets = names_of(options.pop("meets", ""))
    if len(meets) not in (0, 2):
        raise ValueError("two words meet: one that asks, and one that is asked")
    if len(rest) % 2:
        raise ValueError("positions and pairs are needed for each panel")
    framed = tuple(index_of(word, words) for word in meets)
    half, share = len(rest) // 2, len(words) // DESKS
    in_order = [[desk * share + place for place in range(share)] for desk in range(DESKS)]
    held = [one.counts(len(words)) for one in rest[:half]] or [in_order]
    pairs: list[Table | None] = [one.counts(len(words) ** 2) for one in rest[half:]] or [None]
    turns = order.row_names(), order.column_names()
    return [Ring(words, lies, *each, framed).draw(*turns) for each in zip(held, pairs, strict=True)]


class Ring:
    """What lies where, and where everything is drawn: around the header of each desk's table."""

    def __init__(
        self,
        words: list[str],
        lies: Table,
        positions: Table,
        pairs: Table | None,
        meets: tuple[int, ...],
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
        share, column = len(positions[0]), widest(words)
        asks = widest(f"{word}?" for word in words)
        self.table = Grid([""] * share, column, ROW, -column * share / 2, HIGH / 2 + 5)
        self.left, self.right = asks + 4 - self.table.left, 6 - self.table.left
        self.slip = HIGH / 2 + STEP  # how far above the middle of a volume
        self.top = (self.slip if self.has_slips else HIGH / 2) + 6
        self.bottom = self.table.bottom + (42 if pairs else 6)
        self.radius = (self.left + self.right + GAP) / (2 * sin(pi / DESKS))

    def met(self, turn: int, desk: int) -> list[tuple[int, int]]:
        """Return the pairs that a desk computes, as rows and columns of its little table."""
        if self.has_slips and turn == DESKS:
            return []
        asked = list(enumerate(self.positions[self.lies[turn][desk]]))
        return [
            (row, column)
            for row, query in enumerate(self.positions[desk])
            for column, key in asked
            if not self.pairs or key <= query
        ]

    def draw(self, turns: list[str], desks: list[str]) -> Drawing:
        """Return the drawing."""
        stages: list[Stage] = []
        for turn, name in enumerate(turns):
            counted, stays = self.counted(turn) if self.pairs else ([], [])
            parts = counted + self.filled(turn)
            stages.append(
                Stage(name, parts, [*map(self.computed, [turn] * DESKS, range(DESKS)), *stays])
            )
            if turn + 1 < len(turns):
                stages.append(Stage(PASS_ON, [], stays))
        back = [self.arrows(), *(self.desk(*each) for each in enumerate(desks))]
        side = self.at(1)[0]
        wide, high = 2 * side + self.left + self.right, 1.5 * self.radius + self.top + self.bottom
        left, top = -side - self.left - 1, -self.radius - self.top - 1
        volumes = [self.volume(number) for number in range(DESKS)]
        return Drawing(wide + 2, high + 2, volumes, left, top, stages, back=back)

    def at(self, desk: float) -> Point:
        """Return where the header of a desk's table is, or a place on the way to the next."""
        angle = 2 * pi * desk / DESKS
        return self.radius * sin(angle), -self.radius * cos(angle)

    def arrows(self) -> str:
        """Return arrows from desk to desk, around the middle of the desks."""
        middle, way = (self.right - self.left) / 2, ""
        for start, end in ((0.52, 0.85), (2.15, 2.48)):
            (x, y), (right, down) = self.at(start), self.at(end)
            tip, radius = (middle + right, down), short(self.radius)
            way += f"{through((middle + x, y))}A{radius},{radius} 0 0 1 {points([tip])}"
            way += head(tip, (-down, right))
        low, half = self.at(1)[1] + self.bottom / 2, GAP / 2 - 3
        return path("leads", way + leads((middle + half, low), (middle - half, low)))

    def desk(self, number: int, name: str) -> str:
        """Return a desk with its questions, and room for what they are compared with."""
        box = rectangle(-self.left, -self.top, self.left + self.right, self.top + self.bottom)
        parts = [path("dial", box), label(6 - self.left, 0, name, "number start faint")]
        for row, position in enumerate(self.positions[number]):
            asks = " asks" if position in self.meets[:1] else ""
            x, y = self.table.left - 4, self.table.y(row + 0.5)
            parts.append(label(x, y, f"{self.words[position]}?", f"number end{asks}"))
        places = range(len(self.positions[0]))
        parts += together("gap", (self.table.cell(*one) for one in product(places, places)))
        return group(parts, at=self.at(number))

    def volume(self, number: int) -> str:
        """Return a volume, which stays for a turn, and then travels along the ring."""
        words = [self.words[position] for position in self.positions[number]]
        parts = [outline("tile", 0, 0, self.table.wide * len(words))]
        parts += [label(self.table.x(place + 0.5), 0, word) for place, word in enumerate(words)]
        if self.has_slips:
            parts += squares("gap", -STEP * DESKS / 2, -self.slip, DESKS)
        return travels(parts, self.way(number), who(number))

    def filled(self, turn: int) -> list[str]:
        """Return the square that is filled in a turn on each slip, and then travels with it."""
        if not self.has_slips or turn == DESKS:
            return []
        mark = squares("full", STEP * (turn - DESKS / 2), -self.slip, 1)
        return [travels(mark, self.way(number), who(number)) for number in range(DESKS)]

    def way(self, number: int) -> list[str]:
        """Return the places of a volume, before each turn and in it."""
        way, angle = [], 0
        for desk in (row.index(number) for row in self.lies):
            angle += (120 * desk - angle) % 360
            there = f"rotate({angle}deg) {to(0, -self.radius)} rotate({-angle}deg)"
            way += [there, there]
        return way

    def computed(self, turn: int, desk: int) -> str:
        """Return the cells that a desk computes; the framed one is where two words meet."""
        met, volume = self.met(turn, desk), self.lies[turn][desk]
        framed = [
            (row, column)
            for row, column in met
            if (self.positions[desk][row], self.positions[volume][column]) == self.meets
        ]
        cells = [
            part
            for name, places in (("full", met), ("framed", framed))
            for part in together(name, (self.table.cell(*place) for place in places))
        ]
        return group(cells, who(volume), self.at(desk))

    def counted(self, turn: int) -> tuple[list[str], list[str]]:
        """Return squares for the pairs of a turn, and what is written until the next one."""
        parts, written = [], []
        done = (self.pairs or [])[: turn + 1]
        busiest = [max(row) for row in done]
        for desk, count in enumerate(done[-1]):
            x, y = self.at(desk)
            left, low = x - self.left + 7, y + self.bottom
            start = left + STEP * sum(busiest[:-1])
            marks = squares("full", start, low - 36, count)
            marks += squares("gap", start + STEP * count, low - 36, busiest[-1] - count)
            parts.append(group(marks, who(self.lies[turn][desk])))
            total = sum(row[desk] for row in done)
            written.append(text(left, low - 9, f"{total} pairs", "number start"))
        middle = (self.right - self.left) / 2
        written.append(text(middle, self.radius / 4 - 6, f"time {sum(busiest)}", "asks"))
        return parts, written
