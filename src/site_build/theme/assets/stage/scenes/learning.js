// Sixteen numbers as knobs: one is nudged, each gets a slope, and two hundred steps turn them.

import { ASKS, CELL, FEATURES, HUES, INK, RULE, SOFT, big, control, handle, pressed, rail, ring, scrubber, words } from "../marks.js";
import { SHOWN, START, degrees, lossOf, sharesOf, slopesOf, tipOf, training } from "../descent.js";
import { dial, hand } from "../dial.js";
import { clamp, range, say, two } from "../stage.js";

const [NUDGE, MOST] = [0.001, 1];
const KEY = "var(--key)";
const SIDE = 34; // what the names of the rows take on a phone
const PICKED = 15; // the last knob: how far "describes" moves a key to the right
const SIDES = ["query up", "query right", "key up", "key right"];
const nameOf = (k) => `${SIDES[Math.floor(k / 4)]}, ${FEATURES[k % 4]}`;
const three = (x) => x.toFixed(3).replace("-", "−");
const six = (x) => x.toFixed(6).replace("-", "−");

export default class Learning {
  /** @param numbers the outputs of the page, by name; `inputs` has a row for each word of the sentence that is shown */
  constructor({ inputs }) {
    this.words = inputs.rows;
    this.rows = inputs.values;
    this.reset();
  }

  // ---- what is so -------------------------------------------------------------------------------------------
  reset() {
    this.numbers = START;
    [this.at, this.turns, this.pick] = [SHOWN.length - 1, true, PICKED];
  }

  get changed() {
    return !this.turns || this.at < SHOWN.length - 1 || this.numbers.some((number) => number !== START[0]);
  }

  /** What the page's outputs of these names hold, too. */
  get tensors() {
    const slopes = slopesOf(START);
    return {
      inputs: this.rows,
      shares: sharesOf(this.numbers, this.rows),
      slopes: range(4).map((side) => slopes.slice(4 * side, 4 * side + 4)),
      learned: sharesOf(training(this.turns).at(-1).numbers, this.rows, this.turns),
    };
  }

  /** The numbers that a state shows. */
  seen(state) {
    if (state === "train") return training(this.turns)[this.at].numbers;
    if (state === "found") return training(true).at(-1).numbers;
    if (state === "nudged") return START.with(this.pick, START[0] + NUDGE);
    return state === "slopes" ? START : this.numbers;
  }

  press(what) {
    const [kind, k] = what.split(" ");
    if (kind === "turning") this.turns = !this.turns;
    else this.pick = Number(k);
    return kind === "turning" ? "turns" : `h${k}`;
  }

  pressed(name, place) {
    if (name === "slopes") return this.press(`knob ${4 * place[0] + place[1]}`);
  }

  lit(name) {
    return name === "slopes" ? [Math.floor(this.pick / 4), this.pick % 4] : [];
  }

  step(state, across, down) {
    if (state === "train") return "turns";
    const [side, e] = [Math.floor(this.pick / 4), this.pick % 4];
    return this.press(`knob ${4 * clamp(side + down, 0, 3) + clamp(e + across, 0, 3)}`);
  }

  put(k, number) {
    this.pick = k;
    this.numbers = this.numbers.with(k, Math.round(clamp(number, -MOST, MOST) * 100) / 100);
  }

  drag(hold, x, y) {
    const [kind, k] = hold.split(" ");
    if (kind === "scrub") return this.go(((x - this.line.x) / this.line.w) * (SHOWN.length - 1));
    const at = this.places[k];
    this.put(Number(k), (Math.atan2(x - at.x, at.y - y) * 180) / Math.PI / 135);
  }

  nudge(hold, across, down) {
    const [kind, k] = hold.split(" ");
    if (kind === "scrub") this.go(this.at + across - down);
    else this.put(Number(k), this.numbers[k] + 0.05 * (across - down));
  }

  go(at) {
    this.at = clamp(Math.round(at), 0, SHOWN.length - 1);
  }

  *tries() {
    yield () => this.press("turning");
    for (const k of range(16)) yield () => this.put(k, MOST);
  }

  told(state) {
    const numbers = this.seen(state);
    const name = nameOf(this.pick);
    if (state === "nudged" || state === "slopes") return `The slope of ${name} is ${three(slopesOf(START)[this.pick])}.`;
    const turns = state !== "train" || this.turns;
    const step = state === "train" ? `After ${SHOWN[this.at]} steps${turns ? "" : " without turning"}, the` : "The";
    return `${step} loss is ${two(lossOf(numbers, turns))}, and bank takes ${two(sharesOf(numbers, this.rows, turns)[5])} of rich.`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------
  layout(state, W, H, isStill = false) {
    const [m, narrow] = [{}, W < 560 || H < 560];
    const pad = narrow ? 12 : 48;
    const c = narrow ? Math.min(40, (W - 2 * pad - 12 - SIDE) / 8) : Math.min(90, (H - 400) / 4.1, (W - 2 * pad) / 9);
    const numbers = this.seen(state);
    const turns = state !== "train" || this.turns;
    const high = Math.min(96, H - 364 - 4.1 * c); // of a bar, below the knobs and above the training
    const size = { W, H, narrow, pad, c, high, isStill, numbers, turns, loss: lossOf(numbers, turns) };
    this.places = range(16).map((k) => this.place(k, size));
    numbers.forEach((number, k) => this.knob(m, size, k, number));
    this.titles(m, size);
    this.clock(m, size, state === "found");
    this.look(m, size, state === "train");
    this[state](m, size);
    return m;
  }

  /** Where a knob is: below each other the queries and the keys, and on a phone beside each other. */
  place(k, { narrow, pad, c }) {
    const [key, row, e] = [k > 7 ? 1 : 0, Math.floor(k / 4) % 2, k % 4];
    if (narrow) return { x: pad + SIDE + (e + 0.5 + key * 4) * c + key * 12, y: 84 + (row + 0.5) * c };
    return { x: pad + 60 + (e + 0.5) * c, y: 132 + (row + 0.5) * c + key * 2.6 * c };
  }

  knob(m, { narrow, c, isStill }, k, number) {
    const { x, y } = this.places[k];
    const r = c * (narrow ? 0.42 : 0.34);
    m[`face${k}`] = { as: "circle", x, y, r, fill: CELL, stroke: RULE, sw: 1 };
    hand(m, `knob${k}`, { x, y, long: r, turn: 135 * number, w: narrow ? 4 : 6, fill: HUES[k % 4], z: 2 });
  }

  titles(m, { narrow, c }) {
    const size = narrow ? 13 : 17;
    [["W_query", 0, ASKS], ["W_key", 8, KEY]].forEach(([name, k, fill]) => {
      const { x, y } = this.places[k];
      m[`title${k}`] = words(x - c / 2 - (narrow ? 0 : 56), y - c / 2 - (narrow ? 18 : 12 + (c < 70 && !k ? 20 : 0)), size, name, fill, { look: "sans strong" });
      if (!narrow || !k) ["up", "right"].forEach((side, row) => (m[`side${k}.${row}`] = words(x - c / 2 - (narrow ? 3 : 8), y + row * c + 5, narrow ? 12 : 15, side, SOFT, { anchor: "end", look: "sans" })));
      if (narrow || c > 70 || !k) FEATURES.forEach((name, e) => (m[`feature${k}.${e}`] = words(x + e * c, y - c / 2 - (narrow ? 3 : 12), narrow ? c * 0.3 : clamp(c * 0.24, 12, 15), name, HUES[e], { anchor: "middle", look: "sans" })));
    });
  }

  /** What is written below each knob, which can be pressed where `said` says what it is. */
  below(m, { narrow, c, isStill }, texts, said) {
    texts.forEach((text, k) => {
      const [{ x, y }, on] = [this.places[k], said && k === this.pick];
      if (!narrow) m[`number${k}`] = words(x, y + c * 0.5, 15, text, on ? INK : SOFT, { anchor: "middle", look: on ? "sans strong" : "sans" });
      if (!said) return;
      const [over, under] = narrow ? [0.46, 0.46] : [0.38, 0.54]; // below the number of the knob above
      if (on) m.ring = ring({ x: x - c * 0.46, y: y - c * over, w: c * 0.92, h: c * (over + under) }, INK, 1, 0);
      if (!isStill) m[`h${k}`] = pressed(`knob ${k}`, { x: x - c / 2, y: y - c / 2, w: c, h: c }, `${nameOf(k)}: ${said} ${text}`, { on, stop: on });
    });
  }

  /** The query of the last word and the keys of the adjectives, turned by their places, or as training has made them. */
  clock(m, { W, H, narrow, pad, c, high, numbers, turns }, found) {
    const left = narrow ? pad : this.places[3].x + c;
    const r = narrow ? clamp((H - 250) / 2, 38, 66) : Math.min((W - left - pad - 70) / 2, (H - 366 - high) / 2, 190);
    const x = narrow ? pad + r + 24 : (left + W - pad) / 2 + 8;
    const y = narrow ? 84 + 2 * c + r + 26 : 150 + r;
    const size = narrow ? 12 : 16;
    dial(m, { x, y, r, size });
    this.middle = { x, y, r };
    const places = found ? [5] : [1, 5];
    const together = !turns && !found; // both keys point to one hour
    const show = (name, place, first, fill, w) => {
      const tip = tipOf(numbers, first, this.rows[place]);
      const turn = degrees(tip) + (turns && !found ? 60 * place : 0);
      const long = (Math.hypot(...tip) * r) / 4.3;
      hand(m, `hand.${name}`, { x, y, long, turn, w, fill, z: first ? 1 : 2 });
      if (!first || (together && place === places[0])) return;
      const out = [r + size * 1.2, (turn * Math.PI) / 180];
      m[`tip.${name}`] = words(x + out[0] * Math.sin(out[1]), y - out[0] * Math.cos(out[1]) + size * 0.35, size, together ? places.map((each) => this.words[each]).join(", ") : name, fill, { anchor: "middle", look: "strong", free: true });
    };
    for (const place of places) show(this.words[place], place, 8, KEY, narrow ? 4 : 8);
    show("bank", this.words.length - 1, 0, ASKS, narrow ? 4 : 6);
    m["tip.bank"] = words(x, y + r * 0.55, size, "bank asks", ASKS, { anchor: "middle", look: "strong" });
  }

  /** The shares that the last word takes, as bars. */
  look(m, { W, H, narrow, pad, high: most, numbers, turns }, scrubs) {
    const shares = sharesOf(numbers, this.rows, turns);
    const { x, y, r } = this.middle;
    const left = narrow ? x + r + 34 : pad;
    const step = (W - pad - left) / shares.length;
    const foot = narrow ? y + r + 6 : H - (scrubs ? 172 : 60);
    const high = narrow ? 2 * r - 10 : most;
    shares.forEach((share, place) => {
      const middle = left + (place + 0.5) * step;
      const e = this.rows[place][1] > this.rows[place][0] ? 1 : 0;
      const top = foot - Math.max(2, high * share);
      const on = place === 5;
      m[`bar${place}`] = { as: "rect", x: middle - step * 0.3, y: top, w: step * 0.6, h: foot - top, r: 2, fill: [1, 5].includes(place) ? HUES[e] : SOFT, o: on ? 1 : 0.6 };
      m[`word${place}`] = words(middle, foot + (narrow ? 13 : 22), narrow ? 12 : 17, narrow && !on && place !== 1 ? "" : this.words[place], place === 6 ? ASKS : on ? INK : SOFT, { anchor: "middle", look: on ? "strong" : "" });
      if (!narrow || on) m[`share${place}`] = words(middle, top - 6, narrow ? 12 : 15, two(share), INK, { anchor: "middle", look: "sans strong" });
    });
  }

  large(m, { W, narrow, pad }, number, line, more) {
    m.big = big(W - pad, narrow ? 40 : 80, narrow ? 38 : 76, number);
    m.line = words(W - pad, narrow ? 58 : 108, narrow ? 12 : 17, line, SOFT, { anchor: "end", look: "sans" });
    if (more) m.more = words(narrow ? pad : pad + 4, narrow ? 20 : 44, narrow ? 12 : 17, more[0], SOFT, { look: "sans" });
    if (more) m.more1 = words(narrow ? pad : pad + 4, narrow ? 38 : 70, narrow ? 12 : 17, more[1], SOFT, { look: "sans" });
  }

  knobs(m, size) {
    const { narrow, c, numbers, loss, isStill } = size;
    this.large(m, size, two(loss), "loss", isStill ? undefined : ["turn a knob,", "and watch the loss"]);
    this.below(m, size, numbers.map(two));
    if (isStill) return;
    numbers.forEach((number, k) => {
      const { x, y } = this.places[k];
      const value = [number, -MOST, MOST, `${say(number)}, the loss is ${two(loss)}`];
      m[`hold${k}`] = handle(`knob ${k}`, x, y, c * (narrow ? 0.48 : 0.42), INK, nameOf(k), value, { o: 0.02 });
    });
  }

  /** The slope of the number that is chosen, by its nudge. */
  nudged(m, size) {
    const before = lossOf(START);
    const slope = (size.loss - before) / NUDGE;
    const line = size.narrow ? "slope" : `slope: ${six(size.loss - before)} / ${NUDGE}`;
    this.large(m, size, three(slope), line, [`loss ${six(before)}`, `nudged ${six(size.loss)}`]);
    this.below(m, size, size.numbers.map((number) => `${Math.round(number * 1000) / 1000}`), "nudged to");
  }

  /** At each knob a bar, as long as its slope, to the side to which a step turns it. */
  slopes(m, size) {
    const slopes = slopesOf(size.numbers);
    const { c, narrow } = size;
    slopes.forEach((slope, k) => {
      const { x, y } = this.places[k];
      const w = Math.abs(slope) * c * 0.75;
      m[`slope${k}`] = { as: "rect", z: 2, x: slope > 0 ? x - w : x, y: y + c * 0.12, w, h: c * (narrow ? 0.2 : 0.14), r: 1, fill: INK };
    });
    this.large(m, size, three(slopes[this.pick]), "slope", ["bars: how far a step", "turns each knob"]);
    this.below(m, size, slopes.map(two), "slope");
  }

  train(m, size) {
    const { W, H, narrow, pad, loss, isStill } = size;
    this.large(m, size, three(loss), `loss after ${SHOWN[this.at]} steps`);
    this.below(m, size, size.numbers.map(two));
    this.line = { x: pad + 14, w: W - 2 * pad - 28 };
    const last = SHOWN.length - 1;
    const value = [this.at, 0, last, `step ${SHOWN[this.at]}, loss ${two(loss)}`];
    const line = { ...this.line, y: H - (narrow ? 20 : 28), at: this.at / last, hold: "scrub", said: "The training, from its first step to its last", value, still: isStill };
    if (narrow) rail(m, line);
    else scrubber(m, { ...line, high: 44, losses: training(this.turns).map((moment) => moment.loss) });
    const [w, h] = narrow ? [106, 30] : [150, 36];
    const place = { x: pad, y: narrow ? 14 : 28 };
    m.switch = { as: "rect", x: place.x, y: place.y, w, h, r: h / 2, fill: this.turns ? INK : "none", stroke: INK, sw: 2 };
    m.switched = words(place.x + w / 2, place.y + h * 0.66, narrow ? 14 : 17, `turning: ${this.turns ? "on" : "off"}`, this.turns ? "var(--paper)" : INK, { anchor: "middle", look: "sans strong" });
    if (!isStill) m.turns = control("turning", { ...place, w, h }, "The turning of the hands", { on: this.turns, r: 22 });
  }

  found(m, size) {
    const [query, key] = [[0, 6], [8, 5]].map(([first, place]) => Math.round(degrees(tipOf(size.numbers, first, this.rows[place]))));
    this.large(m, size, `${key - query}°`, `from ${query}° to ${key}°`);
    this.below(m, size, size.numbers.map(two));
  }
}
