// A mesh of eight ranks, A to H, that share out sequences, tokens and heads: the parts of a gradient are added, rank by
// rank, along some axes of the mesh.

import { INK, SOFT, rule, words } from "../marks.js";
import { DONE, EMPTY, NOW, Run } from "../run.js";
import { clamp, range, sum, two } from "../stage.js";

const [RANKS, HEADS] = [8, ["●", "■"]];
const HALVES = [["the duck likes", "the muddy bank"], ["the duck likes", "the rich bank"]];
/** Along which axes the parts are added, as the bits of a rank: its sequence, its half of the tokens, and its head. */
const ADDED = { tp: 0b001, dp: 0b100, "dp + cp": 0b110, "all three": 0b111 };
const WHY = { tp: "rows of ● and ■ are mixed", dp: "half of the tokens is missing", "dp + cp": "as on one device", "all three": "rows of ● and ■ are mixed" };
const letter = (rank) => String.fromCharCode(65 + rank);

export default class Mesh extends Run {
  switches = [{ name: "added", options: Object.keys(ADDED).map((name) => [name, name]) }];

  /** @param numbers the outputs of the page: one row of the gradient, as each rank finds it, and as one device does */
  constructor({ parts, one_device }) {
    super({ added: "dp + cp" });
    Object.assign(this, { parts: parts.values, whole: one_device.values, names: parts.columns });
  }

  get tensors() {
    return { parts: this.parts, one_device: this.whole };
  }

  /** The ranks whose parts A adds up: they differ from it along the axes. */
  get group() {
    return range(RANKS).filter((rank) => !(rank & ~ADDED[this.is.added]));
  }

  get last() {
    return this.group.length - 1;
  }

  /** Those that are added already. */
  get ranks() {
    return this.group.slice(0, this.at + 1);
  }

  get where() {
    return `added along ${this.is.added}: ${this.ranks.map(letter).join(" + ")}`;
  }

  get matters() {
    const errors = this.whole.map((right, c) => Math.abs(sum(this.ranks.map((rank) => this.parts[rank][c])) - right));
    const error = Math.max(...errors);
    const other = this.at < this.last ? "parts are still to come" : WHY[this.is.added];
    return { number: error < 0.015 ? "0" : two(error), says: "largest error of A’s gradient", other }; // sums of printed parts
  }

  told() {
    const { number, other } = this.matters;
    return `${this.where}. The largest error is ${number}: ${other}.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const size = narrow ? 13 : 18;
    const bars = narrow ? 110 : clamp(h * 0.45, 110, 290);
    const line = 1.4 * size;
    this.mesh(m, { x, y, w, h: h - bars - line, narrow, size });
    m.legend = words(x, y + h - bars - size * 0.4, size, `● head 0, ■ head 1; ${narrow ? "" : "small bars as those below, "}dashed: one device`, SOFT, { look: "sans" });
    this.sums(m, { x, y: y + h - bars, w, h: bars, narrow, size });
  }

  /** Four boxes of two ranks: a column for each sequence, a row for each half of its tokens. */
  mesh(m, { x, y, w, h, narrow, size }) {
    const gap = narrow ? 12 : 28;
    const [wide, row] = [(w - gap) / 2, h / 2];
    const [each, high] = [(wide - 6) / 2, row - size * 1.5 - (narrow ? 6 : 14)];
    range(RANKS).forEach((rank) => {
      const [sequence, half, head] = [rank >> 2, (rank >> 1) & 1, rank & 1];
      const [left, top] = [x + sequence * (wide + gap) + head * (each + 6), y + half * row + size * 1.4];
      const place = this.ranks.indexOf(rank);
      const look = place < 0 ? EMPTY : place === this.at ? { ...NOW, o: 0.3 } : { ...DONE, o: 0.25 };
      if (!head) m[`tokens${rank}`] = words(left, top - size * 0.45, size, HALVES[sequence][half], SOFT, { look: "sans" });
      m[`rank${rank}`] = { as: "rect", x: left, y: top, w: each, h: high, r: 5, ...look };
      m[`letter${rank}`] = words(left + 6, top + size * 1.2, size, `${letter(rank)} ${HEADS[head]}`, INK, { look: "sans strong" });
      const [bar, tall] = [(each - size * 3) / 4, (high - 12) / 1.7];
      this.parts[rank].forEach((part, c) => {
        m[`part${rank}.${c}`] = { as: "rect", x: left + size * 2.6 + c * bar, y: top + high - 5 - part * tall, w: bar - 2, h: part * tall, r: 1, fill: INK, o: place < 0 ? 0.25 : 0.8 };
      });
    });
  }

  /** The sum, a bar for each number of the row, made of its parts; a dashed line is what one device finds. */
  sums(m, { x, y, w, h, narrow, size }) {
    const step = w / this.names.length;
    const wide = Math.min(step * 0.6, 110);
    const foot = y + h - size * 1.5;
    const unit = (foot - y - size * 1.6) / 3.6; // the largest wrong sum
    this.names.forEach((name, c) => {
      const left = x + c * step + (step - wide) / 2;
      const middle = left + wide / 2;
      let top = foot;
      this.ranks.forEach((rank, place) => {
        top -= this.parts[rank][c] * unit;
        m[`sum${rank}.${c}`] = { as: "rect", x: left, y: top, w: wide, h: Math.max(0, this.parts[rank][c] * unit - 1), r: 1, ...(place === this.at ? NOW : DONE) };
      });
      const line = foot - this.whole[c] * unit;
      m[`whole${c}`] = rule(left - 6, line, left + wide + 6, line, { z: 2, stroke: INK, sw: 2, dash: "5 4" });
      const isFar = Math.abs(top - line) > 2.2 * size; // so that both numbers have room
      if (isFar && top > line) m[`right${c}`] = words(middle, line - 6, narrow ? 12 : 16, two(this.whole[c]), SOFT, { anchor: "middle", look: "sans" });
      m[`number${c}`] = words(middle, (isFar ? top : Math.min(top, line)) - 6, size, two(sum(this.ranks.map((rank) => this.parts[rank][c]))), INK, { anchor: "middle", look: "sans strong" });
      m[`name${c}`] = words(middle, foot + size * 1.2, narrow ? 12 : 16, name, SOFT, { anchor: "middle", look: "sans" });
    });
  }
}
