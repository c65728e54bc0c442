// A short sentence and its pads: what they take of the others, why zeros take anything, and the mask that hides them.

import { ASKS, FEATURES, INK, SOFT, bars, big, names, rail, rule, table, whole, words } from "../marks.js";
import { clamp, percent, range, say, sum, two } from "../stage.js";
import { dot, softmax } from "../../attention.js";

const [PADS, MOST] = [2, 20];
const PAD = "pad";

export default class Padding {
  /** @param numbers the outputs of the page, by name */
  constructor({ inputs }) {
    this.sentence = inputs.rows;
    this.rows = inputs.values;
    this.reset();
  }

  reset() {
    [this.count, this.pick] = [PADS, [0, this.sentence.length]];
  }

  get changed() {
    return this.count !== PADS;
  }

  /** How many pads a state has: a reader drags them in one. */
  in(state) {
    const count = state === "pads" ? this.count : PADS;
    const rows = [...this.rows, ...range(count).map(() => FEATURES.map(() => 0))];
    const scores = rows.map((query) => rows.map((key) => dot(query, key)));
    const masked = scores.map((row) => row.map((score, j) => (j < this.rows.length ? score : -Infinity)));
    const words = [...this.sentence, ...range(count).map(() => PAD)];
    return { words, scores, open: scores.map(softmax), hidden: masked.map(softmax) };
  }

  /** What the page's outputs of these names hold, too. */
  get tensors() {
    const { scores, hidden } = this.in("hidden");
    return { inputs: this.rows, taken: this.taken(0), exponentials: scores[0].map(Math.exp), weights: hidden };
  }

  /** The shares of the tokens, and of the pads. */
  taken(i) {
    const row = this.in("pads").open[i];
    return [row.slice(0, this.rows.length), row.slice(this.rows.length)].map(sum);
  }

  placeOf(output, word) {
    return ["tokens", "pads"].indexOf(word);
  }

  press(what) {
    this.pick = what.split(" ").slice(1).map(Number);
    return `h${this.pick.join(".")}`;
  }

  pressed(output, place) {
    if (output === "weights") return this.press(`pick ${place.join(" ")}`);
    if (output === "exponentials") return this.press(`pick 0 ${place[0]}`);
  }

  lit(output) {
    const [i, j] = this.pick;
    if (output === "exponentials") return [j];
    return output === "weights" ? [i, j] : output === "taken" ? [1] : [];
  }

  step(state, across, down) {
    const [i, j] = this.pick;
    const last = this.sentence.length + (state === "pads" ? 0 : PADS - 1);
    if (state === "hidden") return this.press(`pick ${clamp(i + down, 0, last)} ${clamp(j + across, 0, last)}`);
    return this.press(`pick 0 ${clamp(j + across + down, 0, last)}`);
  }

  /** Where one word asks, it is the first. */
  enter(state) {
    if (state !== "hidden") this.pick = [0, Math.min(this.pick[1], this.sentence.length)];
  }

  put(pads) {
    this.count = clamp(Math.round(pads), 0, MOST);
  }

  drag(hold, x) {
    this.put(((x - this.line.x) / this.line.w) * MOST);
  }

  nudge(hold, across, down) {
    this.put(this.count + across - down);
  }

  *tries() {
    yield () => this.put(MOST);
  }

  told(state) {
    const [i, j] = this.pick;
    const { words, scores, hidden } = this.in(state);
    if (state === "pads") return `${this.count} pads take ${percent(this.taken(0)[1])} of what “the” gives.`;
    if (state === "zero") return `The exponential of ${say(scores[0][j])}, the score of the and ${words[j]}, is ${two(Math.exp(scores[0][j]))}.`;
    return j < this.rows.length ? `${words[i]} takes ${two(hidden[i][j])} of ${words[j]}.` : `${words[j]} is hidden from ${words[i]}.`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------
  layout(state, W, H, isStill = false) {
    const narrow = W < 560 || H < 440;
    const m = {};
    this[state](m, { W, H, narrow, pad: narrow ? 16 : 56, isStill }, this.in(state));
    return m;
  }

  /** Lines across what belongs to pads. */
  hatch(m, key, { x, y, w, h }, stroke = SOFT) {
    const gap = 14;
    for (const k of range(Math.floor((w + h) / gap))) {
      const at = (k + 1) * gap;
      const [x0, x1] = [Math.max(0, at - h), Math.min(w, at)];
      m[`hatch${key}.${k}`] = rule(x + x0, y + at - x0, x + x1, y + at - x1, { z: 2, stroke });
    }
  }

  /** The number that matters, and what it says. */
  large(m, { W, narrow, pad }, told, line) {
    m.big = big(W - pad, narrow ? 48 : 92, narrow ? 44 : 84, told);
    m.terms = words(W - pad, narrow ? 70 : 126, narrow ? 14 : 19, line, SOFT, { anchor: "end", look: "sans" });
  }

  /** All that "the" shares out; the pads are one piece. */
  pads(m, size, { open }) {
    const { W, H, narrow, pad, isStill } = size;
    const last = this.sentence.length;
    const shares = [...open[0].slice(0, last), ...(this.count ? [this.taken(0)[1]] : [])];
    const thick = narrow ? 60 : clamp(H * 0.2, 90, 180);
    const y = narrow ? 112 : Math.max(200, H * 0.3);
    const place = { x: pad, y, w: W - 2 * pad, thick };
    const items = shares.map((amount, j) => {
      const word = this.sentence[j] ?? (this.count > 1 ? `${this.count} pads` : "1 pad");
      const text = percent(amount);
      return { key: `0.${j}`, parts: [], amount, text, word, on: this.pick[1] === j, press: `pick 0 ${j}`, said: `“the” gives ${text} to ${word}` };
    });
    whole(m, items, { ...place, size: narrow ? 13 : 20 });
    if (this.count) {
      const w = shares[last] * place.w;
      m[`z0.${last}`].fill = "var(--paper)";
      m.edge = { as: "rect", z: 1, x: pad + place.w - w, y, w: w - 2, h: thick, r: 2, fill: "none", stroke: SOFT, sw: 1.5 };
      this.hatch(m, "pads", { x: pad + place.w - w, y, w: w - 2, h: thick });
    }
    m.one = words(pad, y - 14, narrow ? 13 : 17, [["all that ", SOFT], ["“the”", ASKS], [" gives: 1", SOFT]], SOFT, { look: "sans" });
    this.large(m, size, percent(this.taken(0)[1]), "go to pads");
    this.line = { x: pad + (narrow ? 10 : 14), w: W - 2 * pad - (narrow ? 20 : 28) };
    rail(m, { ...this.line, y: H - (narrow ? 20 : 50), at: this.count / MOST, hold: "pads", said: "The number of pads", value: [this.count, 0, MOST, `${this.count} pads`], still: isStill });
    m.many = words(pad, H - (narrow ? 42 : 84), narrow ? 14 : 19, [[String(this.count), ASKS], [this.count === 1 ? " pad" : " pads", INK], [", of 20", SOFT]], INK, { look: "sans" });
  }

  /** The exponentials of the scores of "the". */
  zero(m, size, { words: list, scores }) {
    const { W, H, narrow, pad } = size;
    const one = this.pick[1];
    const amounts = scores[0].map(Math.exp);
    const items = amounts.map((amount, j) => ({ key: `0.${j}`, parts: [], amount, text: say(amount), word: list[j], on: j === one, press: `pick 0 ${j}`, said: `exp of ${say(scores[0][j])}, for ${list[j]}: ${two(amount)}` }));
    const base = H - (narrow ? 56 : 104);
    const high = base - (narrow ? 116 : 220);
    bars(m, items, { x: pad, w: W - 2 * pad, base, high, most: Math.max(...amounts), size: narrow ? 14 : 21 });
    const step = (W - 2 * pad) / list.length;
    list.forEach((word, j) => {
      m[`score${j}`] = words(pad + step * (j + 0.5), base + (narrow ? 42 : 66), narrow ? 12 : 17, `exp(${say(scores[0][j])})`, SOFT, { anchor: "middle", look: "sans" });
      if (word === PAD) this.hatch(m, j, m[`z0.${j}`], j === one ? "var(--paper)" : SOFT);
    });
    this.large(m, size, say(amounts[one]), [["exp(", SOFT], [say(scores[0][one]), ASKS], [`), for ${list[one]}`, SOFT]]);
  }

  /** A weight for each pair; the columns of the pads are hidden. */
  hidden(m, size, { words: list, hidden }) {
    const { W, H, narrow, pad } = size;
    const [labels, top] = narrow ? [46, 104] : [84, 190];
    const n = list.length;
    const c = Math.min((W - 2 * pad - labels) / n, (H - top - (narrow ? 8 : 40)) / n, 96);
    const x = pad + labels + Math.max(0, (W - 2 * pad - labels - n * c) / 2);
    const [i, j] = this.pick;
    const side = c - (c > 40 ? 4 : 2);
    const letters = clamp(c * 0.28, 11, 18);
    const seen = (k) => k < this.rows.length;
    const item = (row, k) => {
      const text = seen(k) ? two(hidden[row][k]) : "";
      return { key: `${row}.${k}`, parts: [], amount: hidden[row][k], text, on: row === i && k === j, press: `pick ${row} ${k}`, said: `${list[row]} takes ${seen(k) ? text : "nothing"} of ${list[k]}` };
    };
    table(m, { rows: n, columns: n, item, x, y: top, c, size: letters, most: 1 });
    for (const row of range(n))
      for (const k of range(n)) {
        const box = { x: x + k * c, y: top + row * c, w: side, h: side };
        if (seen(k)) m[`share${row}.${k}`] = { as: "rect", z: 0, ...box, r: 3, fill: row === i ? ASKS : SOFT, o: 0.65 * hidden[row][k] };
        else this.hatch(m, `${row}.${k}`, box);
      }
    names(m, list, { rows: { x: x - (narrow ? 5 : 12), y: top }, columns: { x, y: top - (narrow ? 5 : 10) }, c, size: narrow ? 12 : 17, asks: i, asked: j });
    this.large(m, size, seen(j) ? two(hidden[i][j]) : "0", [[list[i], ASKS], [" takes of ", SOFT], [list[j], INK]]);
  }
}
