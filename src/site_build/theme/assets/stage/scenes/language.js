// A language model from end to end: its shares, its surprises, its training, and what it writes.

import Parts from "./parts.js";
import Surprises from "./surprises.js";

export default class Language extends Parts {
  constructor(numbers) {
    const surprises = new Surprises(numbers);
    super({ bars: [surprises, "bars"], surprise: [surprises, "surprise"], train: undefined, write: undefined });
    this.numbers = numbers;
  }

  /** What lies below the first screen is fetched once the reader scrolls. */
  async later() {
    const [trains, writes] = await Promise.all([import("./trains.js"), import("./writes.js")]);
    const [training, writing] = [new trains.default(this.numbers), new writes.default(this.numbers)];
    this.parts.train = [training, "train"];
    this.parts.write = [writing, "write"];
    for (const scene of [training, writing]) scene.redraw = () => this.redraw?.();
    await writing.load();
  }

  placeOf(output, word) {
    return this.parts.write?.[0].placeOf(output, word) ?? -1;
  }

  *tries() {
    this.enter("write");
    yield* this.scene.tries();
  }
}
