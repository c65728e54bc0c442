// Many components make the scores large, and a division by their root mends it. Unrelated
// components are as loud as their root says, so four times as many make the scores twice as large.

import { gather, two } from "../attention.js";
import { box, choice } from "./controls.js";
import lesson from "../lesson.js";
import { quote } from "../sentence.js";

const asksKind = ([water, money, , , music]) => water + money + music;
/** The two questions: "what kind?" is asked by things, "who or what?" by what acts. */
const bothQuestions = (query, key) => asksKind(query) * key[3] + query[2] * (asksKind(key) - key[3]);

export default {
  ...lesson,
  asks: 2,
  settings: { times: 1, divide: false },
  controls: [
    choice("times", "components", [[1, "2"], [2, "8"], [4, "32"]]),
    box("divide", "divide by the square root"),
  ],
  heads: [
    {
      name: "",
      attend: (vectors, asks, { times, divide }) => {
        const scale = divide ? Math.SQRT1_2 : times; // the root of 2, 8 and 32 grows as the scores do
        return gather(vectors.map((key) => scale * bothQuestions(vectors[asks], key)), vectors);
      },
    },
  ],
  below: ({ shares }, j) => two(shares[j]),
  verdict: ({ words, asks }, { shares }) => {
    const heard = [...new Set(words.filter((_, j) => shares[j] >= 0.01))];
    return `${quote(words[asks])} takes 0.01 or more from ${heard.map(quote).join(" and ")}.`;
  },
  explains: ({ set: { times, divide } }) =>
    `its score by the two questions, times ${times}` +
    (divide ? `, divided by the root of ${2 * times ** 2}` : ""),
};
