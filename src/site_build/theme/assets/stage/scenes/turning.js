// Queries and keys as the hands of a clock: they turn from word to word, and a query finds the key to which it points.

import { ASKS, CELL, HUES, INK, SOFT, big, handle, pressed, rail, ribbons, rule, words } from "../marks.js";
import { dial, hand } from "../dial.js";
import { clamp, range, say, sum, two } from "../stage.js";

const BACK = -60; // degrees by which the query of the page begins before 12 o'clock
const FAR = 100; // the place to which the page moves the sentence
const KEY = "var(--key)";
const SWAPPED = { 1: 5, 5: 1 }; // the places of the adjectives
const hueOf = (row) => HUES[row[1] > row[0] ? 1 : 0];
const cosine = (degrees) => Math.cos((degrees * Math.PI) / 180);

export default class Turning {
  /** @param numbers the outputs of the page, by name; `inputs` has a row for each word */
  constructor({ inputs }) {
    this.first = inputs;
    this.asks = inputs.rows.length - 1;
    this.reset();
  }

  // ---- what is so -------------------------------------------------------------------------------------------
  reset() {
    [this.words, this.rows] = [this.first.rows, this.first.values];
    [this.back, this.start, this.pick] = [0, FAR, 5];
  }

  get changed() {
    return this.back !== 0 || this.start !== FAR || this.words !== this.first.rows;
  }

  /** What a state shows, with the degrees from word to word, and those by which the query begins. */
  seen(state) {
    const exchanged = state === "exchanged" || state === "far";
    const order = (list) => (exchanged ? list.map((each, place) => list[SWAPPED[place] ?? place]) : list);
    const [list, rows] = [order(this.words), order(this.rows)];
    const step = state === "tie" || state === "hands" ? 0 : 60;
    const back = step === 0 ? 0 : state === "turned" ? this.back : BACK;
    const long = sum(rows[this.asks].slice(0, 2));
    const scores = rows.map((row, place) => long * row[3] * cosine(back + step * (this.asks - place)));
    const powers = scores.map(Math.exp);
    const shares = powers.map((power) => power / sum(powers));
    const context = [0, 1].map((e) => sum(rows.map((row, place) => shares[place] * row[e])));
    return { words: list, rows, step, back, long, scores, shares, context, start: state === "far" ? this.start : 0 };
  }

  /** What the page's outputs of these names hold, too. */
  get tensors() {
    const [tie, turned, found, exchanged] = ["tie", "turned", "found", "exchanged"].map((state) => this.seen(state));
    return { inputs: this.rows, shares: tie.shares, straight: turned.scores, scores: found.scores, context: found.context, exchanged: exchanged.context };
  }

  choices(place) {
    return { words: [this.words[1], this.words[5]], now: this.words[place] };
  }

  swap(place, word) {
    if (this.words[place] === word) return;
    const { words: list, rows } = this.seen("exchanged");
    [this.words, this.rows] = list.join() === this.first.rows.join() ? [this.first.rows, this.first.values] : [list, rows];
  }

  press(what) {
    this.pick = Number(what.split(" ")[1]);
    return `h${this.pick}`;
  }

  pressed(name, [place]) {
    return this.press(`pick ${place}`);
  }

  lit(name) {
    return ["shares", "straight", "scores"].includes(name) ? [this.pick] : [];
  }

  step(state, across, down) {
    return this.press(`pick ${clamp(this.pick + across + down, 0, this.asks)}`);
  }

  turn(degrees) {
    this.back = ((((Math.round(degrees / 10) * 10 + 180) % 360) + 360) % 360) - 180;
  }

  move(start) {
    this.start = clamp(Math.round(start), 0, FAR);
  }

  drag(hold, x, y) {
    if (hold === "place") this.move((FAR * (x - this.rail.x)) / this.rail.w);
    else this.turn((Math.atan2(x - this.middle.x, this.middle.y - y) * 180) / Math.PI);
  }

  nudge(hold, across, down) {
    if (hold === "place") this.move(this.start + across - down);
    else this.turn(this.back + 10 * (across + down));
  }

  /** All that a reader can do, coarsely: with it a test finds that a task can be done. */
  *tries() {
    for (const step of range(36)) yield () => this.turn(10 * step);
  }

  told(state) {
    const { words: list, scores, shares, back, start } = this.seen(state);
    const [word, score, share] = [list, scores.map(say), shares.map(two)].map((each) => each[this.pick]);
    const from = state === "tie" ? "" : `The query of bank begins at ${say(back)} degrees. `;
    return `${from}${word}, word ${start + this.pick}, scores ${score}, and bank takes ${share} of it.`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------
  layout(state, W, H, isStill = false) {
    const [m, narrow] = [{}, W < 560 || H < 440];
    const [pad, left] = narrow ? [12, 160] : [48, 330];
    const size = { W, H, narrow, pad, left, isStill, ...this.seen(state) };
    const r = Math.min((W - left - pad) / 2 - (narrow ? 12 : 24), (H - (narrow ? 154 : 230)) / 2);
    this.middle = { x: (left + W - pad) / 2, y: (narrow ? 90 : 136) + r, r };
    this.list(m, size);
    this.reading(m, size, state === "tie");
    this[state](m, size);
    return m;
  }

  tie(m, size) {
    this.cards(m, size);
    this.taken(m, size);
  }

  hands(m, size) {
    this.clock(m, size);
    this.taken(m, size);
  }

  turned(m, size) {
    this.hands(m, size);
    const { narrow, long, back, isStill } = size;
    const { x, y } = this.tip(long, back);
    if (!isStill) m.handle = handle("query", x, y, narrow ? 22 : 26, ASKS, "The query of bank", [back, -180, 170, `${say(back)} degrees from 12 o'clock`]);
  }

  found(m, size) {
    this.hands(m, size);
  }

  exchanged(m, size) {
    this.hands(m, size);
  }

  far(m, size) {
    this.clock(m, size);
    this.place(m, size);
  }

  /** The words with their scores, and from each a ribbon to the last, as wide as its share. */
  list(m, { H, narrow, pad, left, isStill, words: list, rows, scores, shares, start, step }) {
    const size = narrow ? 16 : 24;
    const gap = Math.min(narrow ? 44 : 84, (H - 40) / list.length);
    const line = (place) => (H - gap * this.asks) / 2 + size * 0.3 + gap * place;
    const right = left - (narrow ? 62 : 130);
    list.forEach((word, place) => {
      const [y, on, asks] = [line(place), place === this.pick, place === this.asks];
      const box = { y: y - size * 0.3 - gap / 2 + 1, h: gap - 2 };
      m[`word.${SWAPPED[place] ? word : place}`] = words(pad, y, size, word, asks ? ASKS : on ? INK : SOFT, { look: on || asks ? "strong" : "" });
      m[`score${place}`] = words(right, y, size, say(scores[place]), on ? INK : SOFT, { anchor: "end", look: on ? "sans strong" : "sans" });
      if (!narrow && step) m[`place${place}`] = words(pad, y + size * 0.78, 15, `word ${start + place}`, SOFT, { look: "sans" });
      const pressedAt = right - size * 1.7;
      m[`h${place}`] = pressed(`pick ${place}`, { x: pressedAt, w: size * 2, ...box }, `bank asks ${word}: ${say(scores[place])}`, { on, stop: on });
      if (!SWAPPED[place] || isStill) return;
      m[`swap${place}`] = rule(pad, y + size * 0.28, pad + size * 2.5, y + size * 0.28, { stroke: SOFT, sw: 2, dash: "2 4" });
      m[`swaps${place}`] = pressed(`word ${place}`, { x: pad - 4, w: pressedAt - pad, ...box }, `${word}: exchange the adjectives`, { stop: true });
    });
    const widest = narrow ? 14 : 26;
    const from = list.map((word, place) => ({ x: right + size * 0.3, y: line(place) - size * 0.3 }));
    const bend = (place) => (narrow ? 18 : 36) + (this.asks - place) * (narrow ? 6 : 16);
    const to = { ...from[this.asks], x: from[this.asks].x + widest * 0.6 };
    const hues = (k) => (rows[k][3] > 1 && shares[k] > 0.1 ? hueOf(rows[k]) : undefined);
    ribbons(m, { shares, from, to, widest, hues, fill: ASKS, bend });
  }

  /** Where a hand is but a number: what is asked, and what is answered. */
  cards(m, { narrow, words: list, rows, long }) {
    const { x, y, r } = this.middle;
    const size = narrow ? 13 : 17;
    for (const place of [1, this.asks, 5]) {
      const asks = place === this.asks;
      const [name, fill, number, does] = asks ? ["query", ASKS, long, "asks"] : [list[place], KEY, rows[place][3], "answers"];
      const left = x + { 1: -0.68, [this.asks]: 0, 5: 0.68 }[place] * r;
      m[`card${place}`] = { as: "rect", z: 0, x: left - r * 0.31, y: y - r * 0.85, w: r * 0.62, h: r * 1.8, r: 10, fill: CELL };
      m[`tip.${name}`] = words(left, y - r * 0.85 + size * 1.4, size, list[place], fill, { anchor: "middle", look: "strong" });
      m[`does${place}`] = words(left, y - r * 0.85 + size * 2.6, narrow ? 12 : 15, does, SOFT, { anchor: "middle", look: "sans" });
      hand(m, `hand.${name}`, { x: left, y: y + r * 0.5, long: number * this.unit, turn: 0, w: narrow ? 4 : 8, fill, z: asks ? 2 : 1 });
      m[`number${place}`] = words(left, y + r * 0.86, size * 1.6, say(number), fill, { anchor: "middle", look: "sans strong" });
    }
  }

  /** How long a hand of length 1 is drawn. */
  get unit() {
    return this.middle.r / 3.5;
  }

  /** Where the tip of a hand is that is so long, or what is written beside it. */
  tip(long, turn, aside = 0) {
    const { x, y } = this.middle;
    const out = long * this.unit + aside;
    return { x: x + out * Math.sin((turn * Math.PI) / 180), y: y - out * cosine(turn) };
  }

  /** All hands on one dial: a word without a key has none. */
  clock(m, { W, narrow, words: list, rows, long, step, back, start }) {
    const [size, w] = [narrow ? 13 : 17, narrow ? 4 : 7];
    dial(m, { ...this.middle, size });
    rows.forEach((row, place) => {
      if (!row[3]) return;
      const [name, turn] = [SWAPPED[place] ? list[place] : place, step * (start + place)];
      hand(m, `hand.${name}`, { ...this.middle, long: row[3] * this.unit, turn, w: SWAPPED[place] ? w * 1.4 : w * 0.6, fill: KEY });
      if (!SWAPPED[place]) return;
      const { x, y } = this.tip(3.5, turn, size * 1.1);
      const aside = step ? 0 : (place - 3) * size;
      m[`tip.${name}`] = words(Math.min(x + aside, W - size * 1.6), y + size * 0.35, size, list[place], KEY, { anchor: "middle", look: "strong" });
    });
    const turn = back + step * (start + this.asks);
    hand(m, "hand.query", { ...this.middle, long: long * this.unit, turn, w: w * 0.8, fill: ASKS, z: 2 });
    const { x, y } = narrow ? this.tip(1, turn + 180) : this.tip(long * 0.7, turn + 34);
    m["tip.query"] = words(x, y + size * 0.35, size, list[this.asks], ASKS, { anchor: "middle", look: "strong" });
  }

  /** The number that matters, and how it comes about. */
  reading(m, { W, narrow, pad, words: list, rows, long, scores, shares, back, step }, tie) {
    const [large, y] = narrow ? [40, 42] : [80, 82];
    const turned = Math.abs(back + step * (this.asks - this.pick)) % 360;
    const angle = Math.min(turned, 360 - turned);
    const key = rows[this.pick][3];
    m.big = big(W - pad, y, large, (tie ? two : say)((tie ? shares : scores)[this.pick]));
    const line = tie ? [["of ", SOFT], [list[this.pick], INK]] : key ? `${say(long)} × ${say(key)} × cos ${angle}° = ${say(scores[this.pick])}` : `${list[this.pick]} has no key`;
    m.line = words(W - pad, y + (narrow ? 20 : 30), narrow ? 13 : 18, line, SOFT, { anchor: "end", look: "sans" });
  }

  /** What the last word takes. */
  taken(m, { W, H, narrow, pad, left, context, words: list }) {
    const [size, high] = narrow ? [14, 20] : [19, 32];
    const [x, w] = [left + size * 4, W - pad - left - size * 7.2];
    m.takes = words(left, H - 2 * high - (narrow ? 18 : 34), size, `${list[this.asks]} takes`, SOFT, { look: "sans" });
    ["water", "money"].forEach((name, e) => {
      const y = H - (2 - e) * high - (narrow ? 8 : 18);
      m[`name.${name}`] = words(left, y + size * 0.85, size, name, HUES[e], { look: "strong" });
      m[`bar.${name}`] = { as: "rect", x, y, w: Math.max(2, (w * context[e]) / 3), h: size, r: 3, fill: HUES[e] };
      m[`takes.${name}`] = words(x + Math.max(2, (w * context[e]) / 3) + 8, y + size * 0.85, size, two(context[e]), INK, { look: "sans strong" });
    });
  }

  /** The place at which the sentence begins, to be dragged. */
  place(m, { W, H, narrow, pad, left, isStill, start }) {
    this.rail = { x: left + 12, w: W - pad - left - 26 };
    const y = H - (narrow ? 22 : 40);
    const value = [start, 0, FAR, `word ${start}`];
    rail(m, { ...this.rail, y, at: start / FAR, hold: "place", said: "Where the sentence begins", value, still: isStill });
    m.begins = words(left, y - (narrow ? 22 : 30), narrow ? 14 : 19, [["from position ", SOFT], [`${start}`, INK]], INK, { look: "sans strong" });
  }
}
