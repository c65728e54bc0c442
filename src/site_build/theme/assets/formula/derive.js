// How one number of a tensor comes about, from an element that the build has read from a formula's LaTeX
// (src/formulas/elements.py says what an element is). src/formulas/derive.py writes the same, to the letter.

// How strongly each sign binds. A part that binds less than what it stands in gets brackets.
const binding = { "+": 1, "-": 1, "*": 2, "/": 2, mod: 2, "^": 3 };
const signs = { "*": "·", "<=": "≤", ">=": "≥", "-": "−" };
const compute = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "^": (a, b) => a ** b,
  mod: (a, b) => ((a % b) + b) % b,
  and: (a, b) => a && b,
  "=": (a, b) => a === b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};
const longest = 12; // terms that a reader adds up
const over = { sum: (terms) => terms.reduce((a, b) => a + b, 0), max: (terms) => Math.max(...terms), min: (terms) => Math.min(...terms) };
const { exp, log, sin, cos, sqrt, abs, round } = Math;
const functions = { exp, log, sin, cos, sqrt, abs, round };

/** A number as a reader sees it: four digits behind the point, or two that count; no tail of zeros. */
export function shown(number) {
  if (typeof number === "boolean") return number ? "True" : "False";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  const size = Math.abs(number);
  const digits = size >= 0.001 || !size ? 4 : Math.min(1 - Math.floor(Math.log10(size)), 9);
  const text = number.toFixed(digits).replace(/0+$/, "").replace(/\.$/, "");
  return (text === "-0" ? "0" : text).replace("-", "−");
}

/** The text of a part where it stands in something, in brackets if that binds more. */
const within = ({ text, binds }, around) => (binds < around || (around > 1 && text.startsWith("−")) ? `(${text})` : text);
/** The same, as a single number where it has a sum: one sum is enough for a reader. */
const inShort = (part) => (part.isSum ? { ...part, text: shown(part.value), binds: 4 } : part);

function joined(kind, terms, value) {
  if (terms.length > longest) return [shown(value), 4];
  const texts = terms.map(({ text }) => text);
  if (kind !== "sum") return [`${kind}(${texts.join(", ")})`, 4];
  return [texts.join(" + ").replaceAll(" + −", " − "), terms.length > 1 ? 1 : terms[0].binds];
}

/**
 * @param element As the build writes it.
 * @param tensors Its numbers: arrays of arrays, by their names.
 * @param at The place on each axis, by its letter.
 * @returns `value`, `text`, `cells`: the name and the places of each number that was read, and `because`:
 *   the conditions that hold.
 */
export function derive(element, tensors, at) {
  const cells = [];
  const because = [];
  const part = (value, text, binds = 4, isSum = false) => ({ value, text, binds, isSum });
  const walk = ([kind, ...rest], at, inSum = false) => {
    if (kind === "number") return part(rest[0], shown(rest[0]));
    if (kind === "place") return part(at[rest[0]], shown(at[rest[0]]));
    if (kind === "cell") {
      const [name, index] = rest;
      const places = index.map((place) => walk(place, at).value);
      cells.push([name, ...places]);
      const value = places.reduce((tensor, place) => (place < 0 ? 0 : Array.isArray(tensor) ? tensor[place] : 0), tensors[name]);
      return part(value, shown(value));
    }
    if (kind in over) {
      const [letter, size, body] = rest;
      const terms = Array.from({ length: walk(size, at).value }, (_, place) => walk(body, { ...at, [letter]: place }, true));
      const value = over[kind](terms.map(({ value }) => value));
      return part(value, ...joined(kind, terms, value), true);
    }
    if (kind === "call") {
      const { value, text, isSum } = walk(rest[1], at, inSum);
      return part(functions[rest[0]](value), `${rest[0]}(${text})`, 4, isSum);
    }
    if (kind === "cases") {
      const [value, condition] = rest[0].find(([, condition]) => !condition || test(condition, at).value);
      if (condition) because.push(test(condition, at).text);
      return walk(value, at, inSum);
    }
    if (kind === "*" && rest[0][0] === "number" && rest[0][1] === -1) {
      const inside = walk(rest[1], at, inSum);
      return part(-inside.value, `−${within(inside, 2)}`, 1, inside.isSum);
    }
    const two = rest.map((side) => walk(side, at, inSum));
    const [left, right] = inSum ? two.map(inShort) : two;
    const binds = binding[kind] ?? 0;
    const texts = [within(left, binds), within(right, binds + ["-", "/", "^"].includes(kind))];
    return part(compute[kind](left.value, right.value), texts.join(` ${signs[kind] ?? kind} `), binds, left.isSum || right.isSum);
  };
  /** What a condition reads is no source of the number. */
  const test = (condition, at) => {
    const before = cells.length;
    const tested = walk(condition, at);
    cells.length = before;
    return tested;
  };
  return { ...walk(element, at), cells, because };
}

/** Every combination of places of some axes, each with its length. */
export const placesOf = (letters) =>
  Object.entries(letters).reduce(
    (all, [letter, length]) => all.flatMap((at) => Array.from({ length }, (_, place) => ({ ...at, [letter]: place }))),
    [{}],
  );
