// What a toy does where its page changes nothing. A step's module in steps/ spreads this object, and
// replaces what is other there.

import course from "./words.js";
import { attend } from "./attention.js";
import { arcs, line, ribbons } from "./drawing.js";
import { aloud, choices, hueOf, isSentence, knows, polesOf, quote, vectorOf, verdict } from "./sentence.js";

/** What the picture shows, in lists; the sentence of the word that asks may be another one. */
export function frameOf({ words, asks }, { scores, shares, context }, asking = { words, asks }) {
  const name = asking.words[asking.asks];
  const poles = polesOf(asking.words);
  const [left, right] = poles;
  const placeOf = (vector) => (vector ? (vector[right] - vector[left]) / 3 : 0);
  const vectors = words.map(vectorOf);
  return {
    name,
    poles: poles.map((c) => course.components[c]),
    hues: [...vectors.map((vector) => hueOf(vector, poles)), "none"],
    blocked: scores?.map((score) => score === -Infinity),
    w: shares, // widths of the arcs and ribbons, from 0 to 1
    places: vectors.map(placeOf),
    line: [placeOf(vectorOf(name)), placeOf(context)], // where the word that asks was, and is
  };
}

export default {
  sentence: "the duck likes the muddy bank",
  asks: undefined, // which word asks at first, counted from 0: the ambiguous one, unless it is said
  mayAsk: true, // whether the reader chooses which word asks
  mayType: true, // whether a word may be the reader's own
  invite: "Tap a word to swap it",
  settings: {}, // what the controls change, and links spell
  afresh: {}, // which of them another sentence, or another word that asks, brings back
  controls: [], // each is called with the toy; see steps/controls.js
  // Which words there are, which of them fit in the place of one, and what is a sentence.
  vectorOf,
  knows,
  choices,
  accepts: isSentence,
  // A picture each, one under the other.
  heads: [{ name: "", attend: (vectors, asks) => attend(vectors[asks], vectors, vectors) }],
  frameOf,
  layers: [arcs, ribbons, line], // of a picture; see drawing.js
  below: undefined, // what a word has below it, even while the numbers are folded away
  after: () => "", // what stands behind the last word
  // How "Show the numbers" says what a score is.
  explains: ({ words, asks }) => `its numbers times those of ${quote(words[asks])}, added up`,
  verdict,
  aloud,
  tableOf: (write, given) => write.tableOf(given), // by numbers.js, which is fetched for it
};
