// The marks of every figure. A hue says one thing wherever it is used, so a mark takes a hue by its name, and no
// other colour.
export const HUES = [
  "ink", // words, and amounts in general
  "quiet", // what stands beside them
  "faint",
  "edge", // of things
  "rule",
  "soft", // a ground
  "ground", // the paper
  "water",
  "money",
  "now", // what is computed at this moment, and what the reader holds or has chosen
  "now-soft",
  "kept", // keys and values that stay
  "kept-soft",
  "wrong", // a mistake, and what does not fit
];
const SVG = "http://www.w3.org/2000/svg";
const HATCHED = "hatched"; // hidden, not read, or waiting
const EMPTY = "3 4"; // the dashes of what is empty, or to come

/** The colour of a hue, or of what is no hue: "none", and "hatched". */
function colour(name) {
  if (name === "none") return name;
  if (name === HATCHED) return "url(#hand-hatched)";
  if (!HUES.includes(name)) throw new RangeError(`there is no hue "${name}", but ${HUES.join(", ")}`);
  return `var(--hand-${name})`;
}

export const round = (value) => (typeof value === "number" ? Math.round(value * 100) / 100 : value);

/** An SVG element. `fill` and `stroke` are names of hues; what is undefined is left out. */
export function mark(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined)
      element.setAttribute(name, ["fill", "stroke"].includes(name) ? colour(value) : round(value));
  element.append(...children.flat());
  return element;
}

/** A group of marks. */
export const group = (attributes, ...children) => mark("g", attributes, ...children);

/**
 * Words, whose foot is at (x, y). Their look is a list of: `large`, `small` and `least`, the sizes; `bold`; `middle` and
 * `end`, the place of x in them; `title`, in the letters of titles; `struck`, taken back; and a hue.
 */
export function text(x, y, words, look = "", attributes = {}) {
  const classes = look.split(" ").filter(Boolean);
  const fill = classes.find((name) => HUES.includes(name)) ?? "ink";
  const rest = classes.filter((name) => name !== fill);
  return mark("text", { x, y, fill, class: rest.join(" ") || undefined, ...attributes }, String(words));
}

/** A rectangle; one that would be less than nothing wide is nothing wide. */
export const box = (x, y, width, height, attributes = {}) =>
  mark("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), ...attributes });

/** A line along a path. */
export const path = (d, attributes = {}) => mark("path", { d, fill: "none", ...attributes });

/** The path of a straight line. */
export const line = (x1, y1, x2, y2, attributes = {}) =>
  path(`M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}`, attributes);

// ---- the four textures, beside what is solid: there -------------------------------------------------------
export const empty = { fill: "none", stroke: "edge", "stroke-dasharray": EMPTY };
export const hatched = { fill: HATCHED, stroke: "edge" };
/** The mark of the other choice, in the same picture. */
export const other = { stroke: "ink", "stroke-width": 1.5, "stroke-dasharray": "5 4" };

/** What `hatched` is filled with. A page has it once. */
export const hatching = () =>
  mark(
    "svg",
    { class: "hand-hatching", width: 0, height: 0, "aria-hidden": "true" },
    mark(
      "pattern",
      { id: "hand-hatched", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      path("M0 0V7", { stroke: "edge", "stroke-width": 1.6 }),
    ),
  );

// ---- numbers ------------------------------------------------------------------------------------------------
export const mix = (from, to, share) => from + (to - from) * share;
export const ease = (share) => (share < 0.5 ? 2 * share * share : 1 - 2 * (1 - share) * (1 - share));
export const within = (value, least, most) => Math.max(least, Math.min(most, value));
export const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
export const range = (count) => Array.from({ length: count }, (_, place) => place);
/** A number as it is written in a sentence. */
export const said = (number) => number.toLocaleString("en");
/** With two decimals, and the sign of mathematics. */
export const two = (number) => (number === -Infinity ? "−∞" : number.toFixed(2).replace("-", "−"));
export const quoted = (word) => `“${word}”`;
/** A word of the small model, in which a sign stands for the start of a text. */
export const shown = (word) => (word === "<" ? "start" : word);
/** “one”, “two” and “three”. */
export const listed = (items, last = "and") =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} ${last} ${items.at(-1)}`;
const SMALL = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/** A whole number as a word, up to twelve. */
export const inWords = (number) => SMALL[number] ?? said(number);
