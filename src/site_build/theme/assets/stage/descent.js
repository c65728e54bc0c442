// The training of sixteen numbers, which gives a word the adjective before it: the same steps as on the page. There,
// slopes are found by going back; here by nudges, and the tests compare what comes of both.

import { range, sum } from "./stage.js";
import { dot, softmax } from "../attention.js";
import { EMBEDDING } from "./words.js";

export const START = Array(16).fill(0.1); // query up, query right, key up, key right: four numbers each
export const SHOWN = [...range(21), ...range(18).map((k) => 10 * k + 30)]; // steps of the training
const RATE = 0.05;
const TINY = 1e-5;

const EXAMPLES = ["duck", "banker"].flatMap((who) =>
  ["muddy", "rich"].flatMap((far) =>
    ["muddy", "rich"].map((near) => {
      const rows = ["the", far, who, "likes", "the", near, "bank"].map((word) => EMBEDDING[word]);
      return { rows, wanted: rows[5].slice(0, 2) };
    }),
  ),
);

/** The tip of the query (first = 0) or of the key (8) of a word: how far up, and how far to the right. */
export const tipOf = (numbers, first, row) => [0, 4].map((k) => dot(numbers.slice(first + k, first + k + 4), row));

/** The degrees of a hand from 12 o'clock. */
export const degrees = ([up, right]) => (Math.atan2(right, up) * 180) / Math.PI;

/** The shares that the last word takes, where hands turn from word to word or do not. */
export function sharesOf(numbers, rows, turns = true) {
  const [up, right] = tipOf(numbers, 0, rows.at(-1));
  const scores = rows.map((row, place) => {
    const [high, wide] = tipOf(numbers, 8, row);
    const angle = turns ? ((place - rows.length + 1) * Math.PI) / 3 : 0;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return up * (cos * high - sin * wide) + right * (sin * high + cos * wide);
  });
  return softmax(scores);
}

export function lossOf(numbers, turns = true) {
  const squares = EXAMPLES.flatMap(({ rows, wanted }) => {
    const shares = sharesOf(numbers, rows, turns);
    return wanted.map((want, e) => (dot(shares, rows.map((row) => row[e])) - want) ** 2);
  });
  return sum(squares) / squares.length;
}

/** The slope of each number: it is nudged up and down. */
export const slopesOf = (numbers, turns = true) =>
  numbers.map((number, k) => {
    const [more, less] = [TINY, -TINY].map((by) => lossOf(numbers.with(k, number + by), turns));
    return (more - less) / (2 * TINY);
  });

const trained = {};

/** The numbers and the loss at each step that is shown. */
export function training(turns) {
  if (trained[turns]) return trained[turns];
  const moments = [];
  let numbers = START;
  for (const step of range(SHOWN.at(-1) + 1)) {
    if (SHOWN.includes(step)) moments.push({ numbers, loss: lossOf(numbers, turns) });
    const slopes = slopesOf(numbers, turns);
    numbers = numbers.map((number, k) => number - RATE * slopes[k]);
  }
  return (trained[turns] = moments);
}
