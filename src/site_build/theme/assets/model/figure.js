// The language model, live: the reader goes on with a text, sees where each word looks, switches parts
// off, and puts what another text has at one place. With view="write" it is there to write with.

import { read, softmax, unembed } from "./forward.js";
import { take, wanted } from "./own.js";
import { PARTS, SENT, START, STARTS, begin, readState, sayable, writeState } from "./state.js";

const WIDE = 56; // of the drawing of a head
const BARS = 5;
// What a second text has in the place of a word, until the reader chooses.
const OTHER = { muddy: "rich", rich: "muddy", tom: "ned" };
const SVG = "http://www.w3.org/2000/svg";

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

function choice(label, onchange, options = []) {
  const select = make("select", { onchange: () => onchange(select.value) });
  setOptions(select, options);
  return make("label", {}, `${label} `, select);
}

/** Give a select its options, pairs of a value and what is shown, and keep the chosen one. */
function setOptions(select, options, chosen = select.value) {
  if ([...select.options].map((option) => option.text).join("|") !== options.map(([, text]) => text).join("|"))
    select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
  select.value = chosen;
}

/** Put children into a parent if there are not as many as there should be. */
function keep(parent, count, makeChild) {
  if (parent.children.length !== count)
    parent.replaceChildren(...Array.from({ length: count }, (_, i) => makeChild(i)));
  return [...parent.children];
}

const two = (number) => number.toFixed(2);
const named = (word) => (word === START ? "start" : word);
const best = (shares) => shares.indexOf(Math.max(...shares));

/** The arrows from one word to those that it looks at, as the path of each and how thick it is. */
function arcs(weights, row) {
  const at = weights.length - 1;
  const middle = (place) => (place + 0.5) * row;
  return weights.map((weight, place) => {
    const far = Math.min(WIDE - 4, 10 + 5 * (at - place)) * 1.33; // a curve comes three quarters as far
    const tip = 5 + 3 * weight;
    const d =
      place === at
        ? `M0,${middle(at) - 5}c14,-6 14,16 0,10`
        : `M0,${middle(at)}C${far},${middle(at)} ${far},${middle(place)} 3,${middle(place)}m${tip},${-tip}l${-tip},${tip}l${tip},${tip}`;
    return { d, weight };
  });
}

class LanguageModel extends HTMLElement {
  connectedCallback() {
    this.begin().catch(console.warn); // without the numbers, the tables of the page remain
  }

  async begin() {
    this.isWriting = this.getAttribute("view") === "write";
    Object.assign(this, await wanted());
    this.state =
      readState(this.getAttribute("state") ?? "", this.model) ?? begin(this.getAttribute("start") ?? STARTS[0]);
    this.temperature = Number(this.getAttribute("temperature") ?? 1);
    this.draws = 12345;
    this.build();
    this.restore();
    this.render();
    addEventListener("hashchange", () => this.restore() && this.render());
    addEventListener("model-taken", async () => {
      Object.assign(this, await wanted());
      this.render();
    });
  }

  // ---- what stays ------------------------------------------------------------------------------

  build() {
    const act = (change) => (value) => {
      this.note = "";
      change(value);
      this.render();
    };
    const write = act((word) => this.write(word));
    this.parts = {
      words: make(this.isWriting ? "p" : "div", { className: "model-words" }),
      heads: make("div", { className: "model-heads" }),
      bars: make("div", { className: "model-bars" }),
      lens: make("ol", { className: "model-lens" }),
      told: make("p", { className: "model-told", role: "status" }),
      any: choice("", write, [["", "…"], ...sayable(this.model).map((word) => [word, word])]),
      start: choice("Begin with", act((text) => (this.state = begin(text)))),
      copied: make("span", { role: "status" }),
    };
    const parts = this.parts;
    const back = button("remove the last word", act(() => this.goTo(this.state.words.slice(0, -1))));
    parts.whose = button("", () => take(!this.isOwn));
    const whose = this.seed === undefined ? [] : [parts.whose]; // there is a choice once the reader has trained a model
    const says = make("div", { className: "model-says" }, parts.told, parts.bars, parts.any);
    if (this.isWriting) {
      const warm = make("input", { type: "range", min: 0.25, max: 2, step: 0.25, value: this.temperature });
      this.shown = make("output", {}, two(this.temperature));
      warm.oninput = act(() => {
        this.temperature = Number(warm.value);
        this.shown.value = two(this.temperature);
      });
      const buttons = [
        button("write the largest", act(() => this.write(this.order(this.here())[0]))),
        button("draw a word", act(() => this.write(this.draw()))),
        button("draw the rest", act(() => this.drawTheRest())),
        back,
        button("begin again", act(() => (this.state = begin(this.getAttribute("start") ?? STARTS[0])))),
        ...whose,
      ];
      says.append(make("div", { className: "model-buttons" }, ...buttons), make("label", {}, "temperature ", warm, " ", this.shown));
      this.frame("Let the model write", parts.words, says);
      return;
    }
    this.switches = Object.fromEntries(
      PARTS.map((part) => [part, button(nameOf(part).split(", ")[1], act(() => this.toggle(part)), { ariaLabel: nameOf(part) })]),
    );
    this.drawings = PARTS.filter((part) => !part.endsWith("mlp")).map((part) => {
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("aria-hidden", true);
      svg.setAttribute("preserveAspectRatio", "none");
      const most = make("span");
      return { part, svg, most, column: make("div", {}, svg, most) };
    });
    for (const layer of ["0", "1"]) {
      const own = (part) => part.startsWith(layer);
      const columns = this.drawings.filter(({ part }) => own(part)).map(({ column }) => column);
      const switches = PARTS.filter(own).map((part) => this.switches[part]);
      parts.heads.append(make("div", {}, make("b", {}, `block ${layer}`), ...switches, ...columns));
    }
    const choose = (name) => (value) => act(() => this.swap(name, value))();
    this.other = {
      place: choice("In a second text, replace", choose("place")),
      word: choice("by", choose("word"), sayable(this.model).map((word) => [word, word])),
      from: choice("Take from it the vector of", choose("from")),
      layer: choice("before", choose("layer"), [[0, "block 0"], [1, "block 1"]]),
    };
    const patch = make(
      "details",
      { className: "model-patch" },
      make("summary", {}, "Take one vector from a second text"),
      make("p", {}, ...Object.values(this.other), button("put it into our text", act(() => this.swap())), button("take it out", act(() => (this.state.patch = undefined)))),
    );
    const foot = make(
      "div",
      { className: "model-buttons" },
      button("all parts on", act(() => Object.assign(this.state, { off: new Set(), patch: undefined }))),
      back,
      button("copy link", () => this.copyLink()),
      ...whose,
      parts.copied,
    );
    const look = make("div", { className: "model-look" }, parts.words, parts.heads);
    const hint = make("p", { className: "model-hint" }, "Tap a word to see where it looks, and a part to switch it off.");
    says.append(make("p", {}, "If it stopped here, it would say:"), parts.lens, foot);
    this.frame("The language model, live", parts.start, hint, look, says, patch);
  }

  frame(label, ...children) {
    this.replaceChildren(make("div", { className: "model", role: "group", ariaLabel: label }, ...children));
  }

  // ---- what changes ----------------------------------------------------------------------------

  restore() {
    const state = readState(location.hash, this.model);
    if (!state || this.isWriting) return false;
    this.state = state;
    this.scrollIntoView();
    return true;
  }

  goTo(words) {
    if (!words.length) return;
    Object.assign(this.state, { words, at: words.length, patch: undefined });
  }

  write(word) {
    if (!word) return;
    const words = this.state.words.slice(0, this.state.at);
    if (words.length + 1 < this.model.length) this.goTo([...words, word]);
    else this.note = `There is no place for “${word}”: the model has learned ${this.model.length} places, and the start takes one.`;
  }

  /** Draw words until the story has its two sentences, or there is no place left. */
  drawTheRest() {
    const { state, model } = this;
    while (state.words.filter((word) => word === ".").length < 2 && state.words.length + 1 < model.length)
      this.write(this.draw());
  }

  toggle(part) {
    const { off } = this.state;
    if (!off.delete(part)) off.add(part);
  }

  /** Choose the other text, and what is taken from it. */
  swap(name, value) {
    const chosen = Object.fromEntries(Object.entries(this.other).map(([key, label]) => [key, label.querySelector("select").value]));
    this.state.swap = { place: Number(chosen.place), word: chosen.word };
    // What differs first is what one wants to take.
    const place = name === "place" ? Number(value) : Number(chosen.from);
    this.other.from.querySelector("select").value = place;
    if (!name || this.state.patch) this.state.patch = { place, layer: Number(chosen.layer) };
  }

  /** A word by its share. The draws are the same for each reader, until one turns the page. */
  draw() {
    this.draws = (this.draws * 48271) % 2147483647; // Park and Miller 1988, corrected 1993
    let left = this.draws / 2147483647;
    const shares = this.here();
    return this.model.words[shares.findIndex((share) => (left -= share) < 0)] ?? this.order(shares)[0];
  }

  // ---- what is computed ------------------------------------------------------------------------

  ids(words) {
    return [START, ...words].map((word) => this.model.words.indexOf(word));
  }

  get patch() {
    const { words, swap, patch } = this.state;
    if (!swap || !patch) return undefined;
    const other = words.with(swap.place - 1, swap.word);
    const x = read(this.model, this.ids(other)).streams[patch.layer][patch.place];
    return { ...patch, x };
  }

  /** The word at a place, as a layer reads it. */
  word(place, layer = Infinity) {
    const { words, swap, patch } = this.state;
    const isOther = patch?.place === place && swap.place === place && patch.layer <= layer;
    return isOther ? swap.word : named([START, ...words][place]);
  }

  shares(x) {
    return softmax(unembed(this.model, x), this.temperature);
  }

  /** The shares after the last word. */
  here() {
    return this.shares(read(this.model, this.ids(this.state.words)).streams.at(-1).at(-1));
  }

  order(shares) {
    return [...shares.keys()].sort((a, b) => shares[b] - shares[a]).map((i) => this.model.words[i]);
  }

  // ---- what is shown ---------------------------------------------------------------------------

  render() {
    const { words, at, off } = this.state;
    const ids = this.ids(words);
    const now = read(this.model, ids, { off, patch: this.patch });
    const lens = now.streams.map((stream) => this.shares(stream[at]));
    const whole = this.shares(read(this.model, ids).streams.at(-1)[at]);
    this.showBars(lens.at(-1), whole);
    this.tell(lens.at(-1), whole);
    if (this.isWriting) {
      this.parts.words.textContent = `${words.join(" ")} …`;
      return;
    }
    this.showWords();
    this.showHeads(now.layers);
    this.showLens(lens.slice(1)); // before block 0, a word would only say itself
    this.showOther();
    for (const [part, each] of Object.entries(this.switches)) each.ariaPressed = !off.has(part);
    const text = words.join(" ");
    const starts = [...new Set([...STARTS, text])];
    setOptions(this.parts.start.querySelector("select"), starts.map((each) => [each, each]), text);
  }

  showBars(shares, whole) {
    const isLast = this.state.at === this.state.words.length;
    const most = shares.map((share, i) => Math.max(share, whole[i]));
    const largest = this.order(most).slice(0, BARS);
    const shown = this.order(shares).filter((word) => largest.includes(word));
    const bars = keep(this.parts.bars, BARS, () =>
      button("", (event) => {
        this.note = "";
        this.write(event.currentTarget.dataset.word);
        this.render();
      }),
    );
    bars.forEach((bar, n) => {
      const word = shown[n];
      const i = this.model.words.indexOf(word);
      bar.dataset.word = word;
      bar.disabled = !isLast || word === START;
      const before = this.isChanged ? `; the whole model ${two(whole[i])}` : "";
      bar.ariaLabel = `${bar.disabled ? "" : "go on with "}${named(word)}: ${two(shares[i])}${before}`;
      bar.style.setProperty("--share", shares[i]);
      bar.style.setProperty("--whole", this.isChanged ? whole[i] : 0);
      bar.replaceChildren(make("b", {}, named(word)), make("i"), make("span", {}, two(shares[i])));
    });
    Object.assign(this.parts.any.querySelector("select"), { value: "", disabled: !isLast });
    this.parts.any.firstChild.data = isLast ? "Tap a bar to go on, or choose: " : "To go on, tap the last word first: ";
  }

  get isChanged() {
    return this.state.off.size > 0 || Boolean(this.state.patch);
  }

  tell(shares, whole) {
    const word = (some) => `“${named(this.model.words[best(some)])}” ${two(Math.max(...some))}`;
    const changed = this.isChanged ? `. The whole model (grey) says ${word(whole)}` : "";
    this.parts.whose.textContent = this.isOwn ? "the course’s model" : "your model";
    const subject = this.isOwn ? `your model, from start ${this.seed},` : "it";
    this.parts.told.textContent = this.note || `After “${this.word(this.state.at)}” ${subject} says ${word(shares)}${changed}.`;
  }

  showWords() {
    const { words, at, patch } = this.state;
    const shown = keep(this.parts.words, words.length + 1, (place) =>
      button("", () => {
        this.note = "";
        this.state.at = place;
        this.render();
      }),
    );
    shown.forEach((each, place) => {
      const [own, put] = [named([START, ...words][place]), this.word(place)];
      each.replaceChildren(...(own === put ? [own] : [make("s", {}, own), ` ${put}`]));
      each.disabled = !place;
      each.ariaPressed = place === at;
      each.classList.toggle("patched", patch?.place === place);
    });
  }

  showHeads(layers) {
    const { at, words, off } = this.state;
    const row = this.parts.words.firstChild.offsetHeight; // from one word to the next
    for (const { part, svg, most, column } of this.drawings) {
      const [layer, head] = part.split(".");
      const looks = layers[layer].heads[head].weights[at];
      const high = (words.length + 1) * row;
      svg.setAttribute("viewBox", `0 0 ${WIDE} ${high}`);
      svg.style.height = `${high}px`;
      const lines = arcs(looks, row).filter(({ weight }) => weight > 0.02);
      const paths = keep(svg, lines.length, () => document.createElementNS(SVG, "path"));
      paths.forEach((path, n) => {
        path.setAttribute("d", lines[n].d);
        path.style.strokeWidth = 1 + 5 * lines[n].weight;
        path.style.strokeOpacity = 0.25 + 0.75 * lines[n].weight;
      });
      const found = best(looks);
      most.textContent = `${this.word(found, Number(layer))} ${two(looks[found])}`;
      column.classList.toggle("off", off.has(part));
      this.switches[part].ariaLabel = `${nameOf(part)}, looks at ${most.textContent}`;
      if (off.has(part)) most.textContent = "off";
    }
  }

  showLens(lens) {
    const rows = keep(this.parts.lens, lens.length, () => make("li"));
    rows.forEach((each, block) => {
      const said = `${this.model.words[best(lens[block])]} ${two(Math.max(...lens[block]))}`;
      each.replaceChildren(`after block ${block}: `, make("b", {}, said));
    });
  }

  /** The selects of the other text. A word is named by its place too, for some come twice. */
  showOther() {
    const { words, swap, patch } = this.state;
    const places = (some) => some.map((word, i) => [i + 1, `${word} (${i + 1})`]);
    const selects = Object.fromEntries(Object.entries(this.other).map(([name, label]) => [name, label.querySelector("select")]));
    const differs = Math.max(1, words.findIndex((word) => word in OTHER) + 1);
    const place = Math.min(words.length, swap?.place ?? differs);
    const word = swap?.word ?? OTHER[words[differs - 1]] ?? "rich";
    const from = Math.min(words.length, patch?.place ?? Number(selects.from.value || differs));
    setOptions(selects.place, places(words), place);
    setOptions(selects.from, places(words.with(place - 1, word)), from);
    selects.word.value = word;
    selects.layer.value = patch?.layer ?? (selects.layer.value || 0);
  }

  async copyLink() {
    const state = writeState(this.state);
    history.replaceState(null, "", state);
    const slug = Object.keys(SENT).find((each) => SENT[each] === state);
    const own = slug && new URL(`../../model/${slug}/`, import.meta.url).href; // a page with a card
    try {
      await navigator.clipboard.writeText(own ?? location.href);
      this.parts.copied.textContent = "copied";
    } catch {
      this.parts.copied.textContent = "copy the address";
    }
  }
}

function nameOf(part) {
  const [layer, name] = part.split(".");
  return `block ${layer}, ${name === "mlp" ? "MLP" : `head ${name}`}`;
}

customElements.define("attention-model", LanguageModel);
