// A language model, looked into: where its heads look, what it says with parts off, and what it says with one vector
// from another text.

import { ASKS, CELL, HUES, INK, SOFT, button, pressed, ring, rule, width, words } from "../marks.js";
import Running, { BLOCKS, guessAt, hueOf, model, run, shareOf, sharesAt, take, textOf } from "../running.js";
import { clamp, range, two } from "../stage.js";

const PARTS = BLOCKS.flatMap((block) => [`${block}.0`, `${block}.1`, `${block}.mlp`]); // as the columns of the page's table
const nameOf = (part) => (part.endsWith("mlp") ? `MLP ${part[0]}` : `head ${part}`);
const HEADS = PARTS.filter((part) => !part.endsWith("mlp"));
const ASKED = ["rich bank", "muddy bank", "muddy duck", "rich duck"]; // as its rows
const RIGHT = { rich: "money", muddy: "water" };
const VERBS = ["likes", "hides"];
const [ACTS, KEPT, ASKED_AT] = [2, 6, 10]; // places behind the start token: of the adjectives, and of who is asked for
const other = (kind) => (kind === "rich" ? "muddy" : "rich");
const lastOf = ({ streams }) => streams.at(-1).at(-1);
const looksOf = ({ layers }, head) => layers[head[0]].heads[head[2]].weights.at(-1);
/** The text in which this noun is of this kind, and asked for. */
const askedFor = (asked) => {
  const [kind, noun] = asked.split(" ");
  return textOf(noun === "bank" ? kind : other(kind), { asked: noun });
};

export default class Inside extends Running {
  least = { side: 20 }; // a column for each of fourteen words

  constructor({ looks, right }) {
    super();
    this.printed = { looks: looks.values, share: right.values[0][0] };
    this.reset();
  }

  async later() {
    const { kept } = await import("../../tiny_lm/own.js");
    await super.later(); // from here to the end no frame is drawn, so none finds a model alone
    [this.course, this.own] = [model, kept(model)];
    this.prepare();
  }

  /** What does not hang on what is pressed. */
  prepare() {
    this.alone = PARTS.map((part) => this.rightWithout(new Set([part])));
    this.donor = run(textOf("rich").with(5, "muddy"));
    this.survives = range(14).map((place) => BLOCKS.map((layer) => shareOf(sharesAt(lastOf(this.with([layer, place]))), "money")));
  }

  reset() {
    super.reset();
    [this.pick, this.taken] = [[KEPT, 3], [1, KEPT]];
  }

  /** The share of the right answer to each question, with parts off. */
  rightWithout(off) {
    return ASKED.map((asked) => shareOf(sharesAt(lastOf(run(askedFor(asked), { off }))), RIGHT[asked.split(" ")[0]]));
  }

  with([layer, place]) {
    return run(textOf("rich"), { patch: { layer, place, x: this.donor.streams[layer][place] } });
  }

  /** The weights of the last word: a row for each word, a column for each head. */
  get weights() {
    if (!model) return this.printed.looks;
    const found = run(this.words);
    return range(14).map((place) => HEADS.map((head) => looksOf(found, head)[place]));
  }

  get tensors() {
    if (!model) return {};
    return {
      looks: this.weights,
      right: [this.rightWithout(this.missing), ...this.alone],
      survives: this.survives,
      looked: VERBS.map((verb) => [ACTS, KEPT].map((place) => looksOf(run(textOf("muddy", { verb })), "1.1")[place])),
    };
  }

  placeOf(output, word) {
    return [ASKED, ["whole", ...PARTS]].map((names) => names.indexOf(word)).find((place) => place >= 0) ?? -1;
  }

  press(what) {
    const [kind, first, second] = what.split(" ");
    if (kind === "model") {
      take(this.isOwn ? this.course : this.own.model);
      this.prepare();
    } else if (kind === "look") this.pick = [Number(first), Number(second)];
    else if (kind === "part") this.turn([first]);
    else this.taken = String(this.taken) === `${first},${second}` ? undefined : [Number(first), Number(second)];
    return kind === "model" ? "model.hit" : `hit.${kind}${first}${second ?? ""}`;
  }

  /** Whether it is the model that the reader has trained. */
  get isOwn() {
    return Boolean(this.own) && model === this.own.model;
  }

  pressed(output, [row, column]) {
    if (output === "looks") return this.press(`look ${row} ${column}`);
    if (output === "survives") return this.press(`patch ${column} ${row}`);
    return output === "right" && row ? this.press(`part ${PARTS[row - 1]}`) : undefined;
  }

  lit(output) {
    return { looks: this.pick, survives: this.taken?.toReversed() }[output] ?? [];
  }

  step(state, across, down) {
    if (state === "looks") return this.press(`look ${clamp(this.pick[0] + down, 0, 13)} ${clamp(this.pick[1] + across, 0, 3)}`);
    if (state !== "patch") return undefined;
    const [layer, place] = this.taken ?? [1, KEPT];
    this.taken = [layer, clamp(place + across + 7 * down, 0, 13)];
    return `hit.patch${this.taken.join("")}`;
  }

  *tries() {
    for (const part of PARTS) yield () => this.turn([part]);
  }

  get takenWord() {
    return this.taken && ["start", ...textOf("rich")][this.taken[1]];
  }

  told(state) {
    if (!model) return "";
    const said = (found) => (({ word, share }) => `“${word}” ${two(share)}`)(guessAt(lastOf(found)));
    if (state === "looks") {
      const [place, head] = this.pick;
      return `${this.isOwn ? `Your model, from start ${this.own.seed}. ` : ""}Head ${HEADS[head]} takes ${two(this.weights[place][head])} of ${["the start", ...this.words][place]}. The answer is ${said(run(this.words))}.`;
    }
    if (state === "parts") {
      const off = PARTS.filter((part) => this.missing.has(part)).map(nameOf);
      const answers = ASKED.map((asked) => `${asked}: ${said(run(askedFor(asked), { off: this.missing }))}`);
      return `${off.length ? `Without ${off.join(", ")}. ` : ""}${answers.join("; ")}.`;
    }
    if (state === "patch") return this.taken ? `With ${this.takenWord} from the other text before block ${this.taken[0]}, the answer is ${said(this.with(this.taken))}.` : `Without a patch, the answer is ${said(run(textOf("rich")))}.`;
    return VERBS.map((verb) => `${verb}: ${said(run(textOf("muddy", { verb })))}`).join("; ");
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------
  layout(state, W, H, isStill = false) {
    const [m, narrow] = [{}, W < 560 || H < 440];
    if (model || state === "looks") this[state](m, { W, H, narrow, pad: narrow ? 14 : 48, isStill });
    if (this.isOwn && state !== "looks" && !narrow) m.whose = words(W - 48, 32, 16, `your model, start ${this.own.seed}`, SOFT, { anchor: "end", look: "sans" });
    return m;
  }

  /** The answer to the text that the page begins with is printed. */
  answerTo(text) {
    return model ? guessAt(lastOf(run(text))) : { word: RIGHT.rich, share: this.printed.share, hue: hueOf(RIGHT.rich) };
  }

  /** An answer: the word in its hue, and its share. */
  answer(m, name, { word, share, hue }, x, y, size, rest = {}) {
    m[name] = words(x, y, size, [[word, hue], [` ${two(share)}`, SOFT]], hue, { look: "strong", ...rest });
  }

  /** Columns of weights, each a look of the last word: a bar for each word, from top to bottom. */
  columns(m, { W, H, narrow, pad }, { list, looks, names, hue }) {
    const letters = narrow ? 12 : Math.min(20, H / 36);
    const [top, left] = narrow ? [24, 62] : [70, pad + 104];
    const step = (H - top - (narrow ? 34 : 76)) / list.length;
    const wide = (W - left - pad) / looks.length;
    const places = list.map((word, i) => ({ y: top + step * (i + 0.5), on: i === list.length - 1 }));
    list.forEach((word, i) => (m[`row${i}`] = words(left - (narrow ? 8 : 14), places[i].y + letters * 0.34, letters, word, places[i].on ? ASKS : hue[i] ?? SOFT, { anchor: "end", look: places[i].on || hue[i] ? "strong" : "" })));
    looks.forEach((shares, h) => {
      const x = left + wide * h;
      m[`name${h}`] = words(x, narrow ? 14 : 44, narrow ? 12 : 18, names[h], INK, { look: "sans strong" });
      m[`edge${h}`] = rule(x, top, x, top + step * list.length);
      [...shares].map((share) => Number(two(share))).forEach((share, i) => { // as printed
        const [thick, long] = [step * 0.66, wide - (narrow ? 38 : 64)];
        if (share) m[`look${h}.${i}`] = { as: "rect", x, y: places[i].y - thick / 2, w: long * share, h: thick, r: 2, fill: share > 0.2 ? hue[i] ?? INK : SOFT, o: share > 0.2 ? 1 : 0.6 };
        if (share >= 0.2) m[`share${h}.${i}`] = words(x + long * share + 5, places[i].y + letters * 0.34, letters, two(share), INK, { look: "sans" });
      });
    });
    return { left, wide, step, places, letters };
  }

  looks(m, size) {
    const { H, narrow, pad, isStill } = size;
    const list = ["start", ...this.words];
    const weights = this.weights;
    const hue = Object.fromEntries([ACTS, KEPT].map((place) => [place, hueOf(RIGHT[list[place]])]));
    const { left, step, places, wide, letters } = this.columns(m, size, { list, looks: HEADS.map((_, h) => weights.map((row) => row[h])), names: HEADS.map((head) => (narrow ? head : `head ${head}`)), hue });
    for (const place of [ACTS, KEPT, ASKED_AT]) {
      const y = places[place].y;
      const right = left - (narrow ? 8 : 14);
      m[`under${place}`] = rule(right - width(list[place], letters) * 1.06, y + letters * 0.6, right, y + letters * 0.6, { stroke: SOFT, sw: 2, dash: "2 4" });
      if (!isStill) m[`swap${place}`] = pressed(`word ${place - 1}`, { x: 0, y: y - (narrow ? 15 : 22), w: left - 4, h: narrow ? 30 : 44 }, `${list[place]}: swap this word`, { stop: true });
    }
    weights.forEach((row, i) =>
      row.forEach((weight, h) => {
        const on = String(this.pick) === String([i, h]);
        const box = { x: left + wide * h, y: places[i].y - step * 0.44, w: wide - (narrow ? 6 : 16), h: step * 0.88 };
        if (on) m.ring = ring(box, INK, 1, 0);
        if (!isStill) m[`hit.look${i}${h}`] = pressed(`look ${i} ${h}`, box, `${list[i]} in head ${HEADS[h]}: ${two(weight)}`, { on, stop: on });
      }));
    const [wideButton, high] = narrow ? [150, 28] : [210, 38];
    if (this.own && !isStill) button(m, "model", "model", this.isOwn ? `your model, start ${this.own.seed}` : "take your own model", { x: size.W - pad - wideButton, y: H - high - (narrow ? 2 : 18), w: wideButton, h: high, size: narrow ? 13 : 16, full: this.isOwn, on: this.isOwn });
    m.says = words(left, H - (narrow ? 7 : 26), narrow ? 13 : 20, "says", SOFT, { look: "sans" });
    this.answer(m, "answer", this.answerTo(this.words), left + (narrow ? 34 : 54), H - (narrow ? 7 : 26), narrow ? 15 : 30);
  }

  verbs(m, size) {
    const { H, narrow } = size;
    const texts = VERBS.map((verb) => textOf("muddy", { verb }));
    const list = ["start", ...texts[0]].with(4, "…");
    const found = texts.map((text) => run(text));
    const { left, wide } = this.columns(m, size, { list, looks: found.map((each) => looksOf(each, "1.1")), names: VERBS, hue: { [ACTS]: HUES[1], [KEPT]: HUES[0] } });
    found.forEach((each, h) => this.answer(m, `answer${h}`, guessAt(lastOf(each)), left + wide * h, H - (narrow ? 7 : 26), narrow ? 15 : 30));
  }

  /** Six parts as switches, and the answers to four questions. */
  parts(m, { W, H, narrow, pad, isStill }) {
    const gap = narrow ? 6 : 14;
    const [wide, high, top] = [(W - 2 * pad - 2 * gap) / 3, narrow ? 30 : 52, narrow ? 10 : 62];
    PARTS.forEach((part, k) => {
      const off = this.missing.has(part);
      const box = { x: pad + (k % 3) * (wide + gap), y: top + Math.floor(k / 3) * (high + gap), w: wide, h: high };
      m[`part${part}`] = { as: "rect", ...box, r: high / 2, fill: off ? "none" : INK, stroke: INK, sw: 2, dash: off ? "4 4" : undefined };
      m[`name${part}`] = words(box.x + wide / 2, box.y + high / 2 + (narrow ? 5 : 6), narrow ? 14 : 18, nameOf(part), off ? INK : "var(--paper)", { z: 2, anchor: "middle", look: "sans strong" });
      if (!isStill) m[`hit.part${part}`] = pressed(`part ${part}`, box, `${nameOf(part)}`, { on: !off, stop: true, r: high / 2 });
    });
    const first = top + 2 * high + gap + (narrow ? 10 : 40);
    const step = (H - first - (narrow ? 4 : 24)) / 4;
    ASKED.forEach((asked, k) => {
      const y = first + step * (k + 0.5);
      const found = run(askedFor(asked), { off: this.missing });
      const said = guessAt(lastOf(found));
      const long = W - 2 * pad;
      m[`asked${k}`] = words(pad, y - (narrow ? 2 : 6), narrow ? 14 : 22, `the ${asked} is full of`, INK);
      this.answer(m, `answer${k}`, said, pad + (narrow ? 166 : 270), y - (narrow ? 2 : 6), narrow ? 16 : 30);
      const right = said.word === RIGHT[asked.split(" ")[0]];
      m[`right${k}`] = words(W - pad, y - (narrow ? 2 : 6), narrow ? 13 : 18, right ? "" : narrow ? "no" : "wrong", INK, { anchor: "end", look: "sans strong" });
      m[`room${k}`] = { as: "rect", z: 0, x: pad, y: y + 4, w: long, h: narrow ? 9 : 16, r: 4, fill: CELL };
      m[`bar${k}`] = { as: "rect", x: pad, y: y + 4, w: Math.max(2, long * said.share), h: narrow ? 9 : 16, r: 4, fill: said.hue };
    });
  }

  /** The words of the text before each block: one of them can come from the other text. */
  patch(m, { W, H, narrow, pad, isStill }) {
    const list = ["start", ...textOf("rich")];
    const [head, gap] = narrow ? [20, 4] : [40, 8];
    const foot = narrow ? 10 : 90;
    const [wide, high] = [(W - 2 * pad + gap) / 7, Math.min(narrow ? 60 : 140, (H - foot - 2 * head - 60) / 4)];
    BLOCKS.forEach((layer) => {
      const top = (narrow ? 6 : 40) + layer * (head + 2 * high + (narrow ? 4 : 20));
      m[`before${layer}`] = words(pad, top + head * 0.66, narrow ? 13 : 19, `before block ${layer}`, INK, { look: "sans strong" });
      list.forEach((word, place) => {
        const key = `${layer}${place}`;
        const on = String(this.taken) === `${layer},${place}`;
        const box = { x: pad + (place % 7) * wide, y: top + head + Math.floor(place / 7) * high, w: wide - gap, h: high - gap };
        const money = this.survives[place][layer];
        m[`cell${key}`] = { as: "rect", z: 0, ...box, r: 5, fill: money > 0.5 ? CELL : HUES[0], o: money > 0.5 ? 1 : 0.5 };
        m[`word${key}`] = words(box.x + box.w / 2, box.y + box.h / 2 - (narrow ? 3 : 0), narrow ? 12 : 20, word, on ? ASKS : INK, { anchor: "middle", look: on ? "strong" : "" });
        m[`money${key}`] = words(box.x + box.w / 2, box.y + box.h / 2 + (narrow ? 13 : 24), narrow ? 12 : 15, two(money), SOFT, { anchor: "middle", look: "sans" });
        if (on) m.ring = ring(box, ASKS);
        if (!isStill) m[`hit.patch${key}`] = pressed(`patch ${layer} ${place}`, box, `${word} before block ${layer}: money ${two(money)}`, { on, stop: on || (!this.taken && place === KEPT) });
      });
    });
    const y = H - (narrow ? 12 : 40);
    const told = this.taken ? `“${this.takenWord}” from the muddy text:` : "no patch:";
    m.told = words(pad, y, narrow ? 13 : 20, told, SOFT, { look: "sans" });
    this.answer(m, "answer", guessAt(lastOf(this.taken ? this.with(this.taken) : run(textOf("rich")))), W - pad, y, narrow ? 22 : 44, { anchor: "end" });
  }
}
