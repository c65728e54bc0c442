// A row of weights in few bits: each weight before and after it is rounded to a multiple of its scale. The levels are
// lines. With a scale for the row, an outlier decides them; groups keep it to themselves, and a rotation spreads it.

import { INK, RULE, SOFT, rule, words } from "../marks.js";
import { KEPT, NOW, Run } from "../run.js";
import { clamp, range, sum, two } from "../stage.js";
import { dot } from "../../attention.js";

const [MOST, FEWEST, GROUP] = [8, 4, 4]; // bits, and weights
const [HIGHEST, LOWEST] = [7.4, -3]; // of what is drawn

/** The largest whole number in so many bits. The page has the functions in Python, and tests/site_build/runs/test_few_bits.py holds them equal. */
const levels = (bits) => 2 ** (bits - 1) - 1;
const scaleOf = (weights, bits) => Math.max(...weights.map(Math.abs)) / levels(bits);
const groupsOf = (row, size) => range(row.length / size).map((g) => row.slice(g * size, (g + 1) * size));

/** Round each weight to a multiple of the scale of its group. */
export const nearest = (row, bits, size = row.length) =>
  groupsOf(row, size).flatMap((weights) => {
    const scale = scaleOf(weights, bits);
    return weights.map((weight) => Math.round(weight / scale) * scale);
  });

/** A matrix of 1 and −1, up to a factor, with which a row is turned, and turned back. */
export const hadamard = (size) =>
  range(size).map((i) => range(size).map((j) => (-1) ** [...(i & j).toString(2)].filter((bit) => bit === "1").length / Math.sqrt(size)));

const turned = (row) => hadamard(row.length).map((column) => dot(row, column));

export default class Rounding extends Run {
  last = MOST - FEWEST;
  switches = [{ name: "way", options: [["row", "one scale"], ["groups", "groups"], ["turned", "rotated"]] }];

  /** @param numbers the outputs of the page: a row and what it is read back as */
  constructor({ weights }) {
    super({ way: "row" });
    [this.row] = weights.values;
  }

  get tensors() {
    const back = (way) => this.with(way, FEWEST).back;
    return { weights: [this.row, back("row"), back("groups")], turned: back("turned") };
  }

  get bits() {
    return MOST - this.at;
  }

  /** What is rounded, what it becomes, and what is read back. */
  with(way, bits) {
    const size = way === "groups" ? GROUP : this.row.length;
    const before = way === "turned" ? turned(this.row) : this.row;
    const after = nearest(before, bits, size);
    return { size, before, after, back: way === "turned" ? turned(after) : after };
  }

  get errors() {
    return this.with(this.is.way, this.bits).back.map((weight, k) => Math.abs(weight - this.row[k]));
  }

  get where() {
    return `${this.bits} bits: ${2 * levels(this.bits) + 1} levels for a scale`;
  }

  get matters() {
    const { errors } = this;
    return { number: (sum(errors) / errors.length).toFixed(3), says: "mean error of a weight", other: `largest: ${two(Math.max(...errors))}` };
  }

  told() {
    const { number, says, other } = this.matters;
    return `${this.where}. The ${says} is ${number}, the ${other}.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const { size, before, after } = this.with(this.is.way, this.bits);
    const font = narrow ? 12 : 16;
    const [step, high] = [w / before.length, h - font * 5.4];
    const unit = high / (HIGHEST - LOWEST);
    const base = y + font * 1.6 + HIGHEST * unit;
    const wide = Math.min(step * 0.5, 54);
    groupsOf(before, size).forEach((weights, g) => this.levels(m, g, scaleOf(weights, this.bits) * unit, { x: x + g * size * step, w: size * step, base, unit }));
    m.zero = rule(x, base, x + w, base, { z: 1, stroke: SOFT });
    before.forEach((weight, k) => {
      const middle = x + step * (k + 0.5);
      const bar = (value, across) => ({ as: "rect", x: middle - across / 2, y: base - Math.max(value, 0) * unit, w: across, h: Math.max(1.5, Math.abs(value) * unit), r: 2 });
      m[`before${k}`] = { ...bar(weight, wide), fill: KEPT, o: 0.3 };
      m[`after${k}`] = { ...bar(after[k], wide * 0.45), ...NOW };
      m[`is${k}`] = words(middle, base - Math.max(weight, after[k], 0) * unit - 6, font, two(weight), KEPT, { z: 2, anchor: "middle", look: "sans strong" });
      m[`off${k}`] = words(middle, y + h - font * 0.4, font, two(this.errors[k]), INK, { anchor: "middle", look: "sans" });
    });
    m.offs = words(x, y + h - font * 1.9, font, [["before", KEPT], [" and ", SOFT], ["rounded", NOW.fill], [this.is.way === "turned" ? "; read back, off by" : "; off by", SOFT]], SOFT, { look: "sans" });
  }

  /** What a weight of a group may become. Where the levels are too near to be told apart, they are a band. */
  levels(m, g, step, { x, w, base, unit }) {
    const most = Math.min(levels(this.bits), Math.floor((HIGHEST * unit) / step));
    const least = Math.min(levels(this.bits), Math.floor((-LOWEST * unit) / step));
    const [left, right] = [x + 3, x + w - 3];
    m[`band${g}`] = { as: "rect", z: 0, x: left, y: base - most * step, w: right - left, h: (most + least) * step, fill: RULE, o: clamp(0.7 - step / 8, 0.15, 0.6) };
    if (step < 5) return;
    for (const k of range(most + least + 1)) m[`level${g}.${k - least}`] = rule(left, base - (k - least) * step, right, base - (k - least) * step);
  }
}
