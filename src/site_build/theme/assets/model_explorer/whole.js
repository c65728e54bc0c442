// The whole language model in one drawing. Words go in at the top, a stream runs down for each of them,
// two blocks add to the streams, and the last stream says the next word. Each state is spelled by the
// attributes: `text`, `at` (who asks), `follow`, `chosen`, `off`, `patch`, `temperature`, `open`, `look`; `film`
// plays once, with `patches`, a chosen word can be taken from the other text.
import { take, wanted } from "../tiny_lm/own.js";
import { compute } from "./compute.js";
import { frame, lane, lanes, neurons, streams } from "./picture.js";
import { blockName, button, capital, hueOf, named, partName, percent, quoted, shown, written } from "./say.js";
import { START, SWITCHES, otherOf, readState } from "./state.js";
import course from "./words.js";

const NEURONS = 44; // how high the boxes of an MLP are
// On the stream of the word that asks: where heads add to it, and where it works alone.
const PLUS = '<i class="whole-plus"></i>';
const NODE = '<i class="whole-node"></i>';

/** Which file of "inside" draws a part; a block has none. */
const kindOf = (part = "0") => (/^\d\.\d$/.test(part) ? "head" : /^\d$/.test(part) ? undefined : part.split(".").at(-1));

class WholeModel extends HTMLElement {
  static observedAttributes = ["text", "at", "follow", "chosen", "off", "patch", "temperature", "open", "look"];
  insides = {}; // what draws an opened part, fetched when the first of its kind is opened

  connectedCallback() {
    if (this.isBuilt) return;
    this.isBuilt = true;
    if (Object.hasOwn(this, "numbers")) this.model = this.numbers; // they came before this script
    delete this.numbers;
    this.ready = this.begin().catch(console.warn); // the picture that the build has drawn remains
  }

  async begin() {
    if (!this.model) {
      await this.haveModel();
      addEventListener("model-taken", () => this.haveModel().then(() => this.render()));
    }
    for (const name of ["texts", "tray", "told", "stage", "more", "legend"]) {
      this[name] = this.querySelector(`.whole-${name}`);
      if (this[name]) continue;
      this[name] = document.createElement(name === "told" || name === "legend" ? "p" : "div");
      this[name].className = `whole-${name}`;
      this.append(this[name]);
    }
    this.told.role = "status";
    for (const part of this.querySelectorAll("[inert]")) part.inert = false;
    await this.prepare();
    this.render();
    this.addEventListener("click", (event) => this.press(event));
    this.addEventListener("keydown", (event) => this.walk(event));
    new ResizeObserver(() => ![0, this.frame.W].includes(this.stage.clientWidth) && this.render()).observe(this);
    if (this.pressed) this.act(this.pressed); // before the model was there
  }

  /** Have the numbers of the course's model, or those that the reader has trained. */
  async haveModel() {
    Object.assign(this, await wanted());
  }

  /** The numbers of the model, as `unpack` of tiny_lm/read.js returns them: those of a reader's own, for one. */
  get numbers() {
    return this.model;
  }

  set numbers(model) {
    this.model = model;
    if (this.drawn) this.render();
  }

  attributeChangedCallback(name, before, now) {
    if (!this.drawn || before === now || this.isQueued) return;
    this.isQueued = true;
    this.ready = Promise.resolve().then(async () => {
      this.isQueued = false;
      await this.prepare();
      this.render();
    });
  }

  // ---- what the reader does ------------------------------------------------------------------------

  press(event) {
    const pressed = event.target.closest("[data-act]");
    if (pressed) this.act(pressed.dataset.act);
  }

  act(named) {
    const [act, ...given] = named.split(":");
    this[act](...given);
  }

  /** Change attributes; what is empty goes. */
  set(changes) {
    for (const [name, value] of Object.entries(changes)) {
      if ((value ?? "") === "") this.removeAttribute(name);
      else this.setAttribute(name, value);
    }
  }

  toggle(part) {
    const open = this.state.open === part ? part.split(".").slice(0, -1)[0] : part;
    this.set({ open, look: undefined });
  }

  close() {
    this.dispatchEvent(new Event("close"));
  }

  take(which) {
    take(which === "own");
  }

  switch(part) {
    const off = new Set(this.state.off);
    if (!off.delete(part)) off.add(part);
    this.set({ off: [...off].join(" ") });
  }

  allOn() {
    this.set({ off: undefined });
  }

  /** Take the vector of a place, before a block, from the other text, or from this one again. */
  patch(where) {
    this.pulses = true;
    this.set({ patch: this.getAttribute("patch") === where ? undefined : where });
  }

  /** Put another word in the place of one. What is switched off stays off, and the sentence says so. */
  swap(place, word) {
    this.pulses = true;
    this.set({ text: this.state.words.with(place, word).slice(1).join(" "), follow: place, chosen: undefined, look: undefined });
  }

  choose(place) {
    const { words, open, at } = this.state;
    this.set({ chosen: place, ...(otherOf(words[place]) && { follow: place }), ...(/^\d\.\d$/.test(open) && place <= at && { look: place }) });
  }

  ask(place) {
    this.set({ at: place, chosen: undefined, look: undefined });
  }

  /** Another text: all parts are on again. */
  read(text) {
    this.set({ text, at: undefined, follow: undefined, chosen: undefined, look: undefined, off: undefined, patch: undefined });
  }

  async copyLink() {
    const { copy } = await import("./link/link.js");
    this.more.querySelector("[role=status]").textContent = await copy(this);
  }

  async play() {
    this.set({ open: undefined, look: undefined, chosen: undefined });
    const film = await import("./film.js");
    film.play(this);
  }

  /** The arrow keys go along the words; in an opened head, they choose the word whose score is told. */
  walk(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    if (event.target.closest(".whole-words")) {
      const next = step > 0 ? event.target.nextElementSibling : event.target.previousElementSibling;
      next?.focus();
    }
    if (!/^\d\.\d$/.test(this.state.open) || !event.target.closest(".whole-part")) return;
    event.preventDefault();
    const { open, at, look } = this.state;
    const [layer, head] = open.split(".");
    this.set({ look: Math.max(0, Math.min(at, (look ?? this.drawn.heads[layer][head].most) + step)) });
  }

  // ---- what is shown -------------------------------------------------------------------------------

  /** Fetch what draws the opened part. */
  async prepare() {
    const kind = kindOf(readState(this, this.model).open);
    if (!kind) return;
    this.insides[kind] ??= await import(`./inside/${kind}.js`);
    this.insides.said ??= await import("./inside/said.js");
  }

  render() {
    this.state = readState(this, this.model);
    this.drawn = compute(this.model, this.state);
    this.frame = frame(this.stage.clientWidth, this.drawn.words.length);
    const { words, follow, other, patch } = this.drawn;
    const hue = hueOf(patch ? other : words[follow]);
    for (const each of ["water", "money", "other"]) this.classList.toggle(`whole-${each}`, each === hue);
    this.stage.style.setProperty("--at", `${(100 * this.frame.x(this.drawn.at)) / this.frame.W}%`);
    this.stage.classList.toggle("left", this.drawn.at < this.frame.n / 2);
    this.stage.style.setProperty("--n", this.frame.n);
    this.show(this.texts, this.textsHtml());
    this.show(this.tray, this.trayHtml());
    this.show(this.stage, this.stageHtml());
    this.show(this.more, this.moreHtml());
    const told = this.tells();
    if (this.told.textContent !== told) this.told.textContent = told;
    this.legend.innerHTML = this.legendHtml();
    this.classList.toggle("swapped", Boolean(this.pulses));
    this.pulses = false;
    this.classList.add("live");
  }

  /** Write HTML into a part; the focus stays on what does the same. */
  show(part, html) {
    const focused = part.contains(document.activeElement) && document.activeElement.dataset.act;
    part.innerHTML = html;
    // The page's policy lets no HTML bring styles, but a script may set them.
    for (const each of part.querySelectorAll("[data-style]")) each.style.cssText = each.dataset.style;
    if (focused) [...part.querySelectorAll("[data-act]")].find(({ dataset }) => dataset.act === focused)?.focus({ preventScroll: true });
  }

  /** The two texts, each with its answer: question and answer come first. */
  textsHtml() {
    const { words, at, follow, other, answer, answerOfOther } = this.drawn;
    const text = (word, said) => {
      const here = words.with(follow, word).slice(1, at + 1);
      const marked = written(here.map((each, j) => (j + 1 === follow ? `<b class="whole-${hueOf(each)}">${each}</b>` : each)));
      const share = `<i data-style="--share:${said.share.toFixed(4)}"></i>`;
      const html = `<span>${marked}${said.word === "." ? "" : " "}<strong class="whole-${hueOf(said.word)}">${shown(said.word)}</strong></span><small class="whole-${hueOf(said.word)}">${share}${percent(said.share)}</small>`;
      return button(`swap:${follow}:${word}`, html, `aria-pressed="${word === words[follow]}"`);
    };
    if (!other) return text(words[follow], answer);
    // Both keep their place when the other one is chosen.
    const pair = course.pairs.find((each) => each.includes(other));
    return pair.map((word) => text(word, word === other ? answerOfOther : answer)).join("");
  }

  trayHtml() {
    const { words, at, chosen, off, patch } = this.state;
    const word = words[chosen];
    const kind = course.kinds.find((each) => each.includes(word)) ?? [];
    const chips = kind.map((each) => button(`swap:${chosen}:${each}`, each, `class="whole-${hueOf(each)}" aria-pressed="${each === word}"`));
    const more = [];
    const quiet = (act, text) => more.push(button(act, text, 'class="quiet"'));
    if (chosen !== at && this.hasAttribute("chosen")) quiet(`ask:${chosen}`, `ask from ${quoted(word)}`);
    if (at !== words.length - 1) quiet("ask:", `ask from ${quoted(words.at(-1))}`);
    if (off.size) quiet("allOn", "all parts on");
    const patches = this.patchesHtml();
    if (patch && !patches) quiet(`patch:${patch.layer}.${patch.place}`, "no patch");
    const label = kind.length ? `Swap<i> ${quoted(word)}</i>:` : patches ? "" : quoted(word);
    return `<span>${label}</span>${chips.join("")}${more.join("")}${patches}`;
  }

  /** For a chosen word: the blocks before which its vector can come from the other text. */
  patchesHtml() {
    const { words, chosen, patch } = this.state;
    const { other, heads } = this.drawn;
    if (!this.hasAttribute("patches") || !this.hasAttribute("chosen") || !other) return "";
    const blocks = heads.map((_, layer) => {
      const isIn = patch?.layer === layer && patch.place === chosen;
      return button(`patch:${layer}.${chosen}`, `before the ${blockName(layer)}`, `aria-pressed="${isIn}"`);
    });
    return `<span>Take ${quoted(words[chosen])} from the text with ${quoted(other)}:</span>${blocks.join("")}`;
  }

  beginHtml() {
    const isDuck = this.state.words.slice(1).join(" ") === course.texts.duck;
    const text = button(isDuck ? "read:rich" : "read:duck", isDuck ? "first text" : "other text");
    return text + button("play", "▸ play", 'class="film"');
  }

  moreHtml() {
    const own = this.isOwn ? button("take:", "the course’s model") : button("take:own", "your model");
    const parts = [this.beginHtml()];
    if (this.seed !== undefined) parts.push(own);
    parts.push(this.hasAttribute("lit") ? button("close", "close") : button("copyLink", "copy link")); // "lit" was small, on a page about one part
    return `${parts.join("")}<span role="status"></span>`;
  }

  /** The line of a part: it opens, and some can be switched off. */
  lineHtml(part, title, small) {
    const { off, open } = this.state;
    const isOff = off.has(part);
    const isOpen = open === part || open?.split(".")[0] === part;
    const name = button(`toggle:${part}`, `<span><b>${title}</b> <small>${small}</small></span>`, `aria-expanded="${isOpen}"`);
    if (!SWITCHES.includes(part)) return `<div class="whole-line">${name}</div>`;
    const label = `switch ${partName(part, this.drawn)} ${isOff ? "on" : "off"}`;
    return `<div class="whole-line ${isOff ? "isoff" : ""}">${name}${button(`switch:${part}`, isOff ? "switch on" : "switch off", `class="switch" aria-label="${label}"`)}</div>`;
  }

  /** A block of the drawing: the streams of a level behind what stands in it. */
  block(level, html, more = "") {
    return `<div class="whole-part ${more}">${streams(this.drawn, level, this.frame)}${html}</div>`;
  }

  /** What an opened part shows. */
  inside(part) {
    const drawn = this.state.open === part && this.insides[kindOf(part)]?.rows(this, part);
    return drawn ? `<div class="whole-inside">${drawn}${this.insides.said.said(part)}</div>` : "";
  }

  stageHtml() {
    const { drawn } = this;
    const blocks = drawn.heads.map((_, layer) => this.blockHtml(layer));
    const { word, share } = drawn.answer;
    return (
      this.wordsHtml() +
      this.block(0, this.lineHtml("vectors", "Each word becomes 16 numbers", "embedding") + this.inside("vectors")) +
      blocks.join("") +
      this.block(drawn.levels.length - 1, this.lineHtml("answer", `The answer: ${quoted(word)}, ${percent(share)}`, `${this.model.words.length} shares`) + this.inside("answer"), "last")
    );
  }

  wordsHtml() {
    const { words, at, follow, patch } = this.drawn;
    const all = words.map((word, j) => {
      const kind = [otherOf(word) && "swaps", j === follow && `follow whole-${hueOf(word)}`, j === patch?.place && "patched", j === at && "asks", word === START && "start"];
      const does = [j === at && "asks", j === patch?.place && "patched", otherOf(word) && "can be swapped"].filter(Boolean).map((each) => `, ${each}`).join("");
      return button(`choose:${j}`, `<span>${shown(word)}</span>`, `class="${kind.filter(Boolean).join(" ")}" aria-label="${shown(word)}, word ${j}${does}" aria-pressed="${j === this.state.chosen}" tabindex="${j === this.state.chosen ? 0 : -1}"`);
    });
    return `<div class="whole-words">${all.join("")}</div>`;
  }

  /** A block, folded to two lanes, or with all of its parts. */
  blockHtml(layer) {
    const { drawn, frame: f } = this;
    const isOpen = this.state.open?.split(".")[0] === String(layer);
    const [before, mid, out] = [2 * layer, 2 * layer + 1, 2 * layer + 2];
    const line = this.lineHtml(String(layer), capital(blockName(layer)), isOpen ? "attention, then an MLP" : this.blockTells(layer));
    const lens = this.lensHtml(out);
    if (!isOpen) {
      const parts = this.block(before, line) + this.block(before, lanes(drawn, layer, f, this.pulses), "lanes") + this.block(mid, PLUS + NODE, "then");
      return `<div class="whole-block">${parts}${this.block(out, lens, "so")}</div>`;
    }
    const heads = drawn.heads[layer].map((head, h) => {
      const part = `${layer}.${h}`;
      const title = `${quoted(drawn.words[drawn.at])} looks at ${quoted(drawn.words[head.most])}`;
      const named = this.lineHtml(part, title, `${percent(head.weights[head.most])} · head ${part}`);
      return this.block(before, named + (this.inside(part) || lane(drawn, layer, h, f, this.pulses)), "lane");
    });
    const sum = this.lineHtml(`${layer}.plus`, `What they bring is added to ${quoted(drawn.words[drawn.at])}`, "the plus");
    const fires = drawn.now.layers[layer].hidden[drawn.at].filter((fire) => fire > 0).length;
    const mlp = this.lineHtml(`${layer}.mlp`, "Each word works alone on what it has", `MLP · ${fires} of 32 neurons fire`);
    return `<div class="whole-block">${this.block(before, line)}${heads.join("")}${this.block(mid, PLUS + this.lensHtml(mid) + sum + this.inside(`${layer}.plus`), "then")}${this.block(mid, mlp + neurons(drawn, layer, NEURONS, f) + this.inside(`${layer}.mlp`), "mlp")}${this.block(out, lens, "so")}</div>`;
  }

  lensHtml(level) {
    const { word, share } = this.drawn.so[level];
    return `<p class="whole-lens">so far: <b class="whole-${hueOf(word)}">${named(word)}</b> ${percent(share)}</p>`;
  }

  /** The head of a block that brings what would be different in the other text, if there is one. */
  litIn(layer) {
    return this.drawn.heads[layer].find(({ lit }, h) => lit !== undefined && !this.drawn.off.has(`${layer}.${h}`));
  }

  /** What the word that asks takes in a block: from the followed word, or else where it looks. */
  blockTells(layer) {
    const { words, at, heads, off } = this.drawn;
    const asks = quoted(words[at]);
    const lit = this.litIn(layer);
    const found = (place) => (place === at ? "itself" : quoted(words[place]));
    if (lit) return `${asks} takes ${percent(lit.weights[lit.lit])} from ${found(lit.lit)}`;
    const looks = heads[layer].filter((_, h) => !off.has(`${layer}.${h}`));
    return `${asks} looks at ${[...new Set(looks.map(({ most }) => found(most)))].join(" and ") || "no word"}`;
  }

  patchTells() {
    const { words, other, patch } = this.drawn;
    return `Before the ${blockName(patch.layer)}, ${quoted(words[patch.place])} comes from the text with ${quoted(other)}.`;
  }

  /** The sentence that says what is seen. */
  tells() {
    const { words, at, follow, off, patch, answer, answerOfWhole, heads } = this.drawn;
    const said = ({ word, share }) => `${quoted(word)}, ${percent(share)}`;
    const whose = this.isOwn ? `Your model, from start ${this.seed}. ` : "";
    if (off.size) {
      const names = [...off].sort().map((part) => partName(part, this.drawn)).join(" and ");
      const isPut = patch ? ` ${this.patchTells()}` : "";
      return `${whose}Switched off: ${names}.${isPut} The answer is ${said(answer)}. With all parts on${patch ? " and no patch" : ""}, it is ${said(answerOfWhole)}.`;
    }
    if (patch) return `${whose}${this.patchTells()} The answer is ${said(answer)}. Without the patch, it is ${said(answerOfWhole)}.`;
    const blocks = heads.flatMap((_, layer) => (this.litIn(layer) ? `In the ${blockName(layer)} ${this.blockTells(layer)}.` : []));
    const none = `No look brings much of ${quoted(words[follow])} to ${quoted(words[at])}.`;
    return `${whose}${blocks.join(" ") || none} The answer is ${said(answer)}.`;
  }

  legendHtml() {
    const { words, follow, other, patch } = this.drawn;
    const sizes = "A wider ribbon is a larger weight, and a wider stream has larger numbers.";
    if (!other) return sizes;
    if (patch) return `<i></i>what the patch has changed <i class="rest"></i>the rest. ${sizes}`;
    return `<i></i>what would be different with ${quoted(other)} in place of ${quoted(words[follow])} <i class="rest"></i>the rest. ${sizes}`;
  }
}

customElements.define("whole-model", WholeModel);
