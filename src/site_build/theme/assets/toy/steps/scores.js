// Scores. An arc is as wide as its score, and nothing is taken yet.

import { arcs } from "../drawing.js";
import lesson from "../lesson.js";
import { quote, vectorOf } from "../sentence.js";
import course from "../words.js";

function verdict({ words, asks }, { scores }) {
  const others = scores.filter((_, j) => j !== asks);
  const most = Math.max(...others);
  const found = words.filter((word, j) => j !== asks && scores[j] === most);
  const names = [...new Set(found)].map(quote).join(" and ");
  const asking = quote(words[asks]);
  return most ? `${asking} has most in common with ${names}.` : `${asking} has nothing in common with any other word.`;
}

/** Return the words' vectors, and the sums that make the scores. */
function tableOf({ row, table }, { words, asks, result: { scores } }) {
  const vectors = words.map(vectorOf);
  const shown = course.components.map((_, c) => c).filter((c) => c < 4 || vectors.some((vector) => vector[c]));
  const product = (j) => shown.map((c) => `${vectors[asks][c]}·${vectors[j][c]}`).join(" + ");
  const rows = words.map((word, j) => row(j === asks ? `<b>${word}</b>` : word, [...shown.map((c) => vectors[j][c]), product(j), scores[j]]));
  return table([...shown.map((c) => course.components[c]), `times ${quote(words[asks])}`, "score"], rows);
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
  tableOf,
};
