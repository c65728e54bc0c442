// The training of the small model: the one that was recorded, and one of the reader's own, which runs in a worker.

import recipe from "../../tiny_lm/recipe.js";
import { INK, SOFT, big, button, rule, words } from "../marks.js";
import { percent, sum, two } from "../stage.js";
import Reading from "./reading.js";

const PART = -1; // the place of the menu
const WHOLE = "whole";
const MEAN = 10; // steps of which a loss is the mean, as in the recorded training
const NUMBERS = "4,944 numbers";

/** Let marks stand lower. */
function lower(marks, by) {
  for (const mark of Object.values(marks)) {
    for (const name of ["y", "y0"]) if (name in mark) mark[name] += by;
    if (mark.points) mark.points = mark.points.map(([x, y]) => [x, y + by]);
  }
  return marks;
}

export default class Trains extends Reading {
  constructor(numbers) {
    super(numbers);
    this.recorded = this.training;
    [this.seed, this.without] = [recipe.shown, WHOLE];
  }

  // ---- a training of the reader's own -------------------------------------------------------------------------
  get isOwn() {
    return this.training !== this.recorded;
  }

  /** What is seen: where the training is, and else the moment to which it was dragged. */
  get shown() {
    const { steps, moments } = this.training;
    return this.at === this.last ? this.now : { step: steps[this.at], texts: moments[this.at] };
  }

  get moment() {
    if (!this.isOwn) return super.moment;
    const told = this.shown.texts[this.text];
    return { ...told, looks: told.looks[this.head].map((look) => look / 100) };
  }

  get stepped() {
    return this.isOwn ? `${this.shown.step.toLocaleString("en")} steps` : super.stepped;
  }

  /** The head that looks most at an adjective, in each of the texts. */
  get head() {
    const { texts } = this.now;
    const least = (head) => Math.min(...texts.map(({ looks }) => Math.max(...Object.keys(this.swaps).map((place) => looks[head][place]))));
    const heads = texts[0].looks.map((_, head) => head);
    return heads.reduce((best, head) => (least(head) > least(best) ? head : best));
  }

  /** Train from a start, and without a part: the first moment comes from the worker. */
  async begin(choice) {
    Object.assign(this, { outcome: undefined, isOver: false }, choice);
    const { Trainer } = await import("../trainer.js");
    this.trainer?.end();
    const { seed, without } = this;
    this.trainer = new Trainer({ seed, without, moments: this.recorded.steps }, (told) => this.hear(told));
    this.redraw?.();
  }

  hear({ step, losses, texts, right, numbers, failed }) {
    if (failed) return this.fail(failed);
    const { steps } = this.recorded;
    if (step === 0) [this.training, this.at, this.losses] = [{ ...this.recorded, moments: [], losses: [] }, 0, []];
    const follows = this.at === this.last || step === 0;
    this.now = { step, texts };
    this.losses.push(...losses);
    const { moments } = this.training;
    if (step === steps[moments.length]) moments.push(texts);
    this.training.losses = moments.map((_, k) => this.lossAt(steps[k]));
    if (follows) this.at = this.last;
    if (numbers) this.finish(right, numbers).catch(console.warn);
    this.redraw?.();
  }

  /** The mean of the last steps; of the first one, it is known what it is in the recorded training. */
  lossAt(step) {
    const some = this.losses.slice(Math.max(0, step + 1 - MEAN), step + 1);
    return some.length ? sum(some) / some.length : this.recorded.losses[0];
  }

  fail(why) {
    console.warn(why);
    this.outcome = ["The training could not be fetched.", "not fetched"];
    this.isOver = true;
    this.redraw?.();
  }

  /** Say what has come of it, and keep a model that has all its parts. */
  async finish(right, numbers) {
    this.isOver = true;
    const found = percent((right["the bank's"] + right["the duck's"]) / 2);
    this.outcome = [`it finds the right adjective in ${found} of the stories`, `${found} right`];
    if (this.without !== WHOLE) return;
    const [{ keep }, { load }] = await Promise.all([import("../../tiny_lm/own.js"), import("../../tiny_lm/read.js")]);
    await keep(numbers, this.seed);
    const { numbers: known } = await load(); // which are kept in 32 bits
    if (!known.every((number, k) => number === Math.fround(numbers[k]))) return;
    this.outcome = [`the same ${NUMBERS} as on these pages`, `the same ${NUMBERS}`];
    this.redraw?.();
  }

  // ---- what a reader does -------------------------------------------------------------------------------------
  press(what) {
    if (what === "another") this.begin({ seed: this.trainer ? this.seed + 1 : 1 });
    else if (!this.trainer || this.isOver) this.begin();
    else this.trainer.go(!this.trainer.isRunning);
    return `${what}.hit`;
  }

  choices(place) {
    return place === PART ? { words: Object.keys(recipe.without), now: this.without } : super.choices(place);
  }

  swap(place, word) {
    if (place === PART) this.begin({ without: word });
    else super.swap(place, word);
  }

  told() {
    const of = this.isOwn ? ` from start ${this.seed}` : "";
    return [super.told().replace(" of training", ` of training${of}`), this.outcome?.[0]].filter(Boolean).join(" ");
  }

  // ---- what is drawn ------------------------------------------------------------------------------------------
  train(m, W, H, isStill) {
    if (isStill) return this.beside(m, W, H, isStill);
    const narrow = W < 560 || H < 486;
    const top = narrow ? 40 : 46;
    this.beside(m, W, H - top);
    lower(m, top);
    const [y, h, size, gap] = narrow ? [6, 30, 13, 5] : [22, 38, 16, 12];
    const widths = narrow ? [86, 92, W - 28 - 178 - 2 * gap] : [120, 150, 230];
    let x = narrow ? 14 : 56;
    const place = (k) => {
      const box = { x, y, w: widths[k], h, size };
      x += widths[k] + gap;
      return box;
    };
    button(m, "train", "train", this.word, { ...place(0), full: true });
    button(m, "another", "another", "another start", place(1));
    const part = this.without === WHOLE ? (narrow ? "leave out …" : "leave out a part …") : this.without;
    button(m, "part", `word ${PART}`, part, place(2));
  }

  get word() {
    if (!this.trainer) return "Train";
    return this.isOver ? "Train again" : this.trainer.isRunning ? "Pause" : "Go on";
  }

  get loss() {
    const losses = this.isOwn && this.at === this.last ? [this.lossAt(this.now.step)] : this.training.losses.slice(this.at);
    return losses[0];
  }

  /** The loss, and where the head looks: beside the steep part of the curve. On a phone there is room for the loss alone. */
  verdict(m, x, y, size) {
    const isWide = size > 40;
    const left = x + (isWide ? 260 : 84);
    m.big = { ...big(left, y, isWide ? size : 26, two(this.loss), INK), anchor: "start" };
    m.most = isWide
      ? words(left, y + 26, 17, "loss; floor dotted", SOFT, { look: "sans" })
      : words(left, y + 16, 13, "loss", SOFT, { look: "sans" });
    if (!isWide) return;
    const { share, place } = this.most;
    m.most1 = words(left, y + 48, 17, [["looks at ", SOFT], [`${this.named(place)}: ${percent(share)}`, INK]], INK, { look: "sans" });
  }

  /** With the floor, which the loss comes down to. */
  scrub(m, { x, y, w, high, isStill }) {
    super.scrub(m, { x, y, w, high, isStill });
    const level = y - 56 - (high * this.training.floor) / Math.max(...this.training.losses);
    m.floor = rule(x, level, x + w, level, { z: 2, stroke: INK, dash: "2 4" });
    delete m.wrong;
  }

  hint(at, isWide) {
    if (this.outcome && (at === 1 || !this.isOwn)) return this.outcome[isWide ? 0 : 1];
    return this.isOwn && !this.isOver ? "" : super.hint(at, isWide);
  }
}
