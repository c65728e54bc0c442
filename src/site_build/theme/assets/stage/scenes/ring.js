// A ring of ranks: keys and values travel from rank to rank, each computes the pairs that a causal mask allows, and all
// wait for the one that has most.

import { INK, RULE, SOFT, rule, words } from "../marks.js";
import { DONE, EMPTY, KEPT, NOW, Run } from "../run.js";
import { range, sum } from "../stage.js";

const TOKENS = 24;

/** The places of the tokens of each rank: in order, or a piece from the front and one from the back. */
export function positions(tokens, ranks, headAndTail) {
  const piece = tokens / ranks / (headAndTail ? 2 : 1);
  const from = (place) => range(piece).map((i) => place * piece + i);
  return range(ranks).map((rank) => (headAndTail ? [...from(rank), ...from(2 * ranks - 1 - rank)] : from(rank)));
}

/** The rank whose block lies on a rank in a turn. */
const blockOn = (rank, turn, ranks) => (rank - turn + ranks) % ranks;

/** For each turn, how many pairs each rank computes. The page has it in Python. */
export const pairs = (places) =>
  range(places.length).map((turn) =>
    places.map((queries, rank) => sum(queries.map((query) => places[blockOn(rank, turn, places.length)].filter((key) => key <= query).length))),
  );

/** All wait for the rank that has most. */
const timeOf = (table) => sum(table.map((turn) => Math.max(...turn)));

export default class Ring extends Run {
  switches = [
    { name: "balanced", options: [[false, "in order"], [true, "head and tail"]] },
    { name: "ranks", options: [3, 6].map((count) => [count, `${count} ranks`]) },
  ];

  constructor() {
    super({ balanced: false, ranks: 3 });
  }

  places(balanced = this.is.balanced) {
    return positions(TOKENS, this.is.ranks, balanced);
  }

  get tensors() {
    const [in_order, head_tail] = [false, true].map((balanced) => pairs(positions(TOKENS, 3, balanced)));
    return { in_order, head_tail };
  }

  get last() {
    return this.is.ranks - 1;
  }

  get turns() {
    return pairs(this.places()).slice(0, this.at + 1);
  }

  get where() {
    return `turn ${this.at + 1} of ${this.is.ranks}`;
  }

  get matters() {
    const waited = this.is.ranks * timeOf(this.turns) - sum(this.turns.flat());
    return { number: timeOf(this.turns), says: "time (a pair takes 1)", other: waited ? `waiting: ${waited} in all` : "no waiting" };
  }

  told() {
    const now = this.turns[this.at].map((count, rank) => `rank ${rank} ${count ? `computes ${count} pairs` : "waits"}`);
    return `${this.where}: ${now.join(", ")}. So far it takes the time of ${timeOf(this.turns)} pairs.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const circle = narrow ? Math.min(w * 0.52, h) : Math.min(w * 0.36, h);
    this.circle(m, { x: x + circle / 2, y: y + h / 2, radius: circle / 2 - (narrow ? 23 : 46), narrow });
    const lanes = narrow ? w * 0.4 : w * 0.2;
    this.lanes(m, { x: x + w - lanes, y: y + 44, w: lanes, h: h - 52, narrow });
    if (narrow) return;
    const side = Math.min(w - circle - lanes - 96, h - 60);
    this.table(m, { x: x + circle + 48 + (w - circle - lanes - 96 - side) / 2, y: y + 26 + (h - 60 - side) / 2, side });
  }

  /** The ranks, and on each the block that it has in this turn. */
  circle(m, { x, y, radius, narrow }) {
    const { ranks } = this.is;
    const few = ranks < 6 && !narrow; // there is room
    const [wide, high, size] = few ? [84, 58, 15] : narrow ? [36, 34, 12] : [54, 50, 15];
    const chip = narrow ? 20 : 26;
    const at = (place) => {
      const angle = 2 * Math.PI * (place / ranks - 1 / 4);
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    };
    m.way = { as: "circle", z: 0, x, y, r: radius, fill: "none", stroke: SOFT, sw: 1.5, dash: "2 6" };
    m.green = words(x, y + radius + high, size, "■ keys and values", KEPT, { anchor: "middle", look: "sans" });
    range(ranks).forEach((rank) => {
      const [cx, cy] = at(rank);
      const [left, top] = [cx - wide / 2, cy - high / 2];
      const count = this.turns[this.at][rank];
      m[`rank${rank}`] = { as: "rect", x: left, y: top, w: wide, h: high, r: 6, fill: "var(--paper)", stroke: count ? NOW.fill : SOFT, sw: count ? 2.5 : 1.5 };
      m[`name${rank}`] = words(left + 6, top + size * 1.35, size, few ? `rank ${rank}` : rank, INK, { z: 2, look: "sans strong" });
      m[`count${rank}`] = words(left + 6, top + high - 7, size, count ? `${count}${few ? " pairs" : ""}` : few ? "waits" : "–", count ? NOW.fill : SOFT, { z: 2, look: "sans" });
      const [from, to] = [at(rank + 0.44), at(rank + 0.56)];
      m[`arrow${rank}`] = { as: "arrow", x0: from[0], y0: from[1], x: to[0], y: to[1], w: 3, fill: KEPT };
      const owner = blockOn(rank, this.at, ranks);
      m[`block${owner}`] = { as: "rect", z: 2, x: left + wide - chip / 2, y: top - chip / 2, w: chip, h: chip, r: 4, fill: KEPT };
      m[`owner${owner}`] = words(left + wide, top + size * 0.35, size, owner, "var(--paper)", { z: 2, anchor: "middle", look: "sans strong" });
    });
  }

  /** Rows ask, columns answer: what was computed, and what is computed now. */
  table(m, { x, y, side }) {
    const { ranks } = this.is;
    const cell = side / TOKENS;
    const owner = [];
    this.places().forEach((places, rank) => places.forEach((place) => (owner[place] = rank)));
    m.frame = { as: "rect", z: 0, x, y, w: side, h: side, r: 2, fill: "none", stroke: RULE };
    m.mask = rule(x, y, x + side, y + side, { stroke: SOFT, dash: "3 4" });
    range(TOKENS).forEach((row) => {
      for (let from = 0, to = 1; from <= row; from = to++) {
        while (to <= row && owner[to] === owner[from]) to++;
        const turn = blockOn(owner[row], owner[from], ranks);
        if (turn <= this.at) m[`run${row}.${from}`] = { as: "rect", z: 0, x: x + from * cell, y: y + row * cell, w: (to - from) * cell - 1, h: cell - 1, ...(turn === this.at ? NOW : DONE) };
      }
    });
    for (let from = 0, to = 1; to <= TOKENS; to++) {
      if (owner[to] === owner[from]) continue;
      const middle = ((from + to) / 2) * cell;
      m[`row${from}`] = words(x - 8, y + middle + 5, 15, owner[from], INK, { anchor: "end", look: "sans strong" });
      m[`column${from}`] = words(x + middle, y - 8, 15, owner[from], KEPT, { anchor: "middle", look: "sans strong" });
      from = to;
    }
    m.axes = words(x + side / 2, y + side + 24, 15, "rows: queries, columns: keys", SOFT, { anchor: "middle", look: "sans" });
  }

  /** A lane for each rank: its length is the time of the pairs. Dashed is waiting. */
  lanes(m, { x, y, w, h, narrow }) {
    const { ranks } = this.is;
    const unit = h / Math.max(...[false, true].map((balanced) => timeOf(pairs(this.places(balanced)))));
    const lane = w / ranks;
    let top = y;
    m.time = words(x + w, y - (narrow ? 20 : 26), narrow ? 12 : 15, "time ↓", SOFT, { anchor: "end", look: "sans" });
    range(ranks).forEach((rank) => (m[`lane${rank}`] = words(x + lane * (rank + 0.5), y - 6, narrow ? 12 : 15, rank, INK, { anchor: "middle", look: "sans strong" })));
    this.turns.forEach((counts, turn) => {
      const whole = Math.max(...counts) * unit;
      counts.forEach((count, rank) => {
        const place = { as: "rect", x: x + rank * lane + 2, w: lane - 4, r: 2 };
        const done = count * unit;
        if (count) m[`done${turn}.${rank}`] = { ...place, y: top + 1, h: done - 2, ...(turn === this.at ? NOW : DONE) };
        if (whole > done + 1) m[`waits${turn}.${rank}`] = { ...place, y: top + done + 1, h: whole - done - 2, ...EMPTY };
      });
      top += whole;
    });
  }
}
