// Asking, answering and giving: the row of a word splits into three cards, keys meet a query, and ribbons bring the values.

import { ASKS, FEATURES, HUES, INK, SOFT, bars, big, pressed, ribbons, table, words } from "../marks.js";
import { hueOf } from "../plane.js";
import { clamp, range, say, sum, two } from "../stage.js";
import { dot, softmax } from "../../attention.js";
import Asking from "./asking.js";

const QUESTIONS = ["kind?", "who?"];
// How much each column of a word counts, as on the page, which prints what comes of it.
const W_QUERY = [[1, 1, 0, 0], [0, 0, 1, 0]];
const W_KEY = [[0, 0, 0, 1], [1, 1, 0, -1]];
const W_VALUE = [[1, 0, 0, 0], [0, 1, 0, 0]];
const times = (rows, matrix) => rows.map((row) => matrix.map((counts) => dot(row, counts)));

export default class Queries extends Asking {
  static sentences = { tie: "the muddy duck likes the rich bank" };

  reset() {
    super.reset();
    this.W_key = W_KEY.map((counts) => [...counts]);
    this.card = this.asks; // the word whose cards are shown
  }

  get changed() {
    return super.changed || String(this.W_key) !== String(W_KEY);
  }

  of(rows) {
    const [query, key, value] = [W_QUERY, this.W_key, W_VALUE].map((matrix) => times(rows, matrix));
    const scores = query.map((one) => key.map((other) => dot(one, other)));
    const weights = scores.map(softmax);
    const context = weights.map((shares) => [0, 1].map((e) => sum(shares.map((share, j) => share * value[j][e]))));
    return { inputs: rows, query, key, value, scores, bank_scores: scores.at(-1), weights, bank_weights: weights.at(-1), bank_context: context.at(-1) };
  }

  press(what) {
    const [kind, place] = what.split(" ");
    if (kind === "card") this.card = Number(place);
    if (kind === "card") return `hcard${place}`;
    if (kind !== "count") return super.press(what);
    const counts = this.W_key[0];
    counts[place] = counts[place] ? 0 : 1;
    return `hcount0.${place}`;
  }

  pressed(output, place) {
    const isWord = place.length > 1 || /weights|scores/.test(output);
    return isWord ? this.press(`pick ${this.asks} ${place[0]}`) : undefined;
  }

  lit(output) {
    if (output.endsWith("context")) return [];
    return output === "key" ? [this.pick[1], 0] : super.lit(output);
  }

  *tries() {
    for (const e in FEATURES) yield () => this.press(`count ${e}`);
  }

  told(state) {
    const { query, key, value, scores, bank_weights: shares, bank_context: context } = this.seen;
    const [name, j] = [this.words[this.asks], state === "cards" ? this.card : this.pick[1]];
    const word = this.words[j];
    if (state === "cards") return `${word} asks ${query[j].map(say).join(" and ")}, answers ${key[j].map(say).join(" and ")}, and gives water ${say(value[j][0])}, money ${say(value[j][1])}.`;
    if (state === "keys") return `${name} asks with ${say(query[this.asks][0])}, ${word} answers with ${say(key[j][0])}: the score is ${say(scores[this.asks][j])}.`;
    return `${name} takes ${two(shares[j])} of ${word}, and gets water ${two(context[0])}, money ${two(context[1])}.`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------

  /** The words, of which one is chosen. */
  chooser(m, { W, H, narrow, pad }) {
    const [step, size, y] = [(W - 2 * pad) / this.words.length, narrow ? 15 : 22, H - (narrow ? 16 : 36)];
    this.words.forEach((word, j) => {
      const [on, x] = [j === this.card, pad + step * (j + 0.5)];
      m[`w${j}`] = words(x, y, size, word, on ? INK : SOFT, { anchor: "middle", look: on ? "strong" : "" });
      m[`hcard${j}`] = pressed(`card ${j}`, { x: x - step / 2 + 2, y: y - size - 6, w: step - 4, h: size * 1.9 }, `The cards of ${word}`, { on, stop: on });
    });
  }

  /** The row of the chosen word, and what it asks, answers and gives. */
  cards(m, size) {
    const { W, H, narrow, pad, top } = size;
    const j = this.card;
    const [row, word] = [this.rows[j], this.words[j]];
    const [c, letters, small] = narrow ? [42, 17, 12] : [78, 28, 16];
    const [x0, y0] = [(W - 4 * c) / 2, top + (narrow ? 18 : 50)];
    const single = (e, amount) => FEATURES.map((_, f) => (f === e ? amount : 0));
    table(m, { rows: 1, columns: 4, x: x0, y: y0, c, size: letters, most: 3, tell: false, item: (_, e) => ({ key: `row${e}`, parts: single(e, row[e]), amount: row[e], text: say(row[e]) }) });
    FEATURES.forEach((feature, e) => (m[`f${e}`] = words(x0 + e * c + c / 2 - 2, y0 - 6, narrow ? 12 : 15, feature, HUES[e], { anchor: "middle", look: "sans" })));
    m.who = words(x0 - (narrow ? 8 : 18), y0 + c * 0.6, letters, word, INK, { anchor: "end", look: "strong" });
    const y1 = H - (narrow ? 112 : 210);
    const cards = [["query", W_QUERY, "asks", ASKS, QUESTIONS], ["key", this.W_key, "answers", "var(--key)", QUESTIONS], ["value", W_VALUE, "gives", INK, FEATURES]];
    cards.forEach(([name, matrix, does, fill, heads], k) => {
      const middle = pad + ((W - 2 * pad) * (k + 0.5)) / 3;
      const x = middle - c;
      const box = { x: x - c * 0.32, y: y1 - small * 1.9, w: c * 2.6, h: c + small * 1.9 + letters * 2.1 };
      m[`card${k}`] = { as: "rect", z: 0, ...box, r: 8, fill: "var(--paper)", stroke: fill, sw: 2 };
      const parts = matrix.map((counts) => counts.map((count, e) => count * row[e]));
      table(m, { rows: 1, columns: 2, x, y: y1, c, size: letters, most: 6, tell: false, item: (_, q) => ({ key: `${name}${q}`, parts: parts[q], amount: sum(parts[q]), text: say(sum(parts[q])) }) });
      heads.slice(0, 2).forEach((head, q) => (m[`head${k}.${q}`] = words(x + q * c + c / 2 - 2, y1 - 6, narrow ? 12 : 15, head, k === 2 ? HUES[q] : SOFT, { anchor: "middle", look: "sans" })));
      m[`title${k}`] = words(middle, y1 + c + letters * 1.15, letters * 0.9, [[name, fill], [` ${does}`, SOFT]], fill, { anchor: "middle", look: "strong" });
      matrix.forEach((counts, q) =>
        counts.forEach((count, e) => {
          if (!count || !row[e]) return;
          const from = { x0: x0 + e * c + c / 2 + (k - 1) * c * 0.25, y0: y0 + c - 2 };
          m[`flow${k}.${q}.${e}`] = { as: "ribbon", z: 0, ...from, x: x + q * c + c / 2, y: y1 - small * 1.9, w: Math.abs(row[e]) * (narrow ? 3 : 6), stroke: HUES[e], o: count < 0 ? 0.2 : 0.5 };
        }));
    });
    this.chooser(m, size);
  }

  /** Six scores: the query of the last word times each key. What counts for a key can be changed. */
  keys(m, size) {
    const { W, H, narrow, pad, top } = size;
    const { query, key, scores } = this.seen;
    const [own, j] = [this.asks, this.pick[1]];
    const [c, letters] = narrow ? [44, 14] : [64, 20];
    const [x, y] = narrow ? [8, top + 26] : [pad, top + 56];
    const counts = this.W_key[0];
    table(m, { rows: 1, columns: 4, x, y, c, size: letters * 1.1, most: 1, item: (_, e) => ({ key: `count0.${e}`, parts: FEATURES.map((_, f) => (f === e ? counts[e] : 0)), amount: counts[e], text: say(counts[e]), on: false, stop: true, press: `count ${e}`, said: `${FEATURES[e]} counts ${say(counts[e])} for the key` }) });
    FEATURES.forEach((feature, e) => (m[`f${e}`] = words(x + e * c + c / 2 - 2, y + c + letters * 0.75, narrow ? 12 : 15, feature, HUES[e], { anchor: "middle", look: "sans" })));
    m.counts = words(x, y - 8, narrow ? 12 : 16, "what counts for the key", SOFT, { look: "sans" });
    const items = range(this.words.length).map((k) => {
      const parts = this.rows[k].map((x, e) => query[own].reduce((total, asked, q) => total + asked * this.W_key[q][e] * x, 0));
      const [amount, on] = [scores[own][k], k === j];
      return { key: `${own}.${k}`, parts, amount, text: say(amount), word: this.words[k], on, press: `pick ${own} ${k}`, said: `${this.words[own]} asks ${this.words[k]}: ${say(amount)}` };
    });
    const base = H - (narrow ? 50 : 96);
    bars(m, items, { x: pad, w: W - 2 * pad, base, high: base - y - c - (narrow ? 46 : 90), most: 6, size: narrow ? 15 : 22 });
    const step = (W - 2 * pad) / items.length;
    items.forEach((_, k) => (m[`key${k}`] = words(pad + step * (k + 0.5), base + (narrow ? 40 : 64), narrow ? 12 : 17, [[say(query[own][0]), ASKS], [" × ", SOFT], [say(key[k][0]), "var(--key)"]], SOFT, { anchor: "middle", look: "sans" })));
    this.large(m, size, say(scores[own][j]), [[`${this.words[own]} asks ${say(query[own][0])}`, ASKS], [` × ${this.words[j]} answers ${say(key[j][0])}`, "var(--key)"]]);
  }

  /** What the last word takes, and from where. */
  ribbon(m, size) {
    const { W, H, narrow, pad, top } = size;
    const { bank_weights: shares, bank_context: context } = this.seen;
    const from = this.places.map(({ middle }) => ({ x: middle, y: top - (narrow ? 4 : 24) }));
    const to = { x: from[this.asks].x, y: H - (narrow ? 112 : 210) };
    const hues = (k) => (shares[k] > 0.1 ? hueOf(this.rows[k], ASKS) : undefined);
    ribbons(m, { shares, from, to, widest: narrow ? 30 : 56, hues, fill: ASKS });
    shares.forEach((share, k) => {
      const x = from[k].x + (narrow ? 20 : 36);
      if (share > 0.1 && x < W - 34) m[`share${k}`] = words(x, top + (narrow ? 26 : 48), narrow ? 17 : 28, two(share), INK, { look: "sans strong" });
    });
    m.end1 = words(Math.min(to.x, W - pad - (narrow ? 34 : 50)), to.y + (narrow ? 34 : 62), narrow ? 15 : 22, `${this.words[this.asks]} takes`, ASKS, { anchor: "middle", look: "strong" });
    const [foot, scale, thick] = [H - (narrow ? 58 : 112), (W - 2 * pad - (narrow ? 100 : 180)) / 3, narrow ? 16 : 30];
    context.forEach((amount, e) => {
      const y = foot + e * (thick + 8);
      m[`big${e}`] = big(W - pad, y + thick * 0.85, narrow ? 20 : 36, two(amount), HUES[e]);
      m[`takes${e}`] = { as: "rect", x: pad + (narrow ? 50 : 90), y, w: Math.max(2, amount * scale), h: thick, r: 2, fill: HUES[e] };
      m[`feature${e}`] = words(pad, y + thick * 0.75, narrow ? 13 : 20, FEATURES[e], HUES[e], { look: "sans strong" });
    });
    const tie = Math.abs(context[0] - context[1]) < 0.05 && context[0] > 1 ? "a second tie" : "";
    m.verdict = words(pad, foot - (narrow ? 10 : 24), narrow ? 14 : 20, tie, INK, { look: "sans strong" });
  }

  /** The same with a second adjective. */
  tie(m, size) {
    this.ribbon(m, size);
  }

  step(state, across, down) {
    if (state === "cards") return this.press(`card ${clamp(this.card + across + down, 0, this.asks)}`);
    return this.press(`pick ${this.asks} ${clamp(this.pick[1] + across + down, 0, this.asks)}`);
  }
}
