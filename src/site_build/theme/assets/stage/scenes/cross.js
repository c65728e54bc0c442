// One sequence asks another: a French word is written with what its query finds among the English words.

import { ASKS, HUES, INK, SOFT, big, pressed, ribbons, rule, width, words } from "../marks.js";
import { clamp, range, say, sum, two } from "../stage.js";
import { dot, softmax } from "../../attention.js";

const KEY = "var(--key)";
const GIVES = ["water", "money"];
const WRITES = ["rive", "banque"]; // for water, and for money
const KINDS = { muddy: [1, 0], rich: [0, 1] };
const BOTH = ["between", "asks"]; // states in which each French word can ask
const [ADJECTIVE, NOUN, ANSWER] = [4, 5, 4]; // places of the English adjective and noun, and of the French noun

export default class Cross {
  /** @param numbers the outputs of the page, by name */
  constructor({ key, value, query, weights }) {
    const memory = key.values.map((row, k) => [...row, ...value.values[k]]);
    Object.assign(this, { memory, query: query.values, columns: query.columns, asking: query.rows });
    this.french = weights.rows;
    this.english = key.rows;
    this.reset();
  }

  reset() {
    this.words = [...this.english];
    this.pick = [ANSWER, NOUN];
  }

  get changed() {
    return String(this.words) !== String(this.english);
  }

  get wet() {
    return KINDS[this.words[ADJECTIVE]];
  }

  /** What "bank" gives before it has read its adjective. */
  get own() {
    return this.memory[NOUN].slice(5).map((amount, e) => amount - KINDS[this.english[ADJECTIVE]][e]);
  }

  /** The values of the English words, which have read each other or not. */
  values(hasRead) {
    const value = this.memory.map((row) => row.slice(5));
    value[ADJECTIVE] = this.wet;
    value[NOUN] = this.own.map((amount, e) => amount + (hasRead ? this.wet[e] : 0));
    return value;
  }

  get weights() {
    return this.query.map((query) => softmax(this.memory.map((row) => dot(query, row.slice(0, 5)))));
  }

  gets(hasRead) {
    const value = this.values(hasRead);
    return [0, 1].map((e) => sum(this.weights[ANSWER].map((share, j) => share * value[j][e])));
  }

  /** What the page's outputs of these names hold, too. */
  get tensors() {
    const key = this.memory.map((row) => row.slice(0, 5));
    return { key, value: this.values(true), query: this.query, weights: this.weights, alone: this.gets(false), takes: this.gets(true) };
  }

  placeOf(output, word) {
    return GIVES.indexOf(word);
  }

  /** The French words, of which two follow from the English adjective. */
  get written() {
    return this.wet[0] ? this.french : [...this.french.slice(0, ANSWER), "banque", "riche"];
  }

  choices() {
    return { words: Object.keys(KINDS), now: this.words[ADJECTIVE] };
  }

  swap(place, word) {
    this.words[place] = word;
  }

  press(what) {
    this.pick = what.split(" ").slice(1).map(Number);
    return `h${this.pick.join(".")}`;
  }

  pressed(output, place) {
    const [i, j] = this.pick;
    const at = { weights: place, key: [i, place[0]], value: [i, place[0]], query: [place[0], j] }[output];
    return at && this.press(`pick ${at.join(" ")}`);
  }

  lit(output) {
    return output === "weights" ? this.pick : [];
  }

  step(state, across, down) {
    const [i, j] = this.pick;
    const [other, word] = BOTH.includes(state) ? [i + across, j + down] : [i, j + across + down];
    return this.press(`pick ${clamp(other, 0, 5)} ${clamp(word, 0, 5)}`);
  }

  *tries() {
    for (const kind in KINDS) yield () => this.swap(ADJECTIVE, kind);
  }

  told(state) {
    const [i, j] = this.pick;
    if (state === "alone" || state === "takes") {
      const [water, money] = this.gets(state === "takes").map(two);
      return `${this.asking[ANSWER]} takes water ${water}, for rive, and money ${money}, for banque.`;
    }
    return `${this.asking[i]} takes ${two(this.weights[i][j])} of ${this.words[j]}, before ${this.written[i]} is written.`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------
  layout(state, W, H, isStill = false) {
    const narrow = W < 560 || H < 440;
    const m = {};
    const size = { W, H, narrow, pad: narrow ? 16 : 56, isStill };
    const pick = this.pick;
    if (!BOTH.includes(state)) this.pick = [ANSWER, pick[1]];
    this[state](m, size);
    this.pick = pick;
    return m;
  }

  /** The words of a sequence, side by side, as wide as the drawing. Returns their middles. */
  row(m, key, list, { W, pad }, y, on, fill) {
    const step = (W - 2 * pad) / list.length;
    const letters = clamp(step * 0.27, 12.5, 28);
    return list.map((word, k) => {
      const middle = pad + step * (k + 0.5);
      const w = width(word, letters) * (k === on ? 1.06 : 1);
      m[`${key}${k}`] = words(middle, y, letters, word, k === on ? fill : SOFT, { w, anchor: "middle", look: k === on ? "strong" : "" });
      return { middle, step, w, letters };
    });
  }

  /** The English words; the adjective can be swapped, the others pressed. */
  asked(m, size, y) {
    const [i, j] = this.pick;
    return this.row(m, "word", this.words, size, y, j, INK).map((place, k) => {
      const { middle, step, w, letters } = place;
      const box = { x: middle - step / 2 + 2, y: y - letters - 8, w: step - 4, h: letters + 20 };
      const swaps = k === ADJECTIVE;
      if (swaps && !size.isStill) m.swap = rule(middle - w / 2, y + letters * 0.32, middle + w / 2, y + letters * 0.32, { stroke: SOFT, sw: 2, dash: "2 4" });
      m[`h${i}.${k}`] = pressed(swaps ? `word ${k}` : `pick ${i} ${k}`, box, swaps ? `${this.words[k]}: swap this word` : `${this.asking[i]} takes ${two(this.weights[i][k])} of ${this.words[k]}`, { on: swaps ? undefined : k === j, stop: true });
      return place;
    });
  }

  /** The weight that matters, and whose it is. */
  large(m, { W, narrow, pad }, y) {
    const [i, j] = this.pick;
    m.big = big(W - pad, y, narrow ? 40 : 76, two(this.weights[i][j]));
    m.who = words(W - pad, y + (narrow ? 20 : 32), narrow ? 14 : 19, [[`before ${this.written[i]}, `, SOFT], [this.asking[i], ASKS], [" takes from ", SOFT], [this.words[j], INK]], INK, { anchor: "end", look: "sans" });
  }

  between(m, size) {
    const { H, narrow } = size;
    const [i, j] = this.pick;
    const [high, low] = [narrow ? 100 : 176, H - (narrow ? 26 : 70)];
    const widest = narrow ? 16 : 40;
    const from = this.asked(m, size, high);
    const written = this.row(m, "french", this.written, size, low, i, INK);
    if (i) Object.assign(m[`french${i - 1}`], { fill: ASKS, look: "strong" }); // it asks for the next one
    written.forEach(({ middle, step, letters }, k) => {
      const one = {};
      const to = { x: middle, y: low - letters * (k === i ? 1 : 0.9) - (k === i ? widest / 2 : 0) };
      ribbons(one, { shares: this.weights[k], from: from.map((place) => ({ x: place.middle, y: high + 18 })), to, widest, hues: (n) => (k === i && this.weights[k][n] > 0.1 ? ASKS : undefined), fill: k === i ? ASKS : SOFT, o: k === i ? 1 : 0.7 });
      if (k !== i) delete one.end;
      for (const name in one) m[`${name}.${k}`] = { ...one[name], z: k === i ? 1 : 0 };
      m[`asks${k}`] = pressed(`pick ${k} ${j}`, { x: middle - step / 2 + 2, y: low - letters - 8, w: step - 4, h: letters + 22 }, `Before ${this.written[k]}: ${this.asking[k]} asks`, { on: k === i, stop: true });
    });
    this.large(m, size, narrow ? 44 : 84);
  }

  /** A cell of a query or a key. */
  cell(m, key, { x, y, c, h }, amount, fill, size) {
    m[`z${key}`] = { as: "rect", z: 0, x, y, w: c - 3, h: h - 3, r: 3, fill, o: amount ? 0.16 + Math.abs(amount) * 0.06 : 0.06 };
    m[`n${key}`] = words(x + c / 2 - 1.5, y + h / 2 + size * 0.3, size, say(amount), amount ? INK : SOFT, { anchor: "middle", look: "sans" });
  }

  /** The query of one French word, above the keys of all English words, with their scores and weights. */
  asks(m, size) {
    const { W, H, narrow, pad } = size;
    const [i, j] = this.pick;
    const query = this.query[i];
    const [labels, right, top] = narrow ? [58, 78, 92] : [120, 190, 196];
    const c = Math.min((W - 2 * pad - labels - right) / 5, 96);
    const h = Math.min((H - top - (narrow ? 8 : 40)) / 7.4, c, 64);
    const x = pad + labels + Math.max(0, (W - 2 * pad - labels - right - 5 * c) / 2);
    const letters = clamp(h * 0.42, 12, 20);
    const heads = this.columns.map((name) => (narrow && name.length > 4 ? `${name.slice(0, 3)}.` : name));
    heads.forEach((name, e) => (m[`head${e}`] = words(x + c * (e + 0.5), top - 8, narrow ? 12 : Math.min(17, c * 0.25), name, SOFT, { anchor: "middle", look: "sans" })));
    m.asker = words(x - 10, top + h * 0.6, letters, this.asking[i].replace(/[<>]/g, ""), ASKS, { anchor: "end", look: "strong" });
    query.forEach((amount, e) => this.cell(m, `q${e}`, { x: x + e * c, y: top, c, h }, amount, ASKS, letters));
    const left = x + 5 * c + (narrow ? 34 : 70);
    const [score, weight] = ["score", "weight"].map((name, k) => ({ name, at: left + k * (narrow ? 44 : 100) }));
    for (const { name, at } of [score, weight]) m[name] = words(at, top + h * 0.6, narrow ? 12 : 17, name, SOFT, { anchor: "end", look: "sans" });
    this.memory.forEach((row, k) => {
      const [y, on] = [top + h * (1.4 + k), k === j];
      const key = row.slice(0, 5);
      m[`word${k}`] = words(x - 10, y + h * 0.6, letters, this.words[k], on ? INK : SOFT, { anchor: "end", look: on ? "strong" : "" });
      key.forEach((amount, e) => this.cell(m, `k${k}.${e}`, { x: x + e * c, y, c, h }, amount, amount && query[e] ? ASKS : KEY, letters));
      m[`score${k}`] = words(score.at, y + h * 0.6, letters, say(dot(query, key)), INK, { anchor: "end", look: on ? "sans strong" : "sans" });
      m[`weight${k}`] = words(weight.at, y + h * 0.6, letters, two(this.weights[i][k]), on ? ASKS : INK, { anchor: "end", look: on ? "sans strong" : "sans" });
      m[`h${i}.${k}`] = pressed(`pick ${i} ${k}`, { x: x - labels, y, w: weight.at - x + labels + 4, h }, `${this.asking[i]} asks ${this.words[k]}: ${say(dot(query, key))}`, { on, stop: on });
    });
    this.large(m, size, narrow ? 44 : 84);
    const terms = range(5).flatMap((e) => (query[e] && this.memory[j][e] ? [`${say(query[e])} × ${say(this.memory[j][e])}`] : []));
    m.terms = words(pad, narrow ? 40 : 84, narrow ? 14 : 20, terms.join(" + ") || "nothing in common", INK, { look: "sans" });
    m.sum = words(pad, narrow ? 62 : 114, narrow ? 14 : 20, `score ${say(dot(query, this.memory[j].slice(0, 5)))}`, SOFT, { look: "sans" });
  }

  /** What "la" takes, and what is written for it. */
  writes(m, size, hasRead) {
    const { W, H, narrow, pad } = size;
    const [shares, gets] = [this.weights[ANSWER], this.gets(hasRead)];
    const [high, foot, thick] = [narrow ? 34 : 66, H - (narrow ? 62 : 130), narrow ? 18 : 34];
    const from = this.asked(m, size, high).map(({ middle }) => ({ x: middle, y: high + 18 }));
    const value = this.values(hasRead)[NOUN];
    const to = { x: W / 2, y: foot - (narrow ? 54 : 106) };
    const hue = value[0] === value[1] ? ASKS : HUES[Number(value[1] > value[0])];
    ribbons(m, { shares, from, to, widest: narrow ? 26 : 56, hues: (k) => (shares[k] > 0.1 ? hue : undefined), fill: ASKS });
    m.la = words(to.x, to.y + (narrow ? 32 : 58), narrow ? 15 : 22, "la takes", ASKS, { anchor: "middle", look: "strong" });
    const [label, digits] = narrow ? [112, 52] : [190, 110];
    gets.forEach((amount, e) => {
      const y = foot + e * (thick + (narrow ? 8 : 14));
      m[`feature${e}`] = words(pad, y + thick * 0.76, narrow ? 13 : 20, [[GIVES[e], HUES[e]], [`: ${WRITES[e]}`, INK]], INK, { look: "sans strong" });
      m[`takes${e}`] = { as: "rect", x: pad + label, y, w: (amount / 2) * (W - 2 * pad - label - digits), h: thick, r: 2, fill: HUES[e] };
      m[`big${e}`] = big(W - pad, y + thick * 0.88, narrow ? 22 : 40, two(amount), HUES[e]);
    });
  }

  alone(m, size) {
    this.writes(m, size, false);
  }

  takes(m, size) {
    this.writes(m, size, true);
  }
}
