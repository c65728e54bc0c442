// The state of the drawing, as its attributes spell it. What they do not spell, or spell wrongly, is as in
// the first text.
import course from "./words.js";

export const START = "<";
export const SWITCHES = ["0.0", "0.1", "0.mlp", "1.0", "1.1", "1.mlp"];
export const PARTS = ["vectors", "0", "1", "answer", "0.plus", "1.plus", ...SWITCHES];
const NAMES = ["at", "follow", "off", "patch"]; // that an address spells beside the text
export const otherOf = (word) => course.pairs.find((pair) => pair.includes(word))?.find((each) => each !== word);

/** The place of the word that is followed at first: an adjective, or else a name, or else who acts. */
function followed(words) {
  const places = course.kinds.map((kind) => words.findLastIndex((word) => kind.includes(word)));
  return places.find((place) => place >= 0) ?? words.length - 1;
}

/**
 * Read the attributes of an element.
 *
 * @returns `words`, the start token first; who asks, `at`; the place of the word that is followed, and of
 *   that for which others are offered, `chosen`; what is `off`; the `layer` before which, and the `place` at
 *   which, a vector comes from the other text, `patch`; what is `open`; and the place at which an opened
 *   head is looked at.
 */
export function readState(element, model) {
  const given = (name) => element.getAttribute(name) ?? "";
  const spelled = (course.texts[given("text")] ?? given("text")).split(" ");
  const isKnown = spelled.length < model.length && spelled.every((word) => word !== START && model.words.includes(word));
  const words = [START, ...(isKnown ? spelled : course.texts.muddy.split(" "))];
  const place = (name, usual) => (words[given(name)] && Number(given(name)) ? Number(given(name)) : usual);
  const at = place("at", words.length - 1);
  const follow = place("follow", followed(words));
  const off = new Set(given("off").split(" ").filter((part) => SWITCHES.includes(part)));
  const [layer, patched] = given("patch").split(".").map(Number);
  const patch = [0, 1].includes(layer) && words[patched] && otherOf(words[follow]) ? { layer, place: patched } : undefined;
  const open = PARTS.find((part) => part === given("open"));
  return { words, at, follow, chosen: place("chosen", follow), off, patch, open, look: place("look") };
}

/**
 * Let a drawing have what an address spells, #whole:0.1&text=muddy&off=1.1, where 0.1 is the open part. Without
 * a text, as a sentence of a page has it, a part opens, and all else stays.
 */
export async function take(drawing, hash) {
  const [spelled, ...given] = hash.split("&");
  const state = new URLSearchParams(given.join("&"));
  const changes = { open: spelled.split(":")[1] };
  if (state.has("text")) for (const name of ["text", ...NAMES]) changes[name] = state.get(name);
  await import("./whole.js");
  await drawing.ready;
  drawing.set({ ...changes, look: undefined });
  await drawing.ready;
  const line = drawing.querySelector(`[data-act="toggle:${drawing.state.open}"]`);
  line?.classList.add("lit");
  line?.focus({ preventScroll: true });
  (line ?? drawing).scrollIntoView({ block: line ? "center" : "start" });
}

/** The address of what a drawing shows. */
function linkOf(drawing) {
  const { words, open } = drawing.state;
  const text = words.slice(1).join(" ");
  const state = new URLSearchParams({ text: Object.keys(course.texts).find((name) => course.texts[name] === text) ?? text });
  for (const name of NAMES) if (drawing.hasAttribute(name)) state.set(name, drawing.getAttribute(name));
  return `#whole${open ? `:${open}` : ""}&${state}`;
}

/** Copy the address, or that of a page with a card of its own; return what happened. */
export async function copy(drawing) {
  const link = linkOf(drawing);
  history.replaceState(history.state, "", link);
  const sent = Object.keys(course.sent).find((slug) => link === `#whole&${new URLSearchParams(course.sent[slug])}`);
  try {
    await navigator.clipboard.writeText(sent ? new URL(`../../model/${sent}/`, import.meta.url).href : location.href);
    return "copied";
  } catch {
    return "copy the address";
  }
}
