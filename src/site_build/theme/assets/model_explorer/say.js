// How the drawing spells words, shares, parts and buttons.
import course from "./words.js";

const BLOCKS = ["first block", "second block"];

export const shown = (word) => (word === "<" ? "start" : word);
/** A word by itself: a full stop would hardly be seen. */
export const named = (word) => (word === "." ? "full stop" : shown(word));
export const quoted = (word) => (word === "<" ? "the start" : word === "." ? "the full stop" : `“${word}”`);
export const percent = (share) => `${Math.round(100 * share)} %`;
/** A number with a real minus. */
export const signed = (number, digits = 1) => number.toFixed(digits).replace("-", "−");
export const blockName = (layer) => BLOCKS[layer] ?? `block ${Number(layer) + 1}`;
export const hueOf = (word) => Object.keys(course.hues).find((hue) => course.hues[hue].includes(word)) ?? "other";
/** A text as it is written: the full stop stands at its word. */
export const written = (words) => words.join(" ").replaceAll(" .", ".");
export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** What a part is called in a sentence: "0.1" is a head, "0.mlp" an MLP. */
export function partName(part, drawn) {
  const [layer, own] = part.split(".");
  if (own === "mlp") return `the MLP of the ${blockName(layer)}`;
  return `the look at ${quoted(drawn.words[drawn.heads[layer][own].most])} in the ${blockName(layer)}`;
}

/** A button that does something: `act` is the name of a method and what it is given. */
export const button = (act, html, more = "") => `<button type="button" data-act="${act}" ${more}>${html}</button>`;
