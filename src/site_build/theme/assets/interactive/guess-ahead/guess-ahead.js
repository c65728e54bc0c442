// A draft guesses tokens, and the language model of the course checks them, in the reader's browser.
import { load } from "../../tiny_lm/read.js";
import { randomNumbers } from "../../tiny_lm/random.js";
import { figure, press } from "../hand.js";
import { box, empty, group, hatched, inWords, mark, quoted, range, sum, text, two, within } from "../marks.js";
import { guessAhead, nextWords, readerOf } from "./ahead.js";

const STARTS = ["the thief likes the rich", "the duck likes the rich bank . the", "the queen likes the muddy", "the duck"];
const COSTS = [[0, "nothing"], [0.05, "1/20"], [0.2, "1/5"], [0.5, "half a step"]];
const HUE = { water: "water", money: "money" };
const SHOWN = 5; // words with their shares

const LONG = 26; // letters
const named = (start) => `${start.length > LONG ? "… " : ""}${start.slice(-LONG).replace(start.length > LONG ? /^\S* / : "", "").replaceAll(" .", ".")} …`;
const capital = (words) => words[0].toUpperCase() + words.slice(1);

export default figure("guess-ahead", async ({ measured: [written, guessed] }) => {
  const [model, told] = await Promise.all([load(), fetch(new URL("../../tiny_lm/world.json", import.meta.url))]);
  const { words } = model;
  const reader = readerOf(model);
  const training = (await told.json()).stories.filter(({ isKeptBack }) => !isKeptBack);
  const drafts = new Map([1, 2, 3].map((last) => [last, { table: nextWords(training, last), last, words }]));
  const stop = words.indexOf(".");
  const idsOf = (start) => ["<", ...start.split(" ")].map((word) => words.indexOf(word));
  const sentence = (ids) => ids.map((id) => words[id]).join(" ").replaceAll(" .", ".");
  const ahead = written.columns.map(Number);
  const kept = new Map();
  /** The steps in which the model and its draft write a text, and the text at the end. */
  function run(state) {
    const name = [state.start, state.ahead, state.last, state.draws && state.seed].join();
    if (!kept.has(name)) {
      const options = { ahead: state.ahead, most: model.length, stop, dice: state.draws ? randomNumbers(state.seed) : undefined };
      const first = idsOf(STARTS[state.start]);
      const steps = guessAhead(reader, drafts.get(state.last), first, options);
      const end = steps.at(-1);
      const ids = [...end.text, ...end.guesses.slice(0, end.kept).map(({ id }) => id), end.own];
      kept.set(name, { steps, ids, first: first.length });
    }
    return kept.get(name);
  }
  const cellWidth = (id) => words[id].length * 7.2 + 12;
  /** How many times as fast the draft is, for each number of guesses. */
  const gains = ({ last, cost }) => ahead.map((_, i) => written.values[last - 1][i] / (1 + cost * guessed.values[last - 1][i]));
  const keptOf = (guess) => sum([...guess.model].map((share, id) => Math.min(share, guess.draft[id])));

  return {
    defaults: { start: 0, ahead: 4, last: 2, draws: 0, cost: 0, seed: 1 },
    axis: "guess or check",
    steps: (state) => 2 * run(state).steps.length,
    best: (state) => 2 * run(state).steps.length,
    keep: ["cost"],
    pace: () => 800,
    where(state, t) {
      const count = run(state).steps.length;
      return t ? `step ${Math.ceil(t / 2)} of ${count}: ${t % 2 ? "guess" : "check"}` : `${count} steps`;
    },
    choices: [
      { name: "start", label: "The text", chips: true, options: STARTS.map((start, i) => [i, named(start)]) },
      { name: "ahead", label: "Guesses in a step", options: ahead.map((count) => [count, String(count)]) },
      { name: "last", label: "The draft remembers", options: [[1, "1 token"], [2, "2"], [3, "3"]] },
      { name: "draws", label: "Model and draft", options: [[0, "take the likeliest"], [1, "draw"]] },
      { name: "cost", label: "A guess costs", options: COSTS },
    ],
    load: (state, given) => (state.seed = Math.round(within(Number(given.get("seed")) || 1, 1, 99))),
    save: (state, given) => state.draws && state.seed > 1 && given.set("seed", state.seed),
    height: { wide: 500, narrow: 516 },
    draw,
    say,
    bet: {
      shows: { start: 1, draws: 1, ahead: 1 },
      until: () => 2,
      truth: () => "about half",
      answer: (state) => {
        const [guess] = run(state).steps[0].guesses;
        return `The green overlap of both bars is kept: <b>${two(keptOf(guess))}</b> of all. Here ${quoted(words[guess.id])} is ${guess.isKept ? "kept" : "refused"}.`;
      },
    },
  };

  function say(state, t) {
    const { steps, ids, first } = run(state);
    const wrote = ids.length - first;
    const known = state.last === 1 ? "token" : `${inWords(state.last)} tokens`;
    if (!t) return `The draft knows the last ${known}. The model knows them all, and checks every guess in one step.`;
    if (t === 2 * steps.length)
      return `${wrote} tokens in <b>${steps.length}</b> step${steps.length > 1 ? "s" : ""} instead of ${wrote}. ${state.draws ? "Each text comes as often as without a draft." : "Not one word is changed."}`;
    const { guesses, kept, own } = steps[Math.ceil(t / 2) - 1];
    const named = guesses.map(({ id }) => quoted(words[id]));
    if (t % 2) return named.length ? `The draft guesses ${named.join(" ")}.` : "The draft has no guess: the model writes alone.";
    const writes = `the model writes <b>${quoted(words[own])}</b>`;
    if (!guesses.length) return `One step, one token: ${writes}.`;
    const all = kept > 1 ? `All ${inWords(kept)} are` : "It is";
    if (kept === guesses.length) return `${all} kept, and ${writes}: ${inWords(kept + 1)} tokens in one step.`;
    const before = kept ? `${capital(inWords(kept))} ${kept > 1 ? "are" : "is"} kept, ` : "";
    return `${before}${named[kept]} is refused: ${writes}.`;
  }

  function draw(svg, state, t, { width, narrow, hand }) {
    const { steps, ids, first } = run(state);
    const done = Math.floor(t / 2);
    const now = within(Math.ceil(t / 2) - 1, 0, steps.length - 1);
    const shown = sum(steps.slice(0, done).map(({ kept }) => kept + 1)) + first;
    const isOver = t >= 2 * steps.length;
    story();
    const [top, room] = narrow ? [78, 170] : [44, 182];
    const high = Math.min(narrow ? 34 : 40, room / Math.max(3, steps.length));
    const columns = Math.max(ids.length - first, 8) + 1;
    const column = (width - 26) / columns;
    steps.forEach(oneStep);
    saved(top + room + 8);
    const below = top + room + 54;
    if (!narrow) {
      shares(0, below, width * 0.5);
      curve(width * 0.56, below, width * 0.44);
    } else if (isOver) curve(0, below, width);
    else shares(0, below, width);

    /** The text so far; what was there is pale. */
    function story() {
      const lines = [[]];
      const fit = narrow ? 34 : 90;
      for (const [place, id] of ids.slice(1, shown).entries()) {
        const line = lines.at(-1);
        if (id === stop) line.at(-1).word += ".";
        else if (sum(line.map(({ word }) => word.length + 1)) + words[id].length > fit) lines.push([]);
        if (id !== stop) lines.at(-1).push({ word: words[id], hue: place + 1 < first ? "quiet" : (HUE[words[id]] ?? "ink") });
      }
      lines.forEach((line, i) => {
        const parts = line.map(({ word, hue }, at) => mark("tspan", { fill: hue }, at ? ` ${word}` : word));
        svg.append(mark("text", { x: 0, y: 18 + 22 * i, fill: "ink" }, parts));
      });
    }

    /** A row for each step: its guesses, those that are kept, and the model's own word. */
    function oneStep({ text: before, guesses, kept, own }, row) {
      const open = t - 2 * row;
      if (open <= 0) return;
      const y = top + row * high;
      const checked = within(open - 1, 0, 1) * (guesses.length + 1);
      if (!narrow) svg.append(text(18, y + high / 2 + 5, row + 1, "small quiet end"));
      const all = [...guesses.map(({ id }) => id), own];
      const fit = Math.min(1, (width - 4 * all.length) / sum(all.map(cellWidth))); // of a row on a phone
      let from = 0;
      const cell = (place, id, look, more, hue, instead) => {
        const wide = narrow ? cellWidth(id) * fit : column - 5;
        const x = narrow ? from : 24 + (place - first) * column;
        from += wide + 4;
        const down = instead === undefined || high < 36 ? 0 : 12;
        if (down) svg.append(text(x + wide / 2, y + 11, word(instead), "least struck quiet middle"));
        svg.append(box(x, y + 2 + down, wide, high - 4 - down, { rx: 5, ...look }));
        svg.append(text(x + wide / 2, y + (high + down) / 2 + 5, word(id), `${narrow || high < 26 ? "least" : "small"} middle ${hue} ${more}`, narrow && fit < 1 ? { textLength: wide - 6, lengthAdjust: "spacingAndGlyphs" } : {}));
      };
      const word = (id) => words[id];
      guesses.forEach(({ id }, i) => {
        const place = before.length + i;
        const hue = HUE[words[id]] ?? "ink";
        if (within(open, 0, 1) * guesses.length < i + 0.2) return;
        if (checked < i + 0.5) cell(place, id, { ...empty, stroke: "now" }, "", hue);
        else if (i < kept) cell(place, id, { fill: "kept-soft", stroke: "kept", "stroke-width": 1.6 }, "", hue);
        else if (i === kept && !narrow && checked > i + 0.8) ownWord(place, id);
        else cell(place, id, empty, "struck", "quiet");
      });
      if (checked > kept + 0.8 && (narrow || kept === guesses.length)) ownWord(before.length + kept);

      function ownWord(place, instead) {
        cell(place, own, { fill: "ink" }, "bold", "ground", instead);
      }
    }

    /** The steps so far; the dashed ones would have come, one for each word. */
    function saved(y) {
      const used = Math.ceil(t / 2);
      const wrote = shown - first;
      const side = Math.min(16, (width - 110) / Math.max(used, wrote, 1) - 4);
      svg.append(text(0, y + 13, "steps", "least quiet"));
      range(Math.max(used, wrote)).forEach((step) =>
        svg.append(box(44 + step * (side + 4), y, side, side, { rx: 3, ...(step < used ? { fill: "ink" } : empty) })),
      );
      if (wrote > used) svg.append(text(52 + wrote * (side + 4), y + 13, `${wrote - used} saved`, "least quiet"));
    }

    /** The shares of the next word where the guess that is looked at stands. */
    function shares(x, y, wide) {
      const { text: before, guesses, kept, shares: at } = steps[now];
      const guess = guesses[Math.min(kept, guesses.length - 1)];
      const place = guesses.indexOf(guess);
      const context = [...before, ...guesses.slice(0, Math.max(place, 0)).map(({ id }) => id)];
      const model = guess?.model ?? at;
      const draft = guess?.draft ?? [];
      const most = (id) => Math.max(model[id], draft[id] ?? 0);
      const order = range(words.length).filter((id) => most(id) > 0.005 || id === guess?.id).sort((a, b) => most(b) - most(a));
      const chosen = order.slice(0, SHOWN);
      if (guess && !chosen.includes(guess.id)) chosen[SHOWN - 1] = guess.id;
      const left = x + 58;
      const unit = wide - 58 - 40;
      svg.append(text(x, y, `After “… ${sentence(context.slice(-4))}”`, "small bold"));
      svg.append(text(x + wide, y, "draft", "least now end"), text(x + wide - 42, y, "model", "least end bold"));
      chosen.forEach((id, i) => {
        const foot = y + 12 + i * 30;
        const [p, q] = [model[id], draft[id] ?? 0];
        svg.append(text(left - 7, foot + 16, words[id], `small end ${id === guess?.id ? "now" : ""}`));
        if (state.draws && guess) svg.append(box(left - 1, foot - 1, Math.min(p, q) * unit + 2, 25, { fill: "kept-soft", stroke: "kept", "stroke-width": 1.5 }));
        svg.append(box(left, foot + 2, Math.max(1, q * unit), 8, { fill: "now" }), box(left, foot + 13, Math.max(1, p * unit), 8, { fill: "ink" }));
        if (q > 0.005) svg.append(text(left + q * unit + 5, foot + 11, two(q), "least quiet"));
        svg.append(text(left + p * unit + 5, foot + 23, two(p), "least"));
        if (id === guess?.id && state.draws && t > 2 * now + 1) {
          const at = left + guess.luck * q * unit;
          svg.append(mark("path", { d: `M${at - 6} ${foot - 6}h12l-6 9z`, fill: guess.isKept ? "kept" : "wrong", stroke: "ground" }));
        }
      });
      if (!state.draws) return;
      const again = group(
        {},
        box(x, y + 164, 110, 46, { fill: "ground", "fill-opacity": 0 }),
        box(x, y + 168, 110, 34, { class: "ring", rx: 8, fill: "ground", stroke: "edge" }),
        text(x + 55, y + 190, "Draw again", "small middle"),
      );
      const does = () => {
        hand.set({ seed: (state.seed % 99) + 1 });
        hand.play();
      };
      svg.append(press(again, { key: "again", label: "Draw again", does }));
      if (guess && t > 2 * now + 1) svg.append(text(x + 120, y + 190, `▼ the dice: ${guess.isKept ? "kept" : "refused"}`, "least quiet"));
    }

    /** The words of a step, or how many times as fast the writing is, over many stories. */
    function curve(x, y, wide) {
      const gain = gains(state);
      const best = Math.max(...gain);
      const [foot, unit] = [y + 158, 118 / Math.max(2.5, best)];
      svg.append(text(x, y, state.cost ? "How many times as fast" : "Tokens that a step writes", "small bold"));
      svg.append(mark("path", { d: `M${x} ${foot - unit}H${x + wide}`, fill: "none", stroke: "faint", "stroke-dasharray": "5 4" }));
      const each = wide / ahead.length;
      gain.forEach((value, i) => {
        const look = ahead[i] === state.ahead ? { fill: "now" } : value < 1 ? hatched : { fill: "faint" };
        svg.append(box(x + i * each + 6, foot - value * unit, each - 12, value * unit, { rx: 3, ...look }));
        svg.append(text(x + (i + 0.5) * each, foot - value * unit - 5, two(value), `least middle ${gain.indexOf(best) === i ? "bold" : "quiet"}`));
        svg.append(text(x + (i + 0.5) * each, foot + 17, ahead[i], `small middle ${ahead[i] === state.ahead ? "now" : "quiet"}`));
      });
      svg.append(text(x, foot + 36, "guesses in a step, over 80 stories", "least quiet"));
    }
  }
});
