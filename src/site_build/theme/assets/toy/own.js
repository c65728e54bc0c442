// A word of the reader's own: typed, and given its numbers by two sliders, one for each end of the line.

import { make } from "../dom.js";
import { slider } from "./steps/controls.js";
import { knows, polesOf, slotOf, vectorOf } from "./sentence.js";
import course from "./words.js";

const MOST = 3; // of a component, as the words of the toy have

/** Let a toy know a word that it has not yet, and say whether it can; a slot has one, its last. */
export function learn({ mine }, slot, word, vector) {
  const isNew = word === mine[slot] || !knows(word);
  const isRow = vector.length === 5 && vector.every((x) => x >= 0 && x <= MOST);
  if (!isNew || !isRow || !/^\p{L}{1,12}$/u.test(word)) return false;
  const fitting = course.slots[slot];
  if (mine[slot]) delete course.words[fitting.pop()];
  fitting.push((mine[slot] = word));
  course.words[word] = vector;
  return true;
}

/** Put a field and two sliders in the place of the chips. */
export function edit(toy) {
  const { mine, parts, state } = toy;
  const slot = slotOf(state.words[state.open]);
  const word = mine[slot] ?? course.own[slot];
  // At first it acts or describes as the others do, and nothing else.
  const vector = vectorOf(mine[slot]) ?? vectorOf(course.slots[slot][0]).map((x, c) => (c === 2 || c === 3 ? x : 0));
  const put = (text) => {
    const isTaken = learn(toy, slot, text, vector);
    if (isTaken) toy.change({ words: toy.state.words.with(toy.state.open, text), isTyping: true });
    return isTaken;
  };
  const set = (c, value) => {
    vector[c] = value;
    toy.change({ words: toy.state.words }, true);
  };
  const sliders = polesOf(state.words).map(
    (c) => slider(c, `about ${course.components[c]}`, { max: MOST, step: 0.5, spell: String })({ lesson: { settings: vector }, set }).element,
  );
  const onchange = ({ target }) => {
    if (!put(target.value.trim().toLowerCase())) parts.refusal.textContent = "Take one word, of letters alone, that the toy does not know yet.";
    target.value = mine[slot];
  };
  const onkeydown = ({ key }) => {
    if (key === "Enter") sliders[0].querySelector("input").focus();
  };
  const field = make("input", { type: "text", ariaLabel: "Your word", value: word, maxLength: 12, autocapitalize: "off", autocomplete: "off", onchange, onkeydown });
  const onclick = () => {
    toy.press(toy.state.open);
    parts.tray.querySelector("[aria-pressed=true]").focus();
  };
  put(word);
  parts.tray.replaceChildren(make("div", { className: "toy-controls" }, field, ...sliders, make("button", { type: "button", textContent: "done", onclick })));
  field.select();
}
