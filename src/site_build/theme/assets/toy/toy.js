// <attention-toy>: a sentence whose words the reader swaps, and what a word then takes from the others.
// What a step's page switches on is a module of its own in steps/; see lesson.js.

import lesson from "./lesson.js";
import course from "./words.js";
import { two } from "./attention.js";
import { onPaper } from "./drawing.js";
import * as sentence from "./sentence.js";

const { quote } = sentence;
const SLIDE = 750; // milliseconds in which a word reaches its new place
const FALL = 1300; // and drops reach the line
const PAUSE = 300; // after which a slider has come to rest: browsers let an address change so often, and no more
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const root = new URL("../../", import.meta.url); // of the site
const list = (text) => text.split(" ");

/** Make an element with properties, attributes and children. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A button's name, and a shorter one for phones. */
const named = (wide, narrow) => [make("span", { className: "toy-wide" }, wide), make("span", { className: "toy-narrow" }, narrow)];

/** Give an element as many children, and keep those that are there, with the focus. */
function keep(parent, count, create) {
  while (parent.children.length > count) parent.lastChild.remove();
  while (parent.children.length < count) parent.append(create());
  return [...parent.children];
}

class AttentionToy extends HTMLElement {
  connectedCallback() {
    this.wake().catch(console.warn); // without one of its scripts, the page stays as it was built
  }

  async wake() {
    const step = this.getAttribute("step");
    this.lesson = step ? (await import(`./steps/${step}.js`)).default : lesson;
    this.build();
    this.start();
    const isLinked = await this.read();
    this.show({}, this.lesson.invite);
    addEventListener("hashchange", async () => (await this.read()) && this.show({}));
    const paper = matchMedia("print"); // which shows what the screen showed
    new ResizeObserver(() => paper.matches || this.draw(this.frames)).observe(this);
    if (!this.hasAttribute("film") || isLinked || calm.matches) return;
    const film = await import("./film.js");
    if (film.wasSeen()) return;
    this.show({}, "Watch two words change");
    film.play(this);
  }

  // ---- what stays ------------------------------------------------------------------------------

  build() {
    const find = (name) => this.querySelector(`.toy-${name}`);
    this.parts = Object.fromEntries(["stages", "verdict", "hint", "tray", "refusal", "controls", "bar"].map((name) => [name, find(name)]));
    const { stages, tray, bar, controls } = this.parts;
    this.stages = this.lesson.heads.map(({ name }, h) => this.makeStage(stages, name, h));
    this.classList.add("live"); // the printed picture goes
    tray.role = "group";
    tray.ariaLabel = "Words to swap in";
    tray.onclick = ({ target }) => target.closest("button")?.act();
    this.knobs = this.lesson.controls.map((control) => control(this));
    controls.append(...this.knobs.map(({ element }) => element));
    const [fold, copy, other] = bar.querySelectorAll("button");
    fold.onclick = () => this.fold();
    copy.onclick = () => this.copyLink();
    other.onclick = () => this.change(this.sentenceState(this.other));
    this.parts.numbers = make("div", { className: "toy-numbers", hidden: true });
    this.parts.spoken = make("p", { className: "toy-spoken", role: "status" });
    Object.assign(this.parts, { fold, copy, other });
    this.append(this.parts.numbers, this.parts.spoken);
  }

  makeStage(stages, name, h) {
    const stage = h ? stages.appendChild(make("div", { className: "toy-stage" })) : stages.firstChild;
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.ariaHidden = true;
    const label = "The sentence: arrow keys left and right choose a word, up and down swap it";
    const row = make("div", { className: "toy-words", role: "group", "aria-label": name ? `${name}. ${label}` : label });
    row.onclick = ({ target }) => target.closest("button") && this.press([...row.children].indexOf(target.closest("button")));
    row.onkeydown = (event) => this.walk(event, row);
    const head = make("p", { className: "toy-head" });
    if (name) stage.before(head);
    stage.append(svg, row);
    return { stage, svg, row, head, shown: undefined };
  }

  /** The sentence that the last button brings. */
  get other() {
    const other = this.getAttribute("other");
    return this.state.words.join(" ") === other ? this.own : other;
  }

  /** The word that asks in a sentence at first. */
  usual(words) {
    return this.lesson.asks ?? sentence.ambiguousAt(words);
  }

  /** The sentence that the page begins with. */
  get own() {
    return this.getAttribute("sentence") ?? this.lesson.sentence;
  }

  sentenceState(text, asks) {
    const words = list(text);
    return { words, asks: asks ?? this.usual(words), open: words.length === 6 ? 4 : words.length - 1, isTyping: false };
  }

  start() {
    this.state = { ...this.sentenceState(this.own), set: { ...this.lesson.settings }, hasNumbers: false };
  }

  // ---- what the reader does ----------------------------------------------------------------------

  /** Take a change that the reader makes; a slider is its own motion, and one that goes on. */
  change(news, goesOn = false) {
    this.isTouched = true;
    this.parts.refusal.textContent = "";
    const afresh = news.words || "asks" in news ? { set: { ...this.state.set, ...this.lesson.afresh } } : {};
    this.isStill = goesOn;
    this.show({ ...news, ...afresh }, this.lesson.invite);
    this.isStill = false;
    clearTimeout(this.settling);
    if (goesOn) this.settling = setTimeout(() => this.settle(), PAUSE);
    else this.settle();
  }

  /** Say what came of a change, and let the address spell it. */
  settle() {
    if (location.hash !== this.link) history.replaceState(history.state, "", this.link);
    const heads = this.results.map((result, h) => `${this.lesson.heads[h].name} ${this.lesson.aloud(this.state, result)}`.trim());
    this.parts.spoken.textContent = `${heads.join(" ")} ${this.parts.verdict.textContent}`;
  }

  /** Take what a control says. */
  set(name, value, goesOn) {
    this.change({ set: { ...this.state.set, [name]: value } }, goesOn);
  }

  /** An address that spells all that the reader has chosen. */
  get link() {
    const { words, asks, set, hasNumbers } = this.state;
    const settings = this.knobs.map(({ name, spell = String }) => {
      const [now, before] = [set, this.lesson.settings].map((values) => spell(values[name]));
      return now === before ? "" : `&${name}=${now}`;
    });
    return `#${words.join("-")}${asks === this.usual(words) ? "" : `:${asks + 1}`}${settings.join("")}${hasNumbers ? "&numbers" : ""}`;
  }

  swap(at, word) {
    this.change({ words: this.state.words.with(at, word), open: at, isTyping: false });
  }

  press(at) {
    const { words } = this.state;
    if (at >= words.length) return;
    if (this.lesson.mayAsk && !this.fits(at)) this.change({ asks: at });
    else this.change({ open: at, isTyping: false });
  }

  /** Whether another word fits in the place of one. */
  fits(at) {
    return this.lesson.choices(this.state.words[at]).length > 1;
  }

  walk(event, row) {
    const at = [...row.children].indexOf(document.activeElement);
    const { words } = this.state;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const swap = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by && !swap) return;
    event.preventDefault();
    const around = (items, place) => items[(place + items.length) % items.length];
    if (by) {
      const next = around([...row.children].slice(0, words.length), at + by);
      for (const word of row.children) word.tabIndex = word === next ? 0 : -1;
      next.focus();
      return;
    }
    const fitting = this.lesson.choices(words[at]);
    if (this.fits(at)) this.swap(at, around(fitting, fitting.indexOf(words[at]) + swap));
  }

  type(text) {
    const word = text.trim().toLowerCase();
    const fitting = this.lesson.choices(this.state.words[this.state.open]);
    if (fitting.includes(word)) {
      this.swap(this.state.open, word);
      this.parts.tray.querySelector("[aria-pressed=true]").focus();
    } else if (word) {
      this.parts.refusal.textContent = this.lesson.refusal(word.slice(0, 24), fitting);
      this.parts.refusal.scrollIntoView({ block: "nearest" });
    }
  }

  /** Take what the address spells, and say whether it spells a sentence. */
  async read() {
    if (location.hash.length < 2 || document.querySelector(":target")) return false;
    const { take } = await import("./links.js");
    if (!take(this)) return false;
    await this.prepare(this.state.hasNumbers);
    if (!this.hasAttribute("film")) this.scrollIntoView();
    return true;
  }

  async fold() {
    const hasNumbers = !this.state.hasNumbers;
    await this.prepare(hasNumbers);
    this.change({ hasNumbers });
  }

  /** Fetch what writes the numbers, once they are asked for. */
  async prepare(hasNumbers) {
    if (hasNumbers) this.write ??= await import("./numbers.js").catch(console.warn);
  }

  async copyLink() {
    const { link } = this;
    history.replaceState(history.state, "", link);
    const text = this.state.words.join(" ");
    const spelled = text.replaceAll(" ", "-");
    // A page and a card of its own, and what the sentence alone does not say.
    const isSent = !this.getAttribute("step") && course.sent.includes(text);
    const sent = isSent && new URL(`toy/${spelled}/${link === `#${spelled}` ? "" : link}`, root).href;
    const { copy, spoken } = this.parts;
    try {
      await navigator.clipboard.writeText(sent || location.href);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Copy the address";
    }
    spoken.textContent = copy.textContent;
    setTimeout(() => (copy.textContent = "Copy link"), 2000);
  }

  // ---- what follows from it -----------------------------------------------------------------------

  /** Show a change; the picture moves to it, unless the reader prefers no motion. */
  show(news, hint = this.hint) {
    Object.assign(this.state, news);
    this.hint = hint;
    const { words, asks, set } = this.state;
    const vectors = words.map(this.lesson.vectorOf);
    this.results = this.lesson.heads.map((head) => head.attend(vectors, asks, set, words));
    this.drawWords();
    this.drawTray();
    this.drawNumbers();
    this.parts.verdict.textContent = this.lesson.verdict(this.state, this.results[0], this.results);
    this.parts.hint.replaceChildren(...this.hintOf());
    const frames = this.results.map((result, h) => this.frameOf(result, this.stages[h]));
    this.move(frames);
  }

  hintOf() {
    if (this.isPlaying || !this.parts.verdict.textContent.startsWith("Undecided")) return [this.hint ?? ""];
    const [one, two] = sentence.pulls(this.state, this.results[0].shares);
    const link = make("a", { href: new URL("steps/05-queries-keys-and-values/", root).href }, "Step 5 helps");
    return [`${quote(one)} pulls against ${quote(two)}. `, ...(this.getAttribute("step") === "05" ? [] : [link, "."])];
  }

  drawWords() {
    const { words, asks, open, hasNumbers, set } = this.state;
    const after = this.lesson.after(set);
    this.stages.forEach(({ row, head }, h) => {
      if (this.isPlaying) row.replaceChildren(); // new words: none of those that the reader sees moves away
      const result = this.results[h];
      const { name } = this.lesson.heads[h];
      if (name) head.replaceChildren(make("strong", {}, name), ` ${sentence.verdict(this.state, result)}`);
      const below = this.lesson.below ?? (hasNumbers ? ({ shares }, j) => two(shares[j]) : () => "");
      const focused = [...row.children].indexOf(document.activeElement);
      const buttons = keep(row, words.length + (after ? 1 : 0), () => make("button", { type: "button" }, make("span"), make("small")));
      buttons.forEach((button, j) => {
        const word = words[j] ?? after;
        const fits = words[j] && this.fits(j);
        button.className = [fits ? "slot" : "", j === open ? "open" : "", j === asks ? "asks" : ""].join(" ").trim();
        button.firstChild.textContent = word;
        button.lastChild.textContent = below(result, j);
        button.ariaLabel = `${word}${j === asks ? ", asks" : ""}${fits ? ", swap it" : words[j] && this.lesson.mayAsk ? ", let it ask" : ""}`;
        button.disabled = !words[j];
        button.tabIndex = j === (focused < 0 ? open : focused) ? 0 : -1;
      });
    });
  }

  drawTray() {
    const { words, asks, open, isTyping } = this.state;
    const { tray } = this.parts;
    const word = words[open];
    const chips = this.lesson.choices(word).map((each) => ({ text: each, isPressed: each === word, act: () => this.swap(open, each) }));
    const ask = { text: `follow ${quote(word)}`, act: () => this.ask(open) };
    const type = { text: "type…", act: () => this.openField() };
    const items = [...chips, ...(asks === open || !this.lesson.mayAsk ? [] : [ask]), ...(isTyping || !this.lesson.mayType ? [] : [type])];
    tray.querySelector("input")?.remove();
    // Chips of the same slot stay, with the focus; others are new, for they stand elsewhere.
    const isSame = tray.firstChild?.textContent === items[0].text && !this.isPlaying;
    if (!isSame) tray.replaceChildren();
    keep(tray, items.length, () => make("button", { type: "button" })).forEach((button, j) => {
      const { text, isPressed, act } = items[j];
      button.textContent = text;
      button.act = act;
      button.className = isPressed === undefined ? "quiet" : "";
      if (isPressed === undefined) button.removeAttribute("aria-pressed");
      else button.ariaPressed = isPressed;
    });
    if (!isTyping) return;
    tray.append(
      make("input", {
        "aria-label": "Another word, then Enter",
        placeholder: "a word",
        maxLength: 24,
        autocapitalize: "off",
        autocomplete: "off",
        onkeydown: ({ key, target }) => key === "Enter" && this.type(target.value),
      }),
    );
  }

  ask(at) {
    this.change({ asks: at });
    this.stages[0].row.children[at].focus();
  }

  openField() {
    this.change({ isTyping: true });
    this.parts.tray.querySelector("input").focus();
  }

  drawNumbers() {
    const { numbers, fold, other } = this.parts;
    const { hasNumbers } = this.state;
    const tableOf = (result, h) => this.lesson.tableOf(this.write, { ...this.state, result, head: this.lesson.heads[h].name, explained: this.lesson.explains(this.state, h) });
    numbers.hidden = !hasNumbers;
    numbers.innerHTML = hasNumbers && this.write ? this.results.map(tableOf).join("") : "";
    fold.replaceChildren(...named(hasNumbers ? "Hide the numbers" : "Show the numbers", "Numbers"));
    fold.ariaExpanded = hasNumbers;
    other.replaceChildren(...named(quote(this.other), "Other sentence"));
    other.ariaLabel = `Other sentence: ${quote(this.other)}`;
  }

  // ---- the picture ----------------------------------------------------------------------------------

  frameOf(result, { stage, row }) {
    const { words, asks, open, hasNumbers } = this.state;
    return {
      words,
      asks,
      open,
      result,
      hasNumbers: hasNumbers || !!this.lesson.below,
      id: `toy-line-${this.stages.findIndex((each) => each.row === row)}`,
      x: [...row.children].map((word) => word.offsetLeft + word.offsetWidth / 2),
      W: stage.clientWidth,
      H: stage.clientHeight,
      up: row.offsetTop,
      drop: 0,
      ...this.lesson.frameOf(this.state, result),
    };
  }

  move(frames) {
    cancelAnimationFrame(this.moving);
    const before = this.stages.map(({ shown }) => shown);
    this.frames = frames;
    const fits = frames.every((frame, h) => before[h]?.x.length === frame.x.length && before[h].W === frame.W);
    if (!fits || calm.matches || this.isStill) return this.draw(frames);
    const start = performance.now();
    const step = (now) => {
      const t = Math.min(1, (now - start) / SLIDE);
      const drop = Math.min(1, (now - start) / FALL);
      const eased = 1 - (1 - t) ** 3;
      this.paint(frames.map((frame, h) => ({ ...between(before[h], frame, eased), drop: drop < 1 ? drop : 0 })));
      if (drop < 1) this.moving = requestAnimationFrame(step);
    };
    this.moving = requestAnimationFrame(step);
  }

  /** Draw at once, with the sizes that things have now. */
  draw(frames) {
    if (!frames) return;
    cancelAnimationFrame(this.moving);
    this.frames = frames.map(({ result }, h) => this.frameOf(result, this.stages[h]));
    this.paint(this.frames);
  }

  paint(frames) {
    frames.forEach((frame, h) => {
      if (!frame.W) return; // not laid out yet
      this.stages[h].shown = frame;
      const { svg, row } = this.stages[h];
      svg.setAttribute("viewBox", `0 0 ${frame.W} ${frame.H}`); // paper has another width
      svg.innerHTML = this.lesson.layers.map((layer) => layer(frame, this)).join("") + onPaper(frame, row);
    });
  }
}

/** A frame on the way from one to another: what is a list of numbers moves, the rest is there at once. */
function between(a, b, t) {
  const mixed = Object.entries(b).map(([name, now]) =>
    typeof now?.[0] === "number" ? [name, now.map((to, j) => (a[name][j] ?? to) * (1 - t) + to * t)] : [name, now],
  );
  return Object.fromEntries(mixed);
}

customElements.define("attention-toy", AttentionToy);
