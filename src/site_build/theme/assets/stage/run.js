// A run that a page for engineers goes through, from moment to moment: one number that matters, switches, and at the foot
// a line with a handle, whose right end is the finished run.

import { ASKS, INK, SOFT, big, pressed, rail, width, words } from "./marks.js";
import { clamp } from "./stage.js";

// A drawing that is alone on its page is higher on a phone.
const ROOMS = [[994, 844], [910, 594], [824, 544], [768, 500], [568, 712], [390, 460], [320, 400]];

/**
 * What a scene says of itself: `switches`, each with a `name` and `options`, which are pairs of a value and its words;
 * `last`, the last moment; `where`, the present one in words; `matters`, with `number`, `says` and `other`, what it would
 * be otherwise; a method for each state, `run(m, box)`, which draws into `x`, `y`, `w` and `h`; `told()`, and `tensors`.
 * What is chosen stands in `is`, and the moment in `at`.
 */
export class Run {
  rooms = { run: ROOMS };
  switches = [];
  words = [];

  /** @param first what is chosen at first, by the names of the switches */
  constructor(first = {}) {
    Object.assign(this, { first, is: { ...first } });
  }

  get last() {
    return 0;
  }

  /** Where it is until somebody goes elsewhere. */
  get rest() {
    return this.last;
  }

  get at() {
    return clamp(this.moment ?? this.rest, 0, this.last);
  }

  set at(moment) {
    this.moment = moment === this.rest ? undefined : clamp(moment, 0, this.last);
  }

  reset() {
    this.is = { ...this.first };
    this.moment = undefined;
  }

  get changed() {
    return this.at !== this.rest || Object.keys(this.first).some((name) => this.is[name] !== this.first[name]);
  }

  press(what) {
    const [, name, option] = what.split(" ");
    const { options } = this.switches.find((each) => each.name === name);
    this.is[name] = options[option][0];
    return `set.${name}.${option}`;
  }

  drag(hold, x) {
    this.at = Math.round(((x - this.line.x) / this.line.w) * this.last);
  }

  nudge(hold, across, down) {
    this.at += across - down;
  }

  step() {}

  lit() {}

  /** All that somebody can choose, and each moment of it. */
  *tries() {
    for (const { name, options } of this.switches) for (const [value] of options) yield () => (this.is[name] = value);
    for (let moment = 0; moment <= this.last; moment++) yield () => (this.at = moment);
  }

  layout(state, W, H, isStill = false) {
    const m = {};
    const narrow = W < 620 || H < 440;
    const size = { W, H, narrow, pad: narrow ? 16 : 48, isStill };
    const top = Math.max(this.large(m, size), this.chosen(m, size));
    const foot = this.last ? this.scrub(m, size) : H - size.pad / 2;
    this[state](m, { ...size, x: size.pad, y: top, w: W - 2 * size.pad, h: foot - top });
    return m;
  }

  /** The number that matters, what it counts, and what it would be otherwise. Returns where it ends. */
  large(m, { W, narrow, pad }) {
    const { number, says, other = "" } = this.matters;
    const [y, line] = narrow ? [42, 17] : [84, 25];
    m.big = big(W - pad, y, narrow ? 40 : 80, number);
    m.says = words(W - pad, y + 1.2 * line, narrow ? 13 : 18, says, INK, { anchor: "end", look: "sans strong" });
    m.other = words(W - pad, y + 2.2 * line, narrow ? 13 : 17, other, SOFT, { anchor: "end", look: "sans" });
    return y + (other ? 3 : 2) * line;
  }

  /** What can be chosen. Returns where it ends. */
  chosen(m, size) {
    return this.pills(m, size, size.narrow ? 12 : 30);
  }

  /** Each switch in a line: what is chosen is full. */
  pills(m, { narrow, pad, isStill }, y) {
    const [size, h, inner, between] = narrow ? [13, 30, 8, 6] : [16, 38, 16, 10];
    for (const { name, options } of this.switches) {
      let x = pad;
      options.forEach(([value, text], k) => {
        const on = this.is[name] === value;
        const place = { x, y, w: width(text, size) * 1.08 + 2 * inner, h };
        m[`set.${name}.${k}.box`] = { as: "rect", ...place, r: h / 2, fill: on ? INK : "none", stroke: INK, sw: 1.5 };
        m[`set.${name}.${k}.text`] = words(x + place.w / 2, y + h / 2 + size * 0.35, size, text, on ? "var(--paper)" : INK, { anchor: "middle", look: "sans strong" });
        if (!isStill) m[`set.${name}.${k}`] = pressed(`set ${name} ${k}`, place, text, { on, stop: true, r: h / 2 });
        x += place.w + 6;
      });
      y += h + between;
    }
    return y;
  }

  /** The moment in words, and the line with its handle below. Returns where they begin. */
  scrub(m, { W, H, narrow, pad, isStill }) {
    const [y, size] = narrow ? [H - 22, 13] : [H - 34, 17];
    this.line = { x: pad + 14, w: W - 2 * pad - 28 };
    m.where = words(pad, y - (narrow ? 20 : 26), size, this.where, SOFT, { look: "sans" });
    rail(m, { ...this.line, y, at: this.at / this.last, still: true });
    const { x, w } = this.line;
    const value = [this.at, 0, this.last, this.where];
    if (!isStill) m.handle = { as: "rect", z: 3, x: x - 22, y: y - (narrow ? 15 : 19), w: w + 44, h: 44, r: 22, fill: "transparent", look: "tip", hold: "moment", said: "The moment", value };
    return y - (narrow ? 40 : 58);
  }
}

// ---- how things look on these pages ----------------------------------------------------------------------------------
export const KEPT = "var(--kept)";
/** What is computed now, what is kept, what was computed before, and what is not there. */
export const NOW = { fill: ASKS };
export const KEEPS = { fill: KEPT, o: 0.35 };
export const DONE = { fill: SOFT, o: 0.45 };
export const EMPTY = { fill: "none", stroke: SOFT, sw: 1.5, dash: "3 3" };
