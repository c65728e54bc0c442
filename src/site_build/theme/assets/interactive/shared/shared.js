// Two heads ask the cards of one cache: above the first one, below the second. The reader lets each head have cards
// of its own, or share them, and sees how much of a device the cache takes, while the text grows.
import { arcs, geometry } from "../attend.js";
import { figure, NARROW, WIDE } from "../hand.js";
import { box, group, hatched, line, mark, path, range, said, text } from "../marks.js";
import { bytesOf } from "./kept.js";

const WORDS = "the duck likes the rich bank".split(" ");
const ASKS = WORDS.length - 1;
const GIB = 2 ** 30;
const DEVICE = 16 * GIB;
const FIRST = 1024; // words
const LABEL = 16; // what the name of a head takes, above and below
const [ABOVE, HIGH] = [34, 46]; // of the device: its words, and itself
// Of each way: its name, the model that has it, its numbers on the page, and how many cards two heads have of a word.
const WAYS = {
  own: { name: "Llama 2 7B keeps", row: 0, finds: 0, cards: 2, wide: 20 },
  groups: { name: "Llama 3 8B keeps", row: 1, finds: 1, cards: 1, wide: 20 },
  one: { name: "With one key for all, it keeps", row: 3, finds: 1, cards: 1, wide: 20 },
  latent: { name: "DeepSeek-V3 keeps", row: 2, finds: 2, cards: 1, wide: 15 },
};
const percent = (share) => `${(100 * share).toFixed(0)} %`;
const wordsAt = (t) => FIRST * 2 ** t;

/** A head is a shape: a circle, or a diamond. */
const shape = (head, x, y, r, look = { fill: "ink" }) =>
  head ? path(`M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`, look) : mark("circle", { cx: x, cy: y, r: r - 1, ...look });

function heads(svg, size, state, finds) {
  const where = places(size);
  const { x, up, row, letters, cards } = where;
  const shares = finds[WAYS[state.way].finds].values;
  const foot = cards + 30; // where the arcs of the second head begin, which hang
  const frame = (head) => ({ asks: ASKS, reads: WORDS.map(() => true), shares: shares[head] });
  const both = group({ transform: `translate(0 ${LABEL})` });
  svg.append(both);
  both.append(arcs(where, frame(0)), group({ transform: `translate(0 ${foot + 20 + up}) scale(1 -1)` }, arcs(where, frame(1))));
  both.append(box(x(ASKS) - where.half, row, 2 * where.half, 28, { rx: 6, fill: "now-soft", stroke: "now", "stroke-width": 1.5 }));
  WORDS.forEach((word, j) => {
    both.append(text(x(j), row + 20, word, `middle ${letters} ${j === ASKS ? "bold" : ""}`));
    for (const head of [0, 1])
      if (shares[head][j] >= 0.005) both.append(text(x(j), head ? foot + 14 : up + 14, percent(shares[head][j]), "middle least quiet"));
    const { cards: count, wide } = WAYS[state.way];
    for (const card of range(count)) {
      const left = x(j) + (card - count / 2) * (wide + 2) + 1;
      both.append(box(left, cards, wide, 20, { rx: 3, fill: "kept-soft", stroke: "kept", "stroke-width": 1.8 }));
      if (count > 1) both.append(shape(card, left + wide / 2, cards + 10, 4, { fill: "kept" }));
    }
  });
  const bottom = bottomOf(size);
  svg.append(shape(0, 8, 12, 6), text(20, 17, "head 0: what kind?", "small"), shape(1, 8, bottom - 6, 6), text(20, bottom - 1, "head 1: who is there?", "small"));
}

/** A device is a frame with a letter: what is left in it beside the model, and what the cache takes of it. */
function device(svg, { width }, top, state, t, kept) {
  const [left, wide, high] = [30, width - 34, HIGH];
  const x = (bytes) => left + (bytes / DEVICE) * wide;
  const bytes = bytesOf(kept[WAYS[state.way].row], wordsAt(t));
  const fits = bytes <= DEVICE;
  svg.append(
    text(0, top + 30, "A", "bold"), text(left, top - 8, "16 GiB are free", "least quiet"),
    box(left, top, Math.min(x(bytes), left + wide) - left, high, fits ? { fill: "kept" } : { ...hatched, stroke: "wrong" }),
    box(left, top, wide, high, { rx: 4, fill: "none", stroke: fits ? "ink" : "wrong", "stroke-width": 2 }),
  );
  const own = bytesOf(kept[0], wordsAt(t));
  if (state.way !== "own" && own <= DEVICE) svg.append(line(x(own), top - 4, x(own), top + high + 4, { stroke: "ink", "stroke-width": 1.5, "stroke-dasharray": "5 4" }));
  if (state.way !== "own") svg.append(text(left + wide, top - 8, own <= DEVICE ? "dashed: Llama 2 7B" : "Llama 2 7B does not fit", "least quiet end"));
  if (!fits) svg.append(text(left + wide / 2, top + 29, "does not fit", "middle bold wrong clear"));
}

function say(state, t, { finds, kept: { values } }) {
  const { name, row, finds: at } = WAYS[state.way];
  const bytes = bytesOf(values[row], wordsAt(t));
  const takes = `${name} ${said(bytesOf(values[row], 1))} bytes a token: <b>${(bytes / GIB).toFixed(2)} GiB</b> for ${said(wordsAt(t))}.`;
  const best = finds[at].values.map((shares) => WORDS[shares.indexOf(Math.max(...shares))]);
  return `${takes} The heads find “${best[0]}” and “${best[1]}”.`;
}

/** How many of the two heads find their word. */
const right = ({ values: [kind, who] }) => [[kind, "rich"], [who, "duck"]].filter(([shares, word]) => WORDS[shares.indexOf(Math.max(...shares))] === word).length;

const places = (size) => geometry(size, WORDS, size.narrow ? 62 : 84);
/** Where the picture of the heads ends, and the whole. */
const bottomOf = (size) => places(size).cards + 50 + places(size).up + 2 * LABEL;
const heightOf = (size) => bottomOf(size) + ABOVE + HIGH + 6;

export default figure("shared", (numbers) => ({
  defaults: { way: "own" },
  height: { wide: heightOf({ width: WIDE }), narrow: heightOf({ width: NARROW, narrow: true }) },
  steps: () => 7,
  best: () => 3,
  keep: ["way"],
  axis: "tokens in the text",
  where: (state, t) => `${said(wordsAt(t))} tokens`,
  choices: [
    {
      name: "way", label: "Kept for a token", chips: true,
      options: [["own", "32 keys"], ["groups", "8, in groups"], ["one", "one for all"], ["latent", "one latent"]],
    },
  ],
  draw(svg, state, t, size) {
    heads(svg, size, state, numbers.finds);
    device(svg, size, bottomOf(size) + ABOVE, state, t, numbers.kept.values);
  },
  say: (state, t) => say(state, t, numbers),
  bet: {
    shows: { way: "one" },
    until: () => 0,
    truth: (state) => ["neither of them", "only one of them", "both of them"][right(numbers.finds[WAYS[state.way].finds])],
    answer(state) {
      const [kind, who] = numbers.finds[WAYS[state.way].finds].values;
      return `Above, “rich” has ${percent(kind[4])}, and below, “duck” has ${percent(who[1])}, as with keys of their own.`;
    },
  },
}));
