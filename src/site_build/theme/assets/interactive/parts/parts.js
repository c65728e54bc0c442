// “bank” hears one word after the other, in one part or in two, and keeps a maximum, a sum and a context.
import { figure, hold } from "../hand.js";
import { box, ease, empty, group, line, mark, mix, other, quoted, range, text, two, within } from "../marks.js";
import { merge, walk } from "./walk.js";

export default figure("parts", ({ spoken }) => {
  const words = spoken.rows;
  const count = words.length;
  const inOrder = range(count).join("");
  const orderOf = ({ order }) => [...order].map(Number);
  const cutOf = ({ blocks, cut }) => (blocks === 2 ? cut : count);
  const walked = (state, places) =>
    walk(places.map((place) => spoken.values[place][0]), places.map((place) => spoken.values[place].slice(1)), !state.forgets);
  const blocksOf = (state) => {
    const order = orderOf(state);
    const cut = cutOf(state);
    return [order.slice(0, cut), order.slice(cut)]
      .filter((places) => places.length)
      .map((places) => ({ places, rows: walked(state, places) }));
  };
  const atOnce = walk(range(count).map((i) => spoken.values[i][0]), spoken.values.map((row) => row.slice(1))).at(-1).context;
  const bring = ([water, money]) => `water ${two(water)} and money ${two(money)}`;
  const isRight = (context) => context.every((each, c) => Math.abs(each - atOnce[c]) < 0.005);
  const ends = ([one, other]) => merge(one.rows.at(-1), other.rows.at(-1));

  return {
    defaults: { blocks: 1, forgets: 0, order: inOrder, cut: 3 },
    axis: "token",
    steps: ({ blocks }) => count + (blocks === 2 ? 1 : 0),
    best: ({ blocks }) => count + (blocks === 2 ? 1 : 0),
    keep: ["order", "cut", "forgets"],
    pace: () => 800,
    where: (_, t) => (!t ? "before the first token" : t > count ? "merged" : `token ${t} of ${count}`),
    choices: [
      { name: "blocks", label: "Blocks", options: [[1, "1"], [2, "2"]] },
      { name: "forgets", label: "For a larger score", options: [[0, "shrink the sum"], [1, "forget to"]] },
    ],
    fix(state) {
      if ([...state.order].sort().join("") !== inOrder) state.order = inOrder;
      state.cut = within(Math.round(state.cut) || 3, 1, count - 1);
    },
    save({ order, cut }, given) {
      if (order !== inOrder) given.set("order", order);
      if (cut !== 3) given.set("cut", cut);
    },
    load(state, given) {
      Object.assign(state, { order: given.get("order") ?? inOrder, cut: Number(given.get("cut")) });
    },
    height: { wide: 346, narrow: 362 },
    draw,
    say,
    bet: {
      shows: { blocks: 2 },
      truth(state) {
        const { shares } = ends(blocksOf(state));
        return shares[0] === shares[1] ? "both the same" : `the ${shares[0] > shares[1] ? "first" : "second"}`;
      },
      answer(state) {
        const { shares } = ends(blocksOf(state));
        return `A counts for ${two(shares[0])}, and B for <b>${two(shares[1])}</b>: it also holds “bank”, which scores ${spoken.values[5][0]}.`;
      },
    },
  };

  function say(state, t) {
    const parts = blocksOf(state);
    if (!t) return "“bank” meets one token after the other, and keeps a maximum, a sum and a context. Drag the tokens: the order is yours.";
    if (t > count) {
      const { shares, context } = ends(parts);
      return `Block A counts for <b>${two(shares[0])}</b>, and B for <b>${two(shares[1])}</b>: ${bring(context)}${verdict(context)}`;
    }
    const [which, at] = t > cutOf(state) ? [1, t - cutOf(state) - 1] : [0, t - 1];
    const { places, rows } = parts[which];
    const { max, factor, exponential, total, context } = rows[at];
    const before = rows[at - 1];
    const score = `${quoted(words[places[at]])} scores ${spoken.values[places[at]][0]}`;
    if (t === count && state.blocks === 1) return `All tokens have come: ${bring(context)}${verdict(context)}`;
    const of = state.blocks === 2 ? ` of block ${"AB"[which]}` : "";
    if (!before) return `${score}, and is the first${of}: the sum is <b>${two(total)}</b>.`;
    if (max > before.max)
      return state.forgets
        ? `${score}, more than all before. The old sum of ${two(before.total)} stays <b>too large</b>, and ${two(exponential)} is added.`
        : `${score}, more than all before: the sum shrinks to <b>${two(before.total * factor)}</b>, and ${two(exponential)} is added.`;
    return `${score}, and adds <b>${two(exponential)}</b>: the sum is ${two(total)}.`;
  }

  function verdict(context) {
    return isRight(context) ? ", as with all scores at once." : `. All scores at once give ${bring(atOnce)}.`;
  }

  function draw(svg, state, t, { width, narrow, hand }) {
    const order = orderOf(state);
    const cut = cutOf(state);
    const parts = blocksOf(state);
    const turn = Math.ceil(t); // the word that is heard, counted from 1
    const share = t - turn + 1;
    const slot = width / count;
    // Of a sum of 1: the largest sum of this order has room, shrunk or not.
    const sums = [0, 1].flatMap((forgets) => {
      const parts = blocksOf({ ...state, forgets });
      const both = parts.length > 1 ? ends(parts).totals : [0, 0];
      return [both[0] + both[1], ...parts.flatMap(({ rows }) => rows.map(({ total }) => total))];
    });
    const unit = width / Math.max(...sums);
    const [first, high, apart] = state.blocks === 1 ? [126, 52, 0] : [116, 30, 62];
    order.forEach((word, place) => svg.append(card(word, place)));
    if (state.blocks === 2) svg.append(knife());
    parts.forEach((part, which) => lane(part, which ? cut : 0, which));
    if (state.blocks === 2) merged();
    context();

    /** A word, its score, and the way to another place. */
    function card(word, place) {
      const isNow = place === turn - 1;
      const look = isNow ? { fill: "now-soft", stroke: "now", "stroke-width": 2 } : place < turn ? { fill: "soft", stroke: "edge" } : { fill: "ground", stroke: "edge" };
      const move = (to) => {
        const rest = order.filter((each) => each !== word);
        rest.splice(within(to, 0, count - 1), 0, word);
        hand.set({ order: rest.join("") });
      };
      const middle = slot * (place + 0.5);
      return hold(
        group(
          {},
          box(slot * place + 2, 22, slot - 4, 52, { class: "ring", rx: 7, ...look }),
          text(middle, 44, words[word], `middle ${narrow ? "least" : ""}`),
          text(middle, 64, narrow ? spoken.values[word][0] : `score ${spoken.values[word][0]}`, "least quiet middle"),
        ),
        {
          key: `word-${word}`,
          label: `“${words[word]}”, token ${word + 1} of the sentence, comes as token`,
          now: place + 1,
          min: 1,
          max: count,
          words: `${place + 1} of ${count}`,
          group: "words",
          move: (x) => Math.floor(x / slot) !== place && move(Math.floor(x / slot)),
          step: (by) => move(place + by),
        },
      );
    }

    /** Where the sentence is cut in two parts. */
    function knife() {
      const x = slot * cut;
      const move = (to) => hand.set({ cut: within(to, 1, count - 1) });
      const grip = group(
        {},
        box(x - 23, 0, 46, 46, { fill: "none", "pointer-events": "all" }),
        line(x, 8, x, 80, { stroke: "now", "stroke-width": 2 }),
        mark("circle", { class: "ring", cx: x, cy: 10, r: 9, fill: "now", stroke: "ground", "stroke-width": 2 }),
      );
      const named = { key: "cut", label: "Tokens of block A", now: cut, min: 1, max: count - 1, words: `${cut} tokens` };
      return hold(grip, { ...named, move: (x) => move(Math.round(x / slot)), step: (by) => move(cut + by) });
    }

    /** The sum of a part: a block for each word, in the unit of the largest so far. */
    function lane({ places, rows }, past, which) {
      const top = first + which * apart;
      const at = Math.min(rows.length, turn - past) - 1; // of its words, the last one heard
      const moves = past + at + 1 === turn ? ease(share) : 1;
      const now = rows[at];
      const name = state.blocks === 2 ? `block ${"AB"[which]}: ` : "";
      svg.append(text(0, top - 8, now ? `${name}maximum ${now.max}, sum ${two(now.total)}` : `${name}nothing yet`, `small${now ? "" : " quiet"}`));
      svg.append(box(0, top, width, high, { rx: 4, ...empty }));
      if (now) bars(places, rows, at, moves, 0, top, 1, past + at + 1 === turn);
    }

    /** Blocks side by side, each an exponential in the unit of the moment; returns where they end. */
    function bars(places, rows, at, moves, from, top, scale, isNow) {
      let x = from;
      range(at + 1).forEach((place) => {
        // What later words have made of the block, and what the newest makes of it just now.
        const shrunk = rows.slice(place + 1, at).reduce((size, { factor }) => size * factor, rows[place].exponential);
        const size = place === at ? shrunk * moves : shrunk * mix(1, rows[at].factor, moves);
        const long = size * unit * scale;
        const fresh = place === at && isNow;
        svg.append(box(x + 0.5, top + 2, Math.max(long - 1, 1), high - 4, { rx: 3, ...(fresh ? { fill: "now" } : { fill: "faint", "fill-opacity": 0.55 }) }));
        const word = words[places[place]];
        if (long > word.length * 8 + 6) svg.append(text(x + long / 2, top + high / 2 + 5, word, `least middle${fresh ? " ground bold" : ""}`));
        x += long;
      });
      return x;
    }

    /** Both parts in one unit, one behind the other. */
    function merged() {
      const top = 240;
      const is = turn > count;
      svg.append(text(0, top - 8, is ? "merged: both in the unit of the larger maximum" : "merged", `small${is ? "" : " quiet"}`));
      svg.append(box(0, top, width, 30, { rx: 4, ...empty }));
      if (!is) return;
      const { max, totals, shares } = ends(parts);
      let x = 0;
      parts.forEach(({ places, rows }, which) => {
        const scale = mix(1, Math.exp(rows.at(-1).max - max), ease(share));
        const long = totals[which] * unit;
        bars(places, rows, rows.length - 1, 1, x, top, scale, false);
        svg.append(box(x + 0.5, top, long - 1, 30, { rx: 4, fill: "none", stroke: "now", "stroke-width": 2 }));
        if (long > 52) svg.append(text(x + long / 2, top + 46, `${"AB"[which]}: ${two(shares[which])}`, "small now bold middle"));
        x += long;
      });
    }

    /** Water and money of the context, and a mark for what all scores at once give. */
    function context() {
      const top = state.blocks === 2 ? (narrow ? 318 : 306) : 224;
      const now = state.blocks === 2 ? (turn > count ? ends(parts).context : undefined) : parts[0].rows[turn - 1]?.context;
      const before = state.blocks === 2 ? undefined : parts[0].rows[turn - 2]?.context;
      const start = narrow ? 52 : 64;
      const long = (width - start - 60) / 3;
      ["water", "money"].forEach((hue, c) => {
        const y = top + c * 22;
        svg.append(text(start - 8, y + 12, hue, `least end ${hue}`));
        const amount = now ? mix(before ? before[c] : 0, now[c], ease(share)) : 0;
        svg.append(box(start, y, Math.max(amount * long, amount > 0.005 ? 1.5 : 0), 15, { rx: 2, fill: hue }));
        const right = start + atOnce[c] * long;
        svg.append(line(right, y - 3, right, y + 18, other));
        if (now) svg.append(text(Math.max(right, start + amount * long) + 7, y + 12, two(now[c]), `least ${hue}`));
      });
      if (state.blocks === 1) svg.append(text(start, top + 62, "dashed: all scores at once", "least quiet"));
    }
  }
});
