// Draws each state of a page as it stands on paper, and looks whether the drawing holds what the page has printed, and
// whether its tasks can be done. The tests run it, and the build reads what they have written.

import { holds, still } from "./stage.js";

const WIDTH = 760;
const flat = (tensor) => (Array.isArray(tensor) ? tensor.flatMap(flat) : [tensor]);

export async function stills(Scene, { states, numbers, tasks }) {
  const scene = new Scene(numbers);
  await scene.later?.();
  for (const output in numbers) if (numbers[output].values) compare(output, scene.tensors[output], numbers[output].values);
  const drawn = Object.entries(states).map(([state, height]) => {
    if (typeof scene[state] !== "function") throw new RangeError(`the scene has no state "${state}"`);
    scene.enter?.(state);
    return `<figure data-state="${state}">${still(scene.layout(state, WIDTH, height, true), WIDTH, height)}</figure>`;
  });
  for (const task of tasks) attempt(scene, task, Object.keys(states));
  return drawn.join("");
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
