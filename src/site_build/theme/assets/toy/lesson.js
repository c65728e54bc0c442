// What a toy does where its page changes nothing. A step's module in steps/ spreads this object, and
// replaces what is other there.

import { attend } from "./attention.js";
import { arcs, line, ribbons } from "./drawing.js";
import { aloud, isSentence, verdict } from "./sentence.js";

export default {
  sentence: "the duck likes the muddy bank",
  asks: undefined, // which word asks at first, counted from 0: the ambiguous one, unless it is said
  asking: ({ words, asks }) => ({ words, asks }), // the sentence of the word that asks, and its place
  mayAsk: true, // whether the reader chooses which word asks
  settings: {}, // what the controls change
  controls: [], // each is called with the toy, and returns an element
  // A picture each, one under the other.
  heads: [{ name: "", attend: (vectors, asks) => attend(vectors[asks], vectors, vectors) }],
  layers: [arcs, ribbons, line], // of a picture; see drawing.js
  widths: ({ shares }) => shares, // of the arcs and ribbons, from 0 to 1
  below: undefined, // what a word has below it, even while the numbers are folded away
  after: () => "", // what stands behind the last word
  accepts: isSentence,
  // How "Show the numbers" says what a score is.
  explains: (word) => `its numbers times those of “${word}”, added up`,
  verdict,
  aloud,
  tableOf: (write, given) => write.tableOf(given), // by numbers.js, which is fetched for it
};
