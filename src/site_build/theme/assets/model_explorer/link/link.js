// The address of what a drawing shows, and a drawing that shows what an address spells.
import { copyAddress } from "../../dom.js";
import course from "../words.js";

const NAMES = ["at", "follow", "off", "patch", "temperature"]; // that an address spells beside the text

/**
 * Let a drawing have what an address spells, #whole:0.1&text=muddy&off=1.1, where 0.1 is the open part. Without
 * a text, as a sentence of a page has it, a part opens, and all else stays.
 */
export async function take(drawing, hash) {
  const [spelled, ...given] = hash.split("&");
  const state = new URLSearchParams(given.join("&"));
  const changes = { open: spelled.split(":")[1] };
  if (state.has("text")) for (const name of ["text", ...NAMES]) changes[name] = state.get(name);
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
  return copyAddress(sent ? new URL(`../../../model/${sent}/`, import.meta.url).href : location.href);
}
