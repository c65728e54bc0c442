// A state with a row for the duck and one for the bank, into which tokens are written one after another, beside a cache,
// which keeps each of them.

import { INK, SOFT, rule, words } from "../marks.js";
import { EMPTY, KEEPS, KEPT, NOW, Run } from "../run.js";
import { say } from "../stage.js";
import { dot } from "../../attention.js";

const [WATER, MOST] = ["var(--water)", 4];
const RULES = [["add", "add"], ["decay", "decay"], ["delta", "delta rule"]];
const NAMES = ["duck", "bank"];

/** The state after one more token: all of its value, or by the delta rule what is missing, goes to the rows that its key names. */
function write(state, key, value, rule) {
  const left = state.map((had) => (rule === "decay" ? had / 2 : had));
  const change = rule === "delta" ? value - dot(key, left) : value;
  return left.map((had, row) => had + key[row] * change);
}

export default class State extends Run {
  switches = [{ name: "rule", options: RULES }];

  /** @param numbers the outputs of the page: for each token its key and its value, and the states at the end */
  constructor({ sentences }) {
    super({ rule: "delta" });
    [this.said, this.tokens] = [sentences.rows, sentences.values];
  }

  get tensors() {
    return { sentences: this.tokens, states: RULES.map(([name]) => this.after(this.last, name)) };
  }

  get last() {
    return this.tokens.length;
  }

  after(count, name = this.is.rule) {
    return this.tokens.slice(0, count).reduce((state, [duck, bank, water]) => write(state, [duck, bank], water, name), [0, 0]);
  }

  sentence(j) {
    return `the ${NAMES[this.tokens[j].indexOf(1)]} is ${this.said[j]}`;
  }

  get where() {
    return this.at ? `token ${this.at} of ${this.last}: ${this.sentence(this.at - 1)}` : "before the first token";
  }

  get matters() {
    return { number: say(this.after(this.at)[0]), says: "water of the duck", other: `2 numbers kept, ${3 * this.at} by a cache` };
  }

  told() {
    const [duck, bank] = this.after(this.at).map(say);
    return `${this.where}. In the state, the duck has ${duck} water and the bank ${bank}. A state keeps 2 numbers, and a cache ${3 * this.at}.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const size = narrow ? 13 : 18;
    const top = y + (narrow ? 6 : 16);
    const high = y + h - top;
    this.cards(m, { x, y: top, w, h: high * 0.13, size, narrow });
    this.bars(m, { x, y: top + high * 0.2, w, h: high * 0.46, size, narrow });
    this.memory(m, { x, y: top + high * 0.72, w, h: high * 0.28, size, narrow });
  }

  /** The tokens: what was written is solid, and what is to come dashed. */
  cards(m, { x, y, w, h, size, narrow }) {
    const step = w / this.last;
    this.tokens.forEach((_, j) => {
      const [is, now] = [j < this.at, j === this.at - 1];
      m[`card${j}`] = { as: "rect", x: x + step * j + 4, y, w: step - 8, h, r: 6, ...(is ? { fill: "none", stroke: now ? NOW.fill : SOFT, sw: now ? 3 : 1.5 } : EMPTY) };
      const text = narrow ? this.sentence(j).replace("the ", "") : this.sentence(j);
      m[`card${j}.text`] = words(x + step * (j + 0.5), y + h / 2 + size * 0.35, size, text, is ? INK : SOFT, { anchor: "middle", look: now ? "strong" : "" });
    });
  }

  /** What each row says, and dashed, what was written into it last. */
  bars(m, { x, y, w, h, size, narrow }) {
    const [left, right] = [x + size * 3.4, x + w - size * 3.2];
    const at = (water) => left + ((water + MOST) / (2 * MOST)) * (right - left);
    const row = (h - size * 1.6) / 2;
    m.zero = rule(at(0), y, at(0), y + 2 * row, { stroke: SOFT });
    for (const [water, text] of [[-3, "dry −3"], [0, narrow ? "0" : "dashed: said last"], [3, "wet 3"]]) m[`tick${water}`] = words(at(water), y + h - size * 0.2, size, text, SOFT, { anchor: "middle", look: "sans" });
    this.after(this.at).forEach((water, k) => {
      const [top, high] = [y + row * (k + 0.18), row * 0.6];
      const last = this.tokens.slice(0, this.at).findLast((token) => token[k]);
      m[`name${k}`] = words(x, top + high / 2 + size * 0.35, size, NAMES[k], INK, { look: "strong" });
      m[`bar${k}`] = { as: "rect", x: Math.min(at(0), at(water)), y: top, w: Math.abs(at(water) - at(0)), h: high, r: 3, fill: WATER };
      m[`value${k}`] = words(x + w, top + high / 2 + size * 0.35, size, say(water), INK, { anchor: "end", look: "sans strong" });
      if (last) m[`last${k}`] = rule(at(last[2]), top - 5, at(last[2]), top + high + 5, { z: 2, stroke: INK, sw: 2, dash: "5 4" });
    });
  }

  /** The numbers that a state keeps, and those that a cache keeps: of each token its key and its value. */
  memory(m, { x, y, w, h, size, narrow }) {
    const label = size * 3.4;
    const side = Math.min((w - label) / (3 * this.last + 1), 54);
    const high = Math.min(h / 2 - 6, side);
    const rows = { state: this.after(this.at), cache: this.tokens.slice(0, this.at).flat() };
    Object.entries(rows).forEach(([name, numbers], k) => {
      const top = y + k * (high + 8);
      m[name] = words(x, top + high / 2 + size * 0.3, size, name, KEPT, { look: "sans strong" });
      numbers.forEach((number, j) => {
        const left = x + label + j * side + (k ? Math.floor(j / 3) * side * 0.25 : 0);
        m[`${name}${j}`] = { as: "rect", x: left, y: top, w: side - 3, h: high - 3, r: 3, ...KEEPS };
        m[`${name}${j}.is`] = words(left + side / 2 - 1.5, top + high / 2 + size * 0.25, narrow ? 12 : 16, say(number), INK, { anchor: "middle", look: "sans" });
      });
    });
  }
}
