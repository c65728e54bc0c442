// A row of an opened part: what it is, the step that teaches it, and a drawing over the words' own columns.
import { svg } from "../picture.js";

const root = new URL("../../../", import.meta.url);
// The step that teaches each row, and its title.
export const STEPS = {
  word: ["tokens-become-vectors", "Tokens become vectors"],
  place: ["position-by-rotation", "Rotary positions"],
  sum: ["the-whole-model", "The whole model"],
  query: ["queries-keys-and-values", "Queries, keys and values"],
  keys: ["queries-keys-and-values", "Queries, keys and values"],
  scores: ["scores", "Scores"],
  weights: ["weights", "Weights"],
  values: ["context-vectors", "Context vectors"],
  added: ["multi-head-attention", "Multi-head attention"],
  plus: ["the-whole-model", "The whole model"],
  neurons: ["the-whole-model", "The whole model"],
  writes: ["look-inside", "Look inside"],
  shares: ["guess-the-next-word", "Guess the next word"],
};

/** A row: its name, a sentence, and a drawing of a height. `lit` is the row of which a page speaks. */
export function row(whole, name, text, high, content) {
  const [page, title] = STEPS[name];
  const lit = whole.getAttribute("lit")?.split(" ").includes(name) ? " lit" : "";
  const href = new URL(`steps/${page}/`, root).href;
  return `<div class="whole-row${lit}" data-row="${name}"><p>${text} <a href="${href}">${title}</a></p>${svg(whole.frame.W, high, content)}</div>`;
}

export const label = (x, y, text, kind = "") => `<text x="${x.toFixed(1)}" y="${y}" class="${kind}">${text}</text>`;
