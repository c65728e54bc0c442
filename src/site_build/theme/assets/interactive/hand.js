// A figure in the reader's hands: a drawing for a state and a moment, a sentence that says what happened, and
// one bar of controls. A figure has a folder of its own beside this one; docs/guides/writing-a-page.md says
// what is in it.
import { calm, make } from "../dom.js";
import { hatching, mark, mix, within } from "./marks.js";

export const WIDE = 660; // units of a drawing in the column, and of one on a phone
export const NARROW = 300;
const LATE = 300; // milliseconds after the last change, in which a drag makes many
const REST = 250; // milliseconds between two moments
const PACE = 700; // of a moment, where a figure says nothing else

const button = (className, onclick, ...children) => make("button", { type: "button", className, onclick }, ...children);

/**
 * Bring a figure to life wherever a page has it.
 *
 * @param name Of its folder.
 * @param specOf Makes of the numbers of the page: `defaults`, the state at first; `height`, `{wide, narrow}`,
 *   in units; `draw(svg, state, t, {width, height, narrow, hand})`; `say(state, t)`, the sentence. And, if it
 *   has moments: `steps(state)`, the last one; `where(state, t)`, in words; `axis`, what they are; `best(state)`,
 *   the one that explains most, if it is not the last; `pace(state)`. If it has choices: `choices`; `keep`, the names of
 *   those that keep the moment; and `fix(state, changed)`, which mends a state that cannot be. If the reader holds
 *   what is no choice: `save(state, params)` and `load(state, params)`, for the address. If it answers the page's
 *   guess: `bet`, with the state that it `shows`, or one for each guess, `truth(state)`, which is the right answer,
 *   `answer(state, right)`, a sentence, and `until(state)`, the moment to stop at. And `extra(hand)`, an element
 *   below the choices. It may be a promise.
 */
export function figure(name, specOf) {
  for (const host of document.querySelectorAll(`hand-figure[figure="${name}"]`)) bring(name, specOf, host);
  return specOf;
}

async function bring(name, specOf, host) {
  new Hand(name, await specOf(numbersOf(host)), host);
}

/** The numbers that the page has printed, by the names of their outputs. */
const numbersOf = (host) => JSON.parse(host.querySelector("script").textContent);

/** A figure as it stands in a page before its script comes. */
export async function written(name, specOf, numbers) {
  const hand = new Hand(name, await specOf(numbers));
  hand.drawAll();
  for (const input of hand.controls.querySelectorAll("input")) {
    input.defaultChecked = input.checked; // also in HTML
    if (input.type === "range") input.defaultValue = input.value;
  }
  for (const output of hand.controls.querySelectorAll("output")) output.textContent = "";
  return hand.parts.map((part) => part.outerHTML).join("\n");
}

class Hand {
  constructor(name, spec, host) {
    Object.assign(this, { name, spec, host, state: { ...spec.defaults }, syncs: [] });
    this.t = this.rest;
    this.pictures = [false, true].map((narrow) => this.picture(narrow));
    this.sentence = make("p", { className: "hand-says", role: "status" });
    this.controls = make("div", { className: "hand-controls" }, this.bar(), this.choices(), spec.extra?.(this) ?? []);
    this.stage = make("div", { className: "hand-stage" }, this.pictures);
    this.parts = [hatching(), this.stage, this.sentence, this.controls];
    this.sync();
    if (!host) return;
    const before = [...host.querySelectorAll("button, input")].indexOf(host.pressed);
    host.querySelector(".hand-body").replaceChildren(...this.parts);
    this.draw(); // the observer would do it, but later
    this.read();
    new ResizeObserver(() => this.draw()).observe(this.stage);
    addEventListener("beforeprint", () => this.print());
    addEventListener("hashchange", () => this.read());
    const guess = document.querySelector(".guess");
    guess?.addEventListener("click", ({ target }) => this.answer(target.closest("button")));
    host.classList.add("live");
    // What was pressed before the script was there.
    this.controls.querySelectorAll("button, input")[before]?.click();
    this.answer(guess?.pressed?.closest("button"));
  }

  get last() {
    return this.spec.steps?.(this.state) ?? 0;
  }

  /** The moment that explains most: a figure waits there, and no one meets an empty one. */
  get rest() {
    return this.spec.best?.(this.state) ?? this.last;
  }

  picture(narrow) {
    const width = narrow ? NARROW : WIDE;
    const height = this.spec.height[narrow ? "narrow" : "wide"];
    const svg = mark("svg", { class: narrow ? "narrow" : "wide", viewBox: `0 0 ${width} ${height}` });
    svg.size = { width, height, narrow, hand: this };
    return svg;
  }

  // ---- what it looks like ----------------------------------------------------------------------------------

  /** Draw the picture that is seen. */
  draw() {
    this.drawAll(this.pictures.filter((svg) => svg.clientWidth));
  }

  drawAll(pictures = this.pictures) {
    this.t = within(this.t, 0, this.last);
    const moment = Math.round(this.t);
    const sentence = this.bet && moment === this.bet.until ? this.bet.sentence : this.spec.say(this.state, moment);
    for (const svg of pictures) {
      const held = svg.contains(document.activeElement) && document.activeElement.dataset.key;
      svg.replaceChildren();
      this.spec.draw(svg, this.state, this.t, svg.size);
      rove(svg);
      svg.setAttribute("role", svg.querySelector("[tabindex]") ? "group" : "img");
      svg.setAttribute("aria-label", sentence.replace(/<[^>]*>/g, ""));
      if (held) svg.querySelector(`[data-key="${held}"]`)?.focus({ preventScroll: true });
    }
    if (sentence !== this.told) this.sentence.innerHTML = this.told = sentence;
    if (!this.slider) return;
    this.slider.max = this.last;
    this.slider.value = moment;
    this.where.textContent = this.slider.ariaValueText = this.spec.where(this.state, moment);
  }

  /** Paper has the state that explains most. */
  print() {
    this.stop();
    const before = this.t;
    this.t = this.rest;
    this.drawAll();
    addEventListener("afterprint", () => this.show(before), { once: true });
  }

  // ---- what the reader does ----------------------------------------------------------------------------------

  bar() {
    if (!this.spec.steps) return [];
    const by = (step) => () => this.stop() || this.show(within(Math.round(this.t) + step, 0, this.last));
    this.player = button("hand-play", () => (this.playing ? this.stop() : this.play()), "Play");
    this.slider = make("input", { type: "range", min: 0, step: 1, max: this.last, value: 0, ariaLabel: this.spec.axis });
    this.slider.addEventListener("input", () => {
      const moment = Number(this.slider.value); // to stop draws the moment that was played
      this.stop();
      this.show(moment);
    });
    this.where = make("output", { ariaLive: "off" });
    const [back, on] = [["‹", "one back", -1], ["›", "one on", 1]].map(([sign, ariaLabel, step]) =>
      Object.assign(button("", by(step), sign), { ariaLabel }),
    );
    return make("div", { className: "hand-bar" }, this.player, back, this.slider, on, this.where);
  }

  choices() {
    const fields = (this.spec.choices ?? []).map((choice) => {
      const field = choice.range ? this.range(choice) : this.options(choice);
      if (choice.when) this.syncs.push(() => (field.inert = !choice.when(this.state)));
      return field;
    });
    return fields.length ? make("div", { className: "hand-choices" }, fields) : [];
  }

  range({ name, label, range: [min, max, step], format = String }) {
    const output = make("output", { ariaLive: "off" });
    const input = make("input", { type: "range", name: `${this.name}-${name}`, min, max, step, ariaLabel: label });
    input.addEventListener("input", () => this.set({ [name]: Number(input.value) }));
    this.syncs.push(() => {
      input.value = this.state[name];
      output.textContent = input.ariaValueText = format(this.state[name], this.state);
    });
    return make("label", { className: "hand-range" }, make("span", {}, label), input, output);
  }

  options({ name, label, options, chips }) {
    const inputs = options.map(([value]) => {
      const input = make("input", { type: "radio", name: `${this.name}-${name}`, value });
      input.addEventListener("change", () => this.set({ [name]: value }));
      return input;
    });
    this.syncs.push(() => inputs.forEach((input, at) => (input.checked = options[at][0] === this.state[name])));
    const labels = options.map(([, words], at) => make("label", {}, inputs[at], make("span", {}, words)));
    const className = chips ? "hand-chips" : "hand-segments";
    return make("fieldset", {}, make("legend", {}, label), make("div", { className }, labels));
  }

  /** Change the state. What does not keep the moment leads to where the figure rests. */
  set(changes) {
    this.stop();
    this.bet = undefined;
    Object.assign(this.state, changes);
    for (const name of Object.keys(changes)) {
      this.spec.fix?.(this.state, name);
      if (!this.spec.keep?.includes(name)) this.t = this.rest;
    }
    this.sync();
    this.show(this.t);
  }

  sync() {
    for (const one of this.syncs) one();
  }

  /** Show a moment, and let the address spell it. */
  show(t) {
    this.t = within(t, 0, this.last);
    this.draw();
    this.write();
  }

  /** Move on to a moment. Readers who want no motion see it, and nothing between. */
  move(goal, then) {
    const from = this.t;
    const began = performance.now();
    const pace = this.spec.pace?.(this.state) ?? PACE;
    const run = (now) => {
      const share = calm.matches ? 1 : within((now - began) / pace, 0, 1);
      this.t = mix(from, goal, share);
      this.draw();
      if (share < 1) this.frame = requestAnimationFrame(run);
      else this.timer = setTimeout(then, REST + (calm.matches ? pace : 0));
    };
    this.frame = requestAnimationFrame(run);
  }

  play(until = this.last) {
    this.stop();
    if (this.t >= until) this.t = 0;
    this.playing = true;
    this.player.textContent = "Stop";
    this.player.classList.add("playing");
    const on = () => (this.t < until ? this.move(Math.floor(this.t) + 1, on) : this.stop());
    on();
  }

  stop() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    if (!this.playing) return;
    this.playing = false;
    this.player.textContent = "Play";
    this.player.classList.remove("playing");
    this.show(Math.round(this.t));
  }

  /** The reader has pressed an answer of the page's guess: show what it asks about, and say what is so. */
  answer(pressed) {
    const { bet } = this.spec;
    if (!bet || !pressed) return;
    const guess = pressed.textContent;
    this.stop();
    const shows = typeof bet.shows === "function" ? bet.shows(guess) : bet.shows;
    Object.assign(this.state, this.spec.defaults, shows);
    this.spec.fix?.(this.state);
    this.sync();
    const right = bet.truth(this.state) === guess;
    const until = bet.until?.(this.state) ?? this.last;
    this.bet = { until, sentence: `You said ${guess}${right ? ": right" : ""}. ${bet.answer(this.state, right)}` };
    this.t = 0;
    this.draw();
    this.host.scrollIntoView({ block: "nearest", behavior: calm.matches ? "instant" : "smooth" });
    if (until) this.play(until);
  }

  // ---- the state in the address: #tiles&b=3&t=4 -----------------------------------------------------------

  /** Take what the address spells for this figure; what it spells wrongly is as at first. */
  read() {
    const [name, ...spelled] = location.hash.slice(1).split("&");
    if (name !== this.name) return;
    this.stop();
    const given = new URLSearchParams(spelled.join("&"));
    this.state = { ...this.spec.defaults };
    for (const { name, options, range } of this.spec.choices ?? [])
      if (given.has(name)) {
        const value = given.get(name);
        if (range) this.state[name] = within(Number(value) || 0, range[0], range[1]);
        else this.state[name] = options.find(([each]) => String(each) === value)?.[0] ?? this.state[name];
      }
    this.spec.load?.(this.state, given);
    this.spec.fix?.(this.state);
    this.sync();
    this.t = given.has("t") ? Math.round(Number(given.get("t"))) || 0 : this.rest;
    this.draw();
    this.host.scrollIntoView({ block: "center" });
  }

  write() {
    clearTimeout(this.late);
    this.late = setTimeout(() => this.spell(), LATE);
  }

  spell() {
    const given = new URLSearchParams();
    for (const { name } of this.spec.choices ?? [])
      if (this.state[name] !== this.spec.defaults[name]) given.set(name, this.state[name]);
    this.spec.save?.(this.state, given);
    if (this.spec.steps) given.set("t", Math.round(this.t));
    const mine = location.hash.slice(1).split("&")[0] === this.name;
    if (!given.size && !mine) return;
    const hash = [`#${this.name}`, ...(given.size ? [given] : [])].join("&");
    try {
      history.replaceState(history.state, "", hash);
    } catch {} // a browser that has had enough of them
  }
}

/**
 * Let a mark be held: it follows a pointer, and keys. `move(x, y)` takes a place in units of the drawing, and
 * `step(by)` a number of steps; a large one means the end. Of a `group` of marks, one is a stop of the Tab key, and
 * the arrows up and down lead to the others.
 */
export function hold(element, { key, label, now, min, max, words, group, move, step }) {
  control(element, "slider", key, group, { label, valuenow: now, valuemin: min, valuemax: max, valuetext: words });
  element.classList.add("held");
  element.addEventListener("pointerdown", (down) => {
    const svg = element.ownerSVGElement; // it stays, while what is in it is drawn anew
    const gone = new AbortController();
    const { signal } = gone;
    const follow = ({ clientX, clientY }) => {
      const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
      move(x, y);
    };
    svg.setPointerCapture(down.pointerId);
    svg.addEventListener("pointermove", follow, { signal });
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => gone.abort(), { signal });
    down.preventDefault();
    element.focus({ preventScroll: true });
  });
  const steps = { ArrowLeft: -1, ArrowRight: 1, PageDown: -5, PageUp: 5, Home: -1e9, End: 1e9 };
  if (!group) Object.assign(steps, { ArrowDown: -1, ArrowUp: 1 });
  onKeys(element, Object.keys(steps), (key, isLarge) => step(steps[key] * (isLarge ? 5 : 1)));
  return element;
}

/** Let a mark be pressed. `pressed` says whether it is on, if it can be. */
export function press(element, { key, label, pressed, group, does }) {
  control(element, "button", key, group, { label, pressed });
  element.addEventListener("click", does);
  onKeys(element, ["Enter", " "], does);
  return element;
}

function control(element, role, key, group, named) {
  element.setAttribute("tabindex", 0);
  element.setAttribute("role", role);
  element.dataset.key = key;
  for (const [name, value] of Object.entries(named)) if (value !== undefined) element.setAttribute(`aria-${name}`, value);
  if (!group) return;
  element.dataset.group = group;
  onKeys(element, ["ArrowUp", "ArrowDown"], (pressed) => {
    const all = [...element.ownerSVGElement.querySelectorAll(`[data-group="${group}"]`)];
    all.at((all.indexOf(element) + (pressed === "ArrowUp" ? -1 : 1)) % all.length).focus();
  });
  element.addEventListener("focus", () => reached.set(group, key) && rove(element.ownerSVGElement));
}

const reached = new Map(); // of each group, the one that has the focus, or had it last

/** Let the Tab key stop once in each group. */
function rove(svg) {
  const groups = Map.groupBy(svg.querySelectorAll("[data-group]"), ({ dataset }) => dataset.group);
  for (const [group, members] of groups) {
    const stop = members.find(({ dataset }) => dataset.key === reached.get(group)) ?? members[0];
    for (const each of members) each.setAttribute("tabindex", each === stop ? 0 : -1);
  }
}

function onKeys(element, keys, does) {
  element.addEventListener("keydown", (event) => {
    if (!keys.includes(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    does(event.key, event.shiftKey);
  });
}
