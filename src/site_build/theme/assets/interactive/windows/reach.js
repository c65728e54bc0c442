// Which words a window lets a word read, and which have a part in the last word after several layers. The page
// has both as functions in Python, and tests/site_build/interactive/test_windows.py holds them equal.
import { range } from "../marks.js";

/** For each of so many words, whether the one that asks may read it: those in its window, and the first that stay. */
export const mayRead = (count, asks, { window, sinks }) => range(count).map((j) => j <= asks && (j > asks - window || j < sinks));

/** For each word, whether it has a part in the last one, so many layers below. */
export function reached(count, state, below) {
  const last = range(count).map((j) => j === count - 1);
  return range(below).reduce((part) => last.map((_, j) => part.some((has, i) => has && mayRead(count, i, state)[j])), last);
}
