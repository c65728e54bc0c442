// The model writes: a word is drawn by its share, put at the end, and the model reads again. A temperature makes the
// shares sharper or flatter.

import { calm } from "../../dom.js";
import { load, read, softmax, unembed } from "../../tiny_lm/read.js";
import { INK, SOFT, big, button, rail, width, words } from "../marks.js";
import { clamp, two } from "../stage.js";
import { cells } from "./surprises.js";

const BEGIN = "the duck likes the".split(" ");
const SENTENCES = 2; // of a story
const PAUSE = 350; // milliseconds between two words
const [LEAST, MOST] = [0.1, 2]; // temperatures

/** The draws are the same for each reader, until one leaves the page: Park and Miller 1988, corrected 1993. */
function drawer(state = 12345) {
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

export default class Writes {
  /** @param numbers `shares`: what the model has said of the first text; `written`: some of them */
  constructor({ shares, written }) {
    [this.vocabulary, this.first, this.columns] = [shares.columns, shares.values[BEGIN.length], written.columns];
    [this.random, this.logits] = [drawer(), {}];
    this.reset();
  }

  /** Fetch the model. */
  async load() {
    this.model = await load();
  }

  reset() {
    this.run = undefined;
    [this.text, this.temperature, this.verdict] = [[...BEGIN], 1, ""];
  }

  get words() {
    return this.vocabulary;
  }

  get changed() {
    return false; // words are taken back
  }

  get tensors() {
    const shares = this.after(BEGIN); // the output and the task are about this text
    return { written: this.columns.map((word) => shares[this.vocabulary.indexOf(word)]) };
  }

  placeOf(output, word) {
    return this.columns.indexOf(word);
  }

  /** The share of each word as the next one; before the model has come, what the page has printed. */
  after(text) {
    if (!this.model) return this.first;
    const ids = ["<", ...text].map((word) => this.vocabulary.indexOf(word));
    this.logits[text] ??= unembed(this.model, read(this.model, ids).streams.at(-1).at(-1));
    return [...softmax(this.logits[text], this.temperature)];
  }

  get shares() {
    return this.after(this.text);
  }

  get isOver() {
    return this.text.filter((word) => word === ".").length >= SENTENCES;
  }

  get isFull() {
    return this.isOver || this.text.length >= this.model.length - 1; // the start takes a place
  }

  // ---- what a reader does -------------------------------------------------------------------------------------
  /** A word by its share, the largest first. */
  drawn() {
    let left = this.random();
    const { shares } = this;
    const order = [...shares.keys()].sort((a, b) => shares[b] - shares[a]);
    return order.find((id) => (left -= shares[id]) < 0) ?? order[0];
  }

  add(id) {
    if (this.isFull || this.vocabulary[id] === "<") return;
    this.text = [...this.text, this.vocabulary[id]];
    if (this.isFull) this.judge(this.text).catch(console.warn);
  }

  /** Say of a text that is over whether it is a story of the model's world. */
  async judge(text) {
    this.stories ??= fetch(new URL("../../tiny_lm/world.json", import.meta.url)).then((answer) => answer.json());
    const ids = ["<", ...text].map((word) => this.vocabulary.indexOf(word)).join();
    const found = (await this.stories).stories.some((story) => story.ids.join() === ids);
    if (text !== this.text) return;
    this.verdict = found ? "a story of its world" : "no story of its world";
    this.redraw?.();
  }

  /** Draw word after word, to the end of the story. */
  async rest() {
    const mine = (this.run = {});
    if (this.isFull) this.again();
    while (this.run === mine && !this.isFull) {
      this.add(this.drawn());
      this.redraw?.();
      if (!calm.matches) await new Promise((ready) => setTimeout(ready, PAUSE));
    }
  }

  again() {
    [this.text, this.verdict] = [[...BEGIN], ""];
  }

  press(what) {
    const [kind, id] = what.split(" ");
    this.run = undefined;
    if (!this.model) return;
    if (kind === "put") this.add(Number(id));
    else if (kind === "draw") this.add(this.drawn());
    else if (kind === "rest") this.rest();
    else if (this.text.length > 1) [this.text, this.verdict] = [this.text.slice(0, -1), ""];
    return kind === "put" ? `h${this.best}` : `${kind}.hit`;
  }

  step(state, across, down) {
    const columns = 8; // words below each other
    const focused = Number(document.activeElement?.dataset.press?.split(" ")[1] ?? this.best);
    return `h${clamp(focused + across * columns + down, 0, this.vocabulary.length - 1)}`;
  }

  warm(temperature) {
    this.temperature = Math.round(10 * clamp(temperature, LEAST, MOST)) / 10;
  }

  drag(hold, x) {
    this.warm(LEAST + ((x - this.line.x) / this.line.w) * (MOST - LEAST));
  }

  nudge(hold, across, down) {
    this.warm(this.temperature + (across - down) / 10);
  }

  *tries() {
    for (const temperature of [LEAST, MOST]) yield () => this.warm(temperature);
  }

  get best() {
    return this.shares.indexOf(Math.max(...this.shares));
  }

  told() {
    const text = this.text.join(" ").replaceAll(" .", ".");
    if (this.isFull) return `${text}: ${this.verdict}.`;
    const word = this.vocabulary[this.best];
    return `${text} … At temperature ${this.temperature}, “${word}” has ${two(this.shares[this.best])}.`;
  }

  // ---- what is drawn ------------------------------------------------------------------------------------------
  layout(state, W, H, isStill = false) {
    const [m, narrow] = [{}, W < 560 || H < 440];
    this[state](m, { W, H, narrow, pad: narrow ? 14 : 56, isStill });
    return m;
  }

  write(m, { W, H, narrow, pad, isStill }) {
    const size = narrow ? 15 : Math.min(28, (W - 2 * pad) / 20);
    this.flow(m, { x: pad, y: narrow ? 20 : 60, w: W - 2 * pad, size });
    const over = this.model && this.isFull;
    const [base, word] = [narrow ? 68 : 168, this.vocabulary[this.best]];
    if (!over) m.big = big(W - pad, base, narrow ? 26 : 56, two(this.shares[this.best]));
    const said = over ? [[this.verdict, INK]] : [["most likely: ", SOFT], [word === "." ? "the full stop" : `“${word}”`, INK]];
    m.line = words(pad, base - (narrow ? 4 : 8), narrow ? 14 : 20, said, INK, { look: over ? "sans strong" : "sans" });
    const [top, foot] = [base + (narrow ? 6 : 24), H - (narrow ? 68 : 128)];
    const press = !isStill && !narrow && !over;
    cells(m, this.vocabulary, over ? this.shares.map(() => 0) : this.shares, { x: pad, y: top, w: W - 2 * pad, h: foot - top, size: narrow ? 12 : 17, on: over ? -1 : this.best, press });
    this.controls(m, { W, H, narrow, pad, isStill, over });
    this.line = { x: pad + 14, w: W - 2 * pad - 28 };
    const at = (this.temperature - LEAST) / (MOST - LEAST);
    const value = [this.temperature, LEAST, MOST, `${this.temperature}, “${word}” has ${two(this.shares[this.best])}`];
    rail(m, { ...this.line, y: H - (narrow ? 18 : 38), at, hold: "warm", said: "The temperature", value, still: isStill });
  }

  controls(m, { W, H, narrow, pad, isStill, over }) {
    const [y, h, size, gap] = narrow ? [H - 64, 28, 13, 5] : [H - 112, 38, 16, 12];
    const widths = narrow ? [50, 92, 50] : [140, 150, 110];
    const texts = narrow ? ["draw", over ? "another story" : "to the end", "back"] : ["draw a word", over ? "another story" : "to the end", "take back"];
    let x = pad;
    ["draw", "rest", "back"].forEach((name, k) => {
      button(m, name, name, texts[k], { x, y, w: widths[k], h, size, full: k === 0, still: isStill || !this.model });
      x += widths[k] + gap;
    });
    m.warm = words(W - pad, y + h * 0.66, narrow ? 13 : 18, `${narrow ? "temp." : "temperature"} ${this.temperature.toFixed(1)}`, INK, { anchor: "end", look: "sans strong" });
  }

  /** The text in lines, and the place of the word that is to come. */
  flow(m, { x, y, w, size }) {
    let [left, line] = [x, y];
    [...this.text, this.model && this.isFull ? "" : "…"].forEach((word, k) => {
      const wide = width(word, size);
      if (k && word !== ".") left += 0.3 * size;
      if (left + wide > x + w) [left, line] = [x, line + size * 1.3];
      m[`word${k + 1}`] = words(left, line, size, word, word === "…" ? SOFT : INK, { w: word && word !== "…" ? wide : undefined });
      left += wide;
    });
  }
}
