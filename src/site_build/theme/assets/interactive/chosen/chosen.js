// The last word reads the keys with the best rough scores. What it does not read is hollow, and a line says how much
// of the attention is read with each number of keys.
import { mix } from "../../attention.js";
import { sharesOf } from "../ask.js";
import { attend, between, geometry } from "../attend.js";
import { figure, NARROW, WIDE } from "../hand.js";
import { line, mark, path, range, said, sum, text } from "../marks.js";
import { best } from "./choose.js";

const WAYS = {
  scores: ["the true scores", "By the true scores"],
  index: ["an index", "By an index of one number"],
  window: ["the last tokens", "By their place"],
  mean: ["blocks of three", "By the mean of each block"],
};
const BLOCK = 3;
const stepOf = (way) => (way === "mean" ? BLOCK : 1); // whole blocks are read
const percent = (share) => `${(100 * share).toFixed(0)} %`;
const curveHeight = ({ narrow }) => (narrow ? 104 : 120);

function model({ values, rows, columns }) {
  const column = (name) => values.map((row) => row[columns.indexOf(name)]);
  const rough = Object.fromEntries(Object.keys(WAYS).map((way) => [way, column(way)]));
  const value = values.map((row) => row.slice(0, 2)); // water and money
  const all = sharesOf(rough.scores, rows.map(() => true));
  const count = (state, t) => (t + 1) * stepOf(state.way);
  const read = (way, keys) => sum(all.filter((_, j) => best(rough[way], keys)[j]));

  /** The last word asks those that a way has chosen. */
  function frameOf(state, t) {
    const keys = count(state, t);
    const reads = best(rough[state.way], keys);
    const shares = sharesOf(rough.scores, reads);
    return {
      words: rows, asks: rows.length - 1, reads, shares, values: value, context: mix(shares, value), would: all,
      was: keys < rows.length ? mix(all, value) : undefined,
      cards: reads.map((has) => (has ? "kept" : "unread")),
    };
  }
  return { rows, count, read, frameOf, last: (state) => rows.length / stepOf(state.way) - 1 };
}

/** How much of the attention is read with each number of keys, in all ways; and where the reader is. */
function curve(svg, size, state, t, { rows, count, read }) {
  const [left, right, foot] = [46, size.width - 60, size.height - 30];
  const [x, y] = [(keys) => left + (keys / rows.length) * (right - left), (share) => foot - share * (curveHeight(size) - 40)];
  svg.append(
    line(left, foot, right, foot, { stroke: "edge" }), line(left, y(1), right, y(1), { stroke: "rule" }),
    text(left - 6, y(1) + 5, "100 %", "least quiet end"), text(left - 6, foot + 2, "0", "least quiet end"),
    text(left, y(1) - 9, "how much of the attention is read", "least quiet"), text(right, foot + 18, size.narrow ? "keys read" : "keys that are read", "least quiet end"),
  );
  for (const n of [0, 4, 8]) svg.append(text(x(n), foot + 18, n, "least quiet middle"));
  const way = (name) => {
    const keys = range(rows.length / stepOf(name) + 1).map((n) => n * stepOf(name));
    const points = keys.map((n) => [x(n).toFixed(1), y(read(name, n)).toFixed(1)].join(" "));
    return `M${points.join("L")}`;
  };
  for (const name of Object.keys(WAYS)) if (name !== state.way) svg.append(path(way(name), { stroke: "edge", "stroke-width": 1.5, "stroke-dasharray": "4 3" }));
  svg.append(path(way(state.way), { stroke: "now", "stroke-width": 2.5 }));
  const keys = count(state, Math.round(t));
  svg.append(mark("circle", { cx: x(keys), cy: y(read(state.way, keys)), r: 6, fill: "now" }));
  svg.append(text(right + 8, y(read(state.way, keys)) + 5, percent(read(state.way, keys)), "bold now"));
}

export default figure("chosen", ({ keys }) => {
  const known = model(keys);
  const heightOf = (size) => geometry(size, known.rows).line + 54 + curveHeight(size);
  const lost = (state, t) => 1 - known.read(state.way, known.count(state, t));
  return {
    defaults: { way: "scores" },
    height: { wide: heightOf({ width: WIDE }), narrow: heightOf({ width: NARROW, narrow: true }) },
    steps: known.last,
    best: ({ way }) => Math.ceil(4 / stepOf(way)) - 1,
    pace: () => 500,
    axis: "keys that are read",
    where: (state, t) => `${known.count(state, t)} of ${known.rows.length} keys`,
    choices: [{ name: "way", label: "Chosen by", chips: true, options: Object.entries(WAYS).map(([way, [name]]) => [way, name]) }],
    draw(svg, state, t, size) {
      attend(svg, geometry(size, known.rows), between((moment) => known.frameOf(state, moment), t));
      curve(svg, size, state, t, known);
    },
    say(state, t) {
      const keys = known.count(state, t);
      const [, by] = WAYS[state.way];
      if (keys === known.rows.length) return "All twelve keys are read. Nothing is lost, and nothing is saved.";
      const perhaps = 1 - known.read("scores", keys);
      const told = `${by}, “bank” reads ${said(keys)} of ${known.rows.length} keys and loses <b>${percent(lost(state, t))}</b> of its attention.`;
      return state.way === "scores" ? `${told} What it reads gets the rest.` : `${told} By the true scores: ${percent(perhaps)}.`;
    },
    bet: {
      shows: {},
      until: () => 3,
      truth: (state) => lost(state, 3).toFixed(2).slice(1),
      answer: (state) => `What the four do not read, hollow above, would have had ${lost(state, 3).toFixed(2).slice(1)}.`,
    },
  };
});
