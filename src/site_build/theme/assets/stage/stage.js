// One drawing for a page. A state is a function from data to a dictionary: the name of a mark, where it is and how it
// looks. The stage draws any mixture of two dictionaries, so scrolling, scrolling back, a word that is swapped, a window
// that is resized and a still are one thing.

import { calm } from "../dom.js";

const SVG = "http://www.w3.org/2000/svg";
export const clamp = (x, low = 0, high = 1) => Math.max(low, Math.min(high, x));
export const mix = (a, b, share) => a + (b - a) * share;
export const ease = (share) => (share < 0.5 ? 2 * share * share : 1 - 2 * (1 - share) ** 2);
export const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
export const range = (count) => Array.from({ length: count }, (_, place) => place);
const signed = (text) => text.replace("-", "−");
/** A number as it is written: at most two decimals, and the sign of mathematics. */
export const say = (x) => signed(String(Math.round(x * 100) / 100 + 0));
export const two = (x) => signed(x.toFixed(2));
/** A share; one that is nearly all or nearly nothing is never told as all or nothing. */
export const percent = (x) => {
  const rounded = Math.round(100 * x);
  return `${(rounded === 0 || rounded === 100) && x % 1 ? (100 * clamp(x, 0.001, 0.999)).toFixed(1) : rounded} %`;
};
const round = (x) => (typeof x === "number" ? Math.round(x * 10) / 10 : x);

// ---- shapes: from numbers to attributes -------------------------------------------------------------------------
const SHAPES = {
  rect: (m) => ({ x: m.x, y: m.y, width: Math.max(0, m.w), height: Math.max(0, m.h), rx: m.r }),
  circle: (m) => ({ cx: m.x, cy: m.y, r: m.r }),
  text: (m) => ({ x: m.x, y: m.y, "font-size": m.size, "text-anchor": m.anchor, textLength: m.w }),
  line: (m) => ({ d: `M${round(m.x0)} ${round(m.y0)}L${round(m.x)} ${round(m.y)}` }),
  /** Through points, which do not move one by one. */
  curve: (m) => ({ d: `M${m.points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}`, fill: m.fill ?? "none" }),
  /** From a point to its tip; the head lies within. */
  arrow: (m) => {
    const [dx, dy] = [m.x - m.x0, m.y - m.y0];
    const length = Math.hypot(dx, dy) || 1;
    const at = (along, across) =>
      `${round(m.x0 + (along * dx - across * dy) / length)} ${round(m.y0 + (along * dy + across * dx) / length)}`;
    const [half, wide, neck] = [m.w / 2, m.w * 1.55, length - Math.min(m.w * 2.9, length)];
    const corners = [[0, -half], [neck, -half], [neck, -wide], [length, 0], [neck, wide], [neck, half], [0, half]];
    return { d: `M${corners.map((corner) => at(...corner)).join("L")}Z` };
  },
  /** An arrow from the middle of a dial, so long, and turned by so many degrees: it swings, where an arrow would shrink. */
  hand: (m) => {
    const turn = (m.turn * Math.PI) / 180;
    return SHAPES.arrow({ w: m.w, x0: m.x, y0: m.y, x: m.x + m.long * Math.sin(turn), y: m.y - m.long * Math.cos(turn) });
  },
  /** From a word to another place, as wide as its share: down and over, or out and back. */
  ribbon: (m) => {
    const [x0, y0, x, y] = [m.x0, m.y0, m.x, m.y].map(round);
    const bend = round(m.bend ?? 0);
    const path = m.bend
      ? `C${x0 + bend} ${y0} ${x + bend} ${y} ${x} ${y}`
      : `C${x0} ${round(mix(y0, y, 0.75))} ${x} ${round(mix(y0, y, 0.3))} ${x} ${y}`;
    return { d: `M${x0} ${y0}${path}`, fill: "none", "stroke-width": Math.max(0.8, m.w) };
  },
};
const TAGS = { rect: "rect", circle: "circle", text: "text" };
const LOOKS = { fill: "fill", stroke: "stroke", sw: "stroke-width", dash: "stroke-dasharray", look: "class" };

/** All attributes of a mark. */
function attributesOf(mark) {
  const attributes = SHAPES[mark.as](mark);
  for (const [look, name] of Object.entries(LOOKS)) if (mark[look]) attributes[name] ??= mark[look];
  if ((mark.o ?? 1) < 1) attributes.opacity = Math.round(mark.o * 100) / 100;
  for (const name in attributes) if (name !== "opacity") attributes[name] = round(attributes[name]);
  return attributes;
}

/** The words of a text: one, or several of different hues. */
const spansOf = (mark) => (Array.isArray(mark.t) ? mark.t.filter(([words]) => words) : [[String(mark.t)]]);

/** What lies between two marks. One that is in one dictionary alone fades where it is. `late` lets it begin later. */
function between(a, b, share) {
  if (!a || !b) return { ...(a ?? b), o: ((a ?? b).o ?? 1) * clamp(a ? 1 - 2 * share : 2 * share - 1) };
  const local = ease(clamp((share - 0.45 * (b.late ?? a.late ?? 0)) / 0.55));
  const mark = { ...(local < 0.5 ? a : b) };
  for (const name in mark)
    if (typeof a[name] === "number" && typeof b[name] === "number") mark[name] = mix(a[name], b[name], local);
  mark.o = mix(a.o ?? 1, b.o ?? 1, local);
  return mark;
}

function mixture(a, b, share) {
  const mixed = {};
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) mixed[name] = between(a[name], b[name], share);
  return mixed;
}

const LAYERS = [0, 1, 2, 3];
const layerOf = (mark) => mark.z ?? 1;

/** A state as it stands on paper and without scripts. What is pressed and held is for the hand alone. */
export function still(marks, width, height) {
  const shown = Object.values(marks).filter((mark) => (mark.o ?? 1) >= 0.01 && !mark.press && !mark.hold);
  const drawn = LAYERS.flatMap((layer) => shown.filter((mark) => layerOf(mark) === layer)).map((mark) => {
    const tag = TAGS[mark.as] ?? "path";
    const written = (attributes) =>
      Object.entries(attributes)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => ` ${name}="${value}"`)
        .join("");
    const inner = mark.as === "text" ? spansOf(mark).map(([words, fill]) => (fill ? `<tspan fill="${fill}">${words}</tspan>` : words)) : [];
    return `<${tag}${written(attributesOf(mark))}>${inner.join("")}</${tag}>`;
  });
  return `<svg viewBox="0 0 ${width} ${height}">${drawn.join("")}</svg>`;
}

export class Stage {
  /**
   * @param box where it is drawn
   * @param layout from the name of a state, a width and a height to a dictionary of marks
   * @param states their names, in the order of the page
   */
  constructor(box, layout, states) {
    Object.assign(this, { box, layout, states, at: 0, elements: new Map(), marks: {}, share: 1 });
    this.svg = box.appendChild(document.createElementNS(SVG, "svg"));
    this.layers = LAYERS.map(() => this.svg.appendChild(document.createElementNS(SVG, "g")));
    new ResizeObserver(() => this.draw()).observe(box);
  }

  /** On a large screen all is larger. */
  get scale() {
    return clamp(Math.min(this.box.clientWidth / 1080, this.box.clientHeight / 860), 1, 2);
  }

  get state() {
    return this.states[Math.round(this.at)];
  }

  /** Go to a place between the states: 1.5 is half way from the second to the third. */
  go(at) {
    this.at = at;
    this.draw();
  }

  /** The data have changed: let what is drawn run to what is so. */
  change(milliseconds = 420) {
    cancelAnimationFrame(this.frame);
    if (calm.matches) return this.draw();
    const [begin, before] = [performance.now(), this.marks];
    const next = (now) => {
      this.share = clamp((now - begin) / milliseconds);
      this.before = before;
      this.draw();
      if (this.share < 1) this.frame = requestAnimationFrame(next);
    };
    next(begin);
  }

  /** Draw at once what is so, as under a finger. */
  settle() {
    cancelAnimationFrame(this.frame);
    this.share = 1;
    this.draw();
  }

  draw() {
    const [width, height] = [this.box.clientWidth / this.scale, this.box.clientHeight / this.scale].map(Math.round);
    if (!width) return;
    const first = Math.floor(this.at);
    let marks = this.layout(this.states[first], width, height);
    if (this.at > first) marks = mixture(marks, this.layout(this.states[first + 1], width, height), this.at - first);
    if (this.share < 1) marks = mixture(this.before, marks, ease(this.share));
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    for (const name in marks) this.put(name, marks[name]);
    for (const [name, kept] of this.elements) if (!marks[name]) hide(kept);
    this.marks = marks;
    this.ondraw?.();
  }

  put(name, mark) {
    const kept = this.elements.get(name) ?? this.make(name, mark);
    if ((mark.o ?? 1) < 0.01) return hide(kept);
    const { element, had } = kept;
    const wants = { ...attributesOf(mark), ...handOf(mark) };
    for (const each in wants) if (wants[each] !== undefined && had[each] !== wants[each]) element.setAttribute(each, wants[each]);
    for (const each in had) if (had[each] !== undefined && wants[each] === undefined) element.removeAttribute(each);
    kept.had = wants;
    if (mark.as !== "text") return;
    const words = JSON.stringify(mark.t);
    if (kept.words === words) return;
    kept.words = words;
    const spans = spansOf(mark).map(([text, fill]) => {
      if (!fill) return text;
      const span = Object.assign(document.createElementNS(SVG, "tspan"), { textContent: text });
      span.setAttribute("fill", fill);
      return span;
    });
    element.replaceChildren(...spans);
  }

  make(name, mark) {
    const element = document.createElementNS(SVG, TAGS[mark.as] ?? "path");
    this.layers[layerOf(mark)].append(element);
    const kept = { element, had: {} };
    this.elements.set(name, kept);
    return kept;
  }

  focus(name) {
    this.elements.get(name)?.element.focus({ preventScroll: true });
  }
}

function hide(kept) {
  if (kept.had.display) return;
  kept.had.display = "none";
  kept.element.setAttribute("display", "none");
}

/** What a mark is to a hand, to keys and to a screen reader: a button that is pressed, or a handle that is held. */
function handOf({ press, hold, said, stop, on, value }) {
  if (press) return { "data-press": press, role: "button", "aria-label": said, "aria-pressed": on, tabindex: stop ? 0 : -1 };
  if (!hold) return {};
  const [now, least, most, text] = value;
  const values = { "aria-valuenow": now, "aria-valuemin": least, "aria-valuemax": most, "aria-valuetext": text };
  return { "data-hold": hold, role: "slider", "aria-label": said, tabindex: 0, ...values };
}

// ---- tasks -------------------------------------------------------------------------------------------------------
const HOLDS = { "==": (a, b) => Math.abs(a - b) < 0.005, "<": (a, b) => a < b, ">": (a, b) => a > b };

/** Whether it holds now: the words must be there, and their number as it shall be. */
export function holds(scene, { name, words, sign, number }) {
  const places = words.map((word) => scene.placeOf?.(name, word) ?? scene.words.lastIndexOf(word));
  if (places.includes(-1) || !scene.tensors[name]) return false; // what is fetched later may not be there yet
  return HOLDS[sign](places.reduce((tensor, place) => tensor[place], scene.tensors[name]), number);
}
