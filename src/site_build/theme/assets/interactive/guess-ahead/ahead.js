// Guessing ahead: `next_words`, `draft_shares`, `draft` and `guess_ahead` of the page, held equal to them by a test.
// A text is a list of the numbers of its words, the start token first.
import { read, softmax, unembed } from "../../tiny_lm/read.js";

/** How often each word is told after the `last` words of each beginning. */
export function nextWords(stories, last) {
  const told = new Map();
  for (const { ids, probability } of stories)
    for (let place = 1; place < ids.length; place++) {
      const beginning = ids.slice(Math.max(0, place - last), place).join();
      if (!told.has(beginning)) told.set(beginning, new Map());
      const after = told.get(beginning);
      after.set(ids[place], (after.get(ids[place]) ?? 0) + probability);
    }
  return told;
}

/** The draft's share of each word after a text, in 32 bits as torch has them; undefined if it has no guess. */
function draftShares({ table, last, words }, text) {
  const after = table.get(text.slice(-last).join());
  if (!after) return undefined;
  const told = Float32Array.from(words, (_, id) => after.get(id) ?? 0);
  const total = told.reduce((a, b) => a + b);
  return told.map((share) => share / total);
}

export const likeliest = (shares) => shares.indexOf(Math.max(...shares));

/** The word on which the dice fall: `luck` is from 0 to 1, and each word has its share of this length. */
export function drawn(shares, luck) {
  let upTo = 0;
  const id = shares.findIndex((share) => (upTo += share) > luck);
  return id < 0 ? shares.findLastIndex((share) => share > 0) : id; // rounding left a little out
}

/** The model's shares after each word of a text. Each text is read once. */
export function readerOf(model) {
  const kept = new Map();
  return (text) => {
    const name = text.join();
    if (!kept.has(name)) kept.set(name, read(model, text).streams.at(-1).map((x) => softmax(unembed(model, x))));
    return kept.get(name);
  };
}

/**
 * Write a story of two sentences, step by step.
 *
 * @param reader What `readerOf` returns.
 * @param draft Its `table`, the `last` words that it remembers, and the `words` that there are.
 * @param text What there is.
 * @param options How many words it guesses `ahead` in a step; the `most` words of a text, and the number of the full
 *   `stop`; and, if the words are drawn, what throws the `dice`.
 * @returns For each step: the `text` before it; what was guessed, each with the `draft`'s shares, the `model`'s, and
 *   whether it `isKept`; the model's `own` word; and its `shares` there.
 */
export function guessAhead(reader, draft, text, { ahead, most, stop, dice }) {
  const steps = [];
  const stops = (ids) => ids.filter((id) => id === stop).length;
  while (stops(text) < 2 && text.length < most) {
    const guesses = [];
    let longer = text;
    while (guesses.length < ahead && longer.length < most) {
      const shares = draftShares(draft, longer);
      const id = shares && (dice ? drawn(shares, dice()) : likeliest(shares));
      if (!shares || (id === stop && stops(longer) === 1)) break; // the end of a story is left to the model
      guesses.push({ id, draft: shares });
      longer = [...longer, id];
    }
    const said = reader(longer).slice(text.length - 1);
    guesses.forEach((guess, i) => {
      guess.model = said[i];
      guess.luck = dice?.();
      guess.isKept = dice ? guess.luck < said[i][guess.id] / guess.draft[guess.id] : likeliest(said[i]) === guess.id;
    });
    const kept = [...guesses.map(({ isKept }) => isKept), false].indexOf(false);
    const shares = said[kept];
    const own = dice ? drawn(left(shares, guesses[kept]?.draft), dice()) : likeliest(shares);
    steps.push({ text, guesses, kept, own, shares });
    text = [...longer.slice(0, text.length + kept), own];
  }
  return steps;
}

/** What is drawn from after a refusal: by how much the model's shares are larger than the draft's. */
export function left(model, draft) {
  if (!draft) return model;
  const more = model.map((share, id) => Math.max(0, share - draft[id]));
  const total = more.reduce((a, b) => a + b);
  return more.map((share) => share / total);
}
