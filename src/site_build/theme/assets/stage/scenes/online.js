// A softmax whose keys come one after another, or in two blocks that are merged in the end.

import { dot } from "../../attention.js";
import { ASKS, FEATURES, HUES, INK, SOFT, rule, width, words } from "../marks.js";
import { Run } from "../run.js";
import { clamp, range, two } from "../stage.js";
import { EMBEDDING } from "../words.js";

const TEXT = "the duck likes the muddy bank".split(" ");
const VALUES = TEXT.map((word) => EMBEDDING[word]);
const SCORES = VALUES.map((key) => dot(VALUES.at(-1), key));
const N = TEXT.length;
const LONGEST = 3.5; // no sum is larger, shrunk or not

/** What is kept after each key: the maximum, the sum of exponentials, and the values times their exponentials. */
export function walk(scores, values, shrinks = true) {
  let [max, total, mixed] = [-Infinity, 0, values[0].map(() => 0)];
  return scores.map((score, at) => {
    const larger = Math.max(max, score);
    const factor = shrinks ? Math.exp(max - larger) : 1;
    const exponential = Math.exp(score - larger);
    max = larger;
    total = total * factor + exponential;
    mixed = mixed.map((each, c) => each * factor + exponential * values[at][c]);
    return { max, factor, exponential, total, context: mixed.map((each) => each / total) };
  });
}

/** How much each of two parts counts, and the context of both. */
export function merge(one, other, shares) {
  const max = Math.max(one.max, other.max);
  const totals = [one, other].map((part) => part.total * Math.exp(part.max - max));
  const total = totals[0] + totals[1];
  shares ??= totals.map((each) => each / total);
  return { total, shares, context: one.context.map((each, c) => shares[0] * each + shares[1] * other.context[c]) };
}

export default class Online extends Run {
  switches = [
    { name: "cut", options: [[0, "one by one"], [3, "3 + 3"], [1, "1 + 5"]] },
    { name: "right", options: [[true, "right"], [false, "the mistake"]] },
  ];

  constructor() {
    super({ cut: 0, right: true });
  }

  get tensors() {
    const rows = walk(SCORES, VALUES).map(({ max, factor, total }, at) => [SCORES[at], max, factor, total]);
    return { walk: rows, shares: merge(...this.ends(3)).shares };
  }

  /** What is kept of each block, once all of its keys have come. */
  ends(cut) {
    return [[0, cut], [cut, N]].map(([from, to]) => walk(SCORES.slice(from, to), VALUES.slice(from, to)).at(-1));
  }

  get last() {
    return this.is.cut ? N : N - 1;
  }

  get where() {
    return this.at < N ? `key ${this.at + 1} of ${N}: “${TEXT[this.at]}”, score ${SCORES[this.at]}` : this.is.right ? "both blocks, merged by their lse" : "both blocks, averaged";
  }

  /** The blocks, each with its first key and what is kept after each of its keys. */
  get blocks() {
    const { cut, right } = this.is;
    const bounds = cut ? [[0, cut], [cut, N]] : [[0, N]];
    return bounds.map(([from, to]) => ({ from, rows: walk(SCORES.slice(from, to), VALUES.slice(from, to), right || cut > 0) }));
  }

  /** Both blocks together, once all keys have come. */
  get merged() {
    const { cut, right } = this.is;
    return cut && this.at === N ? merge(...this.ends(cut), right ? undefined : [0.5, 0.5]) : undefined;
  }

  get context() {
    return this.is.cut ? this.merged?.context : this.blocks[0].rows[this.at].context;
  }

  /** What all keys so far give at once. */
  get atOnce() {
    const count = this.is.cut ? N : this.at + 1;
    return walk(SCORES.slice(0, count), VALUES).at(-1).context;
  }

  get matters() {
    return { number: this.context ? two(this.context[0]) : "–", says: "water in the context", other: `${two(this.atOnce[0])} with ${this.at < N - 1 && !this.is.cut ? "these" : "all"} at once` };
  }

  told() {
    const kept = this.context ? `“bank” has ${two(this.context[0])} water and ${two(this.context[1])} money` : "nothing is merged yet";
    return `${this.where}. ${this.merged ? `The blocks count ${this.merged.shares.map(two).join(" and ")}, and ${kept}.` : `So far ${kept}.`}`;
  }

  run(m, { x, y, w, h, narrow }) {
    const size = narrow ? 12 : h < 320 ? 15 : 18;
    const foot = 3.4 * size; // for the context
    if (this.is.cut) this.twoBlocks(m, { x, y, w, h: h - foot, size });
    else this.keys(m, { x, y, w, h: h - foot, size });
    this.amounts(m, { x, w, size, y: y + h - foot + size });
  }

  /** A row for each key that has come: its score, the sum behind it, and the maximum. */
  keys(m, { x, y, w, h, size }) {
    const [names, column, head] = [size * 5, size * 3, size * 1.6];
    const { rows } = this.blocks[0];
    const pitch = clamp((h - head - 4) / N, 8, 84);
    const end = (k) => x + w - (1 - k) * column;
    const write = (name, at, line, text, fill, look = "sans") => (m[name] = words(at, line, size, text, fill, { anchor: "end", look }));
    write("scores", x + names - 10, y + size, "score", SOFT);
    m.long = words(x + names, y + size, size, `as long as the sum${w > 560 ? "; slivers: “the”, “likes”" : ""}`, SOFT, { look: "sans" });
    write("maxima", end(0), y + size, "max", SOFT);
    write("sums", end(1), y + size, "sum", SOFT);
    TEXT.forEach((word, k) => {
      const [top, fill] = [y + head + k * pitch, k === this.at ? ASKS : SOFT];
      const line = top + pitch / 2 + size * 0.3;
      m[`word${k}`] = words(x, line, size, word, fill, { o: k > this.at ? 0.4 : 1, look: k === this.at ? "strong" : "" });
      if (k > this.at) return;
      write(`score${k}`, x + names - 10, line, SCORES[k], fill);
      write(`max${k}`, end(0), line, rows[k].max, k === this.at ? ASKS : INK);
      write(`sum${k}`, end(1), line, two(rows[k].total), k === this.at ? ASKS : INK);
      this.sum(m, `sum${k}`, { from: 0, rows, at: k }, { x: x + names, y: top + 2, w: w - names - 2 * column - 8, h: pitch - 4 }, size);
    });
  }

  /** Keys and scores, and below them the sum of each block, and of both. */
  twoBlocks(m, { x, y, w, h, size }) {
    const [row, label, step] = [size * 2.8, size * 1.5, w / N];
    const pitch = clamp((h - row) / 3, label + 10, 150);
    const high = pitch - label - size * 0.7;
    TEXT.forEach((word, k) => {
      const [fill, look] = [k === this.at ? ASKS : SOFT, { anchor: "middle", o: k > this.at ? 0.4 : 1 }];
      m[`word${k}`] = words(x + step * (k + 0.5), y + size, size, word, fill, { ...look, look: k === this.at ? "strong" : "" });
      m[`score${k}`] = words(x + step * (k + 0.5), y + 2.2 * size, size, SCORES[k], fill, { ...look, look: "sans" });
    });
    m.cut = rule(x + step * this.is.cut, y, x + step * this.is.cut, y + 2.4 * size, { stroke: INK, sw: 2, dash: "4 4" });
    this.blocks.forEach(({ from, rows }, k) => {
      const [top, at] = [y + row + k * pitch, Math.min(rows.length - 1, this.at - from)];
      const kept = at < 0 ? "no key yet" : `maximum ${rows[at].max}, sum ${two(rows[at].total)}`;
      m[`kept${k}`] = words(x, top + size, size, `block ${k + 1}: ${kept}`, at < 0 ? SOFT : INK, { look: "sans" });
      this.sum(m, `block${k}`, { from, rows, at }, { x, y: top + label, w, h: high }, size);
    });
    this.both(m, { x, y: y + row + 2 * pitch, w, size, label, high });
  }

  /** A sum: its exponentials one after another, in the unit of the largest score so far. */
  sum(m, name, { from, rows, at }, { x, y, w, h }, size) {
    m[`${name}base`] = rule(x, y + h, x + w, y + h);
    range(at + 1).forEach((place) => {
      const shrunk = rows.slice(place + 1, at + 1).reduce((long, { factor }) => long * factor, rows[place].exponential);
      const [long, now, word] = [(shrunk * w) / LONGEST, from + place === this.at, TEXT[from + place]];
      m[`${name}part${place}`] = { as: "rect", x: x + 0.5, y, w: Math.max(1.5, long - 1), h, r: 2, fill: now ? ASKS : SOFT, o: now ? 1 : 0.4 };
      if (h > size && width(word, size) + 6 < long) m[`${name}word${place}`] = words(x + long / 2, y + h / 2 + size * 0.36, size, word, now ? "var(--paper)" : INK, { anchor: "middle" });
      x += long;
    });
  }

  /** Both blocks behind one another, each as long as it counts. */
  both(m, { x, y, w, size, label, high }) {
    const both = this.merged;
    m.kept2 = words(x, y + size, size, both ? `together: ${both.shares.map(two).join(" and ")}` : "together: not yet", both ? INK : SOFT, { look: "sans" });
    m.base2 = rule(x, y + label + high, x + w, y + label + high);
    if (!both) return;
    let left = x;
    both.shares.forEach((share, k) => {
      const long = (share * both.total * w) / LONGEST;
      m[`both${k}`] = { as: "rect", x: left + 0.5, y: y + label, w: long - 2, h: high, r: 2, fill: ASKS, o: k ? 1 : 0.6 };
      m[`bothName${k}`] = words(left + long / 2, y + label + high / 2 + size * 0.36, size, long > 60 && high > size ? `block ${k + 1}` : "", "var(--paper)", { anchor: "middle", look: "sans strong" });
      left += long;
    });
  }

  /** Water and money of the context, with a mark for what all scores at once give. */
  amounts(m, { x, y, w, size }) {
    const left = x + width("money", size) + 14;
    const unit = (x + w - left - 3 * size) / 3;
    [0, 1].forEach((c) => {
      const line = y + c * size * 1.7;
      const amount = this.context?.[c] ?? 0;
      const right = left + this.atOnce[c] * unit;
      m[`amount${c}`] = words(left - 8, line + size * 0.36, size, FEATURES[c], HUES[c], { anchor: "end" });
      m[`bar${c}`] = { as: "rect", x: left, y: line - size * 0.5, w: Math.max(1, amount * unit), h: size, r: 2, fill: HUES[c], o: this.context ? 1 : 0 };
      m[`once${c}`] = rule(right, line - size * 0.75, right, line + size * 0.75, { z: 2, stroke: INK, sw: 2 });
      m[`two${c}`] = words(Math.max(right, left + amount * unit) + 8, line + size * 0.36, size, this.context ? two(amount) : "", HUES[c], { look: "sans strong" });
    });
  }
}
