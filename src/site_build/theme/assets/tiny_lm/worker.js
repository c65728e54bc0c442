// Trains in a thread of its own, and tells the page how it goes.

import { Learner } from "./learner.js";
import recipe from "./recipe.js";

const { steps: STEPS } = recipe;
const DIARY = [0, 40, 80, 200, STEPS];
const WRITES = 40; // steps from text to text: enough time to read some of it, and the same texts on each machine
const WAIT = (step) => 200 * 0.82 ** step; // milliseconds after a step: the first ones are for the eye

const waiting = []; // what is asked before the stories have come
onmessage = ({ data }) => waiting.push(data);
const answer = await fetch(new URL("world.json", import.meta.url));
if (!answer.ok) throw new Error(`world.json: ${answer.status}`);
const world = await answer.json();

let run, learner, isRunning, pace, losses, wrote, kept, timer, checkedAt, toldAt;

function report() {
  const now = performance.now();
  const { step } = learner;
  const told = { run, step, losses, wrote, kept, floors: world.floors, texts: learner.glimpse() };
  if (step === STEPS || step === 0 || now - checkedAt > 500) [told.right, checkedAt] = [learner.right(), now];
  if (step === STEPS) told.numbers = learner.model.numbers.slice();
  [losses, wrote, kept, toldAt] = [[], undefined, [], now];
  postMessage(told);
}

function once() {
  losses.push(learner.learn());
  keep();
}

function keep() {
  const { step } = learner;
  if (step % WRITES === 0 || step === STEPS) wrote = learner.write();
  if (DIARY.includes(step)) kept.push({ step, ...wrote });
}

function loop() {
  if (!isRunning) return;
  const began = performance.now();
  do once();
  while (learner.step < STEPS && WAIT(learner.step) < 4 && performance.now() - began < 40);
  if (learner.step === STEPS || performance.now() - toldAt >= pace) report();
  isRunning &&= learner.step < STEPS;
  timer = setTimeout(loop, WAIT(learner.step) < 4 ? 0 : WAIT(learner.step));
}

function hear(data) {
  clearTimeout(timer);
  if (data.begin) {
    ({ run } = data);
    ({ pace } = data.begin);
    learner = new Learner(world, data.begin.seed, data.begin.without);
    [losses, kept, checkedAt, isRunning] = [[], [], -Infinity, false];
    keep();
    report();
  }
  if ("go" in data) isRunning = data.go && learner.step < STEPS;
  if (data.once && learner.step < STEPS) {
    once();
    wrote = learner.write();
    report();
  }
  if (isRunning) loop();
}

onmessage = ({ data }) => hear(data);
waiting.forEach(hear);
