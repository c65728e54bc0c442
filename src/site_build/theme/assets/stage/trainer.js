// A training of the reader's own: it runs in a worker, and rests while its page cannot be seen.

import { calm } from "../dom.js";

export class Trainer {
  /**
   * @param choice The `seed` of the start, what the model is `without`, and the `moments` of which it tells in any case.
   * @param hear It is told what the worker tells.
   */
  constructor(choice, hear) {
    this.isRunning = false;
    this.worker = new Worker(new URL("../tiny_lm/worker.js", import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => hear(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      hear({ failed: event.message });
    };
    this.rest = () => this.isRunning && this.worker.postMessage({ go: !document.hidden });
    addEventListener("visibilitychange", this.rest);
    // A picture each tenth of a second is seen to move, and costs a phone less than the training itself.
    this.worker.postMessage({ begin: { ...choice, pace: calm.matches ? 1000 : 100 } });
    this.go(true);
  }

  go(isRunning) {
    this.isRunning = isRunning;
    this.worker.postMessage({ go: isRunning });
  }

  end() {
    removeEventListener("visibilitychange", this.rest);
    this.worker.terminate();
  }
}
