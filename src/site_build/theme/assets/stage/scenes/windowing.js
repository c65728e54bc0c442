// What a window keeps of a text. Each token is a row, with a square for each token before it: computed now, kept, or
// forgotten. Below are the slots of the ring. Through several layers, tokens that are forgotten still have a part.

import { INK, SOFT, words } from "../marks.js";
import { DONE, EMPTY, KEEPS, KEPT, NOW, Run } from "../run.js";
import { clamp, range } from "../stage.js";

const TEXT = "the duck likes the muddy bank the rich bank likes the bank".split(" ");
const [WINDOW, LAYERS] = [3, 3];
const REACHED = { fill: "none", stroke: KEPT, sw: 2 };

// tests/site_build/runs/test_attention.py holds the functions to the masks of attention_steps.
/** For each of so many tokens, whether the one that asks may read it: those in its window, and the first that stay. */
export const mayRead = (count, asks, { window, sinks }) => range(count).map((j) => j <= asks && (j > asks - window || j < sinks));

/** For each token, whether it has a part in the last one, after so many layers. */
export function reached(count, state, layers) {
  const last = range(count).map((j) => j === count - 1);
  return range(layers).reduce((part) => last.map((_, j) => part.some((has, i) => has && mayRead(count, i, state)[j])), last);
}

/** For each slot of a ring, the place of its token after so many tokens, or -1. Sinks have slots of their own, in front. */
export const ring = (count, { window, sinks }) =>
  range(count).reduce((slots, place) => slots.with(place < sinks ? place : sinks + ((place - sinks) % window), place), Array(window + sinks).fill(-1));

export default class Windowing extends Run {
  last = TEXT.length - 1;
  switches = [
    { name: "sinks", options: [[0, "a window of 3"], [1, "and a sink"]] },
    { name: "layers", options: [[1, "1 layer"], [LAYERS, `${LAYERS} layers`]] },
  ];

  /** @param numbers the outputs of the page: the slots of a ring, after each of six tokens */
  constructor({ slots }) {
    super({ sinks: 0, layers: 1 });
    this.count = slots.values.length;
  }

  get tensors() {
    return { slots: range(this.count).map((before) => ring(before + 1, { window: WINDOW, sinks: 0 })) };
  }

  get state() {
    return { window: WINDOW, sinks: this.is.sinks };
  }

  /** Of each token before a place, and the one there: whether it is computed, kept, reached through layers, or forgotten. */
  row(place) {
    const part = reached(place + 1, this.state, this.is.layers);
    return mayRead(place + 1, place, this.state).map((may, j) => (j === place ? "computed" : may ? "kept" : part[j] ? "reached" : "forgotten"));
  }

  get where() {
    return `row ${this.at + 1} of ${TEXT.length}: the step of “${TEXT[this.at]}”`;
  }

  get matters() {
    const kept = this.row(this.at).filter((what) => what === "computed" || what === "kept").length;
    return { number: kept, says: kept === 1 ? "key kept in a layer" : "keys kept in a layer", other: `${this.at + 1} without a window` };
  }

  get part() {
    const count = reached(this.at + 1, this.state, this.is.layers).filter(Boolean).length;
    return `${count} ${count === 1 ? "token has" : "tokens have"} a part`;
  }

  told() {
    const { number, says, other } = this.matters;
    return `${this.where}. ${number} ${says}, ${other}. ${this.part} in “${TEXT[this.at]}”.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const [size, names, foot] = [narrow ? 12 : 16, narrow ? 40 : 52, narrow ? 50 : 84];
    const n = TEXT.length;
    const [step, row] = [w / n, clamp((h - names - foot) / n, 6, 76)];
    const side = Math.min(step * 0.84, row - (row > 20 ? 5 : 2));
    const looks = { computed: DONE, kept: KEEPS, reached: REACHED, forgotten: EMPTY };
    range(n).forEach((j) => {
      const on = j === this.at;
      const up = j % 2 === 0 ? size * 1.1 : 0; // every second word stands higher
      m[`word${j}`] = words(x + step * (j + 0.5), y + names - 14 - up, size, TEXT[j], on ? NOW.fill : SOFT, { anchor: "middle", look: on ? "strong" : "", o: j > this.at ? 0.35 : 1 });
    });
    for (const i of range(this.at + 1))
      this.row(i).forEach((what, j) => {
        const look = what === "computed" && i === this.at ? NOW : looks[what];
        m[`square${i}.${j}`] = { as: "rect", x: x + step * (j + 0.5) - side / 2, y: y + names + i * row, w: side, h: side, r: 3, ...look };
      });
    const legend = [["computed now", NOW], ["computed before", DONE], ["kept", KEEPS], ...(this.is.layers > 1 ? [["forgotten, with a part", REACHED]] : []), ["forgotten", EMPTY]];
    const pitch = narrow ? 15 : 22;
    legend.forEach(([text, look], k) => {
      const line = y + names + size + k * pitch;
      m[`legend${text}`] = { as: "rect", x: x + w - size, y: line - size * 0.8, w: size, h: size, r: 3, ...look };
      m[`legend${text}.text`] = words(x + w - size * 1.6, line, size, text, SOFT, { anchor: "end", look: "sans" });
    });
    m.part = words(x + w, y + names + size + legend.length * pitch, size, this.part, INK, { anchor: "end", look: "sans strong" });
    this.slots(m, { x, y: y + names + n * row + (narrow ? 8 : 16), w, size, high: narrow ? 28 : 40 });
  }

  /** The ring: a new key takes the slot of the oldest. */
  slots(m, { x, y, w, size, high }) {
    const places = ring(this.at + 1, this.state);
    const label = size * 4.4;
    const wide = Math.min(120, (w - label) / 4 - 6);
    m.slots = words(x, y + high / 2 + 5, size, "slots", SOFT, { look: "sans" });
    places.forEach((place, k) => {
      const left = x + label + k * (wide + 6);
      m[`slot${k}`] = { as: "rect", x: left, y, w: wide, h: high, r: 6, ...(place < 0 ? EMPTY : place === this.at ? { ...NOW, o: 0.2 } : { ...KEEPS, o: 0.2 }) };
      m[`slot${k}.word`] = words(left + wide / 2, y + high / 2 + 5, size, place < 0 ? "" : TEXT[place], place === this.at ? NOW.fill : INK, { anchor: "middle" });
    });
  }
}
