// Two ranks with a head each: what they hold, the part of a token's output that each computes, and the sum. Backward it is
// a gradient of the input.

import { FEATURES, HUES, INK, SOFT, rule, words } from "../marks.js";
import { DONE, EMPTY, NOW, Run } from "../run.js";
import { clamp, range, two } from "../stage.js";

const MATRICES = ["query", "key", "value", "out"];
const TOKENS = 6;
const PASSES = { forward: "output of “bank”", backward: "gradient at “duck”" };

export default class AllReduce extends Run {
  switches = [
    { name: "pass", options: Object.keys(PASSES).map((name) => [name, name]) },
    { name: "summed", options: [[true, "summed"], [false, "not summed"]] },
  ];

  /** @param numbers the outputs of the page: in each pass the parts of both ranks, and their sum */
  constructor({ of_bank, at_duck }) {
    super({ pass: "forward", summed: true });
    this.tensors = { of_bank: of_bank.values, at_duck: at_duck.values };
  }

  get rows() {
    return this.tensors[this.is.pass === "forward" ? "of_bank" : "at_duck"];
  }

  get last() {
    return this.is.summed ? 2 : 1;
  }

  get where() {
    return ["cut: a head on each rank", "computed: a part on each rank", "summed: the same on both ranks"][this.at];
  }

  get matters() {
    if (this.at === 2) return { number: TOKENS * FEATURES.length, says: "numbers sent", other: `${TOKENS} tokens × ${FEATURES.length}` };
    return { number: 0, says: "numbers sent", other: this.is.summed ? "only its own head" : "wrong on both" };
  }

  told() {
    if (!this.at) return "Each rank has the rows of three matrices, and the columns of the last, that belong to its head.";
    const said = (row) => row.map((amount, e) => `${two(amount)} ${FEATURES[e]}`).join(", ");
    const what = PASSES[this.is.pass];
    if (this.at === 1) return `The ${what}: rank 0 has ${said(this.rows[0])}. Rank 1 has ${said(this.rows[1])}.`;
    return `The ${what} is on both ranks ${said(this.rows[2])}.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const size = narrow ? 12 : 16;
    const high = clamp((h - 84) / 3.3, 36, 120);
    const cell = narrow ? 5.5 : Math.min(w / 50, (high - 2.4 * size) / 4); // of a matrix
    const icon = narrow ? 4 * cell + 4 : Math.max(4 * cell + 12, 52);
    const left = 4 * icon + (narrow ? 6 : 20);
    const step = (w - left) / FEATURES.length;
    const top = y + 34 + Math.max(0, (h - 84 - 3.3 * high) / 2);
    m.legend = words(x, y + h - 4, size, `■ ${narrow ? "its own rows," : "the rank’s own rows of query, key and value,"} and columns of out`, this.at ? SOFT : NOW.fill, { look: "sans" });
    m.what = words(x, top - 12, size, narrow ? PASSES[this.is.pass].split(" ").at(-1) : PASSES[this.is.pass], INK, { look: "sans strong" });
    FEATURES.forEach((name, e) => (m[`head${e}`] = words(x + left + step * (e + 0.5), top - 12, size, narrow && name.length > 5 ? `${name.slice(0, 3)}.` : name, HUES[e], { anchor: "middle", look: "sans" })));
    this.rows.forEach((row, r) => {
      const isSum = r === 2;
      const foot = top + r * 1.1 * high + (isSum ? 0.1 * high : 0);
      const middle = foot + high / 2;
      if (isSum) m.line = rule(x + left, foot - 0.1 * high, x + w, foot - 0.1 * high, { stroke: INK, sw: 2 });
      m[`rank${r}`] = words(x, isSum ? middle + size * 0.3 : middle - 2 * cell - 8, size, isSum ? (narrow ? "sum" : "sum, on both") : `rank ${r}`, INK, { look: "sans strong" });
      if (!isSum) MATRICES.forEach((name, k) => this.matrix(m, r, name, { x: x + k * icon, y: middle - 2 * cell, cell, narrow }));
      row.forEach((amount, e) => {
        const place = { as: "rect", x: x + left + step * e + 3, y: foot, w: step - 6, h: high - 4, r: 4 };
        const there = isSum ? this.at === 2 : this.at > 0;
        m[`cell${r}.${e}`] = there ? { ...place, fill: HUES[e], o: 0.12 + 0.16 * Math.min(3, Math.abs(amount)) } : { ...place, ...EMPTY };
        if (there) m[`number${r}.${e}`] = words(place.x + place.w / 2, middle + size * 0.3, narrow ? 15 : 22, two(amount), INK, { anchor: "middle", look: isSum ? "sans strong" : "sans" });
      });
    });
  }

  /** A matrix of four rows: those of the rank's head are there, of the last matrix its columns. */
  matrix(m, rank, name, { x, y, cell, narrow }) {
    const byColumns = name === "out";
    range(4).forEach((k) => {
      const [dx, dy] = byColumns ? [k * cell, 0] : [0, k * cell];
      const [w, h] = byColumns ? [cell - 1, 4 * cell - 1] : [4 * cell - 1, cell - 1];
      const mine = Math.floor(k / 2) === rank;
      m[`${name}${rank}.${k}`] = { as: "rect", x: x + dx, y: y + dy, w, h, r: 1, ...(mine ? (this.at ? DONE : NOW) : { fill: "var(--cell)" }) };
    });
    if (rank && !narrow) m[`${name}${rank}`] = words(x + 2 * cell, y + 4 * cell + 17, 15, name, SOFT, { anchor: "middle", look: "sans" });
  }
}
