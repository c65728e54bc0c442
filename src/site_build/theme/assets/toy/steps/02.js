// Step 2: scores. An arc is as wide as its score, and nothing is taken yet.

import { arcs } from "../drawing.js";
import lesson from "../lesson.js";
import { quote } from "../sentence.js";

function verdict({ words, asks }, { scores }) {
  const others = scores.filter((_, j) => j !== asks);
  const most = Math.max(...others);
  const found = words.filter((word, j) => j !== asks && scores[j] === most);
  const names = [...new Set(found)].map(quote).join(" and ");
  const asking = quote(words[asks]);
  return most ? `${asking} has most in common with ${names}.` : `${asking} has nothing in common with any other word.`;
}

export default {
  ...lesson,
  layers: [arcs],
  frameOf: (state, result) => {
    const most = Math.max(...result.scores, 3);
    return { ...lesson.frameOf(state, result), w: result.scores.map((score) => (0.4 * score) / most) };
  },
  below: ({ scores }, j) => `${scores[j]}`,
  verdict,
  aloud: ({ words, asks }, { scores }) => {
    const each = words.map((word, j) => `${word} ${scores[j]}`);
    return `Scores of ${quote(words[asks])}: ${each.join(", ")}.`;
  },
  tableOf: (write, given) => write.scoresOf(given),
};
