// The language model, live: the reader lets it write. It begins with the words of `start`.

import { read, softmax, unembed } from "./forward.js";
import { take, wanted } from "./own.js";

const BARS = 5;
const START = "<";

/** Make an element; text becomes text, whatever stands in it. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const button = (text, onclick, properties = {}) => make("button", { type: "button", onclick, ...properties }, text);
const two = (number) => number.toFixed(2);
const named = (word) => (word === START ? "start" : word);

class LanguageModel extends HTMLElement {
  connectedCallback() {
    this.begin().catch(console.warn); // without the numbers, the tables of the page remain
  }

  async begin() {
    Object.assign(this, await wanted());
    this.words = this.firstWords;
    this.temperature = Number(this.getAttribute("temperature"));
    this.draws = 12345;
    this.build();
    this.render();
    addEventListener("model-taken", async () => {
      Object.assign(this, await wanted());
      this.render();
    });
  }

  get firstWords() {
    return this.getAttribute("start").split(" ");
  }

  // ---- what stays ------------------------------------------------------------------------------

  build() {
    const act = (change) => (value) => {
      this.note = "";
      change(value);
      this.render();
    };
    const write = act((word) => this.write(word));
    const bars = Array.from({ length: BARS }, () => button("", ({ currentTarget }) => write(currentTarget.dataset.word)));
    const sayable = this.model.words.filter((word) => word !== START);
    const any = make("select", { onchange: () => write(any.value) }, ...["", ...sayable].map((word) => make("option", { value: word }, word || "…")));
    this.parts = {
      any,
      bars,
      words: make("p", { className: "model-words" }),
      told: make("p", { className: "model-told", role: "status" }),
      shown: make("output", {}, two(this.temperature)),
      whose: button("", () => take(!this.isOwn)),
    };
    const { parts } = this;
    const warm = make("input", { type: "range", min: 0.25, max: 2, step: 0.25, value: this.temperature });
    warm.oninput = act(() => {
      this.temperature = Number(warm.value);
      parts.shown.value = two(this.temperature);
    });
    const buttons = [
      button("write the largest", act(() => this.write(this.order(this.shares())[0]))),
      button("draw a word", act(() => this.write(this.draw()))),
      button("draw the rest", act(() => this.drawTheRest())),
      button("remove the last word", act(() => this.words.length > 1 && this.words.pop())),
      button("begin again", act(() => (this.words = this.firstWords))),
      ...(this.seed === undefined ? [] : [parts.whose]), // there is a choice once the reader has trained a model
    ];
    const says = [
      parts.told,
      make("div", { className: "model-bars" }, ...bars),
      make("label", {}, "Tap a bar to go on, or choose: ", any),
      make("div", { className: "model-buttons" }, ...buttons),
      make("label", {}, "temperature ", warm, " ", parts.shown),
    ];
    this.replaceChildren(make("div", { className: "model", role: "group", ariaLabel: "Let the model write" }, parts.words, make("div", { className: "model-says" }, ...says)));
  }

  // ---- what changes ----------------------------------------------------------------------------

  write(word) {
    if (!word) return;
    const { length } = this.model;
    if (this.words.length + 1 < length) this.words.push(word);
    else this.note = `There is no place for “${word}”: the model has learned ${length} places, and the start takes one.`;
  }

  /** Draw words until the story has its two sentences, or there is no place left. */
  drawTheRest() {
    while (this.words.filter((word) => word === ".").length < 2 && this.words.length + 1 < this.model.length) this.write(this.draw());
  }

  /** A word by its share. The draws are the same for each reader, until one turns the page. */
  draw() {
    this.draws = (this.draws * 48271) % 2147483647; // Park and Miller 1988, corrected 1993
    let left = this.draws / 2147483647;
    const shares = this.shares();
    return this.model.words[shares.findIndex((share) => (left -= share) < 0)] ?? this.order(shares)[0];
  }

  /** The shares after the last word. */
  shares() {
    const ids = [START, ...this.words].map((word) => this.model.words.indexOf(word));
    return softmax(unembed(this.model, read(this.model, ids).streams.at(-1).at(-1)), this.temperature);
  }

  order(shares) {
    return [...shares.keys()].sort((a, b) => shares[b] - shares[a]).map((i) => this.model.words[i]);
  }

  render() {
    const { bars, words, told, any, whose } = this.parts;
    const shares = this.shares();
    const order = this.order(shares);
    const shareOf = (word) => shares[this.model.words.indexOf(word)];
    bars.forEach((bar, n) => {
      const [word, share] = [order[n], shareOf(order[n])];
      bar.dataset.word = word;
      bar.disabled = word === START;
      bar.ariaLabel = `${bar.disabled ? "" : "go on with "}${named(word)}: ${two(share)}`;
      bar.style.setProperty("--share", share);
      bar.replaceChildren(make("b", {}, named(word)), make("i"), make("span", {}, two(share)));
    });
    any.value = "";
    whose.textContent = this.isOwn ? "the course’s model" : "your model";
    const subject = this.isOwn ? `your model, from start ${this.seed},` : "it";
    told.textContent = this.note || `After “${this.words.at(-1)}” ${subject} says “${named(order[0])}” ${two(shareOf(order[0]))}.`;
    words.textContent = `${this.words.join(" ")} …`;
  }
}

customElements.define("attention-model", LanguageModel);
