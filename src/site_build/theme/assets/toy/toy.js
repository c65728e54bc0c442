// <attention-toy>: a sentence whose words the reader swaps, and what a word then takes from the others.
// What a step's page switches on is a module of its own in steps/; see lesson.js.

import { calm, copyAddress, make } from "../dom.js";
import lesson from "./lesson.js";
import course from "./words.js";
import { two } from "./attention.js";
import { onPaper } from "./drawing.js";
import * as sentence from "./sentence.js";

const { quote } = sentence;
const SLIDE = 750; // milliseconds in which a word reaches its new place
const PAUSE = 300; // after which a slider has come to rest: browsers let an address change so often, and no more
const root = new URL("../../", import.meta.url); // of the site

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
    this.mine = {}; // the reader's own words, by their slots
    this.build();
    this.state = { ...this.sentenceState(this.own), set: { ...this.lesson.settings }, hasNumbers: false };
    await this.read();
    this.classList.add("live"); // the printed picture goes
    this.querySelector(".handout")?.remove();
    this.querySelectorAll("[inert]").forEach((part) => (part.inert = false));
    this.show({}, this.lesson.invite);
    addEventListener("hashchange", async () => (await this.read()) && this.show({}));
    const paper = matchMedia("print"); // which shows what the screen showed
    new ResizeObserver(() => paper.matches || this.draw(this.frames)).observe(this);
  }

  // ---- what stays ------------------------------------------------------------------------------

  build() {
    const find = (name) => this.querySelector(`.toy-${name}`);
    this.parts = Object.fromEntries(["stages", "verdict", "hint", "tray", "refusal", "controls", "bar"].map((name) => [name, find(name)]));
    const { stages, tray, bar, controls } = this.parts;
    this.stages = this.lesson.heads.map(({ name }, h) => this.makeStage(stages, name, h));
    tray.role = "group";
    tray.ariaLabel = "Words to swap in";
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
    const row = stage.querySelector(".toy-words") ?? make("div", { className: "toy-words" });
    row.role = "group";
    row.ariaLabel = name ? `${name}. ${label}` : label;
    row.onclick = ({ target }) => target.closest("button") && this.press([...row.children].indexOf(target.closest("button")));
    row.onkeydown = (event) => this.walk(event, row);
    const head = make("p", { className: "toy-head" });
    if (name) stage.before(head);
    stage.append(svg, row);
    return { stage, svg, row, head };
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
    const words = text.split(" ");
    return { words, asks: asks ?? this.usual(words), open: words.length === 6 ? 4 : words.length - 1, isTyping: false };
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
    const own = Object.entries(this.mine).map(([slot, word]) =>
      words.includes(word) ? `&${slot}=${[word, ...sentence.vectorOf(word)]}` : "",
    );
    const asking = asks === this.usual(words) ? "" : `:${asks + 1}`;
    return `#${words.join("-")}${asking}${settings.join("")}${own.join("")}${hasNumbers ? "&numbers" : ""}`;
  }

  swap(at, word) {
    this.change({ words: this.state.words.with(at, word), open: at, isTyping: false });
  }

  /** Offer what can be done with a word. */
  press(at) {
    if (at < this.state.words.length) this.change({ open: at, isTyping: false });
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

  /** Let the reader type a word and give it numbers. */
  async edit() {
    (await import("./own.js")).edit(this);
  }

  /** Take what the address spells, and say whether it spells a sentence. */
  async read() {
    if (location.hash.length < 2 || document.querySelector(":target")) return false;
    const { take } = await import("./links.js");
    if (!(await take(this))) return false;
    await this.prepare(this.state.hasNumbers);
    this.scrollIntoView();
    return true;
  }

  async fold() {
    const hasNumbers = !this.state.hasNumbers;
    await this.prepare(hasNumbers);
    this.change({ hasNumbers });
    // On a phone they are below the screen.
    this.parts.numbers.scrollIntoView({ block: "nearest", behavior: calm.matches ? "instant" : "smooth" });
  }

  /** Fetch what writes the numbers, once they are asked for. */
  async prepare(hasNumbers) {
    if (hasNumbers) this.write ??= await import("./numbers.js").catch(console.warn);
  }

  async copyLink() {
    const { link } = this;
    history.replaceState(history.state, "", link);
    const [spelled] = link.slice(1).split(/[:&]/);
    // A page and a card of its own, and what the sentence alone does not say.
    const isSent = !this.getAttribute("step") && course.sent.includes(spelled.replaceAll("-", " "));
    const sent = isSent && new URL(`toy/${spelled}/${link === `#${spelled}` ? "" : link}`, root).href;
    const { copy, spoken } = this.parts;
    const said = await copyAddress(sent || location.href);
    copy.textContent = said[0].toUpperCase() + said.slice(1);
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
    this.move(this.results.map((result, h) => this.frameOf(result, h)));
  }

  hintOf() {
    if (this.isPlaying || !this.parts.verdict.textContent.startsWith("Undecided")) return [this.hint ?? ""];
    const [one, two] = sentence.pulls(this.state, this.results[0].shares);
    const link = make("a", { href: new URL("steps/queries-keys-and-values/", root).href }, "Queries help");
    return [`${quote(one)} pulls against ${quote(two)}. `, link, "."];
  }

  drawWords() {
    const { words, asks, open, hasNumbers, set } = this.state;
    const after = this.lesson.after(set);
    this.stages.forEach(({ row, head }, h) => {
      if (this.isPlaying) row.replaceChildren(); // new words: none of those that the reader sees moves away
      row.style.setProperty("--letters", words.join("").length);
      const result = this.results[h];
      const { name } = this.lesson.heads[h];
      if (name) head.replaceChildren(make("strong", {}, name), ` ${sentence.verdict(this.state, result)}`);
      const below = this.lesson.below ?? (hasNumbers ? ({ shares }, j) => two(shares[j]) : () => "");
      const focused = [...row.children].indexOf(document.activeElement);
      const buttons = keep(row, words.length + (after ? 1 : 0), () => make("button", { type: "button" }, make("span"), make("small")));
      buttons.forEach((button, j) => {
        const word = words[j] ?? after;
        const fits = words[j] && this.fits(j);
        button.className = [fits && "slot", j === open && "open", j === asks && "asks"].filter(Boolean).join(" ");
        button.firstChild.textContent = word;
        button.lastChild.textContent = below(result, j);
        button.ariaLabel = `${word}${j === asks ? ", asks" : ""}${fits ? ", swap it" : ""}`;
        button.disabled = !words[j];
        button.tabIndex = j === (focused < 0 ? open : focused) ? 0 : -1;
      });
    });
  }

  drawTray() {
    const { words, asks, open, isTyping } = this.state;
    if (isTyping) return; // own.js has drawn it
    const { tray } = this.parts;
    const word = words[open];
    const button = (textContent, onclick, more) => make("button", { type: "button", textContent, onclick, ...more });
    const chips = this.lesson.choices(word).map((each) => button(each, () => this.swap(open, each), { ariaPressed: each === word }));
    const quiet = { className: "quiet" };
    if (asks !== open && this.lesson.mayAsk) chips.push(button(`follow ${quote(word)}`, () => this.ask(open), quiet));
    if (this.lesson.mayType && sentence.slotOf(word) in course.own) chips.push(button("your word…", () => this.edit().catch(console.warn), quiet));
    const focused = [...tray.children].indexOf(document.activeElement);
    tray.replaceChildren(...chips);
    chips[focused]?.focus();
  }

  ask(at) {
    this.change({ asks: at });
    this.stages[0].row.children[at].focus();
  }

  drawNumbers() {
    const { numbers, fold, other } = this.parts;
    const { hasNumbers } = this.state;
    const tableOf = (result, h) => this.lesson.tableOf(this.write, { ...this.state, result, head: this.lesson.heads[h].name, explained: this.lesson.explains(this.state, h) });
    numbers.hidden = !hasNumbers;
    numbers.innerHTML = hasNumbers && this.write ? this.results.map(tableOf).join("") : "";
    fold.firstChild.textContent = hasNumbers ? "Hide the numbers" : "Show the numbers"; // a phone has a shorter name
    fold.ariaExpanded = hasNumbers;
    other.firstChild.textContent = quote(this.other);
    other.ariaLabel = `Other sentence: ${quote(this.other)}`;
  }

  // ---- the picture ----------------------------------------------------------------------------------

  frameOf(result, h) {
    const { stage, row } = this.stages[h];
    return {
      ...this.state,
      result,
      hasNumbers: this.state.hasNumbers || !!this.lesson.below,
      id: `toy-line-${h}`,
      x: [...row.children].map((word) => word.offsetLeft + word.offsetWidth / 2),
      W: stage.clientWidth,
      H: stage.clientHeight,
      up: row.offsetTop,
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
      const eased = 1 - (1 - t) ** 3;
      this.paint(frames.map((frame, h) => between(before[h], frame, eased)));
      if (t < 1) this.moving = requestAnimationFrame(step);
    };
    this.moving = requestAnimationFrame(step);
  }

  /** Draw at once, with the sizes that things have now. */
  draw(frames) {
    if (!frames) return;
    cancelAnimationFrame(this.moving);
    this.frames = frames.map(({ result }, h) => this.frameOf(result, h));
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
