// Attention tile by tile: the scores that are held at a moment, and what each query carries on.

import { dot, mix, softmax } from "../../attention.js";
import { ASKS, HUES, INK, SOFT, rule, words } from "../marks.js";
import { EMPTY, Run } from "../run.js";
import { range, sum, two } from "../stage.js";
import { EMBEDDING } from "../words.js";

const TEXT = "the duck likes the muddy bank".split(" ");
const N = TEXT.length;
const VECTORS = TEXT.map((word) => EMBEDDING[word]);
const SCORES = VECTORS.map((query) => VECTORS.map((key) => dot(query, key)));

/** The first row and column of each tile that is computed. */
export function tiles(size, causal) {
  const starts = range(N / size).map((k) => k * size);
  return starts.flatMap((top) => starts.filter((left) => !causal || left <= top).map((left) => ({ top, left })));
}

/** What a query carries on behind the keys up to an end: its largest score, the sum of exponentials, and its context. */
export function carried(row, end, causal) {
  const scores = SCORES[row].slice(0, causal ? Math.min(end, row + 1) : end);
  const max = Math.max(...scores);
  return { max, total: sum(scores.map((score) => Math.exp(score - max))), context: mix(softmax(scores), VECTORS) };
}

export default class Tiling extends Run {
  switches = [
    { name: "size", options: [[2, "2 × 2"], [3, "3 × 3"], [N, "all at once"]] },
    { name: "causal", options: [[false, "all tokens"], [true, "causal"]] },
  ];

  constructor() {
    super({ size: 2, causal: false });
  }

  get tensors() {
    return { lse: range(N).map((row) => carried(row, N, false)).map(({ max, total }) => max + Math.log(total)) };
  }

  get tiles() {
    return tiles(this.is.size, this.is.causal);
  }

  get last() {
    return this.tiles.length - 1;
  }

  get where() {
    const { length } = this.tiles;
    const left = (N / this.is.size) ** 2 - length;
    return `tile ${this.at + 1} of ${length}${left ? `, and ${left} left out` : ""}`;
  }

  get matters() {
    return { number: this.is.size ** 2, says: "scores held at once", other: `${N ** 2} in the whole table` };
  }

  told() {
    const { top, left } = this.tiles[this.at];
    const row = top + this.is.size - 1;
    const [water, money] = this.held(row).context.map(two);
    const upTo = TEXT[left + this.is.size - 1];
    return `${this.where}: behind the keys up to “${upTo}”, “${TEXT[row]}” has ${water} water and ${money} money.`;
  }

  /** What a row carries on at this moment; nothing before its first tile. */
  held(row) {
    const behind = this.tiles.slice(0, this.at + 1).filter(({ top }) => top <= row && row < top + this.is.size);
    return behind.length ? carried(row, behind.at(-1).left + this.is.size, this.is.causal) : undefined;
  }

  run(m, { x, y, w, h, narrow }) {
    const [names, column, small] = narrow ? [42, 39, 12] : [72, 62, 16];
    const columns = narrow ? ["sum", "water", "money"] : ["max", "sum", "water", "money"];
    const right = columns.length * column + 6;
    const head = narrow ? 52 : 60;
    const c = Math.min((w - names - right) / N, 96); // a column, and a row
    const r = Math.min((h - head - 4) / N, 96, 1.4 * c);
    const [left, top] = [x + names + (w - names - right - N * c) / 2, y + head];
    const now = this.tiles[this.at];
    m.states = words(x, y + small, small, "violet: held now, grey: forgotten", SOFT, { look: "sans" });
    const within = (start, place) => start <= place && place < start + this.is.size;

    TEXT.forEach((word, k) => {
      const [asks, asked] = [within(now.top, k), within(now.left, k)];
      const high = c < 60 && k % 2 ? small * 1.15 : 0; // every second word stands higher
      m[`row${k}`] = words(left - 8, top + (k + 0.5) * r + small * 0.3, small, word, asks ? ASKS : SOFT, { anchor: "end", look: asks ? "strong" : "" });
      m[`word${k}`] = words(left + (k + 0.5) * c, top - 8 - high, small, word, asked ? INK : SOFT, { anchor: "middle", look: asked ? "strong" : "" });
    });
    for (const i of range(N)) for (const j of range(N)) this.cell(m, i, j, { x: left + j * c, y: top + i * r, w: c, h: r }, small);
    const end = (k) => left + N * c + (k + 1) * column;
    columns.forEach((name, k) => (m[`head${name}`] = words(end(k), top - 8, narrow ? 12 : 15, name, SOFT, { anchor: "end", look: "sans" })));
    for (const i of range(N)) {
      const held = this.held(i);
      if (!held) continue;
      const numbers = { max: held.max, sum: two(held.total), water: two(held.context[0]), money: two(held.context[1]) };
      columns.forEach((name, k) => {
        const fill = { water: HUES[0], money: HUES[1] }[name] ?? (within(now.top, i) ? ASKS : INK);
        m[`${name}${i}`] = words(end(k), top + (i + 0.5) * r + small * 0.36, small, numbers[name], fill, { anchor: "end", look: "sans strong" });
      });
    }
  }

  /** A place of the table: to come, held now, forgotten, or never computed. The cells of a tile lie close. */
  cell(m, i, j, { x, y, w, h }, size) {
    const edge = (place) => (place % this.is.size ? 0.5 : 3);
    const box = { x: x + edge(j), y: y + edge(i), w: w - edge(j) - edge(j + 1), h: h - edge(i) - edge(i + 1) };
    const starts = [i, j].map((place) => place - (place % this.is.size));
    const at = this.tiles.findIndex(({ top, left }) => top === starts[0] && left === starts[1]);
    const hidden = this.is.causal && j > i;
    if (at < 0) m[`out${i}.${j}`] = rule(box.x, box.y + box.h, box.x + box.w, box.y, { stroke: SOFT, o: 0.6 });
    else if (at > this.at) m[`cell${i}.${j}`] = { as: "rect", ...box, r: 2, ...EMPTY };
    else if (at < this.at) m[`cell${i}.${j}`] = { as: "rect", ...box, r: 2, fill: SOFT, o: hidden ? 0.1 : 0.3 };
    else {
      m[`cell${i}.${j}`] = { as: "rect", ...box, r: 2, fill: ASKS, o: hidden ? 0.2 : 1 };
      if (!hidden) m[`score${i}.${j}`] = words(x + w / 2, y + h / 2 + size * 0.36, size, SCORES[i][j], "var(--paper)", { anchor: "middle", look: "sans strong" });
    }
  }
}
