// Rules for pairs of words, and the blocks of the table that they touch: the functions of the page, held equal by
// a test.
import { range } from "../marks.js";

/** Whether the query at place i may see the key at place j. */
export function allows({ rule, window, cuts }, i, j) {
  const sentence = (place) => cuts.filter((cut) => cut <= place).length;
  const near = !rule.includes("window") || j > i - window;
  const together = !rule.includes("sentences") || sentence(i) === sentence(j);
  return j <= i && near && together;
}

/** For each block of some size, how many of its pairs are allowed. */
export function blocks(words, size, state) {
  const count = (top, left) =>
    range(size * size).filter((at) => allows(state, top + Math.floor(at / size), left + (at % size))).length;
  const starts = range(words / size).map((at) => at * size);
  return starts.map((top) => starts.map((left) => count(top, left)));
}
