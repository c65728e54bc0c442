// How much two words have in common: two arrows, six bars, a table, and the product that makes it.

import { ASKS, FEATURES, HUES, INK, SOFT, bars, big, derived, names, ring, table, width, words } from "../marks.js";
import { hueOf, plane } from "../plane.js";
import { clamp, range, say } from "../stage.js";
import { dot } from "../../attention.js";
import Asking from "./asking.js";

export default class Scores extends Asking {
  least = { letters: 11 }; // six words above cells of 28 pixels

  planeAt(m, { narrow, isStill }, place, rest = {}) {
    const other = this.pick[1];
    const [row, own] = [this.rows[other], this.rows[this.asks]];
    const fill = other === this.asks ? ASKS : hueOf(row);
    const arrows = [{ word: this.words[this.asks], tip: own.slice(0, 2), fill: ASKS }, { word: this.words[other], tip: row.slice(0, 2), fill }];
    const drawn = plane(m, arrows, { ...place, frame: this.frame, size: narrow ? 14 : place.u < 120 ? 15 : 18, hold: "own", still: isStill, ...rest });
    if (!rest.o && rest.o !== 0) this.plane = drawn;
  }

  /** The score, large, and how it comes about. */
  reading(m, { W, pad, narrow }, y, large) {
    const [own, other] = [this.asks, this.pick[1]];
    const [a, b] = [this.rows[own], this.rows[other]];
    const score = dot(a, b);
    m.big = big(W - pad, y, large, say(score));
    if (narrow) m.terms = derived(W - pad, y + 22, 15, this.terms.slice(0, 2), { anchor: "end" });
    else {
      m.eye = words(W - pad, y - large * 0.78, 15, `score of ${this.words[own]} and ${this.words[other]}`, SOFT, { anchor: "end", look: "sans" });
      this.terms.slice(0, 2).forEach((term, e) => {
        m[`term${e}`] = words(W - pad, y + 38 + 28 * e, 19, `${FEATURES[e]} ${term} = ${say(a[e] * b[e])}`, HUES[e], { anchor: "end", look: "sans" });
      });
    }
    const verdict = score < 0 ? "they point apart" : score === 0 ? "nothing in common" : "";
    m.verdict = words(W - pad, y + (narrow ? 42 : 100), narrow ? 13 : 17, verdict, INK, { anchor: "end", look: "sans strong" });
  }

  arrows(m, size) {
    const { W, H, narrow, pad, top, isStill } = size;
    const [base, high] = [H - (narrow ? 34 : 66), narrow ? 26 : 74];
    const y = base - high - (narrow ? 48 : 92);
    const [left, right, up] = this.frame;
    const u = Math.min((W - 2 * pad) / (right - left), (y - top - (narrow ? 22 : 30)) / up);
    this.planeAt(m, size, { x: pad - left * u, y, u });
    this.reading(m, size, top + (narrow ? 46 : 96), narrow ? 54 : 104);
    if (!this.changed && !isStill) m.drag = words(pad + (1 - left) * u + 30, y - u + 24, narrow ? 13 : 15, "drag me", SOFT, { look: "sans" });
    if (!narrow) m.hint = words(pad, base - 8, 15, [["bank", ASKS], [isStill ? " asks" : " asks. Press", SOFT]], SOFT, { look: "sans" });
    if (!narrow) m.hint1 = words(pad, base + 14, 15, isStill ? "every word." : "a word.", SOFT, { look: "sans" });
    const x = narrow ? pad : pad + 130;
    bars(m, this.items(this.seen.bank_scores), { x, w: W - pad - x, base, high, most: 3, size: narrow ? 15 : 19 });
  }

  six(m, size) {
    const { W, H, narrow, pad, top } = size;
    const { x, y, c, font } = this.grid(size);
    this.matrix(m, { x, y: y + c / 2, c, size: font, o: 0, tell: false });
    names(m, this.words, { rows: { x: x - 12, y: y + c / 2 }, columns: { x, y }, c, size: font, o: 0 });
    const unit = narrow ? 34 : clamp(H / 10, 56, 84);
    const base = top + 2.3 * unit + (narrow ? 14 : 26);
    const [left, right, up] = this.frame;
    const u = unit * Math.min(2.3 / up, 4.15 / (right - left));
    this.planeAt(m, size, { x: pad - left * u, y: base, u });
    this.reading(m, size, top + (narrow ? 46 : 80), narrow ? 54 : 72);
    const foot = H - (narrow ? 34 : 60);
    bars(m, this.items(this.seen.bank_scores), { x: pad, w: W - 2 * pad, base: foot, high: foot - base - (narrow ? 52 : 96), most: 3, size: narrow ? 15 : 22 });
  }

  /** Where the table stands. */
  grid({ W, H, narrow, pad, top }) {
    const [labels, head, foot] = narrow ? [50, 18, 44] : [84, 30, 96];
    const n = this.words.length;
    const c = Math.min((W - 2 * pad - labels) / n, (H - top - head - foot) / n, 96);
    const x = pad + labels + Math.max(0, (W - 2 * pad - labels - n * c) / 2) - (narrow ? 0 : labels / 3);
    return { x, y: top + head, c, font: narrow ? 14 : 20 };
  }

  /** Who asks whom, the products, and their sum. */
  below(m, { narrow, pad }, { x, y, right, size }) {
    const [i, j] = this.pick;
    m.who = words(narrow ? pad : x, y, size, [[this.words[i], ASKS], [" asks ", SOFT], [this.words[j], INK]], INK, { look: "strong" });
    const room = right - x - (narrow ? 60 : 130);
    const letters = Math.min(size, size * (room / width(this.terms.join(" + "), size)));
    m.terms = derived(narrow ? pad : x, y + size * 1.5, narrow ? size : letters, this.terms);
    m.big = big(right, y + size, narrow ? 34 : 60, say(this.seen.scores[i][j]));
  }

  all(m, size) {
    const { narrow } = size;
    const { x, y, c, font } = this.grid(size);
    const n = this.words.length;
    const late = (k) => (this.asks - k) / this.asks;
    this.planeAt(m, size, { x: x - 50, y: y + 5.6 * c, u: 6 }, { o: 0 });
    this.matrix(m, { x, y, c, size: font });
    names(m, this.words, { rows: { x: x - 12, y }, columns: { x, y: y - (narrow ? 7 : 12) }, c, size: narrow ? 13 : 18, asks: this.pick[0], asked: this.pick[1], late });
    this.below(m, size, { x, y: y + n * c + (narrow ? 20 : 42), right: x + n * c - 4, size: narrow ? 14 : 19 });
    this.sides(m, { qx: x - 4 * 40 - 60, qy: y, kx: x, ky: y - 4 * 40 - 40, c: 40, size: 8, o: 0 });
  }

  /** What is multiplied: the queries at the left, the keys above. */
  sides(m, { qx, qy, kx, ky, c, size, o = 1 }) {
    const [n, width] = [this.words.length, FEATURES.length];
    const cell = (kind, i, e) => {
      const amount = this.rows[i][e];
      return { key: `${kind}${i}.${e}`, parts: range(width).map((f) => (f === e ? amount : 0)), amount, text: say(amount) };
    };
    const shared = { c, size, o, most: 3, tell: false, late: () => 1 };
    table(m, { rows: n, columns: width, x: qx, y: qy, item: (i, e) => cell("q", i, e), ...shared });
    table(m, { rows: width, columns: n, x: kx, y: ky, item: (e, j) => cell("k", j, e), ...shared });
    const [i, j] = this.pick;
    const side = c - (c > 40 ? 4 : 2);
    m.across = { ...ring({ x: qx, y: qy + i * c, w: kx + j * c + side - qx, h: side }, ASKS, 0.75 * o, 3), late: 1 };
    m.down = { ...ring({ x: kx + j * c, y: ky, w: side, h: qy + i * c + side - ky }, "var(--key)", 0.75 * o, 3), late: 1 };
  }

  product(m, size) {
    const { W, H, narrow, top } = size;
    const [labels, between, head, side] = narrow ? [44, 8, 18, 42] : [72, 22, 30, 110];
    const pad = narrow ? 7 : size.pad;
    const n = this.words.length + FEATURES.length;
    const c = Math.min((W - 2 * pad - labels - between - side) / n, (H - top - head - between - (narrow ? 8 : 56)) / n);
    const qx = pad + labels + Math.max(0, (W - 2 * pad - labels - between - side - n * c) / 2);
    const [kx, ky] = [qx + 4 * c + between, top + head];
    const qy = ky + 4 * c + between;
    const font = narrow ? 12 : Math.min(18, c * 0.34);
    this.matrix(m, { x: kx, y: qy, c, size: font, late: () => 0 }, narrow ? (i, j) => this.short(i, j) : undefined);
    this.sides(m, { qx, qy, kx, ky, c, size: font });
    names(m, this.words, { rows: { x: qx - (narrow ? 5 : 12), y: qy }, columns: { x: kx, y: ky - (narrow ? 5 : 9) }, c, size: narrow ? 12 : 16, asks: this.pick[0], asked: this.pick[1] });
    const title = narrow ? 12 : 17;
    const right = kx + 6 * c + 8;
    for (const [name, x, y, t, fill] of [["key", right, ky + 2 * c, "keyᵀ", "var(--key)"], ["scores", right, qy + 3 * c, "scores", INK], ["query", qx + c, qy + 6 * c + (narrow ? 6 : 38), narrow ? "" : "query", ASKS]])
      m[`title.${name}`] = words(x, y, title, t, fill, { look: "strong" });
    if (!narrow)
      FEATURES.forEach((feature, e) => {
        m[`fq${e}`] = words(qx + e * c + c / 2 - 2, qy + 6 * c + 14, Math.min(15, c * 0.235), feature, HUES[e], { anchor: "middle", look: "sans" });
        m[`fk${e}`] = words(kx - 10, ky + e * c + c / 2 + 4, 15, feature, HUES[e], { anchor: "end", look: "sans" });
      });
    const [i, j] = this.pick;
    const [left, large, small] = [qx - labels, narrow ? 34 : clamp(c * 1.25, 34, 72), narrow ? 12.5 : 18];
    m.who = words(left, ky + small * 0.7, small, [[this.words[i], ASKS], [" asks ", SOFT], [this.words[j], INK]], INK, { look: "strong" });
    m.terms = derived(left, ky + small * 2.4, small, this.terms.slice(0, 2));
    m.terms1 = derived(left, ky + small * 3.8, small, this.terms.slice(2), { first: 2 });
    m.big = { ...big(left, ky + small * 3.8 + large * 1.15, large, `= ${say(this.seen.scores[i][j])}`), anchor: "start" };
  }
}
