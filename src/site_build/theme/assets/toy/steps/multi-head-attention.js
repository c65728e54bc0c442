// Two heads ask the same sentence two questions.

import { gather, two } from "../attention.js";
import lesson from "../lesson.js";
import { quote, verdict } from "../sentence.js";

/** Things, which have water, money or music, ask what kind they are; what describes answers. */
const asksKind = ([water, money, , , music]) => water + money + music;
const tellsKind = (vector) => vector[3];
const tellsWho = (vector) => asksKind(vector) - vector[3];
/** The two questions: "what kind?" is asked by things, "who or what?" by what acts. */
export const bothQuestions = (query, key) => asksKind(query) * tellsKind(key) + query[2] * tellsWho(key);
/** Each head has two numbers for a query, and divides by the root of 2. */
export const head = (score) => (vectors, asks) =>
  gather(vectors.map((key) => score(vectors[asks], key) / Math.SQRT2), vectors);

export default {
  ...lesson,
  sentence: "the duck likes the rich bank",
  heads: [
    { name: "Head 0: what kind?", attend: head(bothQuestions) },
    { name: "Head 1: who is there?", attend: head((query, key) => asksKind(query) * tellsWho(key)) },
  ],
  explains: ({ words, asks }, h) =>
    h
      ? `its water, money and music, less what it describes, times the water, money and music of ${quote(words[asks])}, divided by the root of 2`
      : "its score by the two questions, divided by the root of 2",
  below: ({ shares }, j) => two(shares[j]),
  verdict: (state, _, results) => {
    const [one, other] = results.map((result) => verdict(state, result));
    return one === other ? `Both heads agree: ${one}` : "The two heads disagree.";
  },
};
