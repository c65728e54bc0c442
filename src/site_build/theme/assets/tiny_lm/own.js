// The model that a reader has trained, which is kept in this browser alone.
import { load, modelOf } from "./read.js";

// With the site's path: projects of one owner may share a host, and so its storage.
const KEPT = `${new URL("../../", import.meta.url).pathname}.own-model`;

/** Keep the numbers of a model, and the start that they came from, if there is storage and room. */
export async function keep(numbers, seed) {
  try {
    const { words } = await load();
    localStorage.setItem(KEPT, JSON.stringify({ words, numbers: [...numbers], seed }));
  } catch (error) {
    console.warn(error);
  }
}

/** Return the model that is kept, with the start that it came from, its `seed`; or nothing. */
export function kept({ words, length, numbers: { length: count } }) {
  try {
    const { words: own, numbers, seed } = JSON.parse(localStorage.getItem(KEPT));
    // What was kept before the course changed its words or sizes is of no use.
    if (numbers.length !== count || own.join() !== words.join()) return undefined;
    return { model: modelOf(words, length, numbers), seed };
  } catch {
    return undefined;
  }
}
