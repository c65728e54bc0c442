// What a step's page lets the reader switch or slide. Each returns what makes the control for a toy: the
// name of its setting, an element, what shows a value, and what reads one from an address, which may
// spell nonsense. `spell` writes a value into an address, unless String does.

import { make } from "../../dom.js";

/** A slider from one number to another. */
export const slider = (name, text, { max = 1, step = 0.05, spell = (x) => x.toFixed(2) } = {}) => (toy) => {
  const told = make("output");
  const input = make("input", { type: "range", min: 0, max, step, value: toy.lesson.settings[name] });
  const tell = () => (told.textContent = spell(+input.value));
  input.oninput = () => {
    tell();
    toy.set(name, +input.value, true);
  };
  tell();
  const show = (value) => {
    input.value = value;
    tell();
  };
  const read = (given) => (given && +given >= 0 && +given <= max ? +given : undefined);
  return { name, element: make("label", {}, text, input, told), show, read };
};

/** A box to check. */
export const box = (name, text) => (toy) => {
  const input = make("input", { type: "checkbox", checked: toy.lesson.settings[name] });
  input.onchange = () => toy.set(name, input.checked);
  const show = (value) => (input.checked = value);
  const read = (given) => ({ yes: true, no: false })[given];
  return { name, element: make("label", {}, input, text), show, read, spell: (value) => (value ? "yes" : "no") };
};

/** A button, which has no setting of its own. */
export const button = (text, act) => (toy) => ({
  element: make("button", { type: "button", textContent: text, onclick: () => act(toy) }),
});
