// The state of the drawing, as its attributes spell it. What they do not spell, or spell wrongly, is as in
// the first text.
import course from "./words.js";

export const START = "<";
export const SWITCHES = ["0.0", "0.1", "0.mlp", "1.0", "1.1", "1.mlp"];
export const TEMPERATURES = [0.5, 1, 1.5, 2];
export const PARTS = ["vectors", "0", "1", "answer", "0.plus", "1.plus", ...SWITCHES];
export const otherOf = (word) => course.pairs.find((pair) => pair.includes(word))?.find((each) => each !== word);

/** The place of the word that is followed at first: an adjective, or else who acts. */
function followed(words) {
  const places = course.kinds.map((kind) => words.findLastIndex((word) => kind.includes(word)));
  return places.find((place) => place >= 0) ?? words.length - 1;
}

/**
 * Read the attributes of an element.
 *
 * @returns `words`, the start token first; who asks, `at`; the place of the word that is followed, and of
 *   that for which others are offered, `chosen`; what is `off`; the `layer` before which, and the `place` at
 *   which, a vector comes from the other text, `patch`; the `temperature`; what is `open`; and the place at
 *   which an opened head is looked at.
 */
export function readState(element, model) {
  const given = (name) => element.getAttribute(name) ?? "";
  const spelled = (course.texts[given("text")] ?? given("text")).split(" ");
  const isKnown = spelled.length < model.length && spelled.every((word) => word !== START && model.words.includes(word));
  const words = [START, ...(isKnown ? spelled : course.texts.rich.split(" "))];
  const place = (name, usual) => (words[given(name)] && Number(given(name)) ? Number(given(name)) : usual);
  const at = place("at", words.length - 1);
  const follow = place("follow", followed(words));
  const off = new Set(given("off").split(" ").filter((part) => SWITCHES.includes(part)));
  const [layer, patched] = given("patch").split(".").map(Number);
  const patch = [0, 1].includes(layer) && words[patched] && otherOf(words[follow]) ? { layer, place: patched } : undefined;
  const open = PARTS.find((part) => part === given("open"));
  const temperature = TEMPERATURES.find((each) => each === Number(given("temperature"))) ?? 1;
  return { words, at, follow, chosen: place("chosen", follow), off, patch, temperature, open, look: place("look") };
}
