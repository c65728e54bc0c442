// Step 1: only the line. Words lie where their numbers put them, and none asks.

import { geometry, hueAt, scale } from "../drawing.js";
import lesson from "../lesson.js";
import { ambiguousAt, polesOf, quote, vectorOf } from "../sentence.js";
import course from "../words.js";

/** A small pill above others at its place; returns where its thread ends, too. */
function spot(frame, word, place, level, chosen) {
  const { y, at } = geometry(frame);
  const [x, wide, low] = [at(place), 16 + word.length * (chosen ? 11 : 9.5), y - 28 * level];
  const kind = `toy-pill ${hueAt(frame, place)} ${chosen ? "chosen" : ""}`;
  const box = `<rect x="${x - wide / 2}" y="${low - 13}" width="${wide}" height="26" rx="13"/>`;
  return { x, top: low - 13, svg: `<g class="${kind}">${box}<text x="${x}" y="${low + 5}">${word}</text></g>` };
}

/** Words at their places; those that share one are stacked, the ambiguous word at the bottom. */
function places(frame) {
  const { words, x, up } = frame;
  const first = ambiguousAt(words);
  const order = [first, ...words.map((_, j) => j).filter((j) => j !== first)];
  const stacks = new Map();
  return order
    .map((j) => {
      const key = frame.places[j].toFixed(2);
      const level = stacks.get(key) ?? 0;
      stacks.set(key, level + 1);
      const at = spot(frame, words[j], frame.places[j], level, j === first);
      return `<path class="toy-thread" d="M${x[j]} ${up + 44}L${at.x} ${at.top}"/>${at.svg}`;
    })
    .join("");
}

function verdict({ words, open }) {
  const poles = polesOf(words);
  const [a, b] = poles.map((c) => vectorOf(words[open])[c]);
  const [left, right] = poles.map((c) => course.components[c]);
  return `${quote(words[open])} has ${a} ${left} and ${b} ${right}.`;
}

export default {
  ...lesson,
  asks: -1,
  mayAsk: false,
  heads: [{ name: "", attend: () => ({}) }],
  layers: [scale, places],
  below: () => "",
  verdict,
  aloud: ({ words }) => `${words.join(" ")}.`,
  tableOf: ({ row, table }, { words }) => {
    const shown = course.components.map((_, c) => c).filter((c) => c < 4 || words.some((word) => vectorOf(word)[c]));
    return table(shown.map((c) => course.components[c]), words.map((word) => row(word, shown.map((c) => vectorOf(word)[c]))));
  },
};
