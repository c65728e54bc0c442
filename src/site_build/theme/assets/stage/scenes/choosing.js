// "bank" reads some of twelve keys, those with the best rough scores, and loses the attention that the others would have.

import { dot, mix, softmax } from "../../attention.js";
import { ASKS, INK, SOFT, rule, words } from "../marks.js";
import { EMPTY, NOW, Run } from "../run.js";
import { percent, range, say, sum, two } from "../stage.js";
import { EMBEDDING } from "../words.js";

const TEXT = "the duck likes the muddy bank the rich bank likes the bank".split(" ");
const KEYS = TEXT.map((word) => EMBEDDING[word]);
const QUERY = KEYS.at(-1);
const [N, LEAST] = [TEXT.length, 4];
const SCORES = KEYS.map((key) => dot(key, QUERY));
const WEIGHTS = softmax(SCORES);
const ROUGH = { last: range(N), index: KEYS.map(([water]) => water * QUERY[0]), scores: SCORES };

/** How well each key seems to fit; with blocks, the mean of its block, which is read as a whole. */
export function roughOf(way, block) {
  const starts = range(N).map((j) => j - (j % block));
  return starts.map((start) => sum(ROUGH[way].slice(start, start + block)) / block);
}

/** For each key, whether its rough score is one of the largest; of equal ones the first. */
export function best(rough, count) {
  const order = [...rough.keys()].sort((i, j) => rough[j] - rough[i] || i - j);
  const chosen = new Set(order.slice(0, count));
  return rough.map((_, j) => chosen.has(j));
}

/** The shares of the keys that are read; 0 for the others. */
export const sharesOf = (reads) => softmax(SCORES.map((score, j) => (reads[j] ? score : -Infinity)));

/** How much of the attention goes to keys that are not read. */
export const lost = (reads) => sum(WEIGHTS.filter((_, j) => !reads[j]));

export default class Choosing extends Run {
  switches = [
    { name: "way", options: [["last", "window"], ["index", "index"], ["scores", "best"]] },
    { name: "block", options: [[1, "keys"], [3, "blocks of 3"]] },
  ];

  constructor() {
    super({ way: "index", block: 1 });
  }

  get tensors() {
    return { shares: sharesOf(best(ROUGH.index, LEAST)).filter(Boolean) };
  }

  /** All keys are read at first, and four in the end, or one block. */
  get last() {
    return Math.ceil((N - LEAST) / this.is.block);
  }

  get count() {
    return N - this.at * this.is.block;
  }

  get rough() {
    return roughOf(this.is.way, this.is.block);
  }

  get reads() {
    return best(this.rough, this.count);
  }

  get where() {
    return `${this.count} of ${N} keys are read`;
  }

  get matters() {
    const [found, all] = [this.reads, Array(N).fill(true)].map((reads) => two(mix(sharesOf(reads), KEYS)[0]));
    return { number: percent(lost(this.reads)), says: "of the attention lost", other: `${found} water, ${all} with all` };
  }

  told() {
    const [water, money] = mix(sharesOf(this.reads), KEYS).map(two);
    return `${this.where}: ${TEXT.filter((_, j) => this.reads[j]).join(", ")}. “bank” loses ${this.matters.number} of its attention, and has ${water} water and ${money} money.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const size = narrow ? 12 : h < 320 ? 15 : 17;
    const step = w / N;
    const bars = h * 0.54 - size * 6; // the highest
    const { reads } = this;
    const high = bars / Math.max(...WEIGHTS);
    m.shares = words(x, y + size, size, `share of all, and rough score${narrow ? "" : "; hollow: not read"}`, SOFT, { look: "sans" });
    TEXT.forEach((word, j) => {
      const [left, base] = [x + step * j, y + size * 2 + bars];
      m[`share${j}`] = { as: "rect", x: left + step * 0.12, y: base - high * WEIGHTS[j], w: step * 0.76, h: high * WEIGHTS[j], r: 2, ...(reads[j] ? NOW : EMPTY) };
      const look = { anchor: "middle" };
      m[`rough${j}`] = words(left + step / 2, base + size * 1.15, size, say(this.rough[j]), reads[j] ? INK : SOFT, { ...look, look: "sans" });
      m[`word${j}`] = words(left + step / 2, base + size * (j % 2 ? 3.4 : 2.3), size, word, reads[j] ? ASKS : SOFT, { ...look, look: reads[j] ? "strong" : "" });
    });
    const top = y + h * 0.54 + size * 2.2;
    this.curve(m, { x: x + 3.2 * size, y: top, w: w - 3.2 * size, h: y + h - top - size * 1.8, size });
  }

  /** How much is lost with each number of keys that are read: as here, and beside an index by the true scores. */
  curve(m, { x, y, w, h, size }) {
    const at = (count) => x + (w * (N - count)) / (N - LEAST + 1);
    const down = (share) => y + h * (1 - share);
    const counts = range(this.last + 1).map((moment) => N - moment * this.is.block);
    const points = (rough) => counts.map((count) => [at(count), down(lost(best(rough, count)))]);
    m.axis = rule(x, y + h, x + w, y + h, { stroke: SOFT });
    m.all = words(x - 8, y + size * 0.36, size, "100 %", SOFT, { anchor: "end", look: "sans" });
    m.none = words(x - 8, y + h + size * 0.36, size, "0 %", SOFT, { anchor: "end", look: "sans" });
    m.title = words(x, y - size * 0.9, size, `attention lost, ${this.is.way === "index" ? "dashed by the best keys" : "by the keys that are read"}`, SOFT, { look: "sans" });
    if (this.is.way === "index") m.best = { as: "curve", points: points(SCORES), stroke: SOFT, sw: 2, dash: "4 4" };
    m.way = { as: "curve", points: points(this.rough), stroke: ASKS, sw: 3 };
    for (const count of counts) m[`count${count}`] = words(at(count), y + h + size * 1.4, size, count, count === this.count ? INK : SOFT, { anchor: "middle", look: "sans" });
    m.here = { as: "circle", z: 2, x: at(this.count), y: down(lost(this.reads)), r: 6, fill: ASKS };
  }
}
