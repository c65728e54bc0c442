// What a model holds, fetches and computes on a device, as lengths; the line at the foot is the length of the sequence.

import { ASKS, INK, SOFT, pressed, rule, width as widthOf, words } from "../marks.js";
import { KEPT, Run } from "../run.js";
import { clamp, range, sum } from "../stage.js";
import { aPrompt, aToken, cache, computed, fetched, floors, stored, touched, training } from "../../costs/floors.js";

const [SHORTEST, LONGEST] = [8, 20]; // sequences, in powers of two
const RATES = ["peak", "bandwidth", "memory"];
const WRONG = "var(--wrong-color)";

const said = (count) => count.toLocaleString("en");
const bytes = (count) => (count >= 1e12 ? `${(count / 1e12).toFixed(2)} TB` : `${(count / 1e9).toFixed(count >= 1e11 ? 0 : 1)} GB`);
const time = (seconds) => {
  const [amount, unit] = seconds >= 1 ? [seconds, "s"] : [1e3 * seconds, "ms"];
  return `${amount.toFixed(amount >= 100 ? 0 : amount >= 10 ? 1 : 2)} ${unit}`;
};
const short = (power) => (power < 10 ? `${2 ** power}` : power < 20 ? `${2 ** (power - 10)}K` : "1M");
const many = (count, thing) => `${said(count)} ${thing}${count > 1 ? "s" : ""}`;

/** Rows of printed words and numbers, by their first word. */
const cells = (line) => line.trim().split(/ {2,}/);
const tableOf = (lines) => Object.fromEntries(lines.map(cells).map(([name, ...rest]) => [name, rest.map(Number)]));

/** The sizes of each model, from a table that has a column for each. */
function modelsOf(printed) {
  const [head, ...lines] = printed.split("\n");
  const rows = Object.entries(tableOf(lines));
  return Object.fromEntries(cells(head).map((name, at) => [name, Object.fromEntries(rows.map(([size, each]) => [size, each[at]]))]));
}

// What is fetched is grey and green, and what is computed is ink.
const LOOKS = {
  weights: { fill: SOFT }, experts: { fill: SOFT, o: 0.5 }, cache: { fill: KEPT },
  matrices: { fill: INK }, attention: { fill: INK, o: 0.4 },
  gradients: { fill: SOFT, o: 0.5 }, AdamW: { fill: INK }, logits: { fill: INK, o: 0.4 }, activations: { fill: KEPT },
};
const inkOn = (look) => ((LOOKS[look].o ?? 1) < 1 ? INK : "var(--paper)");

export default class Costs extends Run {
  switches = [{ name: "view", options: [["step", "a step"], ["length", "by length"], ["roof", "roofline"], ["training", "training"]] }];
  menus = [
    { name: "model", options: [] }, { name: "device", options: [] },
    { name: "count", options: [1, 4, 8, 16].map((count) => [count, many(count, "device")]) },
    { name: "texts", options: range(10).map((power) => [2 ** power, many(2 ** power, "sequence")]) },
    { name: "bits", options: [[2, "16-bit cache"], [1, "8-bit cache"], [0.5, "4-bit cache"]] },
  ];

  /** @param numbers the printed tables of the page */
  constructor({ models, devices }) {
    super({ view: "length", model: "Llama 3 8B", device: "H100", count: 1, texts: 1, bits: 2 });
    this.models = modelsOf(models);
    this.devices = tableOf(devices.split("\n"));
    for (const [k, table] of [this.models, this.devices].entries()) this.menus[k].options = Object.keys(table).map((name) => [name, name]);
    this.own = {};
  }

  get tensors() {
    return {};
  }

  reset() {
    super.reset();
    this.own = {};
    this.fill?.(); // the fields of other sizes, where they are open
  }

  get changed() {
    return super.changed || Object.keys(this.own).length > 0;
  }

  // ---- what is chosen ---------------------------------------------------------------------------------------
  get last() {
    return 2 * (LONGEST - SHORTEST);
  }

  get rest() {
    return 2 * (13 - SHORTEST);
  }

  get tokens() {
    return Math.round(2 ** (SHORTEST + this.at / 2));
  }

  get where() {
    return `${said(this.tokens)} tokens in a sequence`;
  }

  choices(place) {
    const { name, options } = this.menus[place];
    return { words: options.map(([, text]) => text), now: options.find(([value]) => value === this.is[name])[1] };
  }

  swap(place, word) {
    const { name, options } = this.menus[place];
    this.is[name] = options.find(([, text]) => text === word)[0];
    if (place > 1) return;
    this.own = {};
    this.fill?.();
  }

  *tries() {
    yield* super.tries();
    for (const [place, { options }] of this.menus.entries()) for (const [, text] of options) yield () => this.swap(place, text);
    yield () => Object.assign(this.is, { view: "length", texts: 512, model: "DeepSeek-V3", count: 16 });
    yield () => Object.assign(this.is, { view: "training", texts: 512, model: "Llama 3 405B" });
    yield () => Object.assign(this.is, { view: "roof", texts: 512 });
  }

  // ---- what it costs ----------------------------------------------------------------------------------------
  get rates() {
    return Object.fromEntries(RATES.map((rate, at) => [rate, this.own[rate] ?? this.devices[this.is.device][at]]));
  }

  get model() {
    return { ...this.models[this.is.model], ...this.own, cache_bytes: this.is.bits };
  }

  /** All sizes of the model, and the rates of the device. */
  get sizes() {
    return { ...this.model, ...this.rates };
  }

  costOf(n = this.tokens, texts = this.is.texts) {
    const { model, rates, is } = this;
    const held = { weights: stored(model), caches: texts * cache(model, n) };
    const memory = rates.memory * is.count;
    return { ...floors(model, n, texts, Object.values(rates), is.count), held, memory, fits: held.weights + held.caches <= memory };
  }

  /** Which experts several tokens choose is not known, nor how fast numbers of fewer bits are multiplied. */
  bound(byWork, tokens) {
    const { weight_bytes, expert_bytes, cache_bytes, experts } = this.model;
    const unsure = byWork ? Math.min(weight_bytes, expert_bytes, cache_bytes) < 2 : experts && tokens > 1;
    return unsure ? "about" : "at least";
  }

  get matters() {
    const cost = this.costOf();
    if (this.is.view === "training") {
      const { recomputed, activations, ...others } = training(this.model, this.tokens * this.is.texts);
      const total = sum(Object.values(others));
      if (this.model.experts) return { number: bytes(total), says: "to train, and activations" };
      return { number: bytes(total + activations), says: "to train", other: `${bytes(total + recomputed)} recomputed` };
    }
    const bound = this.bound(computed(cost) > fetched(cost), this.is.texts);
    const rate = `${said(Math.floor(this.is.texts / aToken(cost)))} tokens a second${bound === "about" ? "" : " at most"}`;
    return { number: time(aToken(cost)), says: `${bound}, a decode step`, other: cost.fits ? rate : "it does not fit" };
  }

  told() {
    const { number, says, other = "" } = this.matters;
    const cost = this.costOf();
    const waits = computed(cost) > fetched(cost) ? "It waits for the arithmetic." : `It waits for memory: ${Math.round((100 * cost.caches) / fetched(cost))} % of the bytes are caches.`;
    return `${this.is.model} with ${this.where}: ${number}, ${says}. ${other}. ${waits}`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------
  enter() {
    if (!this.isLive || this.fold) return;
    this.fold = document.querySelector(".own-sizes");
    this.fold?.addEventListener("toggle", async () => this.fold.append((await import("../../costs/fields.js")).fieldsFor(this)), { once: true });
  }

  /** The menus, as words that can be swapped, and the switch below. */
  chosen(m, size) {
    const { narrow, pad, isStill } = size;
    const [letters, h] = narrow ? [13, 34] : [17, 38];
    let [x, y] = [pad, narrow ? 4 : 24];
    this.menus.forEach(({ name }, k) => {
      const text = name === "device" && RATES.some((rate) => rate in this.own) ? "another device" : this.choices(k).now;
      const w = widthOf(text, letters) * 1.08 + 4;
      if (k === 2 || (k === 1 && narrow)) [x, y] = [pad, y + h];
      m[`menu${k}`] = words(x, y + h * 0.66, letters, text, INK, { look: "sans strong" });
      m[`menu.line${k}`] = rule(x, y + h * 0.66 + 6, x + w, y + h * 0.66 + 6, { stroke: SOFT, sw: 2, dash: "2 4" });
      if (!isStill) m[`menu.hit${k}`] = pressed(`word ${k}`, { x: x - 4, y, w: w + 8, h }, `${text}: swap`, { stop: true });
      x += w + (narrow ? 14 : 26);
    });
    return this.pills(m, size, y + h + (narrow ? 4 : 10));
  }

  run(m, box) {
    this[this.is.view](m, box, this.costOf());
  }

  /** A part of a bar, with its name where it has room. */
  part(m, key, { x, y, w, h }, look, text, letters) {
    m[key] = { as: "rect", x, y, w: Math.max(w - 1, 0.7), h, r: 2, ...LOOKS[look] };
    if (text && w > widthOf(text, letters) * 1.08 + 8) m[`${key}.name`] = words(x + w / 2, y + h / 2 + letters * 0.35, letters, text, inkOn(look), { anchor: "middle", look: "sans" });
  }

  /** What lies in memory, and below it the times of a decode step and of a prefill, each to one scale. */
  step(m, box, cost) {
    const { x, y, w, h, narrow } = box;
    const { texts, count } = this.is;
    const [letters, line] = narrow ? [12, 16] : [16, clamp(h / 16, 22, 34)];
    const block = h / 3;
    const { weights, caches } = cost.held;
    const scale = w / Math.max(weights + caches, cost.memory);
    m.held = words(x, y + letters, letters, [[`To hold: ${bytes(weights)} of `, INK], ["■ weights", SOFT], [`, ${bytes(caches)} of `, INK], ["■ cache", KEPT]], INK, { look: "sans strong" });
    const bar = { y: y + letters + 10, h: line };
    this.part(m, "held.weights", { ...bar, x, w: weights * scale }, "weights", count === 1 && "weights", letters);
    this.part(m, "held.cache", { ...bar, x: x + weights * scale, w: caches * scale }, "cache", count === 1 && "cache", letters);
    range(count).forEach((k) => (m[`frame${k}`] = { as: "rect", x: x + (k * cost.memory * scale) / count, y: bar.y - 3, w: (cost.memory * scale) / count - 1, h: line + 6, r: 4, fill: "none", stroke: INK, sw: 2 }));
    const room = cost.memory - weights - caches;
    m.room = words(x + w, bar.y + line + letters + 8, letters, room < 0 ? `${bytes(-room)} too much` : `room for ${bytes(room)}`, room < 0 ? WRONG : SOFT, { anchor: "end", look: "sans" });
    const read = this.model.experts ? `${Math.round(touched(this.model, texts))} of ${this.model.experts} experts` : "";
    const steps = [
      [`A decode step, ${this.bound(computed(cost) > fetched(cost), texts)}`, [["weights", cost.weights, "weights"], ["experts", cost.experts, read], ["cache", cost.caches, texts > 1 ? "caches" : "cache"]], [["matrices", cost.matrices, "matrices"], ["attention", cost.attention, "attention"]]],
      [`A prefill of ${said(this.tokens)} tokens, ${this.bound(aPrompt(cost) > cost.prompt_weights, this.tokens)}`, [["weights", cost.prompt_weights, "weights"]], [["matrices", cost.prompt_matrices, "matrices"], ["attention", cost.prompt_attention, "attention"]]],
    ];
    steps.forEach(([title, ...rows], k) => {
      const top = y + block * (k + 1);
      const totals = rows.map((parts) => sum(parts.map(([, seconds]) => seconds)));
      const left = narrow ? 56 : 90;
      const unit = (w - left - (narrow ? 56 : 80)) / Math.max(...totals);
      m[`title${k}`] = words(x, top + letters, letters, title, INK, { look: "sans strong" });
      rows.forEach((parts, r) => {
        const at = top + letters + 10 + r * (line + 6);
        const long = totals[r] === Math.max(...totals);
        m[`row${k}.${r}`] = words(x, at + line / 2 + letters * 0.35, letters, r ? "compute" : "fetch", long ? INK : SOFT, { look: "sans" });
        let across = x + left;
        for (const [look, seconds, name] of parts) {
          this.part(m, `part${k}.${r}.${look}`, { x: across, y: at, w: seconds * unit, h: line }, look, name, letters);
          across += seconds * unit;
        }
        m[`time${k}.${r}`] = words(across + 6, at + line / 2 + letters * 0.35, letters, time(totals[r]), long ? ASKS : SOFT, { look: long ? "sans strong" : "sans" });
      });
    });
  }

  /** The time of a token over the length of the sequence. */
  length(m, { x, y, w, h, narrow }, cost) {
    const letters = narrow ? 12 : 16;
    const [top, foot] = [y + 2.4 * letters, y + h - 1.8 * letters];
    const across = (power) => x + 14 + ((power - SHORTEST) / (LONGEST - SHORTEST)) * (w - 28);
    const steady = cost.weights + cost.experts;
    const powers = range(49).map((k) => SHORTEST + k / 4);
    const all = powers.map((power) => this.costOf(2 ** power));
    const most = Math.min(aToken(all.at(-1)), Math.max(6 * steady, 1.35 * aToken(cost)));
    const up = (seconds) => foot - clamp(seconds / most) * (foot - top);
    const [left, wide] = [across(SHORTEST), across(LONGEST) - across(SHORTEST)];
    m.title = words(x, y + letters, letters, "A token, by the length of its sequence", INK, { look: "sans strong" });
    for (const [name, from, to] of [["weights", 0, cost.weights], ["experts", cost.weights, steady]]) m[`area.${name}`] = { as: "rect", z: 0, x: left, y: up(to), w: wide, h: up(from) - up(to), ...LOOKS[name] };
    const points = (of) => all.map((each, k) => [across(powers[k]), up(of(each))]);
    const edge = points(fetched);
    m["area.cache"] = { as: "curve", z: 0, points: [[left, up(steady)], ...edge, [left + wide, up(steady)], [left, up(steady)]], fill: KEPT };
    // A part of the time has its name where it is high enough.
    const fits = all.findLastIndex((each) => each.fits);
    const named = [["weights", left + 10, 0, cost.weights], ["experts", left + 10, cost.weights, steady], ["cache", across(powers[Math.max(fits, 0)]) - 10, steady, fetched(all[Math.max(fits, 0)])]];
    for (const [name, x, from, to] of named) {
      const high = up(from) - up(to);
      if (high > letters + 6) m[`area.${name}.name`] = words(x, (up(from) + up(to) + letters * 0.7) / 2, letters, name, inkOn(name), { anchor: name === "cache" ? "end" : "start", look: "sans strong" });
    }
    m.computed = { as: "curve", points: points(computed), stroke: INK, sw: 2, dash: "4 4" };
    m.computes = words(x + w, y + letters, letters, narrow ? "dashed: computed" : "areas: fetched; dashed: computed", SOFT, { anchor: "end", look: "sans", o: narrow && w < 340 ? 0 : 1 });
    const full = all.findIndex(({ fits }) => !fits);
    if (full >= 0) {
      const at = across(powers[full]);
      m.full = { as: "rect", x: at, y: top, w: left + wide - at, h: foot - top, fill: "var(--panel)", o: 0.75 };
      m["full.line"] = rule(at, top, at, foot, { stroke: WRONG, sw: 2 });
      m["full.name"] = words(at > x + w - 110 ? at - 6 : at + 6, top + letters, letters, "does not fit", WRONG, { look: "sans strong", anchor: at > x + w - 110 ? "end" : "start" });
    }
    for (let power = SHORTEST; power <= LONGEST; power += narrow ? 4 : 2) m[`tick${power}`] = words(across(power), foot + 1.4 * letters, letters, short(power), SOFT, { anchor: "middle", look: "sans" });
    const at = across(SHORTEST + this.at / 2);
    m.now = rule(at, top, at, foot, { z: 2, stroke: ASKS, sw: 2 });
    m["now.dot"] = { as: "circle", z: 2, x: at, y: up(aToken(cost)), r: 7, fill: ASKS };
  }

  /** FLOPs a second, by how many come with a byte: the roof, and the points of the model under it. */
  roof(m, { x, y, w, h, narrow }) {
    const letters = narrow ? 12 : 16;
    const { peak, bandwidth } = this.rates;
    const ridge = peak / bandwidth;
    const [top, foot] = [y + 4.8 * letters, y + h - 1.8 * letters];
    const across = (intensity) => x + 14 + clamp(Math.log2(intensity) / 14) * (w - 28);
    const up = (intensity) => foot - (Math.log2(clamp(intensity, 1, ridge)) / Math.log2(ridge)) * (foot - top);
    const perByte = (work, moved) => (work * peak) / (moved * bandwidth);
    const decoding = (cost) => perByte(computed(cost), fetched(cost));
    m.title = words(x, y + letters, letters, "Speed, by FLOPs for each byte", INK, { look: "sans strong" });
    m.batches = words(x + w, y + letters, letters, narrow ? "grey: 1 to 512 at once" : "grey: 1, 2, 4 to 512 sequences", SOFT, { anchor: "end", look: "sans", o: narrow && w < 340 ? 0 : 1 });
    m.peak = words(x + w, top - 20, letters, `${said(Math.round(peak / 1e12))} TFLOPs a second; the roof turns at ${Math.round(ridge)}`, SOFT, { anchor: "end", look: "sans" });
    m.roof = { as: "curve", points: [[across(1), foot], [across(ridge), top], [x + w - 14, top]], stroke: INK, sw: 3 };
    for (let power = 0; power <= 14; power += narrow ? 4 : 2) m[`tick${power}`] = words(across(2 ** power), foot + 1.4 * letters, letters, said(2 ** power), SOFT, { anchor: "middle", look: "sans" });
    for (const k of range(10)) m[`batch${k}`] = { as: "circle", x: across(decoding(this.costOf(this.tokens, 2 ** k))), y: up(decoding(this.costOf(this.tokens, 2 ** k))), r: 4, fill: SOFT, o: 0.5 };
    const cost = this.costOf();
    const [mine, prompt] = [decoding(cost), perByte(cost.prompt_matrices + cost.prompt_attention, cost.prompt_weights)];
    m.prompt = { as: "circle", x: across(prompt), y: up(prompt), r: 7, fill: "var(--paper)", stroke: INK, sw: 3 };
    m["prompt.name"] = words(clamp(across(prompt), x + 40, x + w - 40), up(prompt) + 26, letters, "prefill", INK, { anchor: "middle", look: "sans", free: true });
    m.mine = { as: "circle", z: 2, x: across(mine), y: up(mine), r: 8, fill: ASKS };
    const late = across(mine) > x + 0.55 * w;
    m["mine.name"] = words(across(mine) + (late ? -14 : 14), up(mine) + (late ? 28 : 8), letters, `${mine.toFixed(1)}: ${Math.ceil(100 * Math.min(mine / ridge, 1))} % of the peak`, ASKS, { anchor: late ? "end" : "start", look: "sans strong", free: true });
  }

  /** What lies in memory to train on the tokens of a step. */
  training(m, { x, y, w, h, narrow }, cost) {
    const letters = narrow ? 12 : 16;
    const tokens = this.tokens * this.is.texts;
    const { recomputed, activations, ...others } = training(this.model, tokens);
    const total = sum(Object.values(others));
    const rows = this.model.experts ? [["", 0]] : [["all activations kept", activations], ["recomputed", recomputed]];
    const scale = w / Math.max(total + Math.max(...rows.map(([, each]) => each)), cost.memory);
    m.title = words(x, y + letters, letters, `To train on ${said(tokens)} tokens a step`, INK, { look: "sans strong" });
    const high = clamp(h / 6, 24, 56);
    rows.forEach(([name, kept], k) => {
      const top = y + 3 * letters + k * (high + 3 * letters);
      m[`kept${k}`] = words(x, top + letters, letters, `${name} ${bytes(total + kept)}`.trim(), SOFT, { look: "sans" });
      let across = x;
      for (const [look, size] of [...Object.entries(others), ["activations", kept]]) {
        this.part(m, `part${k}.${look}`, { x: across, y: top + letters + 8, w: size * scale, h: high }, look, look, letters);
        across += size * scale;
      }
      const end = x + cost.memory * scale;
      m[`mark${k}`] = rule(end, top + letters + 4, end, top + letters + 12 + high, { z: 2, stroke: total + kept > cost.memory ? WRONG : INK, sw: 3 });
    });
    m.memory = words(x, y + h - letters, letters, `The mark: ${bytes(cost.memory)} of memory. In order: weights, gradients, AdamW, logits${this.model.experts ? "" : ", activations"}`, SOFT, { look: "sans", o: narrow ? 0 : 1 });
  }
}
