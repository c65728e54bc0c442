// The model that a reader has trained. It is kept in this browser alone, and taken where the reader wants it.
import { load } from "./forward.js";

// With the site's path: projects of one owner may share a host, and so its storage.
const { pathname } = new URL("../../", import.meta.url);
const KEPT = `${pathname}.own-model`;
const TAKEN = `${pathname}.takes-own-model`; // for this visit

/** Keep a model, as forward.js has it, and the start that it came from; return whether that worked. */
export function keep(model, seed) {
  try {
    const plain = (_, each) => (ArrayBuffer.isView(each) ? [...each] : each);
    localStorage.setItem(KEPT, JSON.stringify({ model, seed }, plain));
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
    const own = JSON.parse(localStorage.getItem(KEPT));
    const numbers = Object.fromEntries(Object.entries(own.model).map(([name, each]) => [name, ArrayBuffer.isView(model[name]) ? Float64Array.from(each) : each]));
    // What was kept before the course changed its words or sizes is of no use.
    const isFit = ([name, each]) => (typeof each === "number" ? numbers[name] === each : numbers[name].length === each.length);
    if (!Object.entries(model).every(isFit) || numbers.words.join() !== model.words.join()) return { model };
    const isOwn = sessionStorage.getItem(TAKEN) === "1";
    return { model: isOwn ? numbers : model, isOwn, seed: own.seed };
  } catch {
    return { model }; // none is kept
  }
}
