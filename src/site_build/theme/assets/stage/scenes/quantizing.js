// Keys that are rounded to fewer and fewer bits: for each number a ring where it was, a dot where it is read back, and the
// marks of its scale between which nothing can be kept.

import { ASKS, INK, RULE, SOFT, rule, words } from "../marks.js";
import { NOW, Run } from "../run.js";
import { range } from "../stage.js";

const [OUTLIER, TIMES] = [4, 32]; // the channel that is so many times as large as it was trained
const BITS = [8, 7, 6, 5, 4];
const halfToEven = (x) => {
  const whole = Math.round(x);
  return Math.abs(x % 1) === 0.5 && whole % 2 ? whole - 1 : whole;
};

/**
 * Round a table of tokens (rows) and channels (columns), and read it back, as `store` and `load` of the page do.
 *
 * @param way which numbers share a scale: those of a "channel", or of a "token"
 * @returns what is read back, `read`, and the scale of each number, `scales`
 */
export function round(rows, bits, way) {
  const most = 2 ** (bits - 1) - 1; // 127 for 8 bits, 7 for 4
  const largest = (numbers) => Math.max(...numbers.map(Math.abs)) / most;
  const scales = rows.map((row) => row.map((_, j) => largest(way === "token" ? row : rows.map((each) => each[j]))));
  return { scales, read: rows.map((row, i) => row.map((x, j) => halfToEven(x / scales[i][j]) * scales[i][j])) };
}

export default class Quantizing extends Run {
  last = BITS.length - 1;
  switches = [
    { name: "way", options: [["token", "per token"], ["channel", "per channel"]] },
    { name: "loud", options: [[true, "outlier"], [false, "as trained"]] },
  ];

  /** @param numbers the outputs of the page: the keys, and what moves in each way, with the outlier and as trained */
  constructor(numbers) {
    super({ way: "token", loud: true });
    this.numbers = numbers;
  }

  get tensors() {
    const { keys, moved, moved_trained } = this.numbers;
    return { keys: keys.values, moved: moved.values, moved_trained: moved_trained.values };
  }

  get keys() {
    const { keys } = this.tensors;
    return this.is.loud ? keys : keys.map((row) => row.map((x, j) => (j === OUTLIER ? x / TIMES : x)));
  }

  get bits() {
    return BITS[this.at];
  }

  get rounded() {
    return round(this.keys, this.bits, this.is.way);
  }

  get where() {
    return `${this.bits} bits`;
  }

  /** How many per cent of the probability move to other tokens, over all stories. */
  get moved() {
    const { values, rows, columns } = this.is.loud ? this.numbers.moved : this.numbers.moved_trained;
    return values[rows.indexOf(this.is.way)][columns.indexOf(String(this.bits))];
  }

  get matters() {
    const all = this.rounded.read.flat();
    const zeros = all.filter((x) => x === 0).length;
    return { number: `${this.moved.toFixed(1)} %`, says: "of probability moves", other: `${zeros} of ${all.length} keys become 0` };
  }

  told() {
    const { number, says, other } = this.matters;
    return `${this.where}, a scale for each ${this.is.way}, ${this.is.loud ? "with an outlier channel" : "as trained"}: ${number} ${says}, and ${other}.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const { keys, rounded: { read, scales } } = this;
    const [font, head, names] = narrow ? [12, 54, 44] : [16, 84, 60];
    const left = x + names;
    const [wide, row] = [(w - names) / keys[0].length, (h - head) / keys.length];
    const top = y + head;
    const farthest = round(keys, BITS.at(-1), "token").read; // that anything is read back
    const shared = this.is.way === "channel" ? { w: wide, h: row * keys.length } : { w: wide * keys[0].length, h: row };
    m.shared = { as: "rect", z: 0, x: left, y: top, ...shared, r: 6, fill: ASKS, o: 0.14 };
    m.legend = words(x, top - 3.6 * font, font, [["○ before  ", INK], ["● read back  ", NOW.fill], ["━ off by", "var(--money)"]], INK, { look: "sans" });
    m.share = words(x + w, top - 3.6 * font, font, "shaded: one scale", ASKS, { anchor: "end", look: "sans" });
    m.measure = words(x, top - 2.2 * font, font, "ticks: what can be kept; a measure for each channel", SOFT, { look: "sans" });
    this.numbers.keys.rows.forEach((name, i) => (m[`token${i}`] = words(left - 8, top + row * (i + 0.5) + font * 0.36, font, name.replace("<", "‹"), SOFT, { anchor: "end" })));
    range(keys[0].length).forEach((j) => {
      const largest = Math.max(...[...keys, ...farthest].map((each) => Math.abs(each[j]))) * 1.08;
      const middle = left + wide * (j + 0.5);
      const at = (value) => middle + (value / largest) * wide * 0.44;
      const loud = this.is.loud && j === OUTLIER;
      m[`channel${j}`] = words(middle, top - 0.7 * font, font, loud && !narrow ? `${j}, outlier` : j, loud ? INK : SOFT, { anchor: "middle", look: loud ? "sans strong" : "sans" });
      keys.forEach((each, i) => this.key(m, `${i}.${j}`, { at, y: top + row * (i + 0.5), was: each[j], is: read[i][j], scale: scales[i][j], largest, narrow }));
    });
  }

  /** A number on the line of its channel. */
  key(m, name, { at, y, was, is, scale, largest, narrow }) {
    const [r, half] = narrow ? [4, 6] : [8, 12];
    m[`line${name}`] = rule(at(-largest), y, at(largest), y);
    if (at(scale) - at(0) > 2.5) {
      const last = Math.floor(largest / scale);
      const marks = range(2 * last + 1).map((k) => at((k - last) * scale));
      m[`marks${name}`] = { as: "curve", z: 0, points: marks.flatMap((x, k) => [[x, y], [x, y + (k % 2 ? half : -half)], [x, y + (k % 2 ? -half : half)], [x, y]]), stroke: SOFT, sw: 1, o: 0.7 };
    } else m[`band${name}`] = { as: "rect", z: 0, x: at(-largest), y: y - half, w: at(largest) - at(-largest), h: 2 * half, fill: RULE };
    if (Math.abs(at(is) - at(was)) > 0.5) m[`error${name}`] = rule(at(was), y, at(is), y, { z: 1, stroke: "var(--money)", sw: narrow ? 3 : 5, o: 0.8 });
    m[`was${name}`] = { as: "circle", x: at(was), y, r, fill: "var(--panel)", stroke: INK, sw: 1.5 };
    m[`is${name}`] = { as: "circle", x: at(is), y, r: r * 0.62, ...NOW };
  }
}
