// Attention in ten minutes: each of its parts is drawn by the scene of its step, and at the end heads are switched off.

import { FEATURES, HUES, INK, SOFT, big, table, words } from "../marks.js";
import { clamp, percent, say, two } from "../stage.js";
import Context from "./context.js";
import Parts from "./parts.js";
import Reading from "./reading.js";
import Weights from "./weights.js";

/** Each word with its four numbers. */
class Numbers extends Weights {
  numbers(m, { W, H, narrow, pad, top }) {
    const c = Math.min((W - 2 * pad - 90) / 4, (H - top - (narrow ? 40 : 110)) / this.words.length, 92);
    const [x, y, size] = [Math.max(pad + 90, (W - 4 * c) / 2), top + (narrow ? 24 : 44), narrow ? 15 : 20];
    const one = (i, e) => FEATURES.map((_, f) => (f === e ? this.rows[i][e] : 0));
    const item = (i, e) => ({ key: `${i}.${e}`, parts: one(i, e), amount: this.rows[i][e], text: say(this.rows[i][e]) });
    table(m, { rows: this.words.length, columns: 4, item, x, y, c, size, most: 3, tell: false });
    FEATURES.forEach((feature, e) => (m[`f${e}`] = words(x + e * c + c / 2 - 2, y - 10, Math.min(narrow ? 12 : 16, c * 0.28), feature, HUES[e], { anchor: "middle", look: "sans strong" })));
    this.words.forEach((word, k) => (m[`r${k}`] = words(x - 14, y + k * c + c / 2 + size * 0.3, size, word, INK, { anchor: "end" })));
  }

  told(state) {
    if (state !== "numbers") return super.told(state);
    return this.words.map((word, k) => `${word}: ${this.rows[k].map(say).join(", ")}`).join(". ");
  }
}

/** Shares without the exponentials that they come from, of which this page says nothing. */
class Moved extends Context {
  shares(m, size) {
    super.shares(m, size);
    const one = this.pick[1];
    this.large(m, size, percent(this.seen.bank_weights[one]), [["the share of ", SOFT], [this.words[one], INK]]);
    m.one.t = "all that bank takes: 100 %";
  }
}

/** What the model says of both banks, whole and without one of its heads. A row is read once its head is switched off. */
class Switched {
  constructor({ rows, columns, values }) {
    [this.rows, this.columns, this.values] = [rows, columns, values];
    this.reset();
  }

  reset() {
    this.pick = 0;
    this.tried = new Set([0]);
  }

  press(what) {
    this.pick = Number(what.split(" ")[1]);
    this.tried.add(this.pick);
    return `h${this.pick}.0`;
  }

  step(state, across, down) {
    return this.press(`pick ${clamp(this.pick + across + down, 0, this.rows.length - 1)}`);
  }

  told() {
    return `${this.rows[this.pick]}: ${this.columns.map((name, k) => `${name} ${two(this.values[this.pick][k])}`).join(", ")}.`;
  }

  layout(state, W, H) {
    const [m, narrow] = [{}, W < 560 || H < 440];
    const [pad, size] = narrow ? [14, 15] : [56, 22];
    const label = narrow ? 108 : 190;
    const c = Math.min((W - 2 * pad - label) / 2, (H - (narrow ? 130 : 260)) / this.rows.length, 120);
    const [x, y] = [pad + label, narrow ? 110 : 210];
    const hues = [1, 0]; // money, water
    const item = (i, k) => {
      const known = this.tried.has(i);
      const amount = known ? this.values[i][k] : 0;
      const parts = FEATURES.map((_, e) => (e === hues[k] ? (known ? amount : 1) : 0));
      const text = known ? two(amount) : "?";
      return { key: `${i}.${k}`, parts, amount, text, on: false, stop: i === this.pick && k === 0, press: `pick ${i}`, said: `${this.rows[i]}, ${this.columns[k]}: ${text}` };
    };
    table(m, { rows: this.rows.length, columns: 2, item, x, y, c, size, most: 1 });
    this.rows.forEach((name, i) => (m[`r${i}`] = words(x - 12, y + i * c + c / 2 + size * 0.3, size, name, i === this.pick ? INK : SOFT, { anchor: "end", look: i === this.pick ? "sans strong" : "sans" })));
    this.columns.forEach((name, k) => {
      const [bank, answer] = name.split(":");
      // Away from each other: in a low window two names are wider than two cells.
      const [at, anchor] = k ? [x + c + 4, "start"] : [x + c - 8, "end"];
      m[`bank${k}`] = words(at, y - size * 1.6, size * 0.8, bank, SOFT, { anchor, look: "sans" });
      m[`answer${k}`] = words(at, y - size * 0.6, size * 0.8, answer.trim(), HUES[hues[k]], { anchor, look: "sans strong" });
    });
    m.ring = { as: "rect", z: 2, x: x - 2, y: y + this.pick * c - 2, w: 2 * c, h: c, r: 5, fill: "none", stroke: INK, sw: 2.5 };
    const right = W - pad;
    m.big = big(right, narrow ? 46 : 100, narrow ? 40 : 72, two(this.values[this.pick][0]), HUES[1]);
    m.bigname = words(right, narrow ? 66 : 132, narrow ? 13 : 18, [[this.rows[this.pick], INK], [": “money” for the rich bank", SOFT]], INK, { anchor: "end", look: "sans" });
    return m;
  }
}

export default class Minutes extends Parts {
  constructor(numbers) {
    const own = new Numbers(numbers);
    const moved = new Moved(numbers);
    const reading = new Reading(numbers);
    const switched = new Switched(numbers.switched);
    super({
      read: [reading, "beside"],
      numbers: [own, "numbers"],
      points: [own, "points"],
      shares: [moved, "shares"],
      path: [moved, "path"],
      asked: undefined,
      neighbour: undefined,
      learned: [reading, "beside"],
      switched: [switched, "switched"],
    });
    [this.own, this.moved, this.printed] = [own, moved, numbers];
    this.reset();
  }

  /** What lies below the first screen is fetched once the reader scrolls. */
  async later() {
    const [queries, turning] = await Promise.all([import("./queries.js"), import("./turning.js")]);
    this.parts.asked = [new queries.default({ inputs: this.printed.rich_inputs }), "ribbon"];
    this.parts.neighbour = [new turning.default({ inputs: this.printed.neighbours }), "found"];
  }

  /** A word that is swapped in one state stays so in the states that follow. */
  reset() {
    super.reset();
    this.moved.kept = this.own.kept;
  }

  get tensors() {
    const { inputs, bank_weights, bank_context } = this.moved.tensors;
    const [asked, turned] = ["asked", "neighbour"].map((state) => this.parts[state]?.[0].tensors ?? {});
    return {
      ...{ inputs, bank_weights, bank_context },
      ...{ rich_inputs: asked.inputs, asked_weights: asked.bank_weights, asked_context: asked.bank_context },
      ...{ neighbours: turned.inputs, turned_scores: turned.scores, turned_context: turned.context },
      switched: this.parts.switched[0].values,
    };
  }

  placeOf(output, word) {
    return this.moved.placeOf(output, word);
  }

  /** The numbers of the page stand in a fold. */
  pressed() {}

  lit() {
    return [];
  }

  *tries() {
    this.enter("path");
    yield* this.moved.tries();
  }
}
