// The line of one word through a language model: what each half of a block adds to it, and what the model would say.

import { ASKS, INK, SOFT, big, pressed, ring, rule, sentence, words } from "../marks.js";
import Running, { BLOCKS, guessAt, hueOf, levelsOf, model, run, shareOf, sharesAt, textOf } from "../running.js";
import { clamp, range, sum, two } from "../stage.js";

const KINDS = ["rich", "muddy"]; // as the rows of the page's outputs
const TOLD = ["water", "money", "there"]; // their columns
const HEADS = [0, 1];
const PARTS = BLOCKS.flatMap((block) => ["attention", "MLP", "plus"].map((name) => [block, name]));
const partsOf = (block, name) => (name === "attention" ? HEADS.map((head) => `${block}.${head}`) : [`${block}.${name.toLowerCase()}`]);
const PRINTED = 4; // numbers of a line

export default class Block extends Running {
  least = { side: 17 }; // sixteen numbers in a row, each as high as the drawing

  constructor({ said }) {
    super();
    this.printed = said;
    this.reset();
  }

  reset() {
    super.reset();
    this.pick = 1;
  }

  /** What the halves of the first block make of the last word. */
  get halves() {
    const { streams, layers } = run(this.words);
    const [{ heads, mid, hidden, note }] = layers;
    const [x, heard] = [streams[0].at(-1), mid.at(-1)];
    const attention = x.map((_, e) => sum(heads.map((head) => head.note.at(-1)[e])));
    const copy = (vector, gain) => vector.map((number, e) => (model.w[`blocks.0.${gain}`][e] * number) / Math.sqrt(sum([...vector].map((each) => each * each)) / vector.length));
    return { x, copy: copy(x, "norm1"), attention, heard, fires: hidden.at(-1), note: note.at(-1), stream: streams[1].at(-1) };
  }

  get tensors() {
    if (!model) return {};
    const { x, copy, attention, heard } = this.halves;
    const ends = KINDS.map((kind) => levelsOf(run(textOf(kind, this), { off: this.missing })).at(-1));
    const ways = KINDS.map((kind) => levelsOf(run(textOf(kind, this))));
    return {
      said: levelsOf(run(this.words)).map((x) => this.printed.columns.map((word) => shareOf(sharesAt(x), word))),
      parts: [x, copy, attention, heard].map((row) => [...row.slice(0, PRINTED)]),
      money: ways[0].map((_, level) => ways.map((way) => shareOf(sharesAt(way[level]), "money"))),
      answers: ends.map((x) => TOLD.map((word) => shareOf(sharesAt(x), word))),
    };
  }

  placeOf(output, word) {
    return [KINDS, TOLD].map((names) => names.indexOf(word)).find((place) => place >= 0) ?? -1;
  }

  press(what) {
    const [kind, block, name] = what.split(" ");
    if (kind === "part") this.turn(partsOf(block, name));
    else this.pick = Number(block);
    return kind === "part" ? `hit${block}.${name}` : `h${block}`;
  }

  pressed(output, place) {
    return output === "parts" ? this.press(`number ${place[1]}`) : undefined;
  }

  lit(output) {
    return output === "parts" ? [3, this.pick] : [];
  }

  step(state, across) {
    return ["added", "alone"].includes(state) ? this.press(`number ${clamp(this.pick + across, 0, 15)}`) : undefined;
  }

  *tries() {
    for (const name of ["attention", "MLP", "plus"]) yield () => BLOCKS.forEach((block) => this.turn(partsOf(block, name)));
  }

  isOff(block, name) {
    return partsOf(block, name).every((part) => this.missing.has(part));
  }

  told(state) {
    if (!model) return "";
    const { x, attention, heard, note, stream } = this.halves;
    const e = this.pick;
    if (state === "added") return `Number ${e}: ${two(x[e])} and ${two(attention[e])} of attention are ${two(heard[e])}.`;
    if (state === "alone") return `Number ${e}: ${two(heard[e])} and ${two(note[e])} of the MLP are ${two(stream[e])}.`;
    const off = PARTS.filter(([block, name]) => this.isOff(block, name)).map(([block, name]) => `${name} ${block + 1}`);
    const kinds = state === "line" ? [this.kind] : KINDS;
    const said = kinds.map((kind) => `${kind} bank: ${this.way(kind, state).map(({ word, share }) => `${word} ${two(share)}`).at(-1)}`);
    return `${off.length && state === "off" ? `Without ${off.join(", ")}. ` : ""}${said.join("; ")}.`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------
  layout(state, W, H, isStill = false) {
    const [m, narrow] = [{}, W < 560 || H < 440];
    if (model || state === "line") this[state](m, { W, H, narrow, pad: narrow ? 14 : 48, isStill });
    return m;
  }

  /** The best guess before each half, and behind all of them. */
  way(kind, state) {
    if (!model) return this.first;
    const off = state === "off" ? this.missing : new Set();
    return levelsOf(run(textOf(kind, this), { off })).map((x) => ({ x, ...guessAt(x) }));
  }

  /** The same as the page has printed it, for the text that it begins with. */
  get first() {
    const { values, columns } = this.printed;
    const best = (row) => Math.max(...row);
    return values.map((row) => ({ word: columns[row.indexOf(best(row))], share: best(row), hue: hueOf(columns[row.indexOf(best(row))]) }));
  }

  /** Numbers as bars that stand on a line, or hang from it. */
  bars(m, name, values, { x, w, y, high, most, on }) {
    const step = w / values.length;
    m[`line.${name}`] = rule(x, y, x + w, y);
    [...values].forEach((value, e) => {
      const h = Math.max(1, (high * Math.abs(value)) / most);
      m[`${name}.${e}`] = { as: "rect", x: x + e * step + step * 0.12, y: value > 0 ? y - h : y, w: step * 0.76, h, r: 1, fill: e === on ? ASKS : INK, look: value < 0 && e !== on ? "less" : "" };
    });
  }

  line(m, size) {
    const { W, narrow, pad, isStill } = size;
    const list = this.words;
    const letters = narrow ? 17 : 26;
    const rows = narrow ? [list.slice(0, 8), list.slice(8)] : [list];
    let k = 0;
    rows.forEach((row, n) => {
      const part = {};
      const first = k;
      const swaps = Object.fromEntries(Object.entries(this.swaps).map(([place, each]) => [place - first, each]));
      sentence(part, { list: row, x: pad, y: (narrow ? 22 : 48) + n * 24, size: letters, asks: list.length - 1 - first, swaps, still: isStill });
      for (const [name, mark] of Object.entries(part)) {
        const place = Number(name.match(/\d+$/)[0]) + first;
        if (mark.press) Object.assign(mark, { press: `word ${place}`, h: narrow ? 30 : 44, y: mark.y + (narrow ? 6 : 0) });
        m[name.replace(/\d+$/, place)] = mark;
      }
      k += row.length;
    });
    this.chain(m, { ...size, top: narrow ? 54 : 74 }, [this.kind], "line");
  }

  stacked(m, size) {
    this.chain(m, { ...size, top: size.narrow ? 34 : 84 }, KINDS, "stacked");
  }

  off(m, size) {
    this.chain(m, { ...size, top: size.narrow ? 34 : 84 }, KINDS, "off");
  }

  /** The line of the last word from top to bottom, with the parts that add to it at its left. */
  chain(m, size, kinds, state) {
    const { W, H, narrow, pad, top } = size;
    const [chip, gap] = narrow ? [66, 14] : [112, 36];
    const step = (H - top - (narrow ? 4 : 24)) / 5;
    const rail = pad + chip + gap;
    const levels = range(5).map((k) => top + step * (k + 0.5));
    m.rail = rule(rail, levels[0], rail, levels[4], { stroke: INK, sw: narrow ? 2 : 3 });
    m.start = words(pad, levels[0] + 5, narrow ? 12 : 16, "at the start", SOFT, { look: "sans" });
    m.end = words(pad, levels[4] + 5, narrow ? 12 : 16, "at the end", SOFT, { look: "sans" });
    for (const [block, name] of PARTS) this.part(m, { ...size, block, name, chip, rail, step, levels }, state);
    const left = rail + gap;
    const wide = (W - pad - left) / kinds.length;
    kinds.forEach((kind, k) => {
      const x = left + k * wide;
      const key = kinds.length > 1 ? kind : this.kind;
      if (kinds.length > 1) m[`kind.${key}`] = words(x, narrow ? 22 : 56, narrow ? 14 : 22, `${kind} bank`, INK, { look: "strong" });
      this.way(kind, state).forEach(({ x: line, word, share, hue }, level) => {
        const guess = narrow ? 84 : 156;
        const bars = wide - guess - (narrow ? 0 : 16);
        if (kinds.length === 1) m[`share${level}`] = { as: "rect", x, y: levels[level] - (narrow ? 5 : 9), w: Math.max(2, bars * Number(two(share))), h: narrow ? 10 : 18, r: 3, fill: hue };
        else if (bars > 60) this.bars(m, `${key}${level}`, line, { x, w: bars, y: levels[level], high: step * 0.46, most: 7 });
        m[`guess.${key}${level}`] = words(bars > 60 ? x + bars + (narrow ? 8 : 16) : x, levels[level] + (narrow ? 5 : 8), narrow ? 14 : 24, [[word, hue], [` ${two(share)}`, SOFT]], hue, { look: level === 4 ? "strong" : "" });
      });
    });
  }

  /** Attention or the MLP of a block as a chip beside the line, or its pluses on the line. */
  part(m, { narrow, pad, isStill, block, name, chip, rail, step, levels }, state) {
    const key = `${block}.${name}`;
    const isOff = state === "off" && this.isOff(block, name);
    const hit = (box, rest) => state === "off" && !isStill && pressed(`part ${block} ${name}`, box, `${name} of block ${block + 1}`, { on: !isOff, stop: true, ...rest });
    if (name === "plus") {
      const places = [0, 1].map((half) => levels[2 * block + half] + step / 2);
      const r = narrow ? 9 : 14;
      places.forEach((y, half) => {
        m[`plus${key}${half}`] = { as: "circle", x: rail, y, r, fill: "var(--panel)", stroke: INK, sw: 2, dash: isOff ? "3 3" : undefined };
        m[`sign${key}${half}`] = words(rail, y + r * 0.55, r * 1.7, isOff ? "" : "+", INK, { z: 2, anchor: "middle", look: "sans" });
      });
      const side = narrow ? 28 : 44;
      const target = hit({ x: rail - side / 2, y: places[0] - side / 2, w: side, h: places[1] - places[0] + side }, { r: side / 2 });
      if (target) m[`hit${key}`] = target;
      return;
    }
    const [y, h] = [levels[2 * block + Number(name === "MLP")] + step / 2, narrow ? 26 : 40];
    m[`way${key}`] = rule(pad + chip, y, rail, y, { stroke: isOff ? SOFT : INK, sw: 2, dash: isOff ? "3 4" : undefined });
    m[`part${key}`] = { as: "rect", x: pad, y: y - h / 2, w: chip, h, r: 8, fill: isOff ? "none" : "var(--paper)", stroke: isOff ? SOFT : INK, sw: 2, dash: isOff ? "4 4" : undefined };
    m[`name${key}`] = words(pad + chip / 2, y + (narrow ? 4 : 6), narrow ? 13 : 18, name, isOff ? SOFT : INK, { z: 2, anchor: "middle", look: "sans" });
    const target = hit({ x: pad - 2, y: y - 22, w: chip + 4, h: 44 });
    if (target) m[`hit${key}`] = target;
  }

  added(m, size) {
    const { x, copy, attention, heard } = this.halves;
    const rows = [["x", "x", x], ["copy", "norm1(x)", copy], ["note", "attention", attention], ["heard", "heard", heard]];
    this.rows(m, size, rows, [x, attention, heard], [0, 3]);
  }

  alone(m, size) {
    const { heard, fires, note, stream } = this.halves;
    const rows = [["heard", "heard", heard], ["fires", "32 neurons", fires], ["mlp", "MLP", note], ["stream", "stream", stream]];
    this.rows(m, size, rows, [heard, note, stream], [0, 3]);
  }

  /** A sum, number by number, with what it is made of. */
  rows(m, { W, H, narrow, pad, isStill }, rows, terms, guessed) {
    const top = narrow ? 42 : 128;
    const step = (H - top - (narrow ? 6 : 30)) / 4;
    const [x, e] = [pad + (narrow ? 76 : 132), this.pick];
    const w = W - pad - x;
    const most = Math.max(...rows.flatMap(([, , values]) => [...values].map(Math.abs)));
    rows.forEach(([key, label, values], k) => {
      const y = top + step * (k + 0.5);
      this.bars(m, key, values, { x, w, y, high: step * 0.46, most, on: values.length === 16 ? e : undefined });
      m[`label.${key}`] = words(pad, y + (narrow ? 0 : 2), narrow ? 13 : 19, label, INK, { look: "strong" });
      if (!guessed.includes(k)) return;
      const { word, share, hue } = guessAt(values);
      m[`guess.${key}`] = words(pad, y + (narrow ? 17 : 28), narrow ? 13 : 19, [[word, hue], [` ${two(share)}`, SOFT]], hue);
    });
    const [first, more, whole] = terms.map((values) => two(values[e]));
    m.big = big(W - pad, narrow ? 32 : 76, narrow ? 28 : 60, whole);
    m.terms = words(pad, narrow ? 30 : 70, narrow ? 14 : 24, [[`number ${e}:  `, SOFT], [`${first} + ${more} =`.replace("+ −", "− "), INK]], INK, { look: "sans" });
    range(16).forEach((k) => {
      const box = { x: x + (k * w) / 16, y: top, w: w / 16, h: 4 * step };
      if (k === e) m.ring = ring(box, ASKS, 1, 0);
      const said = `number ${k}: ${terms.map((values) => two(values[k])).join(", ")}`;
      if (!isStill) m[`h${k}`] = pressed(`number ${k}`, box, said, { on: k === e, stop: k === e });
    });
  }
}
