// A mask hides the words that come later.

import { dot, gather, two } from "../attention.js";
import { box } from "./controls.js";
import lesson from "../lesson.js";

export default {
  ...lesson,
  asks: 1,
  settings: { hide: true },
  controls: [box("hide", "hide later words")],
  heads: [
    {
      name: "",
      attend: (vectors, asks, { hide }) =>
        gather(vectors.map((key, j) => (hide && j > asks ? -Infinity : dot(vectors[asks], key))), vectors),
    },
  ],
  below: ({ shares, scores }, j) => (scores[j] === -Infinity ? "hidden" : two(shares[j])),
};
