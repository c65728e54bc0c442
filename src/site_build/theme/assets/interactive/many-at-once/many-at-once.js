// Six readers and the places of a service: who writes, who waits, and how many rows each step reads.
import { figure, hold } from "../hand.js";
import { box, empty, group, hatched, inWords, line, listed, other, quoted, range, said, sum, text, within } from "../marks.js";
import { schedule } from "./schedule.js";

const LATEST = 20; // the last step in which a reader may come
const MOST = 4; // places
const PIECE = 4; // rows of a prompt
const LINE = /^(\w) reads +(\d+), writes (.+)$/gm;
const verb = (items, one, many) => (items.length === 1 ? one : many);

export default figure("many-at-once", ({ texts: printed }) => {
  const lines = [...printed.matchAll(LINE)];
  const texts = lines.map(([, name, rows, words]) => ({ name, rows: Number(rows), words: words.split(" ") }));
  const sizes = texts.map(({ rows, words }) => [rows, words.length]);
  const inAll = sum(texts.map(({ words }) => words.length));
  const fullest = sum(sizes.map(([rows]) => rows).sort((a, b) => b - a).slice(0, MOST)); // a step that reads the longest prompts
  const arrivals = ({ at }) => [...at].map((step) => parseInt(step, 36));
  const spelled = (arrives) => arrives.map((step) => step.toString(36)).join("");
  const allAtOnce = spelled(texts.map(() => 0));

  const kept = new Map();
  /** What happens in a state: the steps, and of each text when it comes, starts, writes its words, and is ready. */
  function run(state) {
    const name = [state.at, state.places, state.refill, state.most].join();
    if (!kept.has(name)) {
      const arrives = arrivals(state);
      const steps = schedule(sizes, { arrives, places: state.places, refill: state.refill, most: state.most || Infinity });
      const lives = texts.map(({ rows, words }, one) => {
        const own = range(steps.length).filter((step) => steps[step].some(([text]) => text === one));
        const writes = own.slice(own.length - words.length);
        return { comes: arrives[one], starts: own[0], writes, ready: own.at(-1) + 1, waits: own[0] - arrives[one] };
      });
      const fetched = steps.filter((step) => step.some(([text]) => text !== null)).length;
      kept.set(name, { steps, lives, fetched });
    }
    return kept.get(name);
  }
  const otherwise = (state) => run({ ...state, refill: 1 - state.refill });
  const nameOf = (one) => texts[one].name;

  return {
    defaults: { refill: 0, places: 3, at: allAtOnce, most: 0, who: 3 },
    axis: "step",
    steps: (state) => run(state).steps.length,
    keep: ["refill", "at", "who"],
    pace: () => 220,
    where: (state, t) => (t ? `step ${t} of ${run(state).steps.length}` : `${run(state).steps.length} steps`),
    choices: [
      { name: "refill", label: "A free place", options: [[0, "waits for the others"], [1, "is refilled"]] },
      { name: "places", label: "Places", options: range(MOST).map((n) => [n + 1, String(n + 1)]) },
      { name: "at", label: "Requests come", options: [[allAtOnce, "all at once"], ["700000", "A late"], ["024688", "one by one"]] },
      { name: "most", label: "Prompts are read", options: [[0, "whole"], [PIECE, `in pieces of ${PIECE}`]] },
    ],
    load(state, given) {
      const at = [...(given.get("at") ?? "")].map((step) => parseInt(step, 36));
      if (at.length === texts.length && at.every((step) => step <= LATEST)) state.at = spelled(at);
    },
    height: { wide: 504, narrow: 520 },
    draw,
    say,
    bet: {
      shows: { refill: 1 },
      truth: (state) => `${run(state).fetched} steps`,
      answer: (state) => {
        const longest = texts.reduce((a, b) => (a.words.length < b.words.length ? b : a));
        return `The last token comes in step <b>${run(state).fetched}</b>. ${longest.name} alone needs ${longest.words.length} steps.`;
      },
    },
  };

  function say(state, t) {
    const { steps, lives, fetched } = run(state);
    if (!t)
      return `Six requests, ${inWords(state.places)} place${state.places > 1 ? "s" : ""}, ${inAll} tokens to write. Each step fetches all weights of the model.`;
    if (t === steps.length) {
      const most = Math.max(...lives.map(({ waits }) => waits));
      const longest = lives.findIndex(({ waits }) => waits === most);
      const rows = Math.max(...steps.map((step) => sum(step.map(([, count]) => count))));
      const waiting = most ? `${nameOf(longest)} waited longest, ${inWords(most)} step${most > 1 ? "s" : ""}.` : "Nobody waited.";
      return `The model was fetched <b>${fetched}</b> times for ${inAll} tokens, and no step read more than ${rows} rows. ${waiting}`;
    }
    const here = steps[t - 1].flatMap(([one]) => (one === null ? [] : [one]));
    const writing = here.filter((one) => lives[one].writes.includes(t - 1));
    const reading = here.filter((one) => !writing.includes(one)).map(nameOf);
    const waiting = range(texts.length).filter((one) => lives[one].comes < t && lives[one].starts >= t).map(nameOf);
    const words = writing.map((one) => `${quoted(texts[one].words[lives[one].writes.indexOf(t - 1)])} for ${nameOf(one)}`);
    return [
      here.length ? "" : "Nobody is there yet.",
      words.length ? `Step ${t} writes ${listed(words)}.` : "",
      reading.length ? `${listed(reading)} ${verb(reading, "is", "are")} still read.` : "",
      waiting.length ? `${listed(waiting)} ${verb(waiting, "waits", "wait")}.` : "",
    ].join(" ").trim();
  }

  function draw(svg, state, t, { width, narrow, hand }) {
    const { steps, lives } = run(state);
    const there = otherwise(state);
    const [left, top, row] = narrow ? [38, 26, 46] : [48, 28, 44];
    const columns = Math.max(22, steps.length, there.steps.length) + 1;
    const column = (width - left) / columns;
    const x = (step) => left + step * column;
    const isOver = t >= steps.length;
    const small = narrow ? "least" : "small";

    svg.append(text(x(0), top - 9, "step 1", "least quiet"));
    for (let step = 4; x(step + 0.5) < width - 8; step += 5) svg.append(text(x(step + 0.5), top - 9, step + 1, "least quiet middle"));
    texts.forEach((_, one) => reader(one, top + one * row));
    const hall = top + texts.length * row + (narrow ? 30 : 28);
    if (!t) svg.append(text(width, hall - 8, "Move a card: its request comes later.", `${small} quiet end`));
    places(hall, narrow ? 25 : 24);
    read(hall + state.places * (narrow ? 25 : 24) + 28, 44);

    /** A reader: the card comes in a step, waits, and gets words. */
    function reader(one, y) {
      const { comes, starts, writes, ready } = lives[one];
      const isMine = one === state.who;
      const hue = isMine ? "now" : "faint";
      const middle = y + row / 2;
      if (isMine) svg.append(box(0, y + 1, width, row - 2, { rx: 8, fill: "now-soft" }));
      const until = Math.min(starts, Math.max(t, comes));
      svg.append(box(x(comes) + 2, middle - 5, (until - comes) * column - 4, 10, { rx: 5, ...hatched }));
      // Before the first step: how much there is to write.
      if (!t) for (const word of writes.keys()) svg.append(box(x(comes + word) + 1, middle - 13, column - 2, 26, { rx: 3, ...empty }));
      for (let step = starts; step < Math.min(ready, t); step++) {
        const wide = (column - 2) * within(t - step, 0, 1);
        const look = writes.includes(step) ? { fill: hue } : { fill: "none", stroke: hue };
        svg.append(box(x(step) + 1, middle - 13, wide, 26, { rx: 3, ...look }));
      }
      if (isOver) svg.append(line(x(there.lives[one].ready), middle - 17, x(there.lives[one].ready), middle + 17, other));
      const size = narrow ? 26 : 30;
      const card = group(
        {},
        box(x(comes) - size - 18, y, size + 26, row, { fill: "ground", "fill-opacity": 0 }),
        box(x(comes) - size - 3, middle - 15, size, 30, { class: "ring", rx: 6, fill: isMine ? "now" : "ground", stroke: isMine ? "now" : "quiet", "stroke-width": 1.8 }),
        text(x(comes) - size / 2 - 3, middle + 6, nameOf(one), `middle bold ${isMine ? "ground" : ""}`),
      );
      const arrive = (step) => {
        const at = arrivals(state);
        at[one] = within(step, 0, LATEST);
        hand.set({ at: spelled(at), who: one });
        hand.show(hand.last);
      };
      svg.append(
        hold(card, {
          key: nameOf(one),
          group: "requests",
          label: `${nameOf(one)} comes in step`,
          now: comes + 1,
          min: 1,
          max: LATEST + 1,
          words: `step ${comes + 1}`,
          move: (at) => arrive(Math.round((at - left + size / 2) / column)),
          step: (by) => arrive(comes + by),
        }),
      );
    }

    /** The same steps as places, of which each has a text or none. */
    function places(y, high) {
      svg.append(text(0, y - 8, "Places", "least quiet"));
      for (let place = 0; place < state.places; place++) {
        svg.append(text(left - 10, y + (place + 0.5) * high + 5, place + 1, `${small} quiet end`));
        for (let step = 0; step < Math.min(steps.length, t); step++) {
          const [one] = steps[step][place];
          const isMine = one === state.who;
          const look = one === null ? empty : { fill: isMine ? "now" : "soft", stroke: isMine ? "now" : "edge" };
          svg.append(box(x(step) + 1, y + place * high + 1.5, (column - 2) * within(t - step, 0, 1), high - 3, { rx: 3, ...look }));
          const isNew = step === 0 || steps[step - 1][place][0] !== one;
          if (one !== null && t >= step + 1 && (column > 14 || isNew))
            svg.append(text(x(step + 0.5), y + (place + 0.5) * high + 5, nameOf(one), `least middle ${isMine ? "ground" : ""}`));
        }
      }
      if (isOver) {
        const end = x(there.steps.length);
        svg.append(line(end, y - 4, end, y + state.places * high + 2, other));
        const words = state.refill ? "ready, if it waits for the others" : "ready, if refilled";
        svg.append(text(end > width / 2 ? end - 6 : end + 6, y - 8, words, `least ${end > width / 2 ? "end" : ""}`));
      }
    }

    /** How many rows the matrices of each step have. */
    function read(y, high) {
      svg.append(text(0, y - 8, "Rows that a step reads", "least quiet"));
      const counts = steps.map((step) => sum(step.map(([, rows]) => rows)));
      const largest = Math.max(...counts);
      counts.slice(0, Math.ceil(t)).forEach((count, step) => {
        const tall = (count / fullest) * high * within(t - step, 0, 1);
        svg.append(box(x(step) + 1, y, column - 2, tall, { rx: 2, fill: "ink" }));
        if (count === largest) svg.append(text(x(step + 0.5), y + tall + 13, said(count), "least middle"));
      });
    }
  }
});
