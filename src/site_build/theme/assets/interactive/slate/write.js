// What a slate says after one more word, by the rules of the page: tests/site_build/interactive/test_attention.py
// holds it equal to `linear_attention`.
import { dot } from "../../attention.js";

/** What is left of a slate when a word comes. */
export const fade = (slate, { decay }) => slate.map((value) => decay * value);

/** Write a value into the rows that its key names: all of it, or what is missing to it. */
export function write(slate, key, value, state) {
  const faded = fade(slate, state);
  const change = state.overwrites ? state.beta * (value - dot(key, faded)) : value;
  return faded.map((had, row) => had + key[row] * change);
}
