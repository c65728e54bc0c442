// What a word takes: a share of each row, as ribbons that flow into a new row, and as arrows that move the word.

import { ASKS, FEATURES, HUES, INK, SOFT, apart, big, pressed, whole, width, words } from "../marks.js";
import { grid, hueOf } from "../plane.js";
import { clamp, percent, range, say, sum, two } from "../stage.js";
import Asking from "./asking.js";

export default class Context extends Asking {
  static sentences = { tie: "the duck likes the rich bank" };

  reset() {
    super.reset();
    this.column = 0; // which number of the new row is read
  }

  of(rows) {
    const found = super.of(rows);
    const bank_context = FEATURES.map((_, e) => sum(rows.map((row, j) => found.bank_weights[j] * row[e])));
    return { ...found, bank_context };
  }

  press(what) {
    const [kind, place] = what.split(" ");
    if (kind !== "column") return super.press(what);
    this.column = Number(place);
    return `hcolumn${place}`;
  }

  pressed(output, place) {
    return output.endsWith("context") ? this.press(`column ${place}`) : super.pressed(output, place);
  }

  lit(output) {
    return output.endsWith("context") ? [this.column] : super.lit(output);
  }

  step(state, across, down) {
    if (state === "shares") return super.step(state, across, down);
    return this.press(`column ${clamp(this.column + across + down, 0, FEATURES.length - 1)}`);
  }

  told(state) {
    const { bank_context: context } = this.seen;
    const name = this.words[this.asks];
    if (state === "shares") return super.told(state);
    if (state === "ribbons") return `${name} takes ${two(context[this.column])} of ${FEATURES[this.column]}: ${this.sources.join(", ")}.`;
    return `${name} moves to water ${two(context[0])}, money ${two(context[1])}.`;
  }

  /** Where the number that is read comes from: the shares of words that have something of it. */
  get sources() {
    const { bank_weights: shares } = this.seen;
    const having = range(this.words.length).filter((j) => this.rows[j][this.column]);
    return having.map((j) => `${two(shares[j])} × ${say(this.rows[j][this.column])} of ${this.words[j]}`);
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------

  /** The line of shares on top; below it flows what each word gives, column by column, into the new row. */
  ribbons(m, size) {
    const { W, H, narrow, pad, top } = size;
    const { bank_weights: shares, bank_context: context } = this.seen;
    const w = W - 2 * pad;
    const [y, thick, letters] = narrow ? [top + 124, 14, 13] : [top + 236, 34, 20];
    const items = this.items(shares, percent).map((item) => ({ ...item, on: true, press: undefined }));
    whole(m, items, { x: pad, y, w, thick, size: letters, above: true });
    const foot = H - (narrow ? 58 : 110);
    const most = Math.max(...this.rows.map((row) => sum(row.map(Math.abs))));
    const unit = (w * 0.94) / most;
    const gap = (w - sum(context.map(Math.abs)) * unit) / FEATURES.length;
    let left = pad;
    const ends = context.map((amount, e) => {
      const [x, wide] = [left + gap / 2, Math.max(2, Math.abs(amount) * unit)];
      left += gap + wide;
      return { x, w: wide, next: x, middle: x + wide / 2, e };
    });
    let start = pad;
    shares.forEach((share, j) => {
      const row = this.rows[j].map((amount) => Math.max(0, amount) * share * unit);
      let x = start + (share * w - sum(row)) / 2;
      row.forEach((wide, e) => {
        if (!wide) return;
        const at = { x0: x + wide / 2, y0: y + thick + 2, x: ends[e].next + wide / 2, y: foot };
        m[`flow${j}.${e}`] = { as: "ribbon", z: 0, ...at, w: wide, stroke: HUES[e], o: e === this.column ? 0.75 : 0.25 };
        x += wide;
        ends[e].next += wide;
      });
      start += share * w;
    });
    const side = narrow ? 58 : 96;
    const near = apart(ends.map(({ middle, e }) => ({ x: middle, half: width(FEATURES[e], letters * 0.85) / 2 + 8 })), 0, W);
    for (const { x, w: wide, middle, e } of ends) {
      const on = e === this.column;
      const box = { x, y: foot, w: wide, h: narrow ? 10 : 26 };
      m[`end${e}`] = { as: "rect", ...box, r: 2, fill: HUES[e], o: on ? 1 : 0.55 };
      const below = foot + box.h + letters * 1.3;
      m[`column${e}`] = words(near[e].x, below, Math.max(12, letters * 0.85), narrow && e === 3 ? "describes" : FEATURES[e], HUES[e], { anchor: "middle", look: on ? "sans strong" : "sans" });
      m[`sum${e}`] = words(near[e].x, below + letters * 1.2, letters, two(context[e]), INK, { anchor: "middle", look: "sans strong" });
      m[`hcolumn${e}`] = pressed(`column ${e}`, { x: near[e].x - side / 2, y: foot - 8, w: side, h: H - foot }, `${FEATURES[e]}: ${two(context[e])}`, { on, stop: on });
    }
    this.large(m, size, two(context[this.column]), [[FEATURES[this.column], HUES[this.column]], [` that ${this.words[this.asks]} takes`, SOFT]]);
    if (!narrow) m.sources = words(W - pad, top + 144, 16, this.sources.slice(0, 3).join(" + "), SOFT, { anchor: "end", look: "sans" });
  }

  /** A share of each row as an arrow, laid head to tail: where they end, the word ends. */
  path(m, size) {
    const { W, H, narrow, pad, top } = size;
    const { bank_weights: shares, bank_context: context } = this.seen;
    const own = this.rows[this.asks];
    const name = this.words[this.asks];
    const frame = [-0.3, 3.4, Math.max(1.9, context[1] + 0.5)];
    const foot = H - (narrow ? 30 : 70);
    const u = Math.min((W - 2 * pad) / (frame[1] - frame[0]), (foot - top - (narrow ? 30 : 60)) / frame[2]);
    const letters = narrow ? 14 : 20;
    const [px, py] = grid(m, { x: pad + 0.3 * u, y: foot, u, frame, size: narrow ? 14 : 18 });
    let at = [0, 0];
    shares.forEach((share, j) => {
      const [water, money] = this.rows[j];
      const next = [at[0] + share * water, at[1] + share * money];
      const far = Math.hypot(next[0] - at[0], next[1] - at[1]);
      m[`step${j}`] = { as: "arrow", x0: px(at[0]), y0: py(at[1]), x: px(next[0]), y: py(next[1]), w: clamp(u / 22, 4, 9), fill: hueOf(this.rows[j], ASKS), o: far ? 1 : 0 };
      const upward = Math.abs(next[1] - at[1]) > Math.abs(next[0] - at[0]);
      const middle = [(px(at[0]) + px(next[0])) / 2, (py(at[1]) + py(next[1])) / 2];
      const where = upward ? [middle[0] + 14, middle[1] + 6] : [middle[0], middle[1] - letters * 0.7];
      if (j !== this.asks && far > 0.3) m[`of${j}`] = words(...where, Math.max(12, letters * 0.85), `${two(share)} of ${this.words[j]}`, INK, { anchor: upward ? "start" : "middle", look: "sans", free: true });
      at = next;
    });
    const to = [px(context[0]), py(context[1])];
    m.before = { as: "circle", x: px(own[0]), y: py(own[1]), r: narrow ? 6 : 9, fill: SOFT };
    m.beforename = words(px(own[0]) - 16, py(own[1]) - 6, letters, name, SOFT, { anchor: "end", free: true });
    m.moved = { as: "arrow", x0: px(own[0]), y0: py(own[1]), x: to[0], y: to[1], w: narrow ? 2 : 3, fill: ASKS, o: 0.5 };
    m.after = { as: "circle", z: 2, x: to[0], y: to[1], r: narrow ? 8 : 12, fill: ASKS };
    const [here, large] = [`${name}, here`, letters * 1.25];
    const far = to[0] + 18 + width(here, large) > W - pad;
    m.aftername = words(far ? W - pad : to[0] + 18, to[1] - (narrow ? 14 : 22), large, here, ASKS, { look: "strong", anchor: far ? "end" : "start", free: true });
    this.pair(m, size, context);
  }

  /** How much water and how much money the last word has, large, and whether it can decide. */
  pair(m, { W, narrow, pad, top }, [water, money]) {
    [["water", water, HUES[0]], ["money", money, HUES[1]]].forEach(([feature, amount, hue], e) => {
      const x = W - pad - (1 - e) * (narrow ? 92 : 190);
      m[`big${e}`] = big(x, top + (narrow ? 30 : 76), narrow ? 34 : 64, two(amount), hue);
      m[`eye${e}`] = words(x, top + (narrow ? 48 : 104), narrow ? 13 : 17, feature, hue, { anchor: "end", look: "sans strong" });
    });
    const tie = Math.abs(water - money) < 0.05 ? `a tie: ${this.words[this.asks]} cannot decide` : "";
    m.verdict = words(W - pad, top + (narrow ? 66 : 134), narrow ? 13 : 17, tie, INK, { anchor: "end", look: "sans strong" });
  }

  /** The same with another adjective. */
  tie(m, size) {
    this.path(m, size);
  }
}
