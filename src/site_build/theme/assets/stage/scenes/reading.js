// A language model reads a text: where one of its heads looks from the last word, what the model says next, and the
// training that brought it there, which can be dragged back.

import { INK, SOFT, big, pressed, reach, ribbons, scrubber, width, words } from "../marks.js";
import { clamp, percent } from "../stage.js";

const HUES = { water: "var(--water)", money: "var(--money)" };

export default class Reading {
  /** Home's drawing lies across the screen: the rooms in which it is looked at. */
  rooms = { trained: [[1154, 480], [732, 560], [354, 560], [284, 560]] };

  /** @param numbers `training`: texts, and at each moment what the model says and looks at in each */
  constructor({ training }) {
    this.training = training;
    this.texts = training.texts;
    this.swaps = {};
    this.texts[0].forEach((_, place) => {
      const choices = [...new Set(this.texts.map((text) => text[place]))];
      if (choices.length > 1) this.swaps[place] = choices;
    });
    this.reset();
  }

  reset() {
    [this.text, this.at] = [this.training.first, this.last];
  }

  /** The last moment that is there. */
  get last() {
    return this.training.moments.length - 1;
  }

  /** The last one in the end. */
  get whole() {
    return this.training.steps.length - 1;
  }

  get changed() {
    return false; // what is dragged back is dragged forth
  }

  get words() {
    return this.texts[this.text];
  }

  get moment() {
    return this.training.moments[this.at][this.text];
  }

  get tensors() {
    return {};
  }

  choices(place) {
    return { words: this.swaps[place], now: this.words[place] };
  }

  /** The text that has this word there, and else as many of the same words as there are. */
  swap(place, word) {
    const alike = (text) => text.filter((each, k) => each === this.words[k]).length;
    const found = this.texts.filter((text) => text[place] === word).sort((a, b) => alike(b) - alike(a))[0];
    this.text = this.texts.indexOf(found);
  }

  press() {}

  step() {}

  go(at) {
    this.at = clamp(Math.round(at), 0, this.last);
  }

  drag(hold, x) {
    this.go(((x - this.rail.x) / this.rail.w) * this.whole);
  }

  nudge(hold, across, down) {
    this.go(this.at + across - down);
  }

  *tries() {
    for (const place in this.swaps) for (const word of this.swaps[place]) yield () => this.swap(place, word);
  }

  get most() {
    const { looks } = this.moment;
    const share = Math.max(...looks);
    return { share, place: looks.indexOf(share) };
  }

  told() {
    const { share, place } = this.most;
    const text = this.words.slice(1).join(" ").replaceAll(" .", ".");
    return `After ${this.stepped} of training: ${text} ${this.said}. This head looks most at ${this.named(place)}, ${percent(share)}.`;
  }

  named(place) {
    const word = this.words[place];
    return word === "." ? "the full stop" : place ? `“${word}”` : "the start of the text";
  }

  get stepped() {
    return `${this.training.steps[this.at].toLocaleString("en")} steps`;
  }

  layout(state, W, H, isStill = false) {
    const m = {};
    this[state](m, W, H, isStill);
    return m;
  }

  trained(m, W, H, isStill) {
    (W < 700 ? this.column : this.line).call(this, m, W, H, isStill);
  }

  get said() {
    return this.moment.said === "." ? "a full stop" : this.moment.said;
  }

  /** The ribbon of the word to which the head looks most. */
  get lights() {
    return (k) => (k === this.most.place ? this.hue : undefined);
  }

  get hue() {
    return HUES[this.moment.said] ?? SOFT;
  }

  /** The words that can be exchanged stand in pills of the hue of the answer, where the head looks, and else in ink. */
  pills(m, places, size, isStill) {
    for (const k in this.swaps) {
      const { x, y, w } = places[k];
      const [high, side] = [size * 1.6, size * 0.55];
      const box = { x: x - side, y: y - size * 1.13, w: w + 2 * side + (isStill ? 0 : size * 0.5), h: high };
      m[`pill${k}`] = { as: "rect", z: 0, ...box, r: high / 2, fill: Number(k) === this.most.place ? this.hue : INK };
      Object.assign(m[`word${k}`], { fill: "var(--paper)", look: "strong" });
      delete m[`swap${k}`];
      if (isStill) continue;
      m[`open${k}`] = { as: "curve", points: [[x + w + size * 0.3, y - size * 0.36], [x + w + size * 0.48, y - size * 0.2], [x + w + size * 0.66, y - size * 0.36]], stroke: "var(--paper)", sw: 2.5 };
      Object.assign(m[`swaps${k}`], { ...reach(box), r: Math.max(high, 44) / 2 });
    }
  }

  line(m, W, H, isStill) {
    const list = this.words;
    const gaps = Object.keys(this.swaps).length * 1.5 + list.length * 0.26 + 3.2;
    const size = Math.min(38, W / (width(list.join(""), 1) + gaps));
    const [y, start] = [size * 1.5, Math.max(15, size * 0.42)];
    let x = 0;
    const places = list.map((word, k) => {
      const swapped = this.swaps[k] ? size * 0.62 : 0;
      const place = { x: x + swapped, y, w: width(word, k ? size : start) * (this.swaps[k] ? 1.06 : 1) };
      place.middle = place.x + place.w / 2;
      x = place.x + place.w + (swapped ? swapped + (isStill ? 0 : size * 0.5) : 0) + (list[k + 1] === "." ? 0 : size * 0.26);
      m[`word${k}`] = words(place.x, y, k ? size : start, word, k ? INK : SOFT, { w: place.w, look: k === list.length - 1 ? "strong" : k ? "" : "sans" });
      if (this.swaps[k]) m[`swaps${k}`] = pressed(`word ${k}`, {}, `${word}: exchange this word`, { stop: true });
      return place;
    });
    this.pills(m, places, size, isStill);
    this.answer(m, x + size * 0.1, y, size);
    const end = { x: places.at(-1).middle, y: H - 176 };
    const from = places.map(({ middle }, k) => ({ x: middle, y: y + (this.swaps[k] ? size * 0.46 : 12) }));
    ribbons(m, { shares: this.moment.looks, from, to: end, widest: 46, hues: this.lights, fill: this.hue });
    this.verdict(m, 0, H - 190, 40);
    this.shares(m, 280, H - 206, 180);
    this.scrub(m, { x: 14, y: H - 24, w: W - 28, high: 40, isStill });
  }

  /** The same beside a text: what was read, and below it the line that is to be ended. */
  beside(m, W, H, isStill) {
    const [narrow, stop] = [W < 560 || H < 440, this.words.indexOf(".") + 1];
    const [pad, widest] = narrow ? [14, 26] : [56, 46];
    const room = (list) => width(list.join(""), 1) + 0.26 * list.length;
    const pills = Object.keys(this.swaps).filter((k) => k < stop).length * 1.75;
    const size = Math.min(34, (W - 2 * pad) / (room(this.words.slice(0, stop)) + pills));
    const rows = [narrow ? 36 : 84, narrow ? H * 0.42 : H * 0.5];
    let x = pad;
    const places = this.words.map((word, k) => {
      if (k === stop) x = pad + Math.max(0, W - 2 * pad - size * (room(this.words.slice(stop)) + 6)) / 2;
      const [side, letters, y] = [this.swaps[k] ? size * 0.62 : 0, k ? size : Math.max(12, size * 0.5), rows[Number(k >= stop)]];
      const place = { x: x + side, y, w: width(word, letters) * (side ? 1.06 : 1) };
      place.middle = place.x + place.w / 2;
      x = place.x + place.w + side + (side && !isStill ? size * 0.5 : 0) + (this.words[k + 1] === "." ? 0 : size * 0.26);
      m[`word${k}`] = words(place.x, y, letters, word, k ? INK : SOFT, { w: place.w, look: k === this.words.length - 1 ? "strong" : k ? "" : "sans" });
      if (side) m[`swaps${k}`] = pressed(`word ${k}`, {}, `${word}: exchange this word`, { stop: true });
      return place;
    });
    this.pills(m, places, size, isStill);
    this.answer(m, x + size * 0.1, rows[1], size);
    const end = { x: places.at(-1).middle, y: rows[1] - size * 1.3 };
    const from = places.map(({ middle, y }, k) => ({ x: middle, y: y + size * (k < stop ? (this.swaps[k] ? 0.46 : 0.35) : -0.8) }));
    ribbons(m, { shares: this.moment.looks, from, to: end, widest, hues: this.lights, fill: this.hue });
    const below = rows[1] + (narrow ? 52 : (H - rows[1]) * 0.28);
    this.verdict(m, pad, below, narrow ? 30 : 44);
    this.shares(m, W - pad - (narrow ? 160 : 240), below - 18, narrow ? 160 : 240);
    this.scrub(m, { x: pad, y: H - (narrow ? 22 : 44), w: W - 2 * pad, high: narrow ? 26 : 60, isStill });
    if (narrow && H < 340) delete m.wrong; // there is no room for it
  }

  column(m, W, H, isStill) {
    const rows = this.words.length + 0.55 * Object.keys(this.swaps).length + 1.4; // a pill is higher
    const [size, step] = [21, Math.min(28, (H - 162) / rows)];
    let y = 20;
    const places = this.words.map((word, k) => {
      const swapped = Boolean(this.swaps[k]);
      y += swapped ? step * 1.3 : step;
      const place = { x: swapped ? 14 : 0, y, w: width(word, k ? size : 14) * (swapped ? 1.06 : 1) };
      m[`word${k}`] = words(place.x, y, k ? size : 14, word, k ? INK : SOFT, { w: place.w, look: k === this.words.length - 1 ? "strong" : k ? "" : "sans" });
      if (swapped) m[`swaps${k}`] = pressed(`word ${k}`, {}, `${word}: exchange this word`, { stop: true });
      if (swapped) y += step * 0.25;
      return place;
    });
    this.pills(m, places, size, isStill);
    this.answer(m, 0, y + step * 1.4, 32);
    const { x, w } = places.at(-1);
    const end = { x: x + w + 30, y: y - 7 };
    const from = places.map((place, k) => ({ x: place.x + place.w + (this.swaps[k] ? 24 : 8), y: place.y - 7 }));
    const bend = (k) => Math.min(150, 40 + Math.abs(end.y - from[k].y) * 0.42);
    ribbons(m, { shares: this.moment.looks, from, to: end, widest: 28, hues: this.lights, fill: this.hue, bend });
    this.verdict(m, W, 50, 34, "end");
    this.shares(m, W - 150, y - 10, 150);
    this.scrub(m, { x: 14, y: H - 24, w: W - 28, high: 30, isStill });
  }

  answer(m, x, y, size) {
    const { water, money } = this.moment;
    const doubt = Math.max(water, money) < 0.6 ? "?" : "";
    m.answer = words(x, y, size, `${this.said}${doubt}`, this.hue, { look: "strong answer" });
  }

  verdict(m, x, y, size, anchor = "start") {
    const { share, place } = this.most;
    m.big = { ...big(x, y, size, percent(share), INK), anchor };
    m.most = words(x, y + size * 0.62, Math.max(14, size * 0.42), "of its attention is on", SOFT, { look: "sans", anchor });
    m.most1 = words(x, y + size * 1.1, Math.max(14, size * 0.42), this.named(place), INK, { look: "sans strong", anchor });
  }

  shares(m, x, y, w) {
    ["water", "money"].forEach((word, k) => {
      m[`name.${word}`] = words(x, y + 26 * k + 12, 16, word, HUES[word], { look: "sans strong" });
      m[`share.${word}`] = { as: "rect", x: x + 62, y: y + 26 * k, w: Math.max(3, (w - 62) * this.moment[word]), h: 14, r: 7, fill: HUES[word] };
    });
  }

  scrub(m, { x, y, w, high, isStill }) {
    this.rail = { x, w };
    const at = this.at / this.whole;
    const said = "The training, from its first step to its last";
    const value = [this.at, 0, this.last, `after ${this.stepped}, it says ${this.said}`];
    scrubber(m, { ...this.rail, y, high, at, losses: this.training.losses, count: this.whole + 1, hold: "scrub", said, value, still: isStill });
    m.wrong = words(x + w * 0.24, y - high - 50, 15, "how wrong it is", SOFT, { look: "sans" });
    const [right, end] = [at > 0.5, x + w * at];
    m.stepped = words(right ? end + 10 : end - 10, y - 38, 15, `after ${this.stepped}`, INK, { look: "sans strong", anchor: right ? "end" : "start" });
    const hint = isStill ? "" : this.hint(at, w > 600);
    if (!hint) return;
    const far = at > 0.5 ? x + w - 150 : x + w;
    m.hint = words(w > 600 ? far : x, y - 38, 15, hint, SOFT, { look: "sans", anchor: w > 600 ? "end" : "start" });
  }

  /** What is said beside the handle. */
  hint(at, isWide) {
    if (at === 1) return "← drag back: watch it forget";
    return isWide && at <= 0.5 ? "drag on: watch it learn →" : "";
  }
}
