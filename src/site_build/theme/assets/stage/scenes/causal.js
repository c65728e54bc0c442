// May a word look ahead? What one word takes, the scores under a mask, and the rows that change with a word.

import { ASKS, FEATURES, HUES, INK, SOFT, big, names, pressed, ribbons, ring, rule, table, width, words } from "../marks.js";
import { clamp, range, sum, two } from "../stage.js";
import { dot, softmax } from "../../attention.js";
import Asking from "./asking.js";

const ASKS_FIRST = 2; // "duck"
// As on the page, which prints what comes of it.
const W_QUERY = [[1, 1, 0, 0], [0, 0, 1, 0]];
const W_KEY = [[0, 0, 0, 1], [1, 1, 0, -1]];
const GIVES = [0, 1]; // water and money

export default class Causal extends Asking {
  static sentences = { test: "the muddy duck likes the rich banker" };

  reset() {
    super.reset();
    for (const kept of Object.values(this.kept)) kept.pick = [ASKS_FIRST, ASKS_FIRST - 1];
    this.opened = new Set(); // places where the mask leaks
    this.isMasked ??= false;
  }

  get asks() {
    return ASKS_FIRST;
  }

  get last() {
    return this.words.length - 1;
  }

  get changed() {
    return super.changed || this.opened.size > 0;
  }

  /** The last word can be taken back. */
  get swaps() {
    return this.name ? { ...super.swaps, [this.last]: ["bank", "banker", "duck"] } : super.swaps;
  }

  enter(state) {
    super.enter(state);
    this.isMasked = state !== "both";
  }

  sees(i, j) {
    return j <= i || this.opened.has(`${i}.${j}`);
  }

  of(rows) {
    const query = rows.map((row) => W_QUERY.map((counts) => dot(row, counts) / Math.SQRT2));
    const parts = query.map((asked) => rows.map((row) => row.map((has, e) => sum(asked.map((x, q) => x * W_KEY[q][e] * has)))));
    const scores = parts.map((row) => row.map(sum));
    const masked_scores = scores.map((row, i) => row.map((score, j) => (this.sees(i, j) ? score : -Infinity)));
    const weights = (this.isMasked ? masked_scores : scores).map(softmax);
    const context = weights.map((shares) => GIVES.map((e) => sum(shares.map((share, j) => share * rows[j][e]))));
    return { parts, scores, masked_scores, weights, context };
  }

  /** With the mask or without it. */
  under(isMasked, rows) {
    const was = this.isMasked;
    this.isMasked = isMasked;
    const found = this.of(rows);
    this.isMasked = was;
    return found;
  }

  /** Which rows are as they are with the words of the page, 1 for each: without the mask, or with it. */
  same(isMasked, rows) {
    const [first, now] = [this.first[""].rows, rows].map((all) => this.under(isMasked, all).context);
    return now.map((row, i) => Number(row.every((x, e) => Math.abs(x - first[i][e]) < 1e-9)));
  }

  get tensors() {
    const { rows } = this.kept[""];
    const [open, masked] = [false, true].map((isMasked) => this.under(isMasked, rows));
    const masked_scores = masked.masked_scores[this.asks].map((score) => (Number.isFinite(score) ? score : null));
    const test_same = [false, true].map((isMasked) => this.same(isMasked, this.kept.test.rows));
    return { inputs: rows, open_weights: open.weights[this.asks], masked_scores, masked_weights: masked.weights[this.asks], test_same };
  }

  isTable(state) {
    return ["hidden", "test"].includes(state);
  }

  press(what) {
    const [kind, i, j] = what.split(" ");
    if (kind === "mask") return this.turn();
    if (kind === "open" && !this.opened.delete(`${i}.${j}`)) this.opened.add(`${i}.${j}`);
    return super.press(`pick ${i} ${j}`);
  }

  /** Take the mask away, or put it back. */
  turn() {
    const later = range(this.words.length).flatMap((i) => range(this.last - i).map((k) => `${i}.${i + k + 1}`));
    this.opened = new Set(this.opened.size ? [] : later);
    return "hmask";
  }

  pressed(output, place) {
    const at = place.at(-1);
    return this.press(`pick ${output === "test_same" ? at : this.asks} ${at}`);
  }

  lit(output) {
    const [i, j] = this.pick;
    if (output === "test_same") return [1, i];
    return i === this.asks ? [j] : [];
  }

  step(state, across, down) {
    const [i, j] = this.pick;
    return super.press(`pick ${this.isTable(state) ? clamp(i + down, 0, this.last) : i} ${clamp(j + across, 0, this.last)}`);
  }

  *tries() {
    for (const j of range(this.words.length)) if (j > this.asks) yield () => this.press(`open ${this.asks} ${j}`);
  }

  told(state) {
    const { masked_scores, weights } = this.seen;
    const [i, j] = this.pick;
    const [name, word] = [this.words[i], this.words[j]];
    if (state === "hidden") return `The score of ${name} and ${word} is ${this.written(masked_scores[i][j])}.`;
    if (state !== "test") return `${name} takes ${two(weights[i][j])} of ${word}.`;
    const others = this.same(true, this.rows).flatMap((same, k) => (same ? [] : [this.words[k]]));
    return `Rows that have changed: ${others.join(", ") || "none"}.`;
  }

  written(score, digits = two) {
    return Number.isFinite(score) ? digits(score) : "−∞";
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------

  draw(state, ...size) {
    const was = this.isMasked;
    this.isMasked = state !== "both";
    const m = super.draw(state, ...size);
    this.isMasked = was;
    return m;
  }

  /** What the word takes, and from where. */
  both(m, { W, H, narrow, pad, top }) {
    const [shares, context] = [this.seen.weights[this.asks], this.seen.context[this.asks]];
    const from = this.places.map(({ middle }) => ({ x: middle, y: top - (narrow ? 4 : 24) }));
    const to = { x: from[this.asks].x, y: H - (narrow ? 112 : 210) };
    const hues = (k) => (shares[k] > 0.1 ? HUES[this.rows[k][0] > this.rows[k][1] ? 0 : 1] : undefined);
    ribbons(m, { shares, from, to, widest: narrow ? 30 : 56, hues, fill: ASKS });
    shares.forEach((share, k) => {
      if (share > 0.1) m[`share${k}`] = words(from[k].x + (narrow ? 20 : 36), top + (narrow ? 44 : 66), narrow ? 17 : 28, two(share), INK, { look: "sans strong" });
    });
    m.takes = words(Math.min(to.x, W - pad - (narrow ? 34 : 50)), to.y + (narrow ? 34 : 62), narrow ? 15 : 22, `${this.words[this.asks]} takes`, ASKS, { anchor: "middle", look: "strong" });
    const [foot, long, thick] = [H - (narrow ? 58 : 112), (W - 2 * pad - (narrow ? 100 : 180)) / 3, narrow ? 16 : 30];
    for (const e of GIVES) {
      const y = foot + e * (thick + 8);
      m[`big${e}`] = big(W - pad, y + thick * 0.85, narrow ? 20 : 36, two(context[e]), HUES[e]);
      m[`takes${e}`] = { as: "rect", x: pad + (narrow ? 50 : 90), y, w: Math.max(2, context[e] * long), h: thick, r: 2, fill: HUES[e] };
      m[`feature${e}`] = words(pad, y + thick * 0.75, narrow ? 13 : 20, FEATURES[e], HUES[e], { look: "sans strong" });
    }
  }

  /** What is not there yet is hatched: it can be opened. */
  gate(m, i, j, { x, y, w, h, late, on }) {
    const key = `${i}.${j}`;
    const isOpen = this.opened.has(key);
    for (const k of isOpen ? [] : [0.5, 1, 1.5]) {
      const [low, high] = [Math.max(0, k - 1), Math.min(1, k)];
      m[`hatch${key}.${k}`] = rule(x + low * w, y + high * h, x + high * w, y + low * h, { z: 2, stroke: SOFT, late });
    }
    const said = `${this.words[j]} comes later than ${this.words[i]}: ${isOpen ? "open" : "hidden"}`;
    m[`h${key}`] = pressed(`open ${key.replace(".", " ")}`, { x, y, w, h }, said, { on, stop: true });
  }

  left(m, size) {
    this.both(m, size);
    const { narrow, top } = size;
    const side = narrow ? 30 : 44;
    for (const j of range(this.words.length))
      if (j > this.asks) {
        const box = { x: this.places[j].middle - side / 2, y: top - (narrow ? 4 : 24), w: side, h: side };
        const isOpen = this.opened.has(`${this.asks}.${j}`);
        m[`gate${j}`] = { as: "rect", z: isOpen ? 0 : 1, ...box, r: 3, fill: "var(--paper)", stroke: SOFT, sw: 1.5, o: isOpen ? 0.3 : 1 };
        this.gate(m, this.asks, j, { ...box, on: isOpen });
      }
  }

  /** A number for each pair of words, in the hues of its parts. What is not there yet is hatched. */
  pairs(m, { x, y, c, size, most, told, partsOf }) {
    const [n, wide] = [this.words.length, c > 40];
    const side = c - (wide ? 4 : 2);
    const late = (i) => i / this.last;
    const item = (i, j) => {
      const parts = this.sees(i, j) ? partsOf(i, j) : [];
      const on = this.pick[0] === i && this.pick[1] === j;
      return { key: `${i}.${j}`, parts, amount: sum(parts), text: told(i, j), on, press: `pick ${i} ${j}`, said: `${this.words[i]} asks ${this.words[j]}: ${told(i, j)}` };
    };
    table(m, { rows: n, columns: n, item, x, y, c, size, most, late });
    const later = range(n * n).map((k) => [Math.floor(k / n), k % n]).filter(([i, j]) => j > i);
    for (const [i, j] of later) this.gate(m, i, j, { x: x + j * c, y: y + i * c, w: side, h: side, late: late(i), on: item(i, j).on });
    names(m, this.words, { rows: { x: x - (wide ? 12 : 5), y }, columns: { x, y: y - (wide ? 10 : 5) }, c, size: wide ? 16 : 12, asks: this.pick[0], asked: this.pick[1], late });
  }

  hidden(m, size) {
    const { W, H, narrow, pad, top } = size;
    const c = Math.min((W - 2 * pad - (narrow ? 42 : 72)) / this.words.length, (H - top - (narrow ? 110 : 230)) / this.words.length);
    const spare = W - 2 * pad - (narrow ? 42 : 72) - c * this.words.length;
    const [x, y] = [W - pad - c * this.words.length - spare / 2, H - (narrow ? 10 : 40) - c * this.words.length];
    const { parts, scores, masked_scores } = this.seen;
    const [i, j] = this.pick;
    const partsOf = (row, k) => parts[row][k];
    const told = (i, j) => this.written(masked_scores[i][j]).replace(narrow ? /^(−?)0\./ : /$^/, "$1.");
    this.pairs(m, { x, y, c, size: narrow ? 12 : Math.min(17, c * 0.28), most: Math.max(...scores.flat()), told, partsOf });
    this.large(m, size, this.written(masked_scores[i][j]), [[this.words[i], ASKS], [" asks ", SOFT], [this.words[j], INK]]);
  }

  /** What each word takes of each, what it gets, and the rows that are not as they were. */
  test(m, size) {
    const { W, H, narrow, pad, top } = size;
    const n = this.words.length;
    const c = Math.min((W - 2 * pad - (narrow ? 42 : 72)) / (n + 2.4), (H - top - (narrow ? 94 : 260)) / n);
    const [x, y] = [W - pad - c * (n + 2.4), H - (narrow ? 8 : 96) - c * n];
    const { weights, context } = this.seen;
    const letters = narrow ? 12 : Math.min(17, c * 0.28);
    const partsOf = (i, j) => GIVES.map((e) => (this.rows[j][e] / (this.rows[j][0] + this.rows[j][1] || 1)) * weights[i][j]);
    const told = (i, j) => (this.sees(i, j) ? two(weights[i][j]).replace(narrow ? /^0/ : /$^/, "") : "");
    this.pairs(m, { x, y, c, size: letters, most: 1, told, partsOf });
    const same = this.same(true, this.rows);
    const right = x + c * (n + 0.4);
    context.forEach((row, i) =>
      row.forEach((amount, e) => {
        const middle = right + c * (e + 0.5);
        m[`gets${i}.${e}`] = words(middle, y + c * (i + 0.5) + letters * 0.36, letters, two(amount), HUES[e], { anchor: "middle", look: "sans strong" });
      }));
    ["water", "money"].forEach((feature, e) => (m[`feature${e}`] = words(right + c + (e ? 2 : -2), y - (narrow ? 5 : 10), letters, feature, HUES[e], { anchor: e ? "start" : "end", look: "sans" })));
    same.forEach((is, i) => (m[`row${i}`] = ring({ x, y: y + i * c, w: c * (n + 2.4), h: c - 4 }, ASKS, is ? 0 : 1, 2)));
    const count = same.filter((is) => !is).length;
    this.large(m, size, String(count), count === 1 ? "row has changed" : "rows have changed");
    const label = this.opened.size ? "put the mask back" : "take the mask away";
    const [font, h] = narrow ? [14, 44] : [19, 46];
    const box = { ...(narrow ? { x: pad, y: top + 16 } : { x, y: y + c * n + 20 }), w: width(label, font) * 1.1 + 2 * font, h };
    m.mask = words(box.x + font, box.y + h / 2 + font * 0.34, font, label, INK, { w: width(label, font) * 1.1, look: "sans" });
    m.button = { as: "rect", z: 0, ...box, r: h / 2, fill: "none", stroke: INK, sw: 1.5 };
    m.hmask = pressed("mask", box, label, { r: h / 2, stop: true });
  }
}
