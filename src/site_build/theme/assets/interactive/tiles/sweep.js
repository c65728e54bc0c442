// Attention tile by tile: the function `sweep` of the page, held equal to it by a test.
import { dot } from "../../attention.js";

/**
 * Sweep tiles over the table of scores, row after row.
 *
 * @returns For each tile that is computed: its `rows` and `columns`, each from and to; its `scores`, of which
 *   the hidden ones are -Infinity; and for each of its rows the maximum, the sum and the context so far.
 */
export function sweep(vectors, size, isCausal) {
  const starts = vectors.map((_, i) => i).filter((i) => i % size === 0);
  const end = (start) => Math.min(start + size, vectors.length);
  const tiles = [];
  for (const top of starts) {
    let held = vectors.slice(top, end(top)).map((vector) => ({ max: -Infinity, sum: 0, context: vector.map(() => 0) }));
    for (const left of starts) {
      if (isCausal && left >= end(top)) continue; // every pair is hidden
      const words = vectors.slice(left, end(left));
      const scores = held.map((_, i) =>
        words.map((word, j) => (isCausal && left + j > top + i ? -Infinity : dot(vectors[top + i], word))),
      );
      held = held.map((row, i) => merge(row, scores[i], words));
      tiles.push({ rows: [top, end(top)], columns: [left, end(left)], scores, held });
    }
  }
  return tiles;
}

function merge({ max, sum, context }, scores, words) {
  const larger = Math.max(max, ...scores);
  const factor = sum && Math.exp(max - larger); // of what there was: it shrinks for a larger score
  const exponentials = scores.map((score) => Math.exp(score - larger));
  const total = factor * sum + exponentials.reduce((a, b) => a + b, 0);
  const mixed = context.map(
    (each, c) => (factor * sum * each + exponentials.reduce((a, exponential, j) => a + exponential * words[j][c], 0)) / total,
  );
  return { max: larger, sum: total, context: mixed, kept: factor * sum };
}
