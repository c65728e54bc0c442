// A window that slides over the text, and what is forgotten. With several layers: which words have a part in
// the last one.
import { ask, headOf } from "../ask.js";
import { attend, between, geometry, heightOf } from "../attend.js";
import { figure, hold, NARROW, WIDE } from "../hand.js";
import { box, inWords, line, listed, mark, quoted, range, sum, text, two, within } from "../marks.js";
import { mayRead, reached } from "./reach.js";

const TEXTS = { duck: "the duck likes the muddy bank", money: "the bank likes money" };
const wordsOf = (state) => TEXTS[state.text].split(" ");
const percent = (share) => `${(100 * share).toFixed(0)} %`;

/** One word asks: what it reads, and what it would find if nothing had been forgotten. */
function frameOf(state, numbers, asks) {
  const words = wordsOf(state);
  const head = headOf(numbers.head, words);
  const reads = mayRead(words.length, asks, state);
  const all = ask(head, asks, mayRead(words.length, asks, { window: words.length, sinks: 0 }));
  const forgotten = words.map((_, j) => j <= asks && !reads[j]);
  return {
    words, asks, reads, values: head.value, ...ask(head, asks, reads),
    would: all.shares,
    lost: sum(all.shares.filter((_, j) => forgotten[j])),
    was: forgotten.some(Boolean) ? all.context : undefined,
    cards: words.map((_, j) => (j > asks ? "empty" : forgotten[j] ? "gone" : j === asks ? "now" : "kept")),
  };
}

/** The window behind its words, with an edge that is held; and the first words that stay. */
function pane(svg, where, t, state, hand) {
  const { x, gap, half, row, cards } = where;
  const [first, high] = [Math.max(0, t - state.window + 1), cards + 28 - row];
  const part = (from, end) => box(x(from) - half + 1, row - 4, x(end - 1) - x(from) + 2 * half - 2, high, { rx: 8, fill: "now-soft" });
  const edge = x(first) - half;
  const set = (window) => hand.set({ window: within(window, 1, 6) });
  const grip = mark(
    "g",
    {},
    box(edge - 24, row - 4, 48, high, { fill: "none", "pointer-events": "all" }),
    box(edge - 4, row - 4 + high / 2 - 13, 8, 26, { rx: 4, fill: "now", class: "ring" }),
  );
  hold(grip, {
    key: "window", label: "The edge of the window", now: state.window, min: 1, max: 6, words: `a window of ${state.window}`,
    move: (place) => set(Math.round(Math.round(t) - (place - x(0)) / gap + 0.5)),
    step: (by) => set(state.window - by),
  });
  const stay = Math.min(state.sinks, Math.floor(first));
  svg.append(...(stay ? [part(0, stay)] : []), part(first, t + 1));
  return grip;
}

/** Layers above one another, and the ways from the last word down, as far as t layers. */
function cone(svg, { width, height, narrow }, words, t, state) {
  const { layers } = state;
  const count = words.length;
  const [left, step] = [narrow ? 62 : 100, Math.min(64, (height - 70) / layers)];
  const gap = Math.min(96, (width - left - (narrow ? 24 : 40)) / (count - 1));
  const x = (j) => left + j * gap;
  const y = (layer) => height - 46 - step * layer;
  const part = range(layers + 1).map((below) => reached(count, state, below));
  const [ways, dots] = [[], []];
  for (const below of range(layers + 1)) {
    const layer = layers - below;
    dots.push(text(0, y(layer) + 5, layer ? `layer ${layer}` : "tokens", "least quiet"));
    for (const j of range(count)) {
      const lit = part[below][j] && t > below - 0.5;
      const come = within(t - below, 0, 1); // how far its ways have come to the next layer
      if (layer)
        mayRead(count, j, state).forEach((may, k) => {
          if (!may) return;
          ways.unshift(line(x(j), y(layer), x(k), y(layer - 1), { stroke: "rule" }));
          if (lit && come) ways.push(line(x(j), y(layer), x(j) + (x(k) - x(j)) * come, y(layer) + step * come, { stroke: "now", "stroke-width": 3 }));
        });
      const look = lit ? { fill: "now-soft", stroke: "now", "stroke-width": 2 } : { fill: "ground", stroke: "edge" };
      if (layer) dots.push(mark("circle", { cx: x(j), cy: y(layer), r: 9, ...look }));
      else {
        const wide = words[j].length * (narrow ? 7.5 : 10) + 8;
        dots.push(box(x(j) - wide / 2, y(0) - 15, wide, 30, { rx: 6, ...look }), text(x(j), y(0) + 6, words[j], `middle ${narrow ? "least" : ""} ${lit ? "bold" : "quiet"}`));
      }
    }
  }
  svg.append(...ways, ...dots);
}

function sayCone(state, t) {
  const words = wordsOf(state);
  const have = reached(words.length, state, t).filter(Boolean).length;
  const [last, layer] = [quoted(words.at(-1)), state.layers - t];
  if (!t) return `${last} asks in layer ${layer}. What it reads there was made in layer ${layer - 1}.`;
  const where = layer ? `In layer ${layer},` : "Of the tokens,";
  return `${where} <b>${inWords(have)}</b> ${have === 1 ? "has" : "have"} a part in what ${last} finds.`;
}

function sayFrame({ words, asks, reads, shares, context, lost, was }) {
  const word = quoted(words[asks]);
  const count = reads.filter(Boolean).length;
  const all = count === 1 ? "only itself" : `all ${inWords(count)} tokens so far`;
  if (!was) return `${word} reads ${all}. Nothing is forgotten yet.`;
  const c = Number(Math.abs(context[0] - was[0]) < Math.abs(context[1] - was[1]));
  const takes = range(words.length).filter((j) => shares[j] > Math.max(...shares) - 0.005).map((j) => (j === asks ? "itself" : quoted(words[j])));
  const now = Math.abs(context[c] - was[c]) < 0.1 ? `takes most from ${listed(takes)}` : `has ${two(context[c])} of ${["water", "money"][c]}, not ${two(was[c])}`;
  return `What ${word} no longer reads had <b>${percent(lost)}</b> of its attention. It ${now}.`;
}

const moments = (state) => (state.layers > 1 ? state.layers : wordsOf(state).length - 1);
const longest = TEXTS.duck.split(" ");

export default figure("windows", (numbers) => ({
  defaults: { text: "duck", window: 3, sinks: 0, layers: 1 },
  height: { wide: heightOf({ width: WIDE }, longest), narrow: heightOf({ width: NARROW, narrow: true }, longest) },
  steps: moments,
  best: moments,
  keep: ["window", "sinks"],
  axis: "token, or layer",
  where: (state, t) => (state.layers > 1 ? `${t} of ${state.layers} layers down` : `token ${t + 1} of ${wordsOf(state).length}`),
  choices: [
    { name: "window", label: "Window", options: range(6).map((n) => [n + 1, n + 1]) },
    { name: "sinks", label: "First tokens kept", options: [[0, "none"], [1, "1"], [2, "2"]] },
    { name: "layers", label: "Layers", options: range(4).map((n) => [n + 1, n + 1]) },
    { name: "text", label: "Text", chips: true, options: [["duck", "the duck … bank"], ["money", "the bank likes money"]] },
  ],
  draw(svg, state, t, size) {
    const words = wordsOf(state);
    if (state.layers > 1) return cone(svg, size, words, t, state);
    const where = geometry(size, words);
    const grip = pane(svg, where, t, state, size.hand);
    attend(svg, where, between((asks) => frameOf(state, numbers, asks), t));
    svg.append(grip);
  },
  say: (state, t) => (state.layers > 1 ? sayCone(state, t) : sayFrame(frameOf(state, numbers, t))),
  bet: {
    shows: { window: 2, layers: 3 },
    truth: (state) => String(reached(wordsOf(state).length, state, state.layers).filter(Boolean).length),
    answer: (state) => `Count the tokens that are lit: ${inWords(reached(wordsOf(state).length, state, state.layers).filter(Boolean).length)}.`,
  },
}));
