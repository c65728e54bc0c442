// Two questions of one word: one softmax mixes their answers, and two keep them apart, side by side.

import { ASKS, FEATURES, HUES, INK, SOFT, big, pressed, rail, ribbons, ring, table, words } from "../marks.js";
import { hueOf } from "../plane.js";
import { clamp, range, say, sum, two } from "../stage.js";
import { softmax } from "../../attention.js";
import Asking from "./asking.js";

const HEADS = ["kind", "who"]; // as the rows of the page's outputs are named
const QUESTIONS = ["what kind?", "who is there?"];
const HALF = 0.5; // how much the page's W_out takes of the second head

export default class Heads extends Asking {
  least = { side: 24 }; // two heads of seven words beside each other

  reset() {
    super.reset();
    [this.head, this.counts] = [0, HALF];
  }

  get changed() {
    return super.changed || this.counts !== HALF;
  }

  of(rows) {
    const things = rows.map(([water, money]) => water + money);
    // The key of an adjective is a hand, which the query of a thing meets one word back.
    const keys = [(i, j) => rows[j][3] * Math.cos((Math.PI / 3) * (i - j - 1)), (i, j) => things[j] - rows[j][3]];
    const scores = keys.map((key) => things.map((query, i) => things.map((_, j) => query * key(i, j))));
    const both = things.map((_, i) => things.map((_, j) => scores[0][i][j] + scores[1][i][j]));
    const [mixture, ...sheets] = [both, ...scores].map((table) => table.map((row) => softmax(row.map((score) => score / Math.SQRT2))));
    const gets = (shares) => [0, 1].map((e) => sum(shares.map((share, j) => share * rows[j][e])));
    const [one, ...weights] = [mixture, ...sheets].map((table) => table.at(-1));
    const context = weights.map(gets);
    const output = [...context[0].map((amount, e) => amount + this.counts * context[1][e]), 0, 0];
    return { inputs: rows, mixture, sheets, one, found: gets(one), weights, context, output };
  }

  placeOf(output, word) {
    return HEADS.includes(word) ? HEADS.indexOf(word) : super.placeOf(output, word);
  }

  press(what) {
    const [, head, j] = what.split(" ").map(Number);
    [this.head, this.pick] = [head, [this.asks, j]];
    return `h${head}.${j}`;
  }

  pressed(output, place) {
    return ["one", "weights"].includes(output) ? this.press(`pick ${[0, ...place].slice(-2).join(" ")}`) : undefined;
  }

  lit(output) {
    const place = { one: [this.pick[1]], weights: [this.head, this.pick[1]] };
    return place[output] ?? [];
  }

  step(state, across, down) {
    const head = state === "tie" ? 0 : clamp(this.head + down, 0, 1);
    return this.press(`pick ${head} ${clamp(this.pick[1] + across, 0, this.asks)}`);
  }

  count(share) {
    this.counts = clamp(Math.round(20 * share) / 20);
  }

  drag(hold, x) {
    this.count((x - this.rail.x) / this.rail.w);
  }

  nudge(hold, across, down) {
    this.count(this.counts + (across - down) / 20);
  }

  told(state) {
    const { one, found, weights, context, output } = this.seen;
    const [word, j] = [this.words[this.asks], this.pick[1]];
    const amounts = ([water, money]) => `water ${two(water)}, money ${two(money)}`;
    if (state === "tie") return `${word} takes ${two(one[j])} of ${this.words[j]}, and gets ${amounts(found)}.`;
    if (state === "sheets") return `${word} takes of ${this.words[j]}: ${QUESTIONS.map((question, h) => `${question} ${two(weights[h][j])}`).join(", ")}.`;
    if (state === "joined") return `${QUESTIONS.map((question, h) => `${question} ${amounts(context[h])}`).join("; ")}; one head: ${amounts(found)}.`;
    return `With ${say(this.counts)} of who is there, ${word} gets ${amounts(output)}.`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------

  /** How much each word takes of each: a row for the last word alone, or for all. */
  sheet(m, h, { x, y, c, shares, o = 1, tell = true, only = false }) {
    const [side, last, small] = [c - (c > 30 ? 3 : 2), this.asks, clamp(c * 0.36, 11, 15)];
    shares.forEach((row, i) =>
      row.forEach((share, j) => {
        const fill = share > 0.1 ? hueOf(this.rows[j], ASKS) : SOFT;
        const shown = only && i < last ? 0 : i === last ? 1 : 0.5;
        m[`cell${h}.${i}.${j}`] = { as: "rect", z: 0, x: x + j * c, y: only ? y : y + i * c, w: side, h: side, r: 3, fill, o: o * shown * (0.1 + 0.85 * share) };
      }));
    const foot = only ? y : y + last * c;
    m[`ring${h}`] = { ...ring({ x, y: foot, w: this.words.length * c - (c - side), h: side }, ASKS, o), sw: 1.5 };
    this.words.forEach((word, j) => {
      const on = j === this.pick[1];
      if (c > 30) m[`n${h}.${j}`] = words(x + j * c + side / 2, foot + side / 2 + small * 0.36, small, two(shares[last][j]), INK, { anchor: "middle", look: on ? "sans strong" : "sans", o });
      const box = { x: x + j * c, y: only ? y - 10 : y, w: c, h: only ? c + 20 : this.words.length * c };
      if (tell) m[`h${h}.${j}`] = pressed(`pick ${h} ${j}`, box, `${this.words[last]} takes ${two(shares[last][j])} of ${word}`, { on: on && h === this.head, stop: on && h === this.head });
    });
    m[`on${h}`] = ring({ x: x + this.pick[1] * c, y: foot, w: side, h: side }, INK, o);
    // The words have room above large cells, and beside a table that begins further in.
    const letters = clamp(c * 0.36, 12, 15);
    if (c > 30) this.words.forEach((word, j) => (m[`col${h}.${j}`] = words(x + j * c + side / 2, y - 8, letters, word, j === this.pick[1] ? INK : SOFT, { anchor: "middle", o })));
    if (x > 50 && !h && !only) this.words.forEach((word, i) => (m[`row${i}`] = words(x - 8, y + i * c + side / 2 + 4, letters, word, i === last ? ASKS : SOFT, { anchor: "end", o })));
  }

  /** Amounts of water and money as bars, each made of parts. */
  gets(m, { W, pad, narrow }, y, parts) {
    const [thick, left] = [narrow ? 18 : 32, pad + (narrow ? 54 : 96)];
    const scale = (W - pad - left - (narrow ? 54 : 110)) / 4;
    [0, 1].forEach((e) => {
      const top = y + e * (thick + (narrow ? 10 : 18));
      m[`feature${e}`] = words(pad, top + thick * 0.75, narrow ? 14 : 20, FEATURES[e], HUES[e], { look: "sans strong" });
      let x = left;
      parts.forEach((amounts, h) => {
        m[`part${h}.${e}`] = { as: "rect", x, y: top, w: Math.max(2, amounts[e] * scale - 1), h: thick, r: 2, fill: HUES[e], o: h ? 0.6 : 1 };
        x += amounts[e] * scale;
      });
      m[`big${e}`] = big(W - pad, top + thick * 0.85, narrow ? 22 : 38, two(sum(parts.map((amounts) => amounts[e]))), HUES[e]);
    });
  }

  /** One table of shares, under which the second is not seen yet. */
  tie(m, size) {
    const { W, H, narrow, pad, top } = size;
    const { mixture, found } = this.seen;
    const foot = H - (narrow ? 62 : 120);
    const c = Math.floor(Math.min((W - 2 * pad) / 7, (foot - top - (narrow ? 30 : 76)) / 7));
    const [x, y] = [(W - 7 * c) / 2, top + (narrow ? 20 : 34)];
    for (const h of [1, 0]) this.sheet(m, h, { x, y, c, shares: mixture, o: 1 - h, tell: h === 0 });
    this.gets(m, size, foot, [found]);
    const tie = Math.abs(found[0] - found[1]) < 0.05 && found[0] > 1 ? "a tie" : "";
    m.verdict = words(W - pad, foot - (narrow ? 8 : 16), narrow ? 13 : 19, tie, INK, { anchor: "end", look: "sans strong" });
  }

  /** Where the tables of both heads begin, and how large their cells are. */
  pair({ W, H, narrow, pad, top }) {
    const between = narrow ? 14 : 36;
    const c = Math.floor(Math.min((W - 2 * pad - between) / 14, (H - top - (narrow ? 112 : 190)) / 7));
    return { c, x: [W / 2 - between / 2 - 7 * c, W / 2 + between / 2] };
  }

  /** The table has split: each question has its own. */
  sheets(m, size) {
    const { W, H, narrow, top } = size;
    const { sheets, weights } = this.seen;
    const { c, x } = this.pair(size);
    const above = narrow && c > 30 ? 18 : 0; // the words above large cells
    const y = top + (narrow ? 30 + above : Math.max(84, (H - top - 7 * c) * 0.36));
    const j = this.pick[1];
    [0, 1].forEach((h) => {
      this.sheet(m, h, { x: x[h], y, c, shares: sheets[h] });
      m[`question${h}`] = words(x[h], y - (narrow ? 8 + above : 38), narrow ? 15 : 22, QUESTIONS[h], INK, { look: "strong" });
      const right = Math.min(x[h] + 7 * c, W);
      m[`big${h}`] = big(right, y + 7 * c + (narrow ? 36 : 66), narrow ? 32 : 56, two(weights[h][j]));
      m[`of${h}`] = words(right, y + 7 * c + (narrow ? 56 : 96), narrow ? 13 : 18, [["of ", SOFT], [this.words[j], INK]], SOFT, { anchor: "end", look: "sans" });
    });
  }

  /** What each head has found, side by side. */
  found(m, size, y, counts = ["", ""]) {
    const { W, narrow } = size;
    const [c, gap] = narrow ? [62, 8] : [104, 10];
    const left = W / 2 - 2 * c - gap / 2;
    const { context } = this.seen;
    return context.map((amounts, h) => {
      const x = left + h * (2 * c + gap);
      table(m, { rows: 1, columns: 2, x, y, c, size: narrow ? 18 : 28, most: 3, tell: false, item: (_, e) => ({ key: `found${h}.${e}`, parts: FEATURES.map((_, f) => (f === e ? amounts[e] : 0)), amount: amounts[e], text: two(amounts[e]) }) });
      m[`question${h}`] = words(x + c, y + c + (narrow ? 16 : 26), narrow ? 14 : 20, [[QUESTIONS[h], INK], [counts[h], ASKS]], INK, { anchor: "middle", look: "strong" });
      [0, 1].forEach((e) => (m[`names${h}.${e}`] = words(x + e * c + c / 2 - 2, y + (narrow ? 14 : 22), narrow ? 12 : 15, FEATURES[e], INK, { anchor: "middle", look: "sans" })));
      return { x: x + c, y };
    });
  }

  /** The last row of each table brings its values. */
  joined(m, size) {
    const { H, narrow, top } = size;
    const { sheets, weights, found } = this.seen;
    const { c, x } = this.pair(size);
    const y = top + (narrow ? 10 : 56);
    const to = this.found(m, size, H - (narrow ? 116 : 216));
    [0, 1].forEach((h) => {
      this.sheet(m, h, { x: x[h], y, c, shares: sheets[h], only: true });
      const from = range(this.words.length).map((j) => ({ x: x[h] + j * c + c / 2, y: y + c }));
      const part = {};
      ribbons(part, { shares: weights[h], from, to: { x: to[h].x, y: to[h].y - (narrow ? 8 : 14) }, widest: narrow ? 18 : 38, hues: (j) => (weights[h][j] > 0.1 ? hueOf(this.rows[j], ASKS) : undefined), fill: ASKS });
      for (const name in part) m[`${name}.${h}`] = part[name];
    });
    m.verdict = words(size.W / 2, H - (narrow ? 10 : 26), narrow ? 14 : 20, `one head gets ${found.map(two).join(" and ")}`, SOFT, { anchor: "middle", look: "sans" });
  }

  /** The numbers of both heads, and what the last matrix makes of them. */
  mixed(m, size) {
    const { W, H, narrow, pad, top, isStill } = size;
    const { context } = this.seen;
    const foot = H - (narrow ? 118 : 230);
    this.found(m, size, top + (narrow ? 4 : (foot - top) * 0.16), [" × 1", ` × ${say(this.counts)}`]);
    this.gets(m, size, foot, [context[0], context[1].map((amount) => amount * this.counts)]);
    this.rail = { x: pad + (narrow ? 8 : 14), w: W - 2 * pad - (narrow ? 16 : 28) };
    const said = "How much who is there counts";
    rail(m, { ...this.rail, y: H - (narrow ? 20 : 36), at: this.counts, hold: "counts", said, value: [this.counts, 0, 1, say(this.counts)], still: isStill });
    m.verdict = words(pad, H - (narrow ? 42 : 68), narrow ? 14 : 19, [["all of the kind, and ", SOFT], [say(this.counts), INK], [" of who is there", SOFT]], INK, { look: "sans" });
  }
}
