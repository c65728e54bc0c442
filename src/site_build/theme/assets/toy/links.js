// Addresses spell what the reader has chosen: #the-duck-likes-the-rich-bank, with :2 if the second word
// asks, and with &kind=0.1 for a setting that is not as the page has it, or &numbers if they are shown.

import { knows, refusal } from "./sentence.js";

/** Let a toy have what the address spells, and say whether the address is meant for it. */
export function take(toy) {
  const { words, asks, given, isMeant } = readLink(location.hash);
  if (!isMeant) return false;
  const { lesson, knobs, parts } = toy;
  parts.refusal.textContent = "";
  toy.state.hasNumbers = given.has("numbers");
  if (!lesson.accepts(words)) {
    const strange = words.find((word) => !lesson.knows(word));
    parts.refusal.textContent = strange
      ? lesson.refusal(strange.slice(0, 24))
      : "These words do not make one of the sentences of the toy.";
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
  if (/^lab(&|$)/.test(text)) return readOldLink(hash);
  const [sentence, ...settings] = text.split("&");
  const [spelled, number] = sentence.toLowerCase().split(":");
  const words = spelled.split(/[-+ ]/);
  const isMeant = words[0] === "the" || words.filter(knows).length > 2;
  return { words, asks: words[number - 1] ? number - 1 : undefined, given: new URLSearchParams(settings.join("&")), isMeant };
}

/** Links of an earlier lab carry each word with its numbers: #lab&query=6&token=the,0,0,0,1&... */
function readOldLink(hash) {
  const given = new URLSearchParams(hash.slice(1));
  const words = given.getAll("token").map((token) => token.split(",")[0]);
  const asks = given.get("query") - 1;
  return { words, asks: words[asks] ? asks : undefined, given: new URLSearchParams("numbers"), isMeant: true };
}
