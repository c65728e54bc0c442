// Three sentences in one row: the pairs that a rule allows, and the blocks of the table that are computed for them, row of
// blocks by row of blocks.

import { ASKS, INK, RULE, SOFT, rule, words } from "../marks.js";
import { Run } from "../run.js";
import { range, sum } from "../stage.js";

const WINDOW = 4;
const RULES = ["causal", "window", "packed"];

/** For each block, how many of its pairs are allowed. The page has it in Python, by the same names. */
export function blocks(name, size, sentence) {
  const count = (top, left) => sum(range(size * size).map((at) => Number(allows(name, top + Math.floor(at / size), left + (at % size), sentence))));
  const starts = range(sentence.length / size).map((at) => at * size);
  return starts.map((top) => starts.map((left) => count(top, left)));
}

function allows(name, i, j, sentence) {
  if (j > i) return false;
  return name === "window" ? j > i - WINDOW : name === "causal" || sentence[i] === sentence[j];
}

export default class Pairs extends Run {
  switches = [
    { name: "rule", options: RULES.map((name) => [name, name]) },
    { name: "size", options: [1, 2, 4].map((size) => [size, size === 1 ? "blocks of 1" : String(size)]) },
  ];

  /** @param numbers the outputs of the page: the sentence of each token, and what it counts in blocks of two */
  constructor({ row }) {
    super({ rule: "packed", size: 2 });
    [this.tokens, this.sentence] = [row.columns, row.values];
  }

  get tensors() {
    const counted = (name) => blocks(name, 2, this.sentence).flat();
    return { row: this.sentence, counted: RULES.map((name) => [sum(counted(name)), counted(name).filter(Boolean).length]) };
  }

  get last() {
    return this.sentence.length / this.is.size - 1;
  }

  get blocks() {
    return blocks(this.is.rule, this.is.size, this.sentence);
  }

  /** So far: blocks, the pairs in them, and those that are allowed. */
  get counted() {
    const computed = this.blocks.slice(0, this.at + 1).flat().filter(Boolean);
    return { touched: computed.length, pairs: computed.length * this.is.size ** 2, allowed: sum(computed) };
  }

  get where() {
    return `row of blocks ${this.at + 1} of ${this.last + 1}`;
  }

  get matters() {
    const { touched, pairs, allowed } = this.counted;
    return { number: touched, says: `of ${(this.last + 1) ** 2} blocks computed`, other: `${pairs} pairs, ${allowed} allowed` };
  }

  told() {
    const { number, says, other } = this.matters;
    return `${this.is.rule}, in blocks of ${this.is.size}, ${this.where}: ${number} ${says}, with ${other}.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const { tokens, sentence } = this;
    const [size, names, top] = narrow ? [12, 46, 16] : [15, 64, 26];
    const cell = Math.min((w - names) / tokens.length, (h - top - 4) / tokens.length);
    const left = x + names + (w - names - cell * tokens.length) / 2;
    const at = (place) => y + top + cell * place;
    const across = (place) => left + cell * place;
    m.keys = words(across(8), y + top - (narrow ? 5 : 9), size, "keys; dot: allowed, stroke: hidden but computed", SOFT, { anchor: "middle", look: "sans" });
    tokens.forEach((token, i) => {
      m[`word${i}`] = words(left - 8, at(i + 0.5) + size * 0.3, size, token, INK, { anchor: "end" });
      const ends = i && sentence[i] !== sentence[i - 1];
      if (ends && this.is.rule === "packed") {
        m[`row${i}`] = rule(left - names, at(i), across(16), at(i), { z: 2, stroke: SOFT });
        m[`column${i}`] = rule(across(i), at(0), across(i), at(16), { z: 2, stroke: SOFT });
      }
    });
    const computed = (i) => Math.floor(i / this.is.size) <= this.at;
    const side = cell * this.is.size;
    this.blocks.forEach((counts, r) =>
      counts.forEach((count, c) => {
        const look = count ? { fill: ASKS, stroke: ASKS, o: r <= this.at ? 0.4 : 0.08 } : { fill: "none", stroke: RULE };
        m[`block${this.is.size}.${r}.${c}`] = { as: "rect", z: 0, x: left + side * c + 1, y: at(0) + side * r + 1, w: side - 2, h: side - 2, r: 3, sw: 1, ...look };
        for (const k of range(count ? this.is.size ** 2 : 0)) this.pair(m, r * this.is.size + Math.floor(k / this.is.size), c * this.is.size + (k % this.is.size), { across, at, cell, computed });
      }),
    );
  }

  /** A dot where a query may see a key, and a stroke where a block computes what is hidden. */
  pair(m, i, j, { across, at, cell, computed }) {
    const o = computed(i) ? 1 : 0.2;
    const [x, y, r] = [across(j + 0.5), at(i + 0.5), cell * 0.2];
    if (allows(this.is.rule, i, j, this.sentence)) m[`pair${i}.${j}`] = { as: "circle", x, y, r, fill: INK, o };
    else m[`hidden${i}.${j}`] = rule(x - r, y + r, x + r, y - r, { z: 1, stroke: INK, sw: 1.5, o: 0.6 * o });
  }
}
