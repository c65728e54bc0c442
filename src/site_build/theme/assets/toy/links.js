// Addresses spell what the reader has chosen: #the-duck-likes-the-rich-bank, with :2 if the second word
// asks, with &kind=0.1 for a setting that is not as the page has it, &numbers if they are shown, and
// &subject=otter,3,0,1,0,0 for a word of the reader's own, with its row.

import { knows } from "./sentence.js";
import course from "./words.js";

/** Let a toy have what the address spells, and say whether the address is meant for it. */
export async function take(toy) {
  const { words, asks, given, isMeant } = readLink(location.hash);
  if (!isMeant) return false;
  const { lesson, knobs, parts } = toy;
  parts.refusal.textContent = "";
  toy.state.hasNumbers = given.has("numbers");
  for (const slot of Object.keys(course.own).filter((slot) => given.has(slot))) {
    const [word, ...row] = given.get(slot).split(",");
    (await import("./own.js")).learn(toy, slot, word, row.map(Number));
  }
  if (!lesson.accepts(words)) {
    const strange = words.find((word) => !lesson.knows(word));
    parts.refusal.textContent = strange ? `“${strange}” has no numbers in this toy.` : "These words do not make a sentence of the toy.";
    return true;
  }
  const set = { ...lesson.settings };
  for (const { name, read, show } of knobs.filter(({ read }) => read)) {
    if (given.has(name)) set[name] = read(given.get(name)) ?? set[name];
    show(set[name]);
  }
  toy.state = { ...toy.sentenceState(words.join(" "), asks), set, hasNumbers: toy.state.hasNumbers };
  return true;
}

/** Read an address: the words, which of them asks, what else is given, and whether it may be meant for the toy. */
function readLink(hash) {
  let text = hash.slice(1);
  try {
    text = decodeURIComponent(text);
  } catch {
    // taken as it is
  }
  const [sentence, ...settings] = text.split("&");
  const [spelled, number] = sentence.toLowerCase().split(":");
  const words = spelled.split(/[-+ ]/);
  const isMeant = words[0] === "the" || words.filter(knows).length > 2;
  return { words, asks: words[number - 1] ? number - 1 : undefined, given: new URLSearchParams(settings.join("&")), isMeant };
}
