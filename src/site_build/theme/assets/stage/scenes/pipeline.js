// Layers on four ranks: microbatches go forward from rank to rank, and back. A row is a rank, a column is a turn.

import { INK, SOFT, words } from "../marks.js";
import { DONE, EMPTY, NOW, Run } from "../run.js";
import { clamp, percent, range, sum } from "../stage.js";

const [RANKS, COUNTS] = [4, [1, 4, 8]];
const oneWay = (way, first, last) => range(last - first).map((k) => `${way}${first + k}`);

/** In which order a rank works through its microbatches: "F0" is the first of them, forward. The page has it in Python. */
const ORDERS = {
  gpipe: (rank, count) => [...oneWay("F", 0, count), ...oneWay("B", 0, count)],
  "1f1b": (rank, count) => {
    const ahead = Math.min(RANKS - rank, count);
    return [...oneWay("F", 0, ahead), ...range(count).flatMap((n) => [`B${n}`, ...oneWay("F", n + ahead, Math.min(n + ahead + 1, count))])];
  },
};
const orderOf = (name, count) => range(RANKS).map((rank) => ORDERS[name](rank, count));

/** For each turn, what each rank does: nothing as long as the rank before, or behind, has not handed it over. */
export function turnsOf(name, count) {
  const [lists, done, turns] = [orderOf(name, count), new Set(), []];
  while (lists.some((list) => list.length)) {
    const now = lists.map((list, rank) => {
      const before = rank + (list[0]?.startsWith("F") ? -1 : 1);
      const ready = before < 0 || before === RANKS || done.has(`${list[0]} ${before}`);
      return ready ? list.shift() : undefined;
    });
    now.forEach((each, rank) => done.add(`${each} ${rank}`));
    turns.push(now);
  }
  return turns;
}

/** The most microbatches that a rank keeps at a time, from forward to back. */
function kept(actions) {
  let [now, most] = [0, 0];
  for (const action of actions) most = Math.max(most, (now += action?.startsWith("F") ? 1 : action ? -1 : 0));
  return most;
}

const waits = (turns) => sum(turns.flat().map((action) => (action ? 0 : 1)));
const bubble = (turns) => waits(turns) / (turns.length * RANKS);

export default class Pipeline extends Run {
  switches = [
    { name: "order", options: [["gpipe", "GPipe"], ["1f1b", "1F1B"]] },
    { name: "count", options: COUNTS.map((count) => [count, count === 1 ? "1 microbatch" : String(count)]) },
  ];

  constructor() {
    super({ order: "gpipe", count: 4 });
  }

  get tensors() {
    return { bubbles: COUNTS.map((count) => bubble(turnsOf("gpipe", count))), kept: Object.keys(ORDERS).map((name) => orderOf(name, 8).map(kept)) };
  }

  get all() {
    return turnsOf(this.is.order, this.is.count);
  }

  get last() {
    return this.all.length - 1;
  }

  get turns() {
    return this.all.slice(0, this.at + 1);
  }

  get where() {
    return `turn ${this.at + 1} of ${this.last + 1}`;
  }

  get matters() {
    const keeps = kept(this.turns.map(([first]) => first));
    return { number: percent(bubble(this.turns)), says: "idle", other: `A keeps ${keeps} ${keeps === 1 ? "microbatch" : "microbatches"}` };
  }

  told() {
    const { number, other } = this.matters;
    return `${this.where}: ${number} idle so far, and ${other}.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const names = narrow ? 20 : 40;
    const size = narrow ? 13 : 18;
    const step = Math.min((w - names) / (this.last + 1), narrow ? 40 : 64);
    const row = clamp((h - 3 * size) / RANKS, 24, narrow ? 60 : 110);
    const letters = clamp(step * 0.5, narrow ? 12 : 15, 20);
    range(RANKS).forEach((rank) => (m[`rank${rank}`] = words(x, y + row * (rank + 0.5) + size * 0.35, size, "ABCD"[rank], INK, { look: "sans strong" })));
    this.all.forEach((actions, turn) =>
      actions.forEach((action, rank) => {
        const [left, top, now] = [x + names + turn * step, y + rank * row, turn === this.at];
        const look = action?.startsWith("F") ? NOW : action ? DONE : EMPTY;
        const o = turn > this.at ? 0.12 : action && !now ? 0.4 : 1;
        m[`turn${turn}.${rank}`] = { as: "rect", x: left + 1, y: top + 2, w: step - 2, h: row - 4, r: 3, ...look, o };
        if (action) m[`action${turn}.${rank}`] = words(left + step / 2, top + row / 2 + letters * 0.36, letters, action.slice(1), now ? "var(--paper)" : INK, { anchor: "middle", look: now ? "sans strong" : "sans", o: turn > this.at ? 0 : 1 });
      }));
    const told = [["■ ", NOW.fill], ["forward\u2003", INK], ["■ ", SOFT], ["backward\u2003", INK], ["□ ", SOFT], ["waits", INK]];
    m.told = words(x + names, y + RANKS * row + size * 1.4, size, told, SOFT, { look: "sans" });
  }
}
