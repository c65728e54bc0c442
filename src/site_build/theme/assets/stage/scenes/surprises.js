// A model has read the beginning of a story: the share of each word that it knows, and how much each word that came
// surprised it.

import { ASKS, INK, SOFT, big, pressed, rail, rule, width, words } from "../marks.js";
import { clamp, sum, two } from "../stage.js";

const FULL = Math.log(32); // how much each word surprises who knows nothing
const FIRST = 4; // words that are read at first: "the duck likes the"
const ANSWERS = { water: "var(--water)", money: "var(--money)" };
const named = (word) => (word === "<" ? "start" : word);
const sayWord = (word) => (word === "." ? "the full stop" : `“${word}”`);

/** All words of the model in four columns, each with its share as a number and as a bar. */
export function cells(m, vocabulary, shares, { x, y, w, h, size, on, press }) {
  const [wide, high] = [w / 4, h / 8];
  const [room, thick] = [wide - size * 0.9, clamp(high * 0.18, 3, 12)];
  vocabulary.forEach((word, id) => {
    const [left, top] = [x + Math.floor(id / 8) * wide, y + (id % 8) * high];
    const base = top + (high - thick - size * 0.34) * 0.5 + size * 0.36;
    const [share, hue] = [shares[id], id === on ? ASKS : (ANSWERS[word] ?? INK)];
    const seen = share >= 0.005;
    m[`b${id}`] = { as: "rect", x: left, y: base + size * 0.34, w: Math.max(1, room * share), h: thick, r: thick / 2, fill: hue, o: seen ? 1 : 0.25 };
    m[`bw${id}`] = words(left, base, size, named(word), seen || id === on ? hue : SOFT, { look: id === on ? "strong" : "" });
    if (seen) m[`bn${id}`] = words(left + room, base, Math.max(12, size * 0.9), two(share), hue, { anchor: "end", look: "sans strong" });
    if (press) m[`h${id}`] = pressed(`put ${id}`, { x: left - 4, y: top, w: wide - 4, h: high }, `${named(word)}: ${two(share)}`, { stop: id === on });
  });
}

export default class Surprises {
  /** @param numbers `shares`: a row for each word that is read; `losses`: a number for each word that came */
  constructor({ shares, losses }) {
    this.words = shares.rows;
    [this.vocabulary, this.shares, this.losses] = [shares.columns, shares.values, losses.values];
    this.came = losses.columns;
    this.reset();
  }

  reset() {
    this.at = FIRST;
  }

  get tensors() {
    const share = this.came.map((word, k) => this.shares[k][this.vocabulary.indexOf(word)]);
    return { shares: this.shares, losses: this.losses, share };
  }

  go(at) {
    this.at = clamp(at, 0, this.came.length - 1);
  }

  press(what) {
    this.go(Number(what.split(" ")[1]));
    return `h${this.at}`;
  }

  pressed(output, place) {
    this.go(place[0]);
  }

  lit(output) {
    return output === "shares" ? [this.at, this.vocabulary.indexOf(this.came[this.at])] : [this.at];
  }

  step(state, across, down) {
    return this.press(`pick ${this.at + across + down}`);
  }

  /** The word that is nearest to a place of the line below the story. */
  drag(hold, x) {
    const away = this.middles.map((middle) => Math.abs(middle - x));
    this.go(away.indexOf(Math.min(...away)));
  }

  nudge(hold, across, down) {
    this.go(this.at + across - down);
  }

  *tries() {}

  told() {
    const read = this.words.slice(1, this.at + 1).join(" ").replaceAll(" .", ".");
    const share = two(this.tensors.share[this.at]);
    return `After ${read || "the start"}, ${sayWord(this.came[this.at])} came. It had a share of ${share}, a surprise of ${two(this.losses[this.at])}.`;
  }

  layout(state, W, H, isStill = false) {
    const [m, narrow] = [{}, W < 560 || H < 440];
    this[state](m, { W, H, narrow, pad: narrow ? 14 : 56, isStill });
    return m;
  }

  /** The story in a line, as far as it is read; the word that came; and below, what the model had said. */
  bars(m, { W, H, narrow, pad, isStill }) {
    const list = [...this.words, "."];
    const gap = 0.3;
    const size = Math.min(34, (W - 2 * pad) / (sum(list.map((word, k) => width(word, k ? 1.03 : 0.7) + (word === "." ? 0 : gap))) - gap));
    const y = narrow ? 24 : 76;
    let x = pad;
    this.middles = list.slice(0, -1).map((word, k) => {
      const w = width(word, k ? size : size * 0.7) * (k === this.at + 1 ? 1.06 : 1);
      if (k && word !== ".") x += gap * size;
      m[`word${k}`] = words(x, y, k ? size : size * 0.7, word, k === this.at + 1 ? ASKS : k <= this.at ? INK : SOFT, { w, look: k === this.at + 1 ? "strong" : k ? "" : "sans" });
      x += w;
      return x - w / 2;
    });
    m[`word${list.length - 1}`] = words(x, y, size, ".", this.at === this.came.length - 1 ? ASKS : SOFT, { w: width(".", size) });
    const line = { x: this.middles[0], w: this.middles.at(-1) - this.middles[0], y: y + (narrow ? 20 : 34) };
    const value = [this.at, 0, this.came.length - 1, this.told()];
    rail(m, { ...line, at: (this.middles[this.at] - line.x) / line.w, hold: "read", said: "How far the model has read", value, still: isStill });
    const [share, came] = [this.tensors.share[this.at], this.came[this.at]];
    const base = narrow ? 88 : 186;
    m.big = big(W - pad, base, narrow ? 34 : 64, two(share));
    m.line = words(pad, base - (narrow ? 6 : 10), narrow ? 14 : 20, [["then came ", SOFT], [sayWord(came), ASKS]], INK, { look: "sans" });
    const top = base + (narrow ? 10 : 34);
    cells(m, this.vocabulary, this.shares[this.at], { x: pad, y: top, w: W - 2 * pad, h: H - top - (narrow ? 4 : 30), size: narrow ? 12 : 18, on: this.vocabulary.indexOf(came) });
  }

  /** A bar for each word of the story, as high as its surprise, and their mean. */
  surprise(m, { W, H, narrow, pad, isStill }) {
    const step = (W - 2 * pad) / this.came.length;
    const [foot, size] = [H - (narrow ? 46 : 84), narrow ? 13 : clamp(step * 0.34, 15, 22)];
    const high = foot - (narrow ? 84 : 190);
    const at = (loss) => foot - (high * loss) / FULL;
    const mean = sum(this.losses) / this.losses.length;
    m.mean = rule(pad, at(mean), W - pad, at(mean), { z: 2, stroke: INK, sw: 1.5, dash: "5 4" });
    m.meant = words(W - pad, at(mean) - 8, narrow ? 13 : 18, `the loss: ${two(mean)}`, INK, { anchor: "end", look: "sans strong" });
    m.foot = rule(pad, foot, W - pad, foot);
    this.came.forEach((word, k) => {
      const [middle, on] = [pad + step * (k + 0.5), k === this.at];
      const top = at(Math.max(this.losses[k], 0.02));
      const crossed = this.losses[k] > 0.02 && Math.abs(top - 12 - at(mean)) < 14;
      m[`loss${k}`] = { as: "rect", x: middle - step * 0.32, y: top, w: step * 0.64, h: foot - top, r: 2, fill: on ? ASKS : SOFT, o: on ? 1 : 0.6 };
      const below = foot + size * (narrow && k % 2 ? 2.5 : 1.25);
      m[`word${k + 1}`] = words(middle, below, size, word, on ? ASKS : INK, { anchor: "middle", look: on ? "strong" : "" });
      if (on || this.losses[k] > 0.3 || !narrow) m[`number${k}`] = words(middle, (crossed ? at(mean) : top) - 6, narrow ? 12 : 16, two(this.losses[k]), on ? ASKS : INK, { anchor: "middle", look: "sans strong" });
      if (!isStill) m[`h${k}`] = pressed(`pick ${k}`, { x: middle - step / 2, y: foot - high, w: step, h: H - foot + high }, `${word}: surprise ${two(this.losses[k])}`, { on, stop: on });
    });
    m.big = big(W - pad, narrow ? 40 : 96, narrow ? 38 : 72, two(this.losses[this.at]));
    const share = two(this.tensors.share[this.at]);
    m.line = words(W - pad, narrow ? 60 : 128, narrow ? 13 : 18, [[sayWord(this.came[this.at]), ASKS], [` had ${share}`, SOFT]], INK, { anchor: "end", look: "sans" });
  }
}
