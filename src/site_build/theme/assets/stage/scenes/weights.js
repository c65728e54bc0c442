// What share each word gets: six bars of scores, of what they become, one whole, and two tables.

import { ASKS, INK, SOFT, bars, big, names, ring, words } from "../marks.js";
import { say, sum, two } from "../stage.js";
import Asking from "./asking.js";

export default class Weights extends Asking {
  least = { letters: 11 }; // six words above cells of 28 pixels

  // ---- from scores to shares --------------------------------------------------------------------------------

  /** Six bars below a number that says one of them. */
  amounts(m, size, amounts, { most, text, told, line }) {
    const { W, H, narrow, pad, top } = size;
    const base = H - (narrow ? 34 : 66);
    bars(m, this.items(amounts, text), { x: pad, w: W - 2 * pad, base, high: base - top - (narrow ? 92 : 190), most, size: narrow ? 15 : 22 });
    this.large(m, size, told, line);
  }

  points(m, size) {
    const scores = this.seen.bank_scores;
    const one = this.pick[1];
    this.amounts(m, size, scores, { most: Math.max(3, ...scores), told: say(scores[one]), line: [["the score of ", SOFT], [this.words[one], INK]] });
  }

  divided(m, size) {
    const { bank_scores: scores, divided } = this.seen;
    const one = this.pick[1];
    const [told, line] = [two(divided[one]), `${say(scores[one])} of ${say(sum(scores))}`];
    this.amounts(m, size, divided, { most: Math.max(0.5, ...divided), text: two, told, line });
  }

  powers(m, size) {
    const { bank_scores: scores, exponentials } = this.seen;
    const score = scores[this.pick[1]];
    const isWhole = Number.isInteger(score) && score > 1 && score < 5;
    const line = isWhole ? `${Array(score).fill("e").join(" × ")}, and e is about 2.72` : `exp(${say(score)})`;
    const text = (x) => say(x < 1000 ? x : Math.round(x));
    this.amounts(m, size, exponentials, { text, most: Math.max(...exponentials), told: two(exponentials[this.pick[1]]), line });
  }

  softmax(m, size) {
    const { W, H, narrow, top } = size;
    const pad = narrow ? 6 : size.pad;
    const [labels, apart] = narrow ? [36, 6] : [72, 44];
    const c = Math.min((W - 2 * pad - labels - apart) / 12, (H - top - (narrow ? 120 : 260)) / 6);
    const ax = pad + labels + Math.max(0, (W - 2 * pad - labels - apart - 12 * c) / 2);
    const [bx, y] = [ax + 6 * c + apart, top + (narrow ? 60 : 110)];
    const font = narrow ? 12 : Math.min(17, c * 0.28);
    const { scores, weights } = this.seen;
    const [i, j] = this.pick;
    this.matrix(m, { x: ax, y, c, size: font, tell: false }, (row, k) => ({ ...(narrow ? this.short(row, k, { kind: "a" }) : this.item(row, k, { kind: "a" })), on: false }));
    const digits = (x) => (narrow ? two(x).replace(/^0/, "") : two(x));
    this.matrix(m, { x: bx, y, c, size: font }, (row, k) => this.item(row, k, { amount: weights[row][k], text: digits(weights[row][k]) }));
    m.across = ring({ x: ax, y: y + i * c, w: 6 * c - 4, h: c - 4 }, ASKS, 1, 3);
    const shared = { c, size: narrow ? 12 : 16, asks: i, asked: j };
    names(m, this.words, { rows: { x: ax - (narrow ? 5 : 12), y }, columns: { x: bx, y: y - (narrow ? 5 : 10) }, ...shared });
    this.words.forEach((word, k) => (m[`a${k}`] = { ...m[`w${k}`], x: ax + k * c + c / 2 - 2, fill: SOFT, look: "" }));
    const title = narrow ? 13 : 17;
    m["title.scores"] = words(ax, y - title * 2.2, title, "scores", INK, { look: "strong" });
    m["title.weights"] = words(bx, y - title * 2.2, title, "weights", INK, { look: "strong" });
    const line = y + 6 * c + (narrow ? 20 : 44);
    const small = narrow ? 12.5 : 18;
    m.who = words(narrow ? pad : ax, line, small, [[this.words[i], ASKS], [" takes of ", SOFT], [this.words[j], INK]], INK, { look: "strong" });
    const exponentials = scores[i].map(Math.exp);
    m.terms = words(narrow ? pad : ax, line + small * 1.5, small, `exp(${say(scores[i][j])}) = ${two(exponentials[j])}, of ${two(sum(exponentials))}`, SOFT, { look: "sans" });
    m.big = big(narrow ? W - pad : bx + 6 * c - 4, line + (narrow ? 24 : 40), narrow ? 32 : 60, two(weights[i][j]));
  }
}
