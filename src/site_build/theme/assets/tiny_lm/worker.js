// Trains in a thread of its own, and tells the page how it goes.

import { Learner } from "./learner.js";
import recipe from "./recipe.js";

const { steps: STEPS } = recipe;
const WAIT = (step) => 200 * 0.82 ** step; // milliseconds after a step: the first ones are for the eye

const waiting = []; // what is asked before the stories have come
onmessage = ({ data }) => waiting.push(data);
const answer = await fetch(new URL("world.json", import.meta.url));
if (!answer.ok) throw new Error(`world.json: ${answer.status}`);
const world = await answer.json();

let learner, moments, pace, isRunning, losses, timer, toldAt;

function report() {
  const { step } = learner;
  const told = { step, losses, texts: learner.glimpse() };
  if (step === STEPS) Object.assign(told, { right: learner.right(), numbers: learner.model.numbers.slice() });
  [losses, toldAt] = [[], performance.now()];
  postMessage(told);
}

function loop() {
  if (!isRunning) return;
  const began = performance.now();
  const isFast = () => WAIT(learner.step) < 4;
  do losses.push(learner.learn());
  while (!moments.includes(learner.step) && isFast() && performance.now() - began < 40);
  if (moments.includes(learner.step) || performance.now() - toldAt >= pace) report();
  isRunning = learner.step < STEPS;
  timer = setTimeout(loop, isFast() ? 0 : WAIT(learner.step));
}

function hear({ begin, go }) {
  clearTimeout(timer);
  if (begin) {
    ({ moments, pace } = begin);
    learner = new Learner(world, begin.seed, begin.without);
    losses = [];
    report();
  }
  if (go !== undefined) isRunning = go && learner.step < STEPS;
  loop();
}

onmessage = ({ data }) => hear(data);
waiting.forEach(hear);
