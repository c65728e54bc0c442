// A training of the reader's own: it runs in a worker, and stands still while nobody can see it.

import { calm } from "../dom.js";
import recipe from "../tiny_lm/recipe.js";
import { begin, narrate } from "./narrate.js";

export const { shown: FIRST, steps: STEPS, without: WITHOUT } = recipe;

export class Trainer {
  /**
   * @param element It is told what is seen, and how it goes on.
   * @param choice The `seed` of the start, and what the model is `without`.
   */
  constructor(element, choice) {
    Object.assign(this, { element, seed: FIRST, without: "whole", isRunning: false, run: 0, ...choice });
    this.worker = new Worker(new URL("../tiny_lm/worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => data.run === this.run && this.hear(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      element.fail(event.message);
    };
    addEventListener("visibilitychange", () => this.rest());
    this.begin();
  }

  /** Begin anew, with a curve of its own: what an earlier run still tells is not heard. */
  begin() {
    this.element.started?.(this);
    this.run += 1;
    Object.assign(this, { step: 0, loss: undefined, curve: [], right: undefined, story: begin(), isRunning: false });
    // A picture each tenth of a second is seen to move, and costs a phone less than the training itself.
    this.send({ begin: { seed: this.seed, without: this.without, pace: calm.matches ? 1000 : 100 } });
    this.label();
  }

  /** Begin anew with another start, or without another part. */
  choose(choice) {
    Object.assign(this, choice);
    this.begin();
    this.element.chosen?.(this);
  }

  send(what) {
    this.worker.postMessage({ run: this.run, ...what });
  }

  press() {
    if (this.step >= STEPS) this.begin();
    this.go(!this.isRunning);
  }

  go(isRunning) {
    this.isRunning = isRunning;
    this.send({ go: isRunning });
    this.label();
  }

  once() {
    this.go(false);
    this.send({ once: true });
  }

  rest() {
    if (document.hidden ? !this.isRunning : !this.isResting) return;
    this.isResting = document.hidden;
    this.go(!document.hidden);
  }

  label() {
    const { go, step } = this.element.parts;
    step.role = this.isRunning ? null : "status"; // of a single step it is told, and of many it would be noise
    go.textContent = this.isRunning ? "Pause" : this.step === 0 ? "Train" : this.step < STEPS ? "Go on" : "Train again";
  }

  hear(told) {
    for (const loss of told.losses) {
      this.loss = this.loss === undefined ? loss : 0.9 * this.loss + 0.1 * loss;
      this.curve.push(this.loss);
    }
    this.step = told.step;
    this.right = told.right ?? this.right;
    if (this.step >= STEPS) this.isRunning = false;
    this.element.show(told);
    const now = performance.now();
    this.element.tell(narrate(this.story, { ...told, loss: this.loss ?? Infinity, right: this.right, steps: STEPS, now }));
    this.element.heard?.(this, told);
    this.label();
  }
}
