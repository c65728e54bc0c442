// Two layers continue a text: the first writes below each token which one came before it, and in the second the last token
// looks for its own name there.

import { ASKS, INK, SOFT, words } from "../marks.js";
import { KEPT, Run } from "../run.js";
import { clamp, range, sum, two } from "../stage.js";
import { dot, softmax } from "../../attention.js";

const NAMES = ["the", "duck", "likes", "bank"];
const TEXTS = ["the duck likes the", "the duck likes the bank the"];
const MOMENTS = ["the tokens", "layer 1: who came before", "layer 2: who came after the same token"];

const causal = (count, score) => range(count).map((i) => softmax(range(count).map((j) => (j <= i ? score(i, j) : -Infinity))));
const mixes = (weights, rows) => weights.map((shares) => NAMES.map((_, w) => sum(shares.map((share, j) => share * rows[j][w]))));

/** The weights of both layers, the notes between them, and what the last token expects. The page has it in Python. */
export function layers(text) {
  const tokens = ["start", ...text.split(" ")];
  const identity = tokens.map((token) => NAMES.map((name) => (name === token ? 1 : 0)));
  const first = causal(tokens.length, (i, j) => (12 * Math.cos(i - 1 - j)) / Math.SQRT2);
  const notes = mixes(first, identity);
  const second = causal(tokens.length, (i, j) => (8 * dot(identity[i], notes[j])) / 2);
  return { tokens, first, notes, second, expected: mixes(second, identity).at(-1) };
}

export default class Induction extends Run {
  switches = [{ name: "text", options: TEXTS.map((text, k) => [k, `… ${text.split(" ").slice(-2 - k).join(" ")}`]) }];

  constructor() {
    super({ text: 0 });
  }

  get both() {
    return layers(TEXTS[this.is.text]);
  }

  get tensors() {
    const { first, second } = layers(TEXTS[0]);
    return { "layer-1": first, "layer-2": second };
  }

  get last() {
    return MOMENTS.length - 1;
  }

  get where() {
    return MOMENTS[this.at];
  }

  get matters() {
    const { expected } = this.both;
    const [duck, bank] = [expected[1], expected[3]].map(two);
    if (this.at < 2) return { number: "?", says: "comes next" };
    return { number: duck, says: "“duck” comes next", other: this.is.text ? `“bank” has ${bank}` : "" };
  }

  told() {
    const { expected } = this.both;
    return `${TEXTS[this.is.text]}: ${this.where}. ${this.at < 2 ? "" : NAMES.map((name, k) => `${name} ${two(expected[k])}`).join(", ")}`;
  }

  run(m, { x, y, w, h, narrow }) {
    const { tokens, first, second, expected } = this.both;
    const [n, step] = [tokens.length, w / tokens.length];
    const size = clamp(step * 0.3, 12, 24);
    const small = narrow ? 12 : 16;
    const middle = (j) => x + step * (j + 0.5);
    const [top, notes, foot] = [y + size, y + h * 0.42, y + h - (narrow ? 20 : 30)];
    const line = notes + size * 2.6; // where the ribbons of layer 2 begin
    const high = Math.min(h * 0.16, 90); // of a share of 1
    const place = foot - high - (narrow ? 30 : 44); // where they end
    tokens.forEach((token, j) => (m[`token${j}`] = words(middle(j), top, size, token, INK, { anchor: "middle", look: "strong" })));
    if (this.at > 0) {
      tokens.forEach((token, j) => {
        m[`self${j}`] = words(middle(j), notes + size, size, token, this.at > 1 && j === n - 1 ? ASKS : INK, { anchor: "middle", look: "strong" });
        m[`note${j}`] = words(middle(j), notes + size * 2.3, small, j > 1 ? (step > 96 ? `after ${tokens[j - 1]}` : tokens[j - 1]) : "", KEPT, { anchor: "middle", look: "sans strong" });
      });
      this.flows(m, "first", first, (j) => [middle(j), top + 8], (i) => [middle(i), notes - 4], step * 0.3, KEPT);
    }
    if (this.at < 2) return;
    this.flows(m, "second", [second.at(-1)], (j) => [middle(j), line], () => [middle(n - 1), place], step * 0.4, ASKS);
    const width = w / NAMES.length;
    NAMES.forEach((name, k) => {
      const [left, share] = [x + width * (k + 0.5), expected[k]];
      const top = foot - Math.max(2, share * high);
      m[`bar${k}`] = { as: "rect", x: left - 22, y: top, w: 44, h: foot - top, r: 2, fill: share > 0.1 ? ASKS : SOFT };
      m[`share${k}`] = words(left, top - 6, small, two(share), INK, { anchor: "middle", look: "sans strong" });
      m[`name${k}`] = words(left, foot + (narrow ? 14 : 22), small + 1, name, share > 0.1 ? INK : SOFT, { anchor: "middle", look: share > 0.1 ? "strong" : "" });
    });
  }

  /** Ribbons from tokens to those that look at them, as wide as the share. */
  flows(m, name, weights, from, to, widest, stroke) {
    weights.forEach((shares, i) =>
      shares.forEach((share, j) => {
        if (share < 0.005) return;
        const [[x0, y0], [x, y]] = [from(j), to(i)];
        m[`${name}${i}.${j}`] = { as: "ribbon", z: 0, x0, y0, x, y, w: Math.max(1, share * widest), stroke: share > 0.1 ? stroke : SOFT, o: share > 0.1 ? 0.75 : 0.4 };
      }));
  }
}
