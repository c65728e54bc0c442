// What the reader changes: a number is typed, dragged sideways, or stepped.

import { button, make } from "./dom.js";
import { LARGEST, problemWith } from "./math.js";

const STEP = 0.1;
const PIXELS = 6; // of a drag for one step

/** Say what is wrong with the numbers of a row, and what counts in their place. */
export const problemsOf = ({ texts, vector }) =>
  texts
    .map((text, e) => problemWith(text) && `${problemWith(text)} ${vector[e]} still counts.`)
    .filter(Boolean)
    .join(" ");

/** Make a field for number `e` of a row; what is wrong with the row is said in `problem`. */
export function makeField(row, e, label, problem, changed) {
  const field = make("input", {
    className: "lab-field",
    value: row.texts[e],
    inputMode: "decimal",
    autocomplete: "off",
    spellcheck: false,
    "aria-label": label,
  });
  const check = () => {
    row.texts[e] = field.value;
    const isWrong = problemWith(field.value) !== "";
    if (!isWrong) row.vector[e] = Number(field.value);
    field.setAttribute("aria-invalid", isWrong);
    if (isWrong) field.setAttribute("aria-describedby", problem.id);
    else field.removeAttribute("aria-describedby");
    problem.textContent = problemsOf(row);
  };
  field.oninput = () => {
    check();
    changed();
  };
  field.set = (number) => {
    field.value = Number(Math.max(-LARGEST, Math.min(number, LARGEST)).toFixed(6));
    field.oninput();
  };
  field.stepBy = (steps) => field.set(row.vector[e] + steps * STEP);
  field.onkeydown = (event) => {
    const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!steps) return;
    event.preventDefault();
    field.stepBy(steps);
  };
  letDrag(field, () => row.vector[e]);
  check();
  return field;
}

/** Let a number be dragged sideways. A finger that moves up or down scrolls the page. */
function letDrag(field, read) {
  let from;
  let isDragged;
  field.onpointerdown = ({ clientX: x, button }) => {
    from = button ? undefined : { x, value: read() };
    isDragged = false;
  };
  field.onpointermove = ({ clientX, pointerId, buttons }) => {
    if (!from || !buttons) return;
    const steps = Math.round((clientX - from.x) / PIXELS);
    if (!steps && !isDragged) return;
    isDragged = true;
    field.setPointerCapture(pointerId);
    field.set(from.value + steps * STEP);
    field.setSelectionRange(0, 0); // a mouse would select the digits
  };
  field.onpointerup = field.onpointercancel = () => (from = undefined);
}

/** Put a button for less and one for more around a field. */
export function makeStepper(name, field) {
  return make(
    "div",
    { className: "lab-stepper" },
    make("span", { ariaHidden: true }, name),
    button("\u2212", () => field.stepBy(-1), `less ${name}`),
    field,
    button("+", () => field.stepBy(1), `more ${name}`),
  );
}
