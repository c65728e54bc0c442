// A text is written, pass by pass, with a cache of keys and values or without one. Below each word stands a
// square for each time that its key and value were computed.
import { ask, headOf } from "../ask.js";
import { asking, between, geometry } from "../attend.js";
import { figure, NARROW, WIDE } from "../hand.js";
import { box, ease, empty, group, inWords, quoted, range, said, sum, text } from "../marks.js";
import { computed, passes } from "./passes.js";

const TEXT = "the duck likes the muddy bank the rich bank likes the bank".split(" ");
const wordsOf = (state) => TEXT.slice(0, state.words);

/** Where everything stands: the drawing of attention, and below it a row of squares for each pass. */
function places(size, words) {
  const where = geometry(size, words, size.narrow ? 76 : 110);
  const side = Math.min(where.gap - 4, size.narrow ? 13 : 16);
  return { ...where, side, pile: where.cards + 40, step: side + 2 };
}

/** The last word of a pass asks all. */
function frameOf(state, numbers, pass) {
  const words = wordsOf(state);
  const { now, kept } = passes(state)[pass];
  const head = headOf(numbers.head, words);
  const reads = words.map((_, j) => j < now);
  return {
    words, asks: now - 1, reads, values: head.value, ...ask(head, now - 1, reads),
    cards: words.map((_, j) => (j < kept ? "kept" : j < now ? "now" : "empty")),
  };
}

/** The squares of a pass come down from the cards. */
function row(where, { now, kept }, pass, t, other) {
  const { x, side, pile, step, cards } = where;
  const come = ease(Math.max(0, Math.min(1, t - pass + 1)));
  const y = cards + (pile + pass * step - cards) * come;
  const square = (j, look) => box(x(j) - side / 2, y, side, side, { rx: 2, ...look });
  const latest = Math.round(t) === pass;
  const look = latest ? { fill: "now", stroke: "now" } : { fill: "quiet", stroke: "quiet" };
  return group(
    { opacity: come },
    range(now).map((j) => (j >= kept ? square(j, look) : other && square(j, empty))).filter(Boolean),
  );
}

/** Operations of attention in a pass, counted by torch. */
const work = (table, all) => sum(all.map(({ now, kept }) => table.values[now - kept === 1 ? 1 : 0][now - 1]));

function say(state, pass, numbers) {
  const [all, one] = [passes(state), wordsOf(state)];
  const { now, kept } = all[pass];
  const word = quoted(one[now - 1]);
  const fresh = now - kept;
  const thing = (count) => (count === 1 ? "one key and value is" : `${inWords(count)} keys and values are`);
  if (pass === all.length - 1 && pass) {
    const rest = passes({ ...state, cache: 1 - state.cache });
    return (
      `Computed: <b>${computed(all)}</b> keys and values, with ${said(work(numbers.work, all))} operations. ` +
      `${state.cache ? "Without" : "With"} a cache: ${computed(rest)}, with ${said(work(numbers.work, rest))}.`
    );
  }
  if (!pass) return now > 1 ? `The prompt is read at once: ${thing(fresh)} computed in one pass.` : `For ${word}, ${thing(fresh)} computed.`;
  if (state.cache && !kept) return `The cache is lost. For ${word}, all ${inWords(now)} keys and values are computed again.`;
  if (state.cache) return `For ${word}, one new key and value is computed. The other ${inWords(kept)} are kept.`;
  return `For ${word}, <b>${inWords(now)}</b> keys and values are computed, ${inWords(now - 1)} of them again.`;
}

const heightOf = (size) => {
  const { pile, step } = places(size, TEXT);
  return pile + TEXT.length * step + 6;
};
const last = (state) => passes(state).length - 1;

export default figure("cache", (numbers) => ({
  defaults: { cache: 0, words: 6, prompt: 1, lost: 0 },
  height: { wide: heightOf({ width: WIDE }), narrow: heightOf({ width: NARROW, narrow: true }) },
  steps: last,
  best: last,
  axis: "pass",
  fix(state, changed) {
    if (changed === "lost" && state.lost) state.cache = 1;
    if (changed === "cache" && !state.cache) state.lost = 0;
  },
  pace: (state) => (state.words > 6 ? 450 : 700),
  where: (state, t) => `pass ${t + 1} of ${last(state) + 1}`,
  choices: [
    { name: "cache", label: "Keys and values", options: [[0, "computed again"], [1, "kept"]] },
    { name: "words", label: "Tokens", options: [[6, "6"], [12, "12"]] },
    { name: "prompt", label: "Read at once", options: [[1, "1"], [3, "3"], [5, "5"]] },
    { name: "lost", label: "The cache is lost", options: [[0, "never"], [5, "after 5"]] },
  ],
  draw(svg, state, t, size) {
    const where = places(size, wordsOf(state));
    asking(svg, where, between((pass) => frameOf(state, numbers, pass), t));
    const all = passes(state);
    svg.append(...range(Math.ceil(t) + 1).map((pass) => row(where, all[pass], pass, t, state.cache)));
    const so = computed(all.slice(0, Math.round(t) + 1));
    const y = where.pile + Math.ceil(t + 1) * where.step + 14;
    if (size.height > y) svg.append(text(where.x(0) - where.side / 2, y, `${so} computed`, "small bold"));
  },
  say: (state, t) => say(state, t, numbers),
  bet: {
    shows: { words: 12 },
    truth: (state) => `nearly ${Math.round(computed(passes(state)) / computed(passes({ ...state, words: 6 })))} times as many`,
    answer: (state) => `Count the squares: ${computed(passes(state))}. Six tokens took ${computed(passes({ ...state, words: 6 }))}.`,
  },
}));
