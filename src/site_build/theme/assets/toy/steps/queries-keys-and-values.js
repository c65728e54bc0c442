// Two sliders, between "how alike are we?" and one question, "what kind?".

import { dot, gather, two } from "../attention.js";
import { slider } from "./controls.js";
import lesson from "../lesson.js";
import { quote } from "../sentence.js";

/** Things, which have water, money or music, ask what kind they are; what describes answers. */
export const asksKind = ([water, money, , , music]) => water + money + music;
export const tellsKind = (vector) => vector[3];

export default {
  ...lesson,
  sentence: "the duck likes the rich bank",
  settings: { alike: 1, kind: 0 },
  controls: [slider("alike", "alike counts"), slider("kind", "“what kind?” counts")],
  heads: [
    {
      name: "",
      attend: (vectors, asks, { alike, kind }) => {
        const query = vectors[asks];
        return gather(vectors.map((key) => alike * dot(query, key) + kind * asksKind(query) * tellsKind(key)), vectors);
      },
    },
  ],
  explains: ({ words, asks, set: { alike, kind } }) =>
    `${two(alike)} times (its numbers times those of ${quote(words[asks])}, added up) plus ${two(kind)} times ` +
    `(water, money and music of ${quote(words[asks])} times what it describes)`,
  below: ({ shares }, j) => two(shares[j]),
};
