// What a token leaves in the cache: query heads above, the keys and values or the latent that they read below, and what
// that takes while the sequence grows. The area of what is kept is its numbers in one layer.

import { ASKS, INK, SOFT, rule, words } from "../marks.js";
import { KEEPS, KEPT, Run } from "../run.js";
import { range, two } from "../stage.js";

const [HEADS, FIRST, GIB] = [32, 1024, 2 ** 30];
const MOST = 64; // GiB
const MODELS = { MHA: "Llama 2 7B", GQA: "Llama 3 8B", MQA: "one head", MLA: "DeepSeek-V3" };
const PLACE = 64; // numbers of the latent's rotated key
const said = (count) => count.toLocaleString("en");

/** Bytes for so many tokens: the numbers of one token in one layer, in all layers, two bytes each. The page has it in Python. */
export const bytesOf = ([numbers, layers], tokens) => numbers * layers * 2 * tokens;

export default class Sharing extends Run {
  last = 7;
  switches = [{ name: "way", options: Object.keys(MODELS).map((way) => [way, way]) }];

  /** @param numbers the outputs of the page: for each way, the numbers of a token in a layer, and the layers */
  constructor({ kept }) {
    super({ way: "GQA" });
    this.kept = kept;
  }

  get tensors() {
    return { kept: this.kept.values };
  }

  get tokens() {
    return FIRST * 2 ** this.at;
  }

  of(way) {
    return this.kept.values[this.kept.rows.indexOf(way)];
  }

  gib(way) {
    return bytesOf(this.of(way), this.tokens) / GIB;
  }

  /** How many heads of keys and values there are. */
  get sharing() {
    return this.is.way === "MLA" ? 1 : this.of(this.is.way)[0] / (this.of("MHA")[0] / HEADS);
  }

  get where() {
    return `${said(this.tokens)} tokens in the cache`;
  }

  get matters() {
    const { way } = this.is;
    return { number: two(this.gib(way)), says: `GiB for ${said(this.tokens)} tokens`, other: `${MODELS[way]}: ${said(Number((bytesOf(this.of(way), 1) / 1024).toFixed(1)))} KiB a token` };
  }

  get keeps() {
    const count = this.sharing;
    if (this.is.way === "MLA") return "one latent for all heads";
    return count === 1 ? "one key and value for all" : `${count} heads of keys and values`;
  }

  told() {
    const { says, number, other } = this.matters;
    return `${this.is.way}: ${this.keeps}. ${number} ${says}. ${other}.`;
  }

  run(m, size) {
    const high = size.h * 0.56;
    this.heads(m, { ...size, h: high });
    this.bars(m, { ...size, y: size.y + high, h: size.h - high });
  }

  heads(m, { x, y, w, h, narrow }) {
    const [font, step, count] = [narrow ? 13 : 17, w / HEADS, this.sharing];
    const r = Math.min(step * 0.3, h * 0.03);
    const latent = this.is.way === "MLA";
    const rows = latent ? 4 : 1; // of 128 query heads
    const asks = y + font * 2.1 + (rows - 1) * 2.5 * r;
    const side = h * 0.13; // of a key, and of a value
    const kept = y + h - font * 2 - 2 * side;
    const middle = (k) => x + step * (k + 0.5);
    const group = HEADS / count;
    m.asks = words(x, y + font, font, `${rows * HEADS} query heads`, ASKS, { look: "sans strong" });
    for (const k of range(HEADS)) {
      const mine = middle(Math.floor(k / group) * group + (group - 1) / 2);
      m[`reads${k}`] = rule(middle(k), asks + r, mine, kept - 4, { stroke: SOFT, sw: narrow ? 1 : 1.5 });
      for (const row of range(rows)) m[`asks${k}.${row}`] = { as: "circle", x: middle(k), y: asks - row * 2.5 * r, r, fill: ASKS };
    }
    if (latent) {
      const all = (this.of("MLA")[0] / this.of("MHA")[0]) * w;
      const place = (all * PLACE) / this.of("MLA")[0];
      const left = x + w / 2 - all / 2;
      m.latent = { as: "rect", x: left, y: kept, w: all - place - 1, h: 2 * side, r: 2, fill: KEPT };
      m.place = { as: "rect", x: left + all - place, y: kept, w: place, h: 2 * side, r: 1, fill: KEPT, o: 0.5 };
    } else
      for (const g of range(count)) {
        const left = middle(g * group + (group - 1) / 2) - step * 0.45;
        for (const [name, top] of [["key", kept], ["value", kept + side + 1]]) {
          m[`${name}${g * group}`] = { as: "rect", x: left, y: top, w: step * 0.9, h: side, r: 2, fill: KEPT, o: name === "key" ? 1 : 0.65 };
          if (count < HEADS && !narrow) m[`${name}${g * group}.is`] = words(left + step * 0.45, top + side / 2 + 5, 15, name[0].toUpperCase(), "var(--paper)", { anchor: "middle", look: "sans strong" });
        }
      }
    m.keeps = words(x, y + h - font * 0.3, font, [[this.keeps, KEPT], [`: ${said(this.of(this.is.way)[0])} numbers a layer`, SOFT]], INK, { look: "sans" });
  }

  /** What each way takes in its model, of the most that any takes. */
  bars(m, { x, y, w, h, narrow }) {
    const [font, label, right] = narrow ? [13, 124, 46] : [17, 250, 70];
    const row = Math.min((h - 18) / 4, 56);
    this.kept.rows.forEach((way, k) => {
      const on = way === this.is.way;
      const top = y + (narrow ? 8 : 18) + row * k;
      const wide = Math.max(2, ((w - label - right) * this.gib(way)) / MOST);
      const line = top + row * 0.4 + font * 0.34;
      m[`way${k}`] = words(x, line, font, `${way} ${MODELS[way]}${narrow ? "" : `, ${this.of(way)[1]} layers`}`, on ? INK : SOFT, { look: on ? "sans strong" : "sans" });
      m[`bar${k}`] = { as: "rect", x: x + label, y: top, w: wide, h: row * 0.8, r: 3, ...(on ? { fill: KEPT } : KEEPS) };
      m[`gib${k}`] = words(x + label + wide + 8, line, font, two(this.gib(way)), on ? INK : SOFT, { look: on ? "sans strong" : "sans" });
    });
  }
}
