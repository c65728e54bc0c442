// A sentence in which one word asks: its numbers, what a reader does with them, and what its scenes draw alike.

import { FEATURES, sentence, table } from "../marks.js";
import { clamp, range, say, sum, two } from "../stage.js";
import vocabulary from "../../toy/words.js";

const LOW = -0.3; // as far down as the arrow is dragged
const DRY = { dry: [-3, 0, 0, 3] };
export const dot = (a, b) => sum(a.map((x, e) => x * b[e]));
const softmax = (scores) => {
  const powers = scores.map(Math.exp);
  return powers.map((power) => power / sum(powers));
};

export default class Asking {
  /** @param numbers the outputs of the page, by name; `inputs` has a row for each word */
  constructor({ inputs }) {
    this.first = { words: inputs.rows, rows: inputs.values };
    this.asks = inputs.rows.length - 1;
    this.embedding = { ...DRY };
    for (const [word, row] of Object.entries(vocabulary.words)) if (!row[4]) this.embedding[word] = row.slice(0, 4);
    const slots = { 1: "subject", 2: "verb", 4: "adjective" };
    this.swaps = {};
    for (const [place, slot] of Object.entries(slots)) this.swaps[place] = vocabulary.slots[slot].filter((word) => this.embedding[word]);
    this.swaps[4].push("dry");
    this.reset();
  }

  // ---- what is so -------------------------------------------------------------------------------------------
  reset() {
    this.words = [...this.first.words];
    this.rows = this.first.rows.map((row) => [...row]);
    this.pick = [this.asks, 4];
  }

  get changed() {
    return String([this.words, this.rows]) !== String([this.first.words, this.first.rows]);
  }

  /** What the page's outputs of these names hold, too. */
  get tensors() {
    const scores = this.rows.map((query) => this.rows.map((key) => dot(query, key)));
    const weights = scores.map(softmax);
    const bank_scores = scores[this.asks];
    const [inputs, exponentials, bank_weights] = [this.rows, bank_scores.map(Math.exp), weights[this.asks]];
    const divided = bank_scores.map((score) => score / sum(bank_scores));
    return { inputs, query: inputs, key: inputs, scores, weights, bank_scores, divided, exponentials, bank_weights };
  }

  choices(place) {
    return { words: this.swaps[place], now: this.words[place] };
  }

  swap(place, word) {
    this.words[place] = word;
    this.rows[place] = [...this.embedding[word]];
    this.pick = [this.asks, place];
  }

  press(what) {
    this.pick = what.split(" ").slice(1).map(Number);
    return `h${this.pick.join(".")}`;
  }

  /** Where a number of an output stands in the drawing, and the other way round. */
  pressed(name, place) {
    return this.press(`pick ${(place.length > 1 ? place : [this.asks, ...place]).join(" ")}`);
  }

  lit(name) {
    const [i, j] = this.pick;
    return Array.isArray(this.tensors[name]?.[0]) ? [i, j] : i === this.asks ? [j] : [];
  }

  step(state, across, down) {
    const [i, j] = this.pick;
    const last = this.asks;
    return this.press(`pick ${this.isTable(state) ? clamp(i + down, 0, last) : last} ${clamp(j + across, 0, last)}`);
  }

  isTable(state) {
    return ["all", "product", "softmax"].includes(state);
  }

  /** In a row of bars, one word asks. */
  enter(state) {
    if (!this.isTable(state)) this.pick[0] = this.asks;
  }

  put(water, money) {
    const [left, right, high] = this.frame;
    const place = [clamp(water, left, right), clamp(money, LOW, high)];
    this.rows[this.asks].splice(0, 2, ...place.map((x) => Math.round(x * 10) / 10 + 0));
  }

  drag(hold, x, y) {
    const { x: left, y: base, u } = this.plane;
    this.put((x - left) / u, (base - y) / u);
  }

  nudge(hold, across, down) {
    const [water, money] = this.rows[this.asks];
    this.put(water + across * 0.1, money - down * 0.1);
  }

  /** All that a reader can do, coarsely: with it a test finds that a task can be done. */
  *tries() {
    for (const water of range(8)) for (const money of range(6)) yield () => this.put(water / 2, money / 2);
    for (const place in this.swaps) for (const word of this.swaps[place]) yield () => this.swap(place, word);
  }

  told(state) {
    const [i, j] = this.pick;
    const { scores, weights } = this.tensors;
    if (["shares", "softmax"].includes(state)) return `${this.words[i]} takes ${two(weights[i][j])} of ${this.words[j]}.`;
    if (state === "powers") return `The exponential of ${say(scores[i][j])} is ${two(Math.exp(scores[i][j]))}.`;
    const parts = this.products(i, j).map((part, e) => `${FEATURES[e]} ${say(part)}`);
    return `The score of ${this.words[i]} and ${this.words[j]} is ${say(scores[i][j])}: ${parts.join(", ")}.`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------
  layout(state, W, H, isStill = false) {
    const narrow = W < 560 || H < 440;
    const [m, pad] = [{}, narrow ? 16 : 56];
    const size = narrow ? 20 : 30;
    const line = narrow ? 28 : 50;
    sentence(m, { list: this.words, x: pad, y: line, size, asks: this.pick[0], asked: this.pick[1], swaps: this.swaps, still: isStill });
    this[state](m, { W, H, narrow, pad, top: narrow ? 46 : 92, isStill });
    return m;
  }

  products(i, j) {
    return this.rows[i].map((x, e) => x * this.rows[j][e]);
  }

  get terms() {
    const [i, j] = this.pick;
    return this.rows[i].map((x, e) => `${say(x)} × ${say(this.rows[j][e])}`);
  }

  /** How far the plane reaches to the left, to the right and up. */
  get frame() {
    const [water, money] = this.rows[this.pick[1]];
    return water < -0.5 ? [water - 0.4, 1.9, 2.3] : [-0.75, 3.4, money > 2 ? money + 0.3 : 2.3];
  }

  item(i, j, { amount = dot(this.rows[i], this.rows[j]), text = say(amount), kind = "" } = {}) {
    const on = this.pick[0] === i && this.pick[1] === j;
    const said = `${this.words[i]} asks ${this.words[j]}: ${text}`;
    return { key: `${kind}${i}.${j}`, parts: this.products(i, j), amount, text, word: this.words[j], on, press: `pick ${i} ${j}`, said };
  }

  /** Six amounts of the word that asks, in the hues of their products. */
  items(amounts, text = say) {
    const scores = this.tensors.bank_scores;
    return amounts.map((amount, j) => {
      const item = this.item(this.asks, j, { amount, text: text(amount) });
      const whole = sum(item.parts.map(Math.abs));
      if (amount !== scores[j]) item.parts = item.parts.map((part) => (whole ? (Math.abs(part) / whole) * amount : 0));
      return item;
    });
  }

  matrix(m, place, of = (i, j) => this.item(i, j)) {
    const n = this.words.length;
    const most = Math.max(...range(n).flatMap((i) => range(n).map((j) => Math.abs(of(i, j).amount))));
    const late = place.tell === false ? undefined : (i) => (this.asks - i) / this.asks;
    table(m, { rows: n, columns: n, item: of, most, late, ...place });
  }
}
