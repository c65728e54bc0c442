// One table for two texts: each word takes its row of the table, a vector is a point, and both "bank" are at one point.

import { ASKS, FEATURES, HUES, INK, SOFT, big, handle, pressed, table, width, words } from "../marks.js";
import { grid, hueOf } from "../plane.js";
import { clamp, percent, say } from "../stage.js";
import { EMBEDDING } from "../words.js";
import Asking from "./asking.js";

const TABLE = ["the", "duck", "likes", "muddy", "rich", "bank"];
const KINDS = ["muddy", "rich"];
const [ENDS, MOST] = ["the bank is full of".split(" "), 3];

export default class Rows extends Asking {
  least = { letters: 10 }; // four names above cells of two tables

  reset() {
    super.reset();
    this.pick = [this.asks, this.asks];
  }

  get swaps() {
    return {};
  }

  of(rows) {
    const [water, money] = rows.at(-1);
    return { inputs: rows, share: [water, money].map((amount) => amount / (water + money)) };
  }

  lit(output) {
    return output === "inputs" ? [this.pick[1], 0] : [];
  }

  pressed(output, [place]) {
    return output === "inputs" ? this.press(`pick ${this.asks} ${place}`) : undefined;
  }

  step(state, across, down) {
    return this.press(`pick ${this.asks} ${clamp(this.pick[1] + across + down, 0, this.asks)}`);
  }

  put(water, money) {
    const place = [water, money].map((x) => Math.round(clamp(x, 0, MOST) * 10) / 10);
    if (place[0] + place[1]) this.rows[this.asks].splice(0, 2, ...place);
  }

  told(state) {
    const [word, row] = [this.words[this.pick[1]], this.rows[this.pick[1]]];
    const [water, money] = this.seen.share.map(percent);
    if (state === "texts") return "After muddy you say water, and after rich you say money.";
    if (state === "bank") return `bank is at ${this.where}. After both texts it says: water ${water}, money ${money}.`;
    return `${word} is row ${TABLE.indexOf(word)} of the table: ${FEATURES.map((feature, e) => `${feature} ${say(row[e])}`).join(", ")}.`;
  }

  get where() {
    const [water, money] = this.rows[this.asks];
    return `water ${say(water)}, money ${say(money)}`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------

  draw(state, W, H, isStill) {
    const narrow = W < 560 || H < 440;
    const m = {};
    this[state](m, { W, H, narrow, pad: narrow ? 16 : 56, top: narrow ? 46 : 92, isStill });
    return m;
  }

  /** One of both texts: its sentence, and with `ends` what follows, in the same line or the next. Returns where its words are. */
  text(m, t, { x, y, size, ends, below, answer, o = 1 }) {
    const list = this.words.map((word) => (word === KINDS[0] ? KINDS[t] : word));
    const all = ends ? [...list.slice(0, -1), `${list.at(-1)}.`, ...ENDS] : list;
    let left = x;
    const places = all.map((word, k) => {
      if (below && k === list.length) [left, y] = [x, y + size * 1.35];
      const [isKind, isBank] = [KINDS.includes(word), word.startsWith("bank")];
      const w = width(word, size) * (isKind || isBank ? 1.06 : 1);
      m[`t${t}.${k}`] = words(left, y, size, word, isKind ? HUES[t] : isBank ? ASKS : SOFT, { w, look: isKind || isBank ? "strong" : "", o });
      const place = { x: left, y, w, middle: left + w / 2 };
      left += w + size * 0.3;
      return place;
    });
    if (answer) m[`answer${t}`] = words(left, y, size, answer, INK, { look: "strong", o });
    return places;
  }

  texts(m, size) {
    const { H, narrow, pad } = size;
    const letters = narrow ? 23 : 44;
    KINDS.forEach((_, t) => {
      const y = H * (narrow ? 0.24 : 0.3) + t * letters * (narrow ? 5 : 5.2);
      this.text(m, t, { x: pad, y, size: letters, ends: true, below: true });
      const of = m[`t${t}.${this.words.length + ENDS.length - 1}`];
      m[`answer${t}`] = words(of.x + of.w + letters * 0.4, of.y, letters * 1.2, ["water", "money"][t], HUES[t], { look: "strong" });
    });
  }

  /** The table at the left; the rows of the sentence drop out of it, to the right. */
  table(m, size) {
    const { W, H, narrow, pad, top } = size;
    const [labels, apart] = narrow ? [44, 34] : [80, 130];
    const n = this.words.length;
    const c = Math.min((W - 2 * pad - 2 * labels - apart) / 8, (H - top - (narrow ? 56 : 150)) / n, 66);
    const x0 = pad + labels + Math.max(0, (W - 2 * pad - 2 * labels - apart - 8 * c) / 2);
    const [x1, y] = [x0 + 4 * c + apart, top + (narrow ? 34 : 90)];
    const font = narrow ? 13 : 18;
    const one = this.pick[1];
    const cell = (kind, i, e, row) => ({ key: `${kind}${i}.${e}`, parts: FEATURES.map((_, f) => (f === e ? row[e] : 0)), amount: row[e], text: say(row[e]) });
    const rowOf = (word) => (word === "bank" ? this.rows[this.asks] : EMBEDDING[word]);
    const shared = { rows: n, columns: 4, y, c, size: font, most: MOST, tell: false };
    table(m, { x: x0, item: (i, e) => cell("t", i, e, rowOf(TABLE[i])), ...shared });
    table(m, { x: x1, item: (i, e) => cell("i", i, e, this.rows[i]), ...shared });
    this.text(m, 0, { x: pad, y: narrow ? 28 : 50, size: narrow ? 20 : 30 });
    TABLE.forEach((word, k) => (m[`row${k}`] = words(x0 - 10, y + k * c + c / 2 + font * 0.3, font, word, word === this.words[one] ? INK : SOFT, { anchor: "end", look: word === this.words[one] ? "strong" : "" })));
    this.words.forEach((word, k) => {
      const from = TABLE.indexOf(word);
      const on = k === one;
      m[`drop${k}`] = { as: "line", x0: x0 + 4 * c + 2, y0: y + from * c + c / 2, x: x1 - 6, y: y + k * c + c / 2, stroke: on ? ASKS : SOFT, sw: on ? (narrow ? 5 : 10) : 2, o: on ? 0.7 : 0.4 };
      m[`w${k}`] = words(x1 + 4 * c + 8, y + k * c + c / 2 + font * 0.3, font, word, on ? INK : SOFT, { look: on ? "strong" : "" });
      m[`h${this.asks}.${k}`] = pressed(`pick ${this.asks} ${k}`, { x: x1, y: y + k * c, w: 4 * c + labels, h: c }, `${word}: row ${from} of the table`, { on, stop: on });
    });
    FEATURES.forEach((feature, e) => (m[`f${e}`] = words(x0 + e * c + c / 2 - 2, y - 8, Math.min(15, c * (narrow ? 0.34 : 0.24)), feature, HUES[e], { anchor: "middle", look: "sans" })));
    const [word, row] = [this.words[one], TABLE.indexOf(this.words[one])];
    m.titletable = words(x0, y + n * c + font * 1.4, font, "embedding", INK, { look: "strong" });
    m.titleinputs = words(x1, y + n * c + font * 1.4, font, "inputs", INK, { look: "strong" });
    if (!narrow) m.who = words(x0, y + n * c + font * 3, font, [[word, ASKS], [` is word ${one} of the sentence, and row ${row} of the table`, SOFT]], SOFT);
  }

  /** Where the plane is. */
  at({ W, H, narrow, pad }, top, foot) {
    const u = Math.min((W - 2 * pad) / 3.9, (foot - top - 30) / 3.4);
    this.plane = { x: pad + 0.2 * u + Math.max(0, (W - 2 * pad - 3.9 * u) / 2), y: foot, u, frame: [-0.2, 3.6, 3.3], size: narrow ? 13 : 18 };
    return this.plane;
  }

  points(m, size) {
    const { H, narrow, pad, top } = size;
    this.text(m, 0, { x: pad, y: narrow ? 28 : 50, size: narrow ? 20 : 30 });
    const letters = narrow ? 15 : 23;
    const [px, py] = grid(m, this.at(size, top + (narrow ? 0 : 20), H - (narrow ? 34 : 90)));
    const places = {};
    TABLE.forEach((word, k) => {
      const [water, money] = word === "bank" ? this.rows[this.asks] : EMBEDDING[word];
      const fill = word === "bank" ? ASKS : hueOf([water, money]);
      m[`dot.${word}`] = { as: "circle", z: 2, x: px(water), y: py(money), r: narrow ? 6 : 10, fill };
      (places[[water, money]] ??= { x: px(water), y: py(money), fill, list: [] }).list.push(word);
      m[`name.${word}`] = words(px(water), py(money), letters, "", fill);
    });
    for (const { x, y, fill, list } of Object.values(places)) {
      const far = x > size.W * 0.6;
      m[`name.${list[0]}`] = words(far ? x : x + 14, y - letters * 0.8, letters, list.join(", "), fill, { look: "strong", anchor: far ? "middle" : "start", free: true });
    }
  }

  /** Both texts lead to one place, which can be dragged. */
  bank(m, size) {
    const { W, H, narrow, pad, isStill } = size;
    const letters = narrow ? 16 : 24;
    const lines = { x: pad, size: letters, ends: true, below: narrow };
    const [water, money] = this.seen.share;
    const y0 = narrow ? 20 : 44;
    const y1 = H - (narrow ? 34 : 28);
    const answer = water > 0.55 ? "water" : money > 0.55 ? "money" : "… ?";
    const [one, other] = [y0, y1].map((y, t) => this.text(m, t, { ...lines, y, answer }));
    const foot = y1 - letters - (narrow ? 26 : 50);
    const [px, py] = grid(m, this.at(size, y0 + (narrow ? 34 : 60), foot));
    const own = this.rows[this.asks];
    const to = { x: px(own[0]), y: py(own[1]) };
    const ends = narrow ? [one.at(-4), other[this.asks]] : [one[this.asks], other[this.asks]];
    ends.forEach(({ middle, y }, t) => {
      m[`lead${t}`] = { as: "line", x0: middle, y0: t ? y - letters : y + 8, x: to.x, y: to.y + (t ? 14 : -14), stroke: ASKS, sw: narrow ? 2 : 3, dash: "2 6", o: 0.7 };
    });
    m["dot.bank"] = { as: "circle", z: 2, x: to.x, y: to.y, r: narrow ? 9 : 14, fill: ASKS };
    m["name.bank"] = words(to.x + 22, to.y + letters * 0.35, letters * 1.2, "bank", ASKS, { look: "strong" });
    for (const word of ["duck", "rich"]) {
      const [x, y] = [px(EMBEDDING[word][0]), py(EMBEDDING[word][1])];
      m[`dot.${word}`] = { as: "circle", x, y, r: narrow ? 5 : 8, fill: hueOf(EMBEDDING[word]), o: 0.5 };
    }
    [["water", water, HUES[0]], ["money", money, HUES[1]]].forEach(([feature, share, hue], e) => {
      const x = W - pad - (1 - e) * (narrow ? 92 : 200);
      const y = y0 + (narrow ? 66 : 100);
      m[`big${e}`] = big(x, y, narrow ? 30 : 60, percent(share), hue);
      m[`eye${e}`] = words(x, y + (narrow ? 16 : 28), narrow ? 13 : 17, `“${feature}”`, hue, { anchor: "end", look: "sans strong" });
    });
    if (!narrow) m.both = words(W - pad, y0 + 156, 16, "after both texts", SOFT, { anchor: "end", look: "sans" });
    if (!this.changed && !isStill) m.drag = words(to.x + 22, to.y + letters * (narrow ? 1.4 : 1.5), narrow ? 13 : 15, "drag me", SOFT, { look: "sans" });
    if (!isStill) m.handle = handle("own", to.x, to.y, narrow ? 22 : 26, ASKS, "The place of bank", [own[0], 0, MOST, this.where]);
  }
}
