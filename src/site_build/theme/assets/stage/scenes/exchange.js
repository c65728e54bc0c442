// Ranks trade the tokens of all heads for all tokens of some heads, attend, and trade back.

import { INK, SOFT, words } from "../marks.js";
import { DONE, EMPTY, KEEPS, KEPT, NOW, Run } from "../run.js";
import { range, two } from "../stage.js";

const SIDE = 8; // tokens, and heads
const RANKS = [2, 4, 8];
const TABLES = ["before", "attention", "after"];
const several = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

export default class Exchange extends Run {
  switches = [
    { name: "ranks", options: RANKS.map((count) => [count, count === 8 ? "8 ranks" : String(count)]) },
    { name: "keys", options: [[8, "8 key heads"], [2, "2 key heads"]] },
  ];

  /** @param numbers the outputs of the page: what a rank sends in a ring and in an exchange */
  constructor({ sent }) {
    super({ ranks: 4, keys: 8 });
    this.sent = sent.values;
  }

  get tensors() {
    return { sent: this.sent };
  }

  get last() {
    return 2;
  }

  get where() {
    return ["before: tokens of all heads", "in attention: all tokens of some heads", "after: tokens of all heads"][this.at];
  }

  /** The numbers that a rank has sent so far, in sizes of the input of all ranks. */
  get sofar() {
    const { ranks, keys } = this.is;
    const all = this.sent[RANKS.indexOf(ranks)][keys === 8 ? 1 : 3];
    return [0, all - (ranks - 1) / ranks ** 2, all][this.at]; // the contexts go back last
  }

  get matters() {
    const ring = this.sent[RANKS.indexOf(this.is.ranks)][this.is.keys === 8 ? 0 : 2];
    return { number: two(this.sofar), says: "whole inputs sent", other: `in a ring: ${two(ring)}` };
  }

  told() {
    const each = SIDE / this.is.ranks;
    const held = this.at === 1 ? `all tokens of ${several(each, "head")}` : `${several(each, "token")} of all heads`;
    return `Each of ${this.is.ranks} ranks has ${held}. It has sent ${two(this.sofar)} times as many numbers as the whole input has.`;
  }

  /** Three tables of all tokens and heads, cut among the ranks by columns or by rows. Rank 0 is followed. */
  run(m, { x, y, w, h, narrow }) {
    const { ranks } = this.is;
    const [size, gap, under] = narrow ? [12, 16, 60] : [16, 40, 84];
    const side = Math.min((w - 3 * gap) / 3, h - under - 30);
    const [piece, held] = [side / ranks, SIDE / ranks];
    const top = y + 28 + Math.max(0, (h - under - 30 - side) / 2);
    TABLES.forEach((name, k) => {
      const left = x + gap + k * ((w - 3 * gap - 3 * side) / 2 + side + gap);
      const byHeads = k === 1;
      const [tokens, heads] = byHeads ? [SIDE, held] : [held, SIDE];
      const each = narrow ? `${tokens} × ${heads}` : `${several(tokens, "token")}, ${several(heads, "head")}`;
      m[`name${k}`] = words(left + side / 2, top + side + size * 1.6, size, name, INK, { anchor: "middle", look: "sans strong" });
      m[`each${k}`] = words(left + side / 2, top + side + size * 3, size - (narrow ? 0 : 1), each, SOFT, { anchor: "middle", look: "sans" });
      range(ranks).forEach((rank) => {
        const middle = piece * (rank + 0.5);
        const [at, foot, anchor] = byHeads ? [left - 7, top + middle + size * 0.35, "end"] : [left + middle, top - 7, "middle"];
        if (!rank || piece > size) m[`rank${k}.${rank}`] = words(at, foot, size, rank, rank ? SOFT : NOW.fill, { anchor, look: "sans strong" });
        const box = (column, row, wide, high) => ({ as: "rect", x: left + column * piece + 2, y: top + row * piece + 2, w: wide * piece - 4, h: high * piece - 4, r: 2 });
        if (k > this.at) m[`none${k}.${rank}`] = { ...box(...(byHeads ? [0, rank, ranks, 1] : [rank, 0, 1, ranks])), ...EMPTY };
        else range(ranks).forEach((other) => {
          m[`piece${k}.${rank}.${other}`] = { ...box(...(byHeads ? [other, rank] : [rank, other]), 1, 1), ...(rank ? DONE : other ? NOW : KEEPS) };
        });
      });
    });
    m.axes = words(x, y + h - 2, size - (narrow ? 0 : 1), [["■ traded ", NOW.fill], ["■ kept ", KEPT], [`by rank 0; ${narrow ? "tokens × heads" : "columns: tokens, rows: heads"}`, SOFT]], SOFT, { look: "sans" });
  }
}
