// A sentence in which one word asks: its numbers, what a reader does with them, and what its scenes draw alike.

import { FEATURES, SOFT, big, sentence, table, whole, width, words } from "../marks.js";
import { clamp, percent, range, say, sum, two } from "../stage.js";
import { dot, softmax } from "../../attention.js";
import { EMBEDDING, SLOTS } from "../words.js";

const LOW = -0.3; // as far down as the arrow is dragged
const prefixOf = (name) => (name ? `${name}_` : "");

export default class Asking {
  /** A state may have a sentence of its own. What is computed from it has the name of the state in front. */
  static sentences = {};

  /** @param numbers the outputs of the page, by name; `inputs` has a row for each word */
  constructor({ inputs }) {
    this.first = { "": { words: inputs.rows, rows: inputs.values } };
    for (const [state, sentence] of Object.entries(this.constructor.sentences)) {
      const words = sentence.split(" ");
      this.first[state] = { words, rows: words.map((word) => EMBEDDING[word]) };
    }
    this.name = "";
    this.reset();
  }

  // ---- what is so -------------------------------------------------------------------------------------------
  reset() {
    this.kept = {};
    for (const [name, { words, rows }] of Object.entries(this.first)) {
      const asks = words.length - 1;
      this.kept[name] = { words: [...words], rows: rows.map((row) => [...row]), pick: [asks, asks - 1] };
    }
  }

  get words() {
    return this.kept[this.name].words;
  }

  get rows() {
    return this.kept[this.name].rows;
  }

  get pick() {
    return this.kept[this.name].pick;
  }

  set pick(pick) {
    this.kept[this.name].pick = pick;
  }

  /** The last word asks. */
  get asks() {
    return this.words.length - 1;
  }

  get changed() {
    const { words, rows } = this.first[this.name];
    return String([this.words, this.rows]) !== String([words, rows]);
  }

  /** What is computed from the rows of a sentence. */
  of(rows) {
    const scores = rows.map((query) => rows.map((key) => dot(query, key)));
    const weights = scores.map(softmax);
    const [bank_scores, bank_weights] = [scores.at(-1), weights.at(-1)];
    const divided = bank_scores.map((score) => score / sum(bank_scores));
    return { inputs: rows, query: rows, key: rows, scores, weights, bank_scores, divided, exponentials: bank_scores.map(Math.exp), bank_weights };
  }

  /** What is drawn now. */
  get seen() {
    return this.of(this.rows);
  }

  /** What the page's outputs of these names hold, too. */
  get tensors() {
    const all = Object.entries(this.kept).map(([name, { rows }]) => [prefixOf(name), this.of(rows)]);
    return Object.fromEntries(all.flatMap(([prefix, found]) => Object.entries(found).map(([name, tensor]) => [prefix + name, tensor])));
  }

  /** Where a word of a task is: in the sentence of its output, or else among the columns. */
  placeOf(output, word) {
    const sentence = Object.keys(this.kept).find((name) => name && output.startsWith(prefixOf(name)));
    const { words } = this.kept[sentence ?? ""];
    return words.includes(word) ? words.lastIndexOf(word) : FEATURES.indexOf(word);
  }

  /** The words that can stand in the place of others. */
  get swaps() {
    const found = this.words.map((word, place) => [place, SLOTS.find((slot) => slot.includes(word))]);
    return Object.fromEntries(found.filter(([, slot]) => slot));
  }

  choices(place) {
    return { words: this.swaps[place], now: this.words[place] };
  }

  swap(place, word) {
    this.words[place] = word;
    this.rows[place] = [...EMBEDDING[word]];
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

  lit(output) {
    const [prefix, [i, j]] = [prefixOf(this.name), this.pick];
    if (!output.startsWith(prefix)) return [];
    return Array.isArray(this.seen[output.slice(prefix.length)]?.[0]) ? [i, j] : i === this.asks ? [j] : [];
  }

  step(state, across, down) {
    const [i, j] = this.pick;
    const last = this.asks;
    return this.press(`pick ${this.isTable(state) ? clamp(i + down, 0, last) : last} ${clamp(j + across, 0, last)}`);
  }

  isTable(state) {
    return ["all", "product", "softmax"].includes(state);
  }

  /** A state has its sentence. In a row of bars, one word asks. */
  enter(state) {
    this.name = this.first[state] ? state : "";
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
    const { scores, weights } = this.seen;
    if (["shares", "softmax"].includes(state)) return `${this.words[i]} takes ${two(weights[i][j])} of ${this.words[j]}.`;
    if (state === "powers") return `The exponential of ${say(scores[i][j])} is ${two(Math.exp(scores[i][j]))}.`;
    const parts = this.products(i, j).map((part, e) => `${FEATURES[e]} ${say(part)}`);
    return `The score of ${this.words[i]} and ${this.words[j]} is ${say(scores[i][j])}: ${parts.join(", ")}.`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------
  layout(state, W, H, isStill = false) {
    const name = this.name;
    this.name = this.first[state] ? state : "";
    const m = this.draw(state, W, H, isStill);
    this.name = name;
    return m;
  }

  draw(state, W, H, isStill) {
    const narrow = W < 560 || H < 440;
    const [m, pad] = [{}, narrow ? 16 : 56];
    const size = Math.min(narrow ? 20 : 30, (W - 2 * pad) / (1.06 * width(this.words.join(" "), 1)));
    const line = narrow ? 28 : 50;
    this.places = sentence(m, { list: this.words, x: pad, y: line, size, asks: this.pick[0], asked: this.pick[1], swaps: this.swaps, still: isStill });
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

  /** A score in a cell of a phone, which has room for three digits. */
  short(i, j, rest) {
    const score = dot(this.rows[i], this.rows[j]);
    return this.item(i, j, { text: say(Math.abs(score) > 10 ? Math.round(10 * score) / 10 : score), ...rest });
  }

  /** Six amounts of the word that asks, in the hues of their products. */
  items(amounts, text = say) {
    const scores = this.seen.bank_scores;
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

  /** A number that matters, and how it comes about. */
  large(m, { W, narrow, pad, top }, told, line) {
    m.big = big(W - pad, top + (narrow ? 40 : 84), narrow ? 46 : 84, told);
    m.terms = words(W - pad, top + (narrow ? 62 : 118), narrow ? 14 : 18, line, SOFT, { anchor: "end", look: "sans" });
  }

  /** All that the last word takes, as one line. */
  shares(m, size) {
    const { W, H, narrow, pad, top } = size;
    const { bank_weights: shares, exponentials } = this.seen;
    const thick = narrow ? clamp(H - top - 182, 40, 90) : clamp((H - top) * 0.26, 90, 200);
    const y = narrow ? top + 118 : top + Math.max(180, (H - top - thick) * 0.42);
    whole(m, this.items(shares, percent), { x: pad, y, w: W - 2 * pad, thick, size: narrow ? 14 : 20 });
    m.one = words(pad, y - 14, narrow ? 13 : 17, "all that bank takes: 1", SOFT, { look: "sans" });
    const one = this.pick[1];
    this.large(m, size, percent(shares[one]), `${two(exponentials[one])} of ${two(sum(exponentials))}`);
  }
}
