// One word asks those that it may read: the masked attention of the pages, in the browser.
import { dot, mix, softmax } from "../attention.js";

/** The queries, keys and values of a text, from a table that has those of each word side by side, two numbers each. */
export function headOf(table, words) {
  const rows = words.map((word) => table.values[table.rows.indexOf(word)]);
  const [query, key, value] = [0, 2, 4].map((from) => rows.map((row) => row.slice(from, from + 2)));
  return { query, key, value };
}

/** The shares of those that are read, which add up to 1, and 0 for the others. */
export const sharesOf = (scores, reads) => softmax(scores.map((score, j) => (reads[j] ? score : -Infinity)));

/** Let the word at a place ask. */
export function ask({ query, key, value }, asks, reads) {
  const scores = key.map((row) => dot(query[asks], row) / Math.sqrt(row.length));
  const shares = sharesOf(scores, reads);
  return { shares, context: mix(shares, value) };
}
