// The model that a reader has trained. It is kept in this browser alone, and taken where the reader wants it.
import { load, modelOf } from "./read.js";

// With the site's path: projects of one owner may share a host, and so its storage.
const { pathname } = new URL("../../", import.meta.url);
const KEPT = `${pathname}.own-model`;
const TAKEN = `${pathname}.takes-own-model`; // for this visit

/** Keep the numbers of a model, and the start that they came from; return whether that worked. */
export async function keep(numbers, seed) {
  try {
    const { words } = await load();
    localStorage.setItem(KEPT, JSON.stringify({ words, numbers: [...numbers], seed }));
    return true;
  } catch {
    return false; // no storage, or no room
  }
}

/** Take the reader's own model, or the one of the course again, in all drawings of the page. */
export function take(isOwn) {
  sessionStorage.setItem(TAKEN, isOwn ? "1" : "");
  dispatchEvent(new Event("model-taken"));
}

/** Return the `model` that is wanted, whether it `isOwn`, and the start of the one that is kept, `seed`. */
export async function wanted() {
  const model = await load();
  try {
    const { words, numbers, seed } = JSON.parse(localStorage.getItem(KEPT));
    // What was kept before the course changed its words or sizes is of no use.
    if (numbers.length !== model.numbers.length || words.join() !== model.words.join()) return { model };
    const isOwn = sessionStorage.getItem(TAKEN) === "1";
    return { model: isOwn ? modelOf(words, model.length, numbers) : model, isOwn, seed };
  } catch {
    return { model }; // none is kept
  }
}
