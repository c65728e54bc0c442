// Draws each state of a page as it stands on paper, and looks whether the drawing holds what the page has printed, and
// whether its tasks can be done. The tests run it, and the build reads what they have written.

import { width } from "./marks.js";
import { holds, still } from "./stage.js";

const WIDTH = 760;
// The rooms in which it is looked at: large and low windows, a tablet held upright, phones.
const ROOMS = [[994, 844], [910, 594], [824, 544], [768, 419], [390, 379], [320, 299]];
// What is read and pressed at least, in pixels: letters, and what a finger presses. A scene that has no room says so, in `least`.
const LEAST = [[994, 844, { letters: 15, side: 28 }], [390, 379, { letters: 12, side: 28 }]];
const flat = (tensor) => (Array.isArray(tensor) ? tensor.flatMap(flat) : [tensor]);

export async function stills(Scene, { states, numbers, tasks }) {
  const scene = new Scene(numbers);
  await scene.later?.();
  for (const output in numbers) if (numbers[output].values) compare(output, scene.tensors[output], numbers[output].values);
  const drawn = Object.entries(states).map(([state, height]) => {
    if (typeof scene[state] !== "function") throw new RangeError(`the scene has no state "${state}"`);
    scene.enter?.(state);
    for (const moved of doings(scene)) for (const [wide, high] of [[WIDTH, height], ...(scene.rooms?.[state] ?? ROOMS)]) crowded(state, scene.layout(state, wide, high, true), wide, high, moved);
    if (!scene.rooms) for (const [wide, high, least] of LEAST) small(state, scene.layout(state, wide, high), wide, { ...least, ...(wide < 560 && scene.least) });
    return `<figure data-state="${state}">${still(scene.layout(state, WIDTH, height, true), WIDTH, height)}</figure>`;
  });
  for (const task of tasks) attempt(scene, task, Object.keys(states));
  return drawn.join("");
}

/** As it is printed, and after each thing that a reader may do. */
function* doings(scene) {
  yield false;
  for (const move of scene.tries?.() ?? []) {
    move();
    yield true;
    scene.reset();
  }
}

/** No text touches another or a switch, and none lies outside, but a name at a point that a reader has moved, which is `free`. Fonts differ, so each letter has the width that marks.js gives it. */
function crowded(state, marks, W, H, moved) {
  const texts = Object.entries(marks).filter(([, { as, t, o = 1, free }]) => as === "text" && String(t) && o > 0.3 && !(moved && free));
  const pills = Object.entries(marks).filter(([name]) => /^set\..*\.box$/.test(name)).map(([name, { x, y, w, h }]) => ({ text: `the switch ${name}`, own: name.replace("box", "text"), left: x, right: x + w, top: y, foot: y + h }));
  const boxes = texts.map(([name, { x, y, size, t, anchor, look = "", w }]) => {
    const text = (Array.isArray(t) ? t : [[t]]).map(([part]) => part).join("");
    const wide = w ?? width(text, size) * (look.includes("sans") ? 1.08 : 1);
    const left = x - wide * ({ middle: 0.5, end: 1 }[anchor] ?? 0);
    return { name, text, left, right: left + wide, top: y - size * 0.66, foot: y };
  });
  const at = `the state "${state}", ${W} wide and ${H} high`;
  boxes.forEach((one, k) => {
    if (one.left < -2 || one.right > W + 2 || one.top < -2 || one.foot > H + 2) throw new RangeError(`${at}: "${one.text}" lies outside`);
    const other = [...boxes.slice(k + 1), ...pills].find((each) => each.own !== one.name && !/^set\./.test(one.name) && Math.min(one.right, each.right) - Math.max(one.left, each.left) > 2 && Math.min(one.foot, each.foot) - Math.max(one.top, each.top) > 2);
    if (other) throw new RangeError(`${at}: "${one.text}" and "${other.text}" touch`);
  });
}

/** No letter is smaller than it can be read, and nothing that is pressed is smaller than it can be hit. */
function small(state, marks, W, { letters, side }) {
  const at = `the state "${state}", ${W} wide`;
  for (const { as, t, size, o = 1, press, hold, w, h, r, said } of Object.values(marks)) {
    if (as === "text" && String(t) && o > 0.3 && size < letters) throw new RangeError(`${at}: "${t}" is ${size} px, and should be ${letters}`);
    const least = hold ? 2 * r : Math.min(w, h);
    if ((press || hold) && o > 0.01 && least < (hold ? 44 : side)) throw new RangeError(`${at}: "${said}" is ${least} px, and should be ${hold ? 44 : side}`);
  }
}

/** Each number that is drawn is the one that the page has printed, to its two decimals. */
function compare(name, drawn, printed) {
  if (drawn === undefined) throw new RangeError(`the scene has no "${name}"`);
  const [one, other] = [drawn, printed].map(flat);
  const place = one.findIndex((number, k) => !(Math.abs(number - other[k]) < 0.0051));
  if (one.length !== other.length || place >= 0)
    throw new RangeError(`"${name}" is drawn as ${one[place]} at ${place}, and printed as ${other[place]}`);
}

function attempt(scene, task, states) {
  const said = `${task.name}[${task.words.join(", ")}] ${task.sign} ${task.number}`;
  if (holds(scene, task)) throw new RangeError(`the task ${said} is done before anyone begins`);
  for (const state of states) {
    scene.enter?.(state);
    for (const move of scene.tries()) {
      move();
      const done = holds(scene, task);
      scene.reset();
      if (done) return;
    }
  }
  throw new RangeError(`no move does the task ${said}`);
}
