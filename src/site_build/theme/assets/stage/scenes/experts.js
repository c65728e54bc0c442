// Tokens go to their experts, one token after another: each expert stacks up the rows that it computes, and one that is
// full drops the next.

import { INK, SOFT, width, words } from "../marks.js";
import { DONE, EMPTY, NOW, Run } from "../run.js";
import { clamp, range, sum, two } from "../stage.js";

export default class Experts extends Run {
  switches = [{ name: "capacity", options: [[Infinity, "no limit"], [3, "capacity 3"]] }];

  /** @param numbers the output of the page: for each token a share for each expert, 0 where it is not chosen */
  constructor({ shares }) {
    super({ capacity: Infinity });
    Object.assign(this, { shares: shares.values, tokens: shares.rows, names: shares.columns });
  }

  get tensors() {
    return { shares: this.shares };
  }

  get last() {
    return this.tokens.length - 1;
  }

  /** For each expert the tokens that have come to it, in their order: it computes the first, and drops what has no room. */
  get rows() {
    const come = range(this.at + 1);
    return this.names.map((_, e) => come.filter((token) => this.shares[token][e]));
  }

  get counts() {
    const each = this.rows.map((tokens) => tokens.length);
    const computed = sum(each.map((count) => Math.min(count, this.is.capacity)));
    return { computed, dropped: sum(each) - computed, fetched: each.filter(Boolean).length };
  }

  get where() {
    const [all, { fetched }] = [this.names.length, this.counts];
    return `token ${this.at + 1} of ${this.tokens.length}: ${fetched} of ${all} experts fetched so far`;
  }

  get matters() {
    const { computed, dropped } = this.counts;
    const all = (this.at + 1) * this.names.length;
    return { number: computed, says: "rows computed", other: dropped ? `${dropped} dropped: no room` : `${all} if every expert took each` };
  }

  told() {
    const { computed, dropped } = this.counts;
    return `${this.where}, ${computed} rows computed, ${dropped} dropped.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const size = narrow ? 13 : 19;
    const widest = narrow ? 14 : 28; // of a ribbon
    const column = w / this.names.length;
    const wide = Math.min(column - 8, narrow ? 84 : 150);
    const foot = y + h - 8; // of the tokens
    const high = clamp((h - 120) / 4, 18, narrow ? 30 : 54); // of a row
    const base = y + 4 * high + (narrow ? 4 : 16);
    const from = this.tokens.map((_, k) => x + (w * (k + 0.5)) / this.tokens.length);
    this.tokens.forEach((token, k) => {
      const now = k === this.at;
      m[`token${k}`] = words(from[k], foot, size, token, now ? NOW.fill : INK, { anchor: "middle", look: now ? "strong" : "", o: k > this.at ? 0.35 : 1 });
    });
    this.rows.forEach((come, e) => {
      const middle = x + column * (e + 0.5);
      const slot = (place) => ({ as: "rect", x: middle - wide / 2, y: base - (place + 1) * high, w: wide, h: high - 4, r: 4 });
      m[`expert${e}`] = words(middle, base + size * 1.1, size, this.names[e], come.length ? INK : SOFT, { anchor: "middle", look: "sans strong" });
      range(Number.isFinite(this.is.capacity) ? this.is.capacity : come.length ? 0 : 1).forEach((place) => (m[`slot${e}.${place}`] = { ...slot(place), ...EMPTY }));
      come.forEach((token, place) => {
        const share = this.shares[token][e];
        const [now, isIn] = [token === this.at, place < this.is.capacity];
        const look = isIn ? { stroke: now ? NOW.fill : SOFT, o: now ? 0.9 : 0.3 } : { stroke: SOFT, dash: "3 5", o: 0.9 };
        const end = { x: middle + (place - (come.length - 1) / 2) * wide * 0.2, y: base + size * 1.5 };
        const beside = sum(this.shares[token].slice(0, e)) + share / 2 - 0.5; // ribbons of a token are parts of a whole
        m[`ribbon${token}.${e}`] = { as: "ribbon", z: 0, x0: from[token] + beside * widest, y0: foot - size * 1.1, ...end, w: share * widest, ...look };
        if (!isIn) return;
        m[`row${token}.${e}`] = { ...slot(place), ...(now ? NOW : DONE), o: now ? 0.3 : 0.2 };
        const text = `${this.tokens[token]} ${two(share)}`;
        const letters = Math.min(narrow ? 13 : 18, (wide - 8) / (width(text, 1) * 1.08));
        m[`share${token}.${e}`] = words(middle, base - (place + 0.5) * high - 2 + letters * 0.36, letters, text, INK, { anchor: "middle", look: now ? "sans strong" : "sans" });
      });
    });
  }
}
