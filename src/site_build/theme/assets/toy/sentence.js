// Sentences of the toy: which words fit, what they mean, and how an address spells them.

import course from "./words.js";
import { two } from "./attention.js";

const { words: VECTORS, components, slots, templates, meanings, decided } = course;

export const quote = (word) => `“${word}”`;
export const knows = (word) => Object.hasOwn(VECTORS, word);
export const vectorOf = (word) => VECTORS[word];
export const slotOf = (word) => Object.keys(slots).find((name) => slots[name].includes(word));
/** The words that can take the place of one. */
export const choices = (word) => slots[slotOf(word)];
export const ambiguousAt = (words) => words.findIndex((word) => slots.ambiguous.includes(word));
export const isSentence = (words) => templates.some((template) => `${template}` === `${words.map(slotOf)}`);
/** The ends of the line, as components: water and money for "bank". */
export const polesOf = (words) =>
  Object.keys(meanings[words[ambiguousAt(words)]]).map((name) => components.indexOf(name));
/** Which meaning a word brings; "none" if it brings both or neither. */
export function hueOf(vector, [left, right]) {
  if (vector[left] !== vector[right]) return components[vector[left] > vector[right] ? left : right];
  const other = [0, 1, 4].find((c) => vector[c]);
  return vector[left] || other === undefined ? "none" : components[other];
}

/** Say what a word has become. */
export function verdict({ words, asks }, { shares, context }) {
  const word = words[asks];
  if (asks !== ambiguousAt(words)) {
    const most = shares.indexOf(Math.max(...shares));
    return `${quote(word)} takes most from ${most === asks ? "itself" : quote(words[most])}.`;
  }
  const [left, right] = polesOf(words);
  const place = context[right] - context[left];
  if (Math.abs(place) >= decided) return Object.values(meanings[word])[+(place > 0)];
  return pulls({ words, asks }, shares).length ? `Undecided. Which ${word} is it?` : `Which ${word}? No word says.`;
}

/** The two words that pull hardest, one to each end; none unless both ends are pulled at. */
export function pulls({ words, asks }, shares) {
  const strongest = (c) =>
    words
      .map((word, j) => ({ word, pull: j === asks ? 0 : shares[j] * vectorOf(word)[c] }))
      .reduce((a, b) => (b.pull > a.pull ? b : a));
  const both = polesOf(words).map(strongest);
  return both.every(({ pull }) => pull > 0.1) ? both.map(({ word }) => word) : [];
}

/** Say who takes how much from whom. */
export function aloud({ words, asks }, { shares }, name = words[asks]) {
  const parts = words
    .map((word, j) => ({ share: shares[j], from: j === asks ? "itself" : quote(word) }))
    .filter(({ share }) => share >= 0.05)
    .sort((a, b) => b.share - a.share)
    .map(({ share, from }) => `${two(share)} from ${from}`);
  return `${words.join(" ")}. ${quote(name)} takes ${parts.join(", ")}.`;
}
