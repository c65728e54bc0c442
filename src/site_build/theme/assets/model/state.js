// What the reader has chosen in the language model, and how a link carries it.

export const STARTS = [
  "the duck likes the muddy bank . the bank is full of",
  "the duck likes the rich bank . the bank is full of",
  "the queen likes the bank . the bank is full of",
  "the frog likes the bank .",
  "the ducks like the bank .",
  "duck ida meets queen tom . queen",
  "duck ida meets queen tom . queen tom likes duck",
  "the the duck likes the bank . the bank is full of",
];
// The states that have a page and a card of their own; src/site_build/story_cards.py reads them.
export const SENT = {
  "mud-becomes-money": "#model&text=the+duck+likes+the+muddy+bank+.+the+bank+is+full+of&at=12&off=0.1",
  "the-mud-has-moved": "#model&text=the+duck+likes+the+muddy+bank+.+the+bank+is+full+of&at=12&swap=5%2Crich&patch=12%2C1",
  "one-word-too-many": "#model&text=the+the+duck+likes+the+bank+.+the+bank+is+full+of&at=12"
};
export const START = "<";
export const PARTS = ["0.0", "0.1", "0.mlp", "1.0", "1.1", "1.mlp"];

/**
 * `at`: the place that asks. `swap`: `{ place, word }`, by which the other text differs.
 * `patch`: `{ place, layer }`, what is taken from there.
 */
export const begin = (text) => {
  const words = text.split(" ");
  return { words, at: words.length, off: new Set(), swap: undefined, patch: undefined };
};

/** The words that can be said: all but the start token. */
export const sayable = ({ words }) => words.filter((word) => word !== START);

export function writeState({ words, at, off, swap, patch }) {
  const given = new URLSearchParams({ text: words.join(" "), at });
  if (off.size) given.set("off", [...off].join(","));
  if (swap) given.set("swap", `${swap.place},${swap.word}`);
  if (patch) given.set("patch", `${patch.place},${patch.layer}`);
  return `#model&${given}`;
}

/** Return the state that a fragment carries, or undefined if it is not a whole one. */
export function readState(fragment, model) {
  if (!fragment.startsWith("#model&")) return undefined;
  const given = new URLSearchParams(fragment.slice(7));
  const state = begin(given.get("text") ?? "");
  state.at = Number(given.get("at") ?? state.at);
  state.off = new Set(given.get("off")?.split(",") ?? []);
  const [place, word] = given.get("swap")?.split(",") ?? [];
  if (word) state.swap = { place: Number(place), word };
  const [from, layer] = given.get("patch")?.split(",").map(Number) ?? [];
  if (state.swap && from !== undefined) state.patch = { place: from, layer };
  const places = [state.at, state.swap?.place ?? 1, state.patch?.place ?? 1];
  const isWhole =
    state.words.length < model.length &&
    [...state.words, state.swap?.word ?? "the"].every((each) => sayable(model).includes(each)) &&
    places.every((each) => each >= 1 && each <= state.words.length && Number.isInteger(each)) &&
    [0, 1].includes(state.patch?.layer ?? 0) &&
    [...state.off].every((part) => PARTS.includes(part));
  return isWhole ? state : undefined;
}
