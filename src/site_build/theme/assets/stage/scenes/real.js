// A word in two sentences, as a real model reads it: they differ in another word, which attention brings to it. Its two
// paths through the layers, the heads that make them part, and where a head looks.

import { ASKS, CELL, INK, RULE, SOFT, big, pressed, ring, rule, width, words } from "../marks.js";
import { clamp, range, two } from "../stage.js";
import prepared from "../../minilm/shown.js";

const [LAYERS, HEADS] = [6, 12];
const LEAST = 0.1; // apart; below, it proves nothing
const MARKS = ["[CLS]", "[SEP]"];
const plain = (token) => ({ "[CLS]": "start", "[SEP]": "end", "[UNK]": "unknown" })[token] ?? token.replace("##", "");
const share = (thousandths) => thousandths / 1000;
const byLayer = ([one, other]) => one.map((number, k) => [number, other?.[k]]);
const apart = ([one, other]) => one.map((sense, k) => Math.abs(sense - other[k]));

/** A pair as the measured file has it. */
function unpacked({ at, looks, changes, ...pair }) {
  const without = range(LAYERS).map((l) =>
    range(HEADS).map((h) => pair.paths.map((path, s) => path.map((sense, k) => sense + share(changes[s][l][h][k])))));
  const same = range(pair.tokens[0].length).filter((k) => pair.tokens[0][k] === pair.tokens[1][k]);
  return { ...pair, at: [at, at], same: same.map((k) => [k, k]), looks: looks.map((each) => each.map((layer) => layer.map((head) => head.map(share)))), without };
}
const FIRST = unpacked(prepared);

export default class Real {
  least = { side: 19 }; // twelve heads in a row, and six rows above two sentences

  constructor() {
    this.pairs = [FIRST];
    this.reset();
  }

  /** The other pairs are fetched when somebody goes on. */
  async later() {
    if (!this.isLive || this.asked) return;
    this.asked = true;
    const { default: others } = await import("../../minilm/others.js");
    this.pairs.push(...others.map(unpacked));
    const { bind } = await import("../../minilm/own.js");
    bind(document.querySelector(".own-sentence"), this, this.change);
  }

  reset() {
    [this.pair, this.layer, this.head, this.off] = [this.pairs[0], LAYERS - 1, [0, 2], false];
  }

  get changed() {
    return this.pair !== this.pairs[0] || this.layer !== LAYERS - 1 || this.off || String(this.head) !== "0,2";
  }

  // ---- what is so -------------------------------------------------------------------------------------------
  /** The two paths without a head, as far as they are known. */
  without(layer, head) {
    return this.pair.without[layer][head];
  }

  get now() {
    return (this.off && this.without(...this.head)) || this.pair.paths;
  }

  get isClear() {
    return Number(two(apart(this.pair.paths)[LAYERS])) >= LEAST; // as it is written
  }

  get looks() {
    const [layer, head] = this.head;
    return this.pair.looks.map((each) => each[layer][head]);
  }

  get tensors() {
    const { paths, rest } = this.pair;
    const first = this.pair === FIRST ? this.now : FIRST.paths; // the task is about this pair
    return { paths: byLayer(paths), apart: byLayer([apart(paths), rest]), ends: [apart(first)[LAYERS], FIRST.rest[LAYERS]], looks: this.looks };
  }

  placeOf(output, word) {
    return ["fan", "others"].indexOf(word);
  }

  /** The places of the words of which some piece is in one of the sentences alone. */
  differs(s) {
    const { tokens, same } = this.pair;
    const words = []; // the places of each
    tokens[s].forEach((token, k) => (token.startsWith("##") ? words.at(-1).push(k) : words.push([k])));
    return words.filter((places) => !places.every((k) => same.some((both) => both[s] === k)));
  }

  cue(s) {
    const words = this.differs(s).map((places) => places.map((k) => plain(this.pair.tokens[s][k])).join(""));
    const cue = words.join(" ") || ["the one", "the other"][s];
    return cue.length > 22 ? `${cue.slice(0, 20)} …` : cue;
  }

  // ---- what a reader does -----------------------------------------------------------------------------------
  choices() {
    return { words: this.pairs.map((pair) => this.labelOf(pair)), now: this.labelOf(this.pair) };
  }

  labelOf(pair) {
    return pair.isOwn ? "your own" : pair.word;
  }

  swap(place, label) {
    [this.pair, this.off] = [this.pairs.find((pair) => this.labelOf(pair) === label), false];
  }

  /** Show the reader's own pair. */
  show(pair) {
    this.pairs = [...this.pairs.filter(({ isOwn }) => !isOwn), { ...pair, isOwn: true }];
    [this.pair, this.off] = [this.pairs.at(-1), false];
  }

  press(what) {
    const [kind, ...place] = what.split(/[ .]/);
    if (kind === "follow") {
      this.follow(Number(place[0]));
      return "swaps";
    }
    if (kind === "off") this.off = !this.off;
    else if (kind === "layer") this.layer = Number(place[0]);
    else [this.head, this.off] = [place.map(Number), false];
    this.chosen?.();
    return kind === "off" ? "switch" : kind === "layer" ? `layer${place[0]}` : `h${place.join(".")}`;
  }

  step(state, across, down) {
    if (["paths", "others"].includes(state)) return this.press(`layer ${clamp(this.layer + across + down, 0, LAYERS - 1)}`);
    const [layer, head] = this.head;
    return this.press(`head ${clamp(layer + down, 0, LAYERS - 1)}.${clamp(head + across, 0, HEADS - 1)}`);
  }

  /** A number of an output is that of a layer; the first is before all. */
  pressed(output, place) {
    const layer = place[0] - 1;
    return ["paths", "apart"].includes(output) && layer >= 0 ? this.press(`layer ${layer}`) : undefined;
  }

  lit() {
    return [];
  }

  *tries() {
    for (const layer of range(LAYERS))
      for (const head of range(HEADS))
        yield () => {
          this.press(`head ${layer}.${head}`);
          this.press("off");
        };
  }

  told(state) {
    const { word, paths, rest, tokens, at } = this.pair;
    const [whole, now, name] = [apart(paths), apart(this.now), this.head.join(".")];
    if (state === "looking") {
      const told = this.looks.map((look, s) => `after ${this.cue(s)}, ${look.map((weight, k) => [weight, plain(tokens[s][k])]).filter(([weight]) => weight >= 0.05).map(([weight, token]) => `${token} ${two(weight)}`).join(", ")}`);
      return `In head ${name}, ${plain(tokens[0][at[0]])} looks at these words: ${told.join("; ")}.`;
    }
    const k = this.layer + 1;
    if (["paths", "others"].includes(state)) return `After layer ${this.layer}, ${word} is at ${[0, 1].map((s) => `${two(paths[s][k])} with ${this.cue(s)}`).join(" and at ")}, ${two(whole[k])} apart${rest ? `, and the other words ${two(rest[k])}` : ""}.`;
    if (!this.isClear) return `The two paths of ${word} end ${two(whole[LAYERS])} apart. Below ${two(LEAST)}, that means nothing.`;
    const without = this.without(...this.head);
    if (!without) return `Head ${name} is not measured yet.`;
    return `${this.off ? "Without" : "Head"} ${name}${this.off ? "" : " is on. Without it"}, the two end ${two(this.off ? now[LAYERS] : apart(without)[LAYERS])} apart instead of ${two(whole[LAYERS])}.`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------
  layout(state, W, H, isStill = false) {
    const narrow = W < 560 || H < 440;
    const [m, pad] = [{}, narrow ? 14 : 44];
    const size = { W, H, narrow, pad, top: narrow ? 80 : 148, isStill };
    this.sentences(m, size);
    this[state](m, size);
    return m;
  }

  sentences(m, { W, narrow, pad, isStill }) {
    const { tokens, at, same, isOwn } = this.pair;
    const texts = tokens.map((list) => list.map((token, k) => [token, k]).filter(([token]) => !MARKS.includes(token)));
    const long = ([token], size) => width(plain(token), size) * 1.05;
    const gap = (token, k) => (k && !token.startsWith("##") && !/^[.,;:!?')]$/.test(token) ? 0.28 : 0);
    const lengths = texts.map((text) => text.reduce((total, [token], k) => total + long([token], 1) + gap(token, k), 0));
    const size = Math.min(narrow ? 18 : 30, (W - 2 * pad - (narrow ? 112 : 170)) / Math.max(...lengths));
    texts.forEach((text, s) => {
      const [changed, y] = [this.differs(s).flat(), (narrow ? 22 : 52) + s * (narrow ? 24 : 42)];
      let x = pad;
      text.forEach(([token, place], k) => {
        x += gap(token, k) * size;
        const [w, follows] = [long([token], size), place === at[s]];
        const fill = follows ? ASKS : changed.includes(place) ? INK : SOFT;
        m[`word${s}.${k}`] = words(x, y, size, plain(token), fill, { w, look: fill === SOFT ? "" : "strong" });
        if (follows && !s && !isStill) {
          m.swap = rule(x, y + size * 0.24, x + w, y + size * 0.24, { stroke: SOFT, sw: 2, dash: "2 4" });
          m.swaps = pressed("word 0", { x: x - 6, y: y - 28, w: w + 12, h: 44 }, `${plain(token)}: swap the two sentences`, { stop: true });
        }
        const both = isOwn && !follows && !token.startsWith("##") && same.find((both) => both[s] === place);
        if (both) m[`follow${s}.${k}`] = pressed(`follow ${both[0]}`, { x: x - 2, y: y - size * 0.9, w: w + 4, h: size * 1.3 }, `follow ${plain(token)}`, { stop: !s });
        x += w;
      });
    });
  }

  /** The number that matters: how far apart. */
  number(m, { W, narrow, pad }, number, line) {
    // Under the button "As printed".
    m.big = big(W - pad, narrow ? 72 : 112, narrow ? 26 : 60, two(number));
    m.line = words(W - pad - (narrow ? 58 : 0), narrow ? 72 : 136, narrow ? 12 : 16, line, SOFT, { anchor: "end", look: "sans" });
  }

  /** The paths, from the top down: to the right of 0 the nearer to the one sense, to the left the nearer to the other. */
  plot(m, { narrow, top }, { x, w, y, h, layers = true }) {
    const { paths, senses, word } = this.pair;
    const now = this.now;
    const all = [...paths, ...now].flat();
    const [low, high] = [Math.min(...all, -0.02) - 0.03, Math.max(...all, 0.02) + 0.03];
    const left = x + (layers ? (narrow ? 20 : 64) : 0);
    const px = (sense) => left + ((sense - low) / (high - low)) * (x + w - left);
    const py = (k) => y + (k * h) / LAYERS;
    const small = narrow ? 12 : 15;
    const names = senses.map((names) => names.trim().split(/[\s,]+/).slice(0, 3).join(", "));
    m.other = words(left, y - (narrow ? 26 : 40), small, `← ${names[1]}`, INK, { look: "sans" });
    m.one = words(x + w, y - (narrow ? 11 : 18), small, `${names[0]} →`, INK, { anchor: "end", look: "sans" });
    m.zero = rule(px(0), y, px(0), y + h, { dash: "2 5" });
    m["zero.name"] = words(px(0) + 4, y + h - 5, small, "0", SOFT, { look: "sans" });
    for (const k of range(LAYERS)) {
      m[`name${k}`] = words(x, py(k + 0.5) + 5, small, narrow ? String(k) : `layer ${k}`, SOFT, { look: "sans", o: layers ? 1 : 0 });
      m[`band${k}`] = { as: "rect", z: 0, x, y: py(k) + 1, w, h: h / LAYERS - 2, r: 6, fill: CELL, o: this.picksLayers && k === this.layer ? 1 : 0 };
      if (this.picksLayers) m[`layer${k}`] = pressed(`layer ${k}`, { x, y: py(k) + 1, w, h: h / LAYERS - 2 }, `layer ${k}`, { on: k === this.layer, stop: k === this.layer });
      paths.forEach((path, s) => {
        const line = (senses) => ({ as: "ribbon", x0: px(senses[k]), y0: py(k), x: px(senses[k + 1]), y: py(k + 1) });
        m[`was${s}.${k}`] = { ...line(path), w: 2, stroke: SOFT, dash: "3 5", z: 0, o: this.off ? 1 : 0 };
        m[`path${s}.${k}`] = { ...line(now[s]), w: narrow ? 3 : 4.5, stroke: ASKS };
        m[`dot${s}.${k}`] = { as: "circle", z: 2, x: px(now[s][k + 1]), y: py(k + 1), r: (narrow ? 3 : 4.5) * (k === LAYERS - 1 ? 1.7 : 1), fill: ASKS };
      });
    }
    m.start = { as: "circle", z: 2, x: px(paths[0][0]), y, r: narrow ? 5 : 8, fill: INK };
    const cues = [0, 1].map((s) => ({ s, x: px(now[s][LAYERS]), half: width(this.cue(s), small + 2) / 2 + 6 }));
    const [near, far] = cues.toSorted((a, b) => a.x - b.x);
    const over = Math.max(0, near.x + near.half + far.half - far.x);
    [near.x, far.x] = [near.x - over / 2, far.x + over / 2];
    for (const { s, x: middle, half } of cues)
      m[`cue${s}`] = words(clamp(middle, x + half, x + w - half), y + h + small + 10, small + 2, this.cue(s), INK, { anchor: "middle", look: "strong" });
    return py;
  }

  /** How far apart the word is after each layer, and under it the other words. */
  bars(m, { narrow }, { x, w, py, o = 1 }) {
    const { paths, rest, word } = this.pair;
    const own = apart(paths);
    const scale = (w - (narrow ? 30 : 50)) / Math.max(...own, ...(rest ?? [0]));
    const thick = narrow ? 7 : 13;
    for (const k of range(LAYERS).map((k) => k + 1))
      [own, rest ?? []].forEach((amounts, row) => {
        if (amounts[k] === undefined) return;
        const top = py(k) + (row ? 1 : -thick);
        m[`bar${row}.${k}`] = { as: "rect", x, y: top, w: Math.max(1.5, amounts[k] * scale), h: thick - 1, r: 2, fill: row ? SOFT : ASKS, o: row ? 0.6 * o : o };
        m[`amount${row}.${k}`] = words(x + amounts[k] * scale + 5, top + thick - (narrow ? -1 : 1), narrow ? 12 : 15, two(amounts[k]), row ? SOFT : INK, { look: "sans", o });
      });
    m.whose = words(x, py(0), narrow ? 12 : 16, [[word, ASKS], [rest ? ", the others" : "", SOFT]], ASKS, { look: "sans strong", o });
  }

  paths(m, size, bars = false) {
    this.picksLayers = true;
    const { W, H, narrow, pad, top } = size;
    const [y, wide] = [top + (narrow ? 40 : 60), W - 2 * pad];
    const py = this.plot(m, size, { x: pad, w: bars ? wide * 0.66 : wide, y, h: H - y - (narrow ? 34 : 56) });
    this.bars(m, size, { x: pad + wide * (bars ? 0.7 : 0.75), w: wide * 0.3, py, o: bars ? 1 : 0 });
    this.number(m, size, apart(this.pair.paths)[this.layer + 1], `apart after layer ${this.layer}`);
  }

  others(m, size) {
    this.paths(m, size, true);
  }

  /** Six rows of twelve heads: the darker one is, the nearer the two paths end without it. */
  grid(m, { isStill, narrow }, { x, y, c, h, o = 1 }) {
    const whole = apart(this.pair.paths)[LAYERS];
    for (const layer of range(LAYERS))
      for (const head of range(HEADS)) {
        const [name, without] = [`${layer}.${head}`, this.without(layer, head)];
        const ends = without && apart(without)[LAYERS];
        const carries = without && this.isClear ? clamp((1 - ends / whole) / 0.5) : 0;
        const [on, place] = [name === this.head.join("."), { x: x + head * c, y: y + layer * h + 1, w: c - 3, h: h - 3 }];
        m[`under${name}`] = { as: "rect", z: 0, ...place, r: 4, fill: CELL, stroke: RULE, sw: 1, o };
        m[`head${name}`] = { as: "rect", ...place, r: 4, fill: INK, o: o * carries };
        const said = `head ${name}${without && this.isClear ? `: without it ${two(ends)} apart` : ""}`;
        m[`h${name}`] = pressed(`head ${name}`, place, said, { on, stop: on });
        if (!on) continue;
        m.chosen = ring(place, ASKS, o, 0);
        m.struck = { as: "line", z: 2, x0: place.x, y0: place.y + place.h, x: place.x + place.w, y: place.y, stroke: ASKS, sw: 3, o: this.off ? o : 0 };
      }
    if (narrow) range(LAYERS).forEach((layer) => (m[`row${layer}`] = words(x - 14, y + (layer + 0.5) * h + 4, 12, String(layer), SOFT, { look: "sans" })));
  }

  heads(m, size) {
    this.picksLayers = false;
    const { W, H, narrow, pad, top, isStill } = size;
    const [whole, now] = [this.pair.paths, this.now].map((paths) => apart(paths)[LAYERS]);
    const known = this.without(...this.head);
    const y = top + (narrow ? 8 : 60);
    const foot = H - (narrow ? 52 : 84);
    const x = narrow ? pad + 16 : W * 0.5;
    const [c, h] = [(W - pad - x) / HEADS, (foot - y - (narrow ? 4 : 14)) / LAYERS];
    if (!narrow) this.plot(m, size, { x: pad, w: W * 0.5 - pad - 30, y, h: h * LAYERS });
    this.grid(m, size, { x, y, c, h });
    const [w, high] = narrow ? [150, 38] : [210, 44];
    const place = { x: narrow ? pad : x, y: foot + (narrow ? 6 : 12), w, h: high };
    const isOff = this.off && known;
    m.button = { as: "rect", ...place, r: high / 2, fill: isOff ? "none" : INK, stroke: INK, sw: 2, o: known ? 1 : 0.4 };
    m.buttoned = words(place.x + w / 2, place.y + high * 0.64, narrow ? 14 : 17, `head ${this.head.join(".")} ${isOff ? "off" : "on"}`, isOff ? INK : "var(--paper)", { z: 2, anchor: "middle", look: "sans strong" });
    if (!isStill) m.switch = pressed("off", place, `Switch head ${this.head.join(".")}`, { on: !isOff, stop: true, r: high / 2 });
    this.number(m, size, now, !this.isClear ? `below ${two(LEAST)}: proves nothing` : isOff ? `apart, not ${two(whole)}` : "apart at the end");
    if (!this.isClear) return;
    if (!narrow) m.dark = words(x, y - 18, 15, "the darker, the nearer without it", SOFT, { look: "sans" });
    else m.dark = words(W - pad, place.y + 24, 12, "darker: nearer without it", SOFT, { anchor: "end", look: "sans" });
  }

  /** On paper, no sentence is a reader's own. */
  own(m, size) {
    if (!size.isStill) this.heads(m, size);
  }

  /** Where the word looks in either sentence: arcs, as wide as the weights. Of a long one, the words that get something. */
  arcs(m, size, { x, w, y, h }, s) {
    const { tokens, at } = this.pair;
    const look = this.looks[s];
    const isLong = h / look.length < 16;
    const list = tokens[s].map((token, k) => ({ token, k })).filter(({ k }) => !isLong || k === at[s] || look[k] >= 0.02);
    const step = Math.min(size.narrow ? 24 : 44, h / list.length);
    const letters = Math.min(size.narrow ? 14 : 20, step * 0.7);
    const middle = (row) => y + (row + 0.5) * step;
    const own = list.findIndex(({ k }) => k === at[s]);
    const right = x + (size.narrow ? 34 : 56) + Math.max(...list.map(({ token }) => width(plain(token), letters) * 1.06)) + 8;
    list.forEach(({ token, k }, row) => {
      const [follows, isMark] = [k === at[s], MARKS.includes(token)];
      m[`n${s}.${k}`] = words(x, middle(row) + letters * 0.3, Math.max(12, letters * 0.85), look[k] >= 0.005 ? two(look[k]) : "", INK, { look: "sans" });
      m[`t${s}.${k}`] = words(x + (size.narrow ? 34 : 56), middle(row) + letters * 0.3, letters, plain(token), follows ? ASKS : isMark ? SOFT : INK, { look: follows ? "strong" : "" });
      m[`arc${s}.${k}`] = { as: "ribbon", x0: right, y0: middle(row), x: right, y: middle(own), w: Math.max(1, look[k] * step * 0.8), stroke: isMark ? SOFT : ASKS, bend: Math.min(x + w - right, step * (2 + Math.abs(row - own)) * 0.7), o: look[k] < 0.005 ? 0 : isMark ? 0.4 : 0.75 };
    });
  }

  /** On paper, no head is chosen from a table. */
  looking(m, size) {
    const { W, H, narrow, pad, top, isStill } = size;
    const between = narrow ? 10 : 36;
    const w = (W - 2 * pad - between) / 2;
    const [c, h] = [(W - 2 * pad - (narrow ? 16 : 0)) / HEADS, narrow ? 22 : 34];
    const y = H - (isStill ? 0 : LAYERS * h + (narrow ? 8 : 30));
    [0, 1].forEach((s) => this.arcs(m, size, { x: pad + s * (w + between), w, y: top + (narrow ? 0 : 30), h: y - top - (narrow ? 6 : 50) }, s));
    if (!isStill) this.grid(m, size, { x: pad + (narrow ? 16 : 0), y, c, h });
    const most = Math.max(...this.looks[0]);
    this.number(m, size, most, `of ${plain(this.pair.tokens[0][this.looks[0].indexOf(most)])}, head ${this.head.join(".")}`);
  }
}
