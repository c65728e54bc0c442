// What a step's page lets the reader switch or slide. Each returns what makes the control for a toy.

import { make } from "./toy.js";

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
  return make("label", {}, text, input, told);
};

/** A box to check. */
export const box = (name, text) => (toy) => {
  const input = make("input", { type: "checkbox", checked: toy.lesson.settings[name] });
  input.onchange = () => toy.set(name, input.checked);
  return make("label", {}, input, text);
};

/** Some values, of which one is chosen: pairs of a value and its name. */
export const choice = (name, text, values) => (toy) => {
  const labels = values.map(([value, label]) => {
    const input = make("input", { type: "radio", name: `toy-${name}`, checked: value === toy.lesson.settings[name] });
    input.onchange = () => toy.set(name, value);
    return make("label", {}, input, label);
  });
  return make("div", { role: "group", "aria-label": text }, text, ...labels);
};
