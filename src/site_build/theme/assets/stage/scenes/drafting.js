// A draft guesses tokens, and the model verifies them: one story step by step, and how many tokens a step writes in many
// stories, for each number of guesses.

import { INK, RULE, SOFT, rule, words } from "../marks.js";
import { EMPTY, KEPT, NOW, Run } from "../run.js";
import { clamp, range, two } from "../stage.js";

/** The steps that write a text: where each begins, how many guesses it keeps, and whether it refuses one. */
export function steps(right, ahead) {
  const all = [];
  for (let place = 0; place < right.length; place += all.at(-1).kept + 1) {
    let kept = 0;
    while (kept < ahead && right[place + kept] === 1) kept++;
    all.push({ place, kept, refuses: kept < ahead && right[place + kept] === 0 });
  }
  return all;
}

export default class Drafting extends Run {
  switches = [
    { name: "draft", options: [[0, "1 token"], [1, "2"], [2, "3 remembered"]] },
    { name: "cost", options: [[0, "free guess"], [1, "1/5"], [2, "1/2"]] },
  ];

  /** @param numbers the outputs of the page: which guesses of each draft are right in a story, and how fast each is in many */
  constructor({ right, speeds }) {
    super({ draft: 1, cost: 1 });
    [this.right, this.all] = [right, speeds.values];
    this.ahead = speeds.columns.map(Number);
  }

  get tensors() {
    return { right: this.right.values, speeds: this.all };
  }

  get last() {
    return this.ahead.length - 1;
  }

  /** For each number of guesses, how many times as fast that is. If a guess costs nothing, these are the tokens of a step. */
  get speeds() {
    return this.all[this.is.cost][this.is.draft];
  }

  get steps() {
    return steps(this.right.values[this.is.draft], this.ahead[this.at]);
  }

  get where() {
    const count = this.ahead[this.at];
    return `${count} ${count === 1 ? "guess" : "guesses"} a step: here ${this.right.columns.length} tokens in ${this.steps.length} steps`;
  }

  get matters() {
    return { number: two(this.speeds[this.at]), says: this.is.cost ? "times as fast" : "tokens a step", other: "in many stories" };
  }

  told() {
    const { number, says, other } = this.matters;
    return `${this.where}; ${number} ${says} ${other}.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const size = narrow ? 12 : 16;
    const high = h * 0.56;
    this.story(m, { x, y: y + (narrow ? 4 : 16), w, h: high, size });
    m.hues = words(x, y + high + size * 1.6, size, [["guesses kept", KEPT], [", ", SOFT], ["the model’s own", NOW.fill], [", struck: refused", SOFT]], SOFT, { look: "sans strong" });
    this.bars(m, { x, y: y + high + size * 1.8, w, h: h - high - size * 2.2, size, narrow });
  }

  /** A row for each step: the guesses that are kept, and the token of the model. */
  story(m, { x, y, w, h, size }) {
    const { columns } = this.right;
    const column = w / columns.length;
    const head = size * 2.4;
    const all = this.steps;
    const row = clamp((h - head) / all.length, 6, 56);
    columns.forEach((token, j) => {
      m[`word${j}`] = words(x + column * (j + 0.5), y + size * (j % 2 ? 0.8 : 1.9), size, token, INK, { anchor: "middle" });
    });
    all.forEach(({ place, kept, refuses }, i) => {
      const box = (j) => ({ x: x + column * j + 2, y: y + head + row * i, w: column - 4, h: row - 2, r: 3 });
      for (const j of range(kept)) m[`token${place + j}`] = { as: "rect", ...box(place + j), fill: KEPT, o: 0.6 };
      const own = box(place + kept);
      const third = refuses ? own.w / 3 : 0;
      m[`token${place + kept}`] = { as: "rect", ...own, x: own.x + third, w: own.w - third, ...NOW };
      if (!refuses) return;
      m[`refused${place + kept}`] = { as: "rect", ...own, w: third - 2, ...EMPTY };
      m[`struck${place + kept}`] = rule(own.x, own.y + own.h / 2, own.x + third - 2, own.y + own.h / 2, { z: 2, stroke: SOFT, sw: 2 });
    });
  }

  bars(m, { x, y, w, h, size, narrow }) {
    const [foot, step] = [y + h - size * 1.5, w / this.ahead.length];
    const most = Math.max(...this.all.flat(2));
    const unit = (foot - y - size * 1.4) / most;
    m.one = rule(x, foot - unit, x + w, foot - unit, { stroke: SOFT, dash: "4 4" });
    this.speeds.forEach((speed, k) => {
      const [on, middle] = [k === this.at, x + step * (k + 0.5)];
      const wide = Math.min(step * 0.6, narrow ? 40 : 110);
      m[`bar${k}`] = { as: "rect", x: middle - wide / 2, y: foot - unit * speed, w: wide, h: unit * speed, r: 3, ...(on ? NOW : { fill: RULE }) };
      m[`speed${k}`] = words(middle, foot - unit * speed - 5, size, two(speed), on ? INK : SOFT, { anchor: "middle", look: on ? "sans strong" : "sans" });
      m[`ahead${k}`] = words(middle, y + h, size, String(this.ahead[k]), on ? INK : SOFT, { anchor: "middle", look: on ? "sans strong" : "sans" });
    });
  }
}
