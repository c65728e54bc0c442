// Why scores are divided: coins that fall into piles, and a knob that moves no share where scores are large.

import { ASKS, INK, SOFT, bars, big, control, pressed, rail, rule, sentence, width, words } from "../marks.js";
import { clamp, range, say, sum, two } from "../stage.js";
import { softmax } from "../../attention.js";

const COINS = [2, 4, 8, 16, 32, 64];
const SHOWN = range(9).map((k) => 2 * k - 8); // the scores whose shares the page prints
const LIKES = 2;
const LOUD = 4; // as with 16 times the components
const four = (x) => x.toFixed(4).replace("-", "−");

/** The share of each score that so many coins can have. */
function pileOf(coins) {
  let ways = 1;
  return range(coins + 1).map((heads) => {
    const share = ways / 2 ** coins;
    ways = (ways * (coins - heads)) / (heads + 1);
    return { score: 2 * heads - coins, share };
  });
}
const typicalOf = (pile) => Math.sqrt(sum(pile.map(({ score, share }) => share * score ** 2)));

export default class Scaled {
  /** @param numbers `scaled_scores`: the divided scores of "likes" */
  constructor({ scaled_scores }) {
    this.words = scaled_scores.columns;
    this.scaled = scaled_scores.values;
    this.last = this.words.length - 1;
    this.reset();
  }

  reset() {
    Object.assign(this, { counts: COINS.slice(0, 3), row: 2, pick: this.last, knob: 1 });
  }

  get changed() {
    return this.knob !== 1 || this.counts.some((coins, row) => coins !== COINS[row]);
  }

  /** The shares of "likes": as they are, and once the knob adds to the score of the last word. */
  shares(scores) {
    return [0, this.knob].map((more) => softmax(scores.map((score, j) => score + (j === this.last ? more : 0))));
  }

  /** As they are printed, a row for each word. */
  byWord(scores) {
    const [before, after] = this.shares(scores);
    return before.map((share, j) => [share, after[j]]);
  }

  get loudScores() {
    return this.scaled.map((score) => score * Math.SQRT2 * LOUD);
  }

  get tensors() {
    const piles = this.counts.map(pileOf);
    const typical = piles.map(typicalOf);
    return {
      piles: piles.map((pile) => SHOWN.map((at) => pile.find(({ score }) => score === at)?.share ?? 0)),
      typical,
      divided: typical.map((each, row) => each / Math.sqrt(this.counts[row])),
      scaled_scores: this.scaled,
      loud_weights: this.byWord(this.loudScores),
      kept_weights: this.byWord(this.scaled),
    };
  }

  // ---- what a reader does -----------------------------------------------------------------------------------
  placeOf(output, word) {
    return COINS.indexOf(Number(word.split(" ")[0]));
  }

  choices(row) {
    return { words: COINS.map((coins) => `${coins} coins`), now: `${this.counts[row]} coins` };
  }

  swap(row, word) {
    this.counts[row] = Number(word.split(" ")[0]);
    this.row = row;
  }

  press(what) {
    const [kind, place] = what.split(" ");
    this[kind] = Number(place); // row or pick
    return `h${kind}${place}`;
  }

  pressed(output, place) {
    this.press(output.endsWith("weights") || output === "scaled_scores" ? `pick ${place[0]}` : `row ${place[0]}`);
  }

  lit(output) {
    if (output.endsWith("weights")) return [this.pick, 1];
    return output === "scaled_scores" ? [this.pick] : output === "piles" ? [] : [this.row];
  }

  step(state, across, down) {
    if (state === "coins" || state === "divided") return this.press(`row ${clamp(this.row + across + down, 0, 2)}`);
    return this.press(`pick ${clamp(this.pick + across + down, 0, this.last)}`);
  }

  turn(to) {
    this.knob = Math.round(clamp(to, 0, 2) * 10) / 10;
  }

  drag(hold, x) {
    this.turn(((x - this.rail.x) / this.rail.w) * 2);
  }

  nudge(hold, across, down) {
    this.turn(this.knob + (across - down) * 0.1);
  }

  *tries() {
    for (const coins of COINS) yield () => this.swap(2, `${coins} coins`);
  }

  told(state) {
    const coins = this.counts[this.row];
    if (state === "coins") return `With ${coins} coins, a typical score is ${two(Math.sqrt(coins))}.`;
    if (state === "divided") return `With ${coins} coins, a typical score is ${two(Math.sqrt(coins))}, and divided by the root of ${coins} it is 1.`;
    const [before, after] = this.shares(state === "loud" ? this.loudScores : this.scaled);
    return `With ${say(this.knob)} more for the score of ${this.words[this.last]}, ${this.words[this.pick]} has ${four(after[this.pick])}, and had ${four(before[this.pick])}.`;
  }

  // ---- what is drawn ----------------------------------------------------------------------------------------
  layout(state, W, H, isStill = false) {
    const narrow = W < 560 || H < 440;
    const [m, pad] = [{}, narrow ? 16 : 56];
    this[state](m, { W, H, narrow, pad, isStill });
    return m;
  }

  large(m, { W, narrow, pad, top = 0 }, told, line) {
    m.big = big(W - pad, top + (narrow ? 52 : 110), narrow ? 40 : 84, told);
    m.terms = words(W - pad, top + (narrow ? 72 : 144), narrow ? 13 : 18, line, SOFT, { anchor: "end", look: "sans" });
  }

  /** Three piles of scores, one below the other; divided they lie over one another. */
  piles(m, size, isDivided) {
    const { W, H, narrow, pad, isStill } = size;
    const letters = narrow ? 14 : 20;
    const labels = narrow ? 76 : 130;
    const [top, foot, wide] = [narrow ? 84 : 170, H - (narrow ? 40 : 76), W - 2 * pad - labels];
    const most = Math.max(...this.counts.map(Math.sqrt));
    const unit = wide / (6.4 * most); // of a score of 1
    const middle = pad + labels + wide / 2;
    const step = (foot - top) / 3;
    this.counts.forEach((coins, row) => {
      const wider = isDivided ? most / Math.sqrt(coins) : 1;
      const base = isDivided ? foot : top + step * (row + 1) - letters;
      const scale = isDivided ? ((foot - top) * 0.8 * most) / Math.sqrt(2 * Math.PI) : step * 1.35;
      const on = row === this.row;
      for (const { score, share } of pileOf(coins)) {
        const [w, h] = [1.76 * unit * wider, (share / wider) * scale * (isDivided ? 2.5 : 1)];
        if (h > 0.3) m[`bar${row}.${score}`] = { as: "rect", x: middle + score * unit * wider - w / 2, y: base - h, w, h, r: 1, fill: INK, o: isDivided ? 0.22 : on ? 0.8 : 0.4 };
      }
      const reach = Math.sqrt(coins) * unit * wider;
      m[`typical${row}`] = rule(middle - reach, base + 6, middle + reach, base + 6, { z: 2, stroke: ASKS, sw: narrow ? 4 : 6, o: on || isDivided ? 1 : 0.5 });
      const y = top + step * (row + 0.5);
      const name = `${coins} coins`;
      const w = width(name, letters) * 1.06;
      m[`name${row}`] = words(pad, y, letters, name, on ? INK : SOFT, { w, look: on ? "strong" : "" });
      if (!isStill) m[`line${row}`] = rule(pad, y + 5, pad + w, y + 5, { stroke: SOFT, sw: 2, dash: "2 4" });
      m[`swap${row}`] = control(`word ${row}`, { x: pad - 4, y: y - letters - 6, w: w + 12, h: letters + 20 }, `${name}: change`);
      m[`amount${row}`] = words(pad, y + letters * 1.5, letters * 0.9, isDivided ? "1.00" : two(Math.sqrt(coins)), ASKS, { look: "sans strong" });
      m[`hrow${row}`] = pressed(`row ${row}`, { x: pad + labels, y: top + step * row, w: wide, h: step }, name, { on, stop: on });
    });
    const between = isDivided ? most : 2 ** Math.round(Math.log2(most * 1.4));
    for (const k of range(5).map((k) => k - 2)) {
      const x = middle + k * between * unit;
      m[`tick${k}`] = words(x, H - (narrow ? 10 : 26), narrow ? 12 : letters * 0.8, say(isDivided ? k : k * between), SOFT, { anchor: "middle", look: "sans" });
    }
    m.zero = rule(middle, top, middle, foot, { dash: "2 6" });
  }

  coins(m, size) {
    this.piles(m, size, false);
    const coins = this.counts[this.row];
    this.large(m, size, two(Math.sqrt(coins)), `a typical score of ${coins} coins`);
  }

  divided(m, size) {
    this.piles(m, size, true);
    const coins = this.counts[this.row];
    this.large(m, size, "1.00", `${two(Math.sqrt(coins))} divided by √${coins}`);
  }

  /** What "likes" takes, and what the knob does to it. */
  turned(m, size, scores) {
    const { W, H, narrow, pad, isStill } = size;
    sentence(m, { list: this.words, x: pad, y: narrow ? 28 : 50, size: narrow ? 20 : 30, asks: LIKES, asked: this.pick, still: true });
    const [before, after] = this.shares(scores);
    const [base, high] = [H - (narrow ? 112 : 210), H - (narrow ? 240 : 430)];
    const items = after.map((amount, j) => ({ key: `${j}`, parts: [], amount, text: two(amount), word: this.words[j], on: j === this.pick, press: `pick ${j}`, said: `${this.words[j]}: ${four(amount)}` }));
    bars(m, items, { x: pad, w: W - 2 * pad, base, high, most: 1, size: narrow ? 15 : 22 });
    items.forEach(({ key, press, said, on }, j) => {
      m[`hpick${j}`] = { ...m[`h${key}`], press, said, on };
      delete m[`h${key}`];
      const step = (W - 2 * pad) / items.length;
      const [x, y] = [pad + step * (j + 0.5), base - before[j] * high];
      m[`was${j}`] = rule(x - step * 0.4, y, x + step * 0.4, y, { z: 2, stroke: INK, sw: 1.5, dash: "4 4" });
    });
    this.large(m, { ...size, top: narrow ? 28 : 0 }, `${after[this.pick] < before[this.pick] ? "" : "+"}${four(after[this.pick] - before[this.pick])}`, [[this.words[this.pick], INK], [`: ${four(before[this.pick])} becomes ${four(after[this.pick])}`, SOFT]]);
    const letters = narrow ? 14 : 20;
    const y = H - (narrow ? 26 : 56);
    const name = `score of ${this.words[this.last]}: ${say(scores[this.last])} + ${say(this.knob)}`;
    m.name = words(pad, y - (narrow ? 24 : 38), letters, name, ASKS, { look: "sans strong" });
    this.rail = { x: pad + 14, w: W - 2 * pad - 28 };
    rail(m, { ...this.rail, y, at: this.knob / 2, hold: "knob", said: "What is added to the score of bank", value: [this.knob, 0, 2, say(this.knob)], still: isStill });
  }

  loud(m, size) {
    this.turned(m, size, this.loudScores);
  }

  kept(m, size) {
    this.turned(m, size, this.scaled);
  }
}
