// Step 6: the same questions asked again and again make the scores large; a division mends it.

import { gather, two } from "../attention.js";
import { box, choice } from "../controls.js";
import lesson from "../lesson.js";
import { quote } from "../sentence.js";
import { bothQuestions } from "./10.js";

export default {
  ...lesson,
  asks: 2,
  settings: { times: 1, divide: false },
  controls: [
    choice("times", "ask", [[1, "once"], [2, "twice"], [4, "4 times"]]),
    box("divide", "divide by the square root"),
  ],
  heads: [
    {
      name: "",
      attend: (vectors, asks, { times, divide }) => {
        const scale = times / (divide ? Math.sqrt(2 * times) : 1); // two questions each time
        return gather(vectors.map((key) => scale * bothQuestions(vectors[asks], key)), vectors);
      },
    },
  ],
  below: ({ shares }, j) => two(shares[j]),
  verdict: ({ words, asks }, { shares }) => {
    const heard = [...new Set(words.filter((_, j) => shares[j] >= 0.01))];
    return `${quote(words[asks])} hears ${heard.map(quote).join(", ")}.`;
  },
  explains: ({ words, asks, set: { times, divide } }) =>
    `what ${quote(words[asks])} asks by the two questions of step 5, times ${times}` +
    (divide ? `, divided by the root of ${2 * times}` : ""),
};
