// A text is written, pass by pass, with a cache of keys and values or without one. Each pass is a row, with a square for
// each token whose key and value it computes or finds.

import { SOFT, words } from "../marks.js";
import { DONE, KEEPS, NOW, Run } from "../run.js";
import { clamp, range, sum } from "../stage.js";

const TEXT = "the duck likes the muddy bank the rich bank likes the bank".split(" ");
const said = (count) => count.toLocaleString("en");

/** For each pass: how many tokens there are, and how many of them have their key and value kept. */
const passes = (tokens, cached) => range(tokens).map((before) => ({ now: before + 1, kept: cached ? before : 0 }));

/** How many keys and values are computed in all. */
const computed = (all) => sum(all.map(({ now, kept }) => now - kept));

export default class Caching extends Run {
  switches = [
    { name: "cached", options: [[false, "computed again"], [true, "kept"]] },
    { name: "tokens", options: [[6, "6 tokens"], [12, "12 tokens"]] },
  ];

  /** @param numbers the outputs of the page: what a pass takes, without a cache and with one */
  constructor({ work }) {
    super({ cached: false, tokens: 6 });
    this.work = work.values;
  }

  get tensors() {
    return { work: this.work };
  }

  get last() {
    return this.is.tokens - 1;
  }

  get passes() {
    return passes(this.is.tokens, this.is.cached).slice(0, this.at + 1);
  }

  workOf({ now, kept }) {
    return this.work[kept ? 1 : 0][now - 1];
  }

  get where() {
    return `pass ${this.at + 1} of ${this.is.tokens}`;
  }

  get matters() {
    const other = computed(passes(this.at + 1, !this.is.cached));
    return { number: computed(this.passes), says: "keys and values", other: `${other} ${this.is.cached ? "without a cache" : "with a cache"}` };
  }

  told() {
    const all = this.passes;
    return `${this.where}: ${computed(all)} keys and values computed so far, with ${said(sum(all.map((pass) => this.workOf(pass))))} operations.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const { tokens } = this.is;
    const names = narrow ? 56 : 80;
    const right = narrow ? 64 : 150; // for what a pass takes
    const step = (w - right) / tokens;
    const row = clamp((h - names - (narrow ? 4 : 12)) / tokens, 6, 76);
    const side = Math.min(step * 0.84, row - (row > 20 ? 5 : 2));
    const size = clamp(step * 0.3, narrow ? 12 : 15, 20);
    m.square = words(x, y + size, narrow ? 12 : 16, "a row: a pass; a square: a key and a value", SOFT, { look: "sans" });
    const low = tokens > 6; // every second word stands lower
    range(tokens).forEach((j) => {
      const at = y + names - 14 - (low && j % 2 === 0 ? size * 1.1 : 0);
      m[`word${j}`] = words(x + step * (j + 0.5), at, size, TEXT[j], j === this.at ? NOW.fill : SOFT, { anchor: "middle", look: j === this.at ? "strong" : "", o: j > this.at ? 0.35 : 1 });
    });
    this.passes.forEach((pass, i) => {
      const top = y + names + i * row;
      range(pass.now).forEach((j) => {
        const look = j < pass.kept ? KEEPS : i === this.at ? NOW : DONE;
        m[`square${i}.${j}`] = { as: "rect", x: x + step * (j + 0.5) - side / 2, y: top, w: side, h: side, r: 3, ...look };
      });
      if (row > 14 || i === this.at) m[`work${i}`] = words(x + w, top + side / 2 + 5, narrow ? 12 : 16, said(this.workOf(pass)), SOFT, { anchor: "end", look: "sans" });
    });
    m.operations = words(x + w, y + names - 14, narrow ? 12 : 16, narrow ? "operations" : "operations of a pass", SOFT, { anchor: "end", look: "sans" });
  }
}
