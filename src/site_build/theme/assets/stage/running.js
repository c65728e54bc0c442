// What scenes of the small language model share: its texts, a run with parts off, and what it would say next.

import { HUES, INK } from "./marks.js";

export let model; // which is fetched when somebody scrolls or presses, with what reads in it
let [read, softmax, unembed] = [];
export const BLOCKS = [0, 1];
const TEXT = "the muddy duck likes the rich bank . the bank is full of".split(" ");
const [DUCKS, VERB, BANKS, ASKED] = [1, 3, 5, 9]; // places: of the adjectives, of the verb, and of the word that is asked for
const KINDS = ["muddy", "rich"];

/** The text in which the bank is of a kind, and the duck of the other one. */
export const textOf = (kind, { asked = "bank", verb = "likes" } = {}) =>
  TEXT.with(DUCKS, KINDS[1 - KINDS.indexOf(kind)]).with(VERB, verb).with(BANKS, kind).with(ASKED, asked);

/** What the model computes for a text, behind its start token. */
export const run = (text, changes) => read(model, ["<", ...text].map((word) => model.words.indexOf(word)), changes);

/** How likely each word comes next, if the model ended at this vector. */
export const sharesAt = (x) => softmax(unembed(model, x));
export const shareOf = (shares, word) => shares[model.words.indexOf(word)];

export const hueOf = (word) => HUES[["water", "money"].indexOf(word)] ?? INK;

/** Let all that is computed be computed by another model. */
export const take = (other) => (model = other);

/** The best guess at a vector, in the hue of what it is. */
export function guessAt(x) {
  const shares = sharesAt(x);
  const share = Math.max(...shares);
  const word = model.words[shares.indexOf(share)];
  return { word, share, hue: hueOf(word) };
}

/** The last word before each half, and behind all of them. */
export const levelsOf = ({ streams, layers }) => [...layers.flatMap(({ mid }, n) => [streams[n].at(-1), mid.at(-1)]), streams.at(-1).at(-1)];

/** A scene of these texts, in which the adjectives are exchanged, and the other noun is asked for. */
export default class Running {
  async later() {
    const found = await import("../tiny_lm/read.js");
    ({ read, softmax, unembed } = found);
    model ??= await found.load();
  }

  reset() {
    [this.kind, this.asked, this.verb, this.missing] = ["rich", "bank", "likes", new Set()];
  }

  get changed() {
    return false; // what is pressed is pressed back
  }

  get words() {
    return textOf(this.kind, this);
  }

  get swaps() {
    const nouns = ["duck", "bank"];
    return { [DUCKS]: KINDS, [BANKS]: KINDS, [ASKED]: nouns };
  }

  choices(place) {
    return { words: this.swaps[place], now: this.words[place] };
  }

  swap(place, word) {
    if (place === ASKED) this.asked = word;
    else this.kind = place === BANKS ? word : KINDS[1 - KINDS.indexOf(word)];
  }

  /** Switch parts off, or on again. */
  turn(parts) {
    const on = parts.every((part) => this.missing.has(part));
    for (const part of parts) this.missing[on ? "delete" : "add"](part);
  }
}
