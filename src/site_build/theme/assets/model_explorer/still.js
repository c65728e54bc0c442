// The drawing as it stands in a page before its script comes, without scripts and on paper: whole.js draws it, and the
// build reads what was written. No part is open, and what needs a script is inert.
import "./whole.js";
import { make } from "../dom.js";
import { PARTS, SWITCHES } from "./state.js";
import course from "./words.js";

const WIDTH = 660; // pixels, which are stretched to the column
const NAME = "A whole language model, from the words down to the answer";
const FOR_SCRIPTS = ".whole-words, .whole-line, .whole-tray, .whole-more";

/** Return the HTML of a drawing with the options of its fence. */
export async function still({ open, film, ...options }) {
  const drawing = document.createElement("whole-model");
  for (const [name, value] of Object.entries(options)) drawing.setAttribute(name, value);
  const column = make("div", { style: `width: ${WIDTH}px` }, drawing);
  document.body.append(column);
  await drawing.ready;
  check({ open, film, ...options }, drawing.state);
  const drawn = drawing.cloneNode(true);
  column.remove();
  for (const part of drawn.querySelectorAll(FOR_SCRIPTS)) part.inert = true;
  for (const part of drawn.querySelectorAll("[data-style]")) delete part.dataset.style;
  for (const button of drawn.querySelectorAll(".whole-texts button")) {
    const className = button.ariaPressed === "true" ? "chosen" : "";
    button.replaceWith(make("div", { className, innerHTML: button.innerHTML, "data-act": button.dataset.act }));
  }
  drawn.classList.remove("live");
  drawn.classList.toggle("film", film !== undefined);
  const attributes = { "data-needs": "model_explorer/lazy", "data-search-exclude": "", role: "group", "aria-label": NAME };
  for (const [name, value] of Object.entries({ ...attributes, ...(open && { open }) })) drawn.setAttribute(name, value);
  return drawn.outerHTML;
}

/** Refuse what the drawing has not taken from its options. */
function check(options, state) {
  const { text, at, follow, off = "", open, patch } = options;
  const isRefused = {
    text: state.words.slice(1).join(" ") !== (course.texts[text] ?? text),
    at: state.at !== Number(at),
    follow: state.follow !== Number(follow),
    off: off.split(" ").some((part) => !SWITCHES.includes(part)),
    open: !PARTS.includes(open),
    patch: !state.patch,
    film: false,
    patches: false,
  };
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && isRefused[name] !== false) throw new RangeError(`no drawing of the model has ${name}="${value}"`);
}
