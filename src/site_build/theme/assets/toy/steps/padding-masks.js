// Blank pages after the sentence, and a mask that hides them.

import { dot, gather, two } from "../attention.js";
import { box, slider } from "./controls.js";
import lesson from "../lesson.js";
import { quote } from "../sentence.js";

/** Blank pages are zeros. They are computed one by one, and shown together. */
function withBlanks(vectors, asks, { blanks, hide }) {
  if (!blanks) return gather(vectors.map((key) => dot(vectors[asks], key)), vectors);
  const pages = Array.from({ length: blanks }, () => vectors[0].map(() => 0));
  const value = [...vectors, ...pages];
  const isBlank = (j) => j >= vectors.length;
  const all = gather(value.map((key, j) => (hide && isBlank(j) ? -Infinity : dot(vectors[asks], key))), value);
  const words = all.shares.slice(0, vectors.length);
  const rest = all.shares.slice(vectors.length).reduce((a, b) => a + b);
  return { ...all, scores: all.scores.slice(0, vectors.length + 1), shares: [...words, rest] };
}

export default {
  ...lesson,
  sentence: "the bank likes money",
  asks: 0,
  settings: { blanks: 2, hide: false },
  controls: [
    slider("blanks", "blank pages", { max: 16, step: 1, spell: String }),
    box("hide", "hide them"),
  ],
  heads: [{ name: "", attend: withBlanks }],
  below: ({ shares }, j) => two(shares[j]),
  after: ({ blanks }) => (blanks ? `□×${blanks}` : ""),
  verdict: ({ words, asks, set: { blanks } }, { shares }) =>
    blanks ? `${quote(words[asks])} takes ${two(shares.at(-1))} from the blank pages.` : "There are no blank pages.",
  tableOf: (write, given) => write.tableOf({ ...given, blanks: given.set.blanks }),
};
