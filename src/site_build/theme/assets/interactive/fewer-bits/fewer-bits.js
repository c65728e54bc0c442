// Keys that are rounded to fewer and fewer bits, each on the grid of its scale, and what the model makes of it.
import { figure } from "../hand.js";
import { box, mark, mix, path, range, said, shown, text, within } from "../marks.js";
import { round } from "./round.js";

const WAYS = { channel: "by channel", token: "by token", all: "with one scale for all", turned: "by turned token" };
const HUE = { water: "water", money: "money" };
const RIGHT = ["water", "money"]; // in the muddy bank, and in the rich one
const ROUND = { "stroke-linecap": "round" }; // of a line without length: a dot
const TINY = 1e-9; // a turn and back leaves as much of 0
const NEAR = 3; // units between two marks of a grid, below which they are one band

export default figure("fewer-bits", ({ keys, moved, said: words }) => {
  const bits = moved[0].rows.map(Number).reverse(); // from many to few
  const ways = moved[0].columns;
  const says = words.split("\n").map((row) => row.split(", ").map((pair) => pair.split(" ")));
  const rows = ({ loud }) => keys[loud ? 0 : 1].values;
  const names = keys[0].rows.map(shown);
  const count = names.length * rows({ loud: 1 })[0].length;
  const bitsAt = (t) => bits[Math.max(0, Math.round(t) - 1)];
  const outcome = ({ loud, way }, t) => {
    const table = loud ? 0 : 1;
    const row = bits.length - Math.max(1, Math.round(t));
    return { share: (of = way) => moved[table].values[row][ways.indexOf(of)], says: says[table * bits.length + row][ways.indexOf(way)] };
  };
  const zeros = (state, t) => round(rows(state), bitsAt(t), state.way).read.flat().filter((x) => Math.abs(x) < TINY).length;

  return {
    defaults: { way: "token", loud: 1 },
    axis: "bits",
    steps: () => bits.length,
    best: () => bits.indexOf(4) + 1,
    keep: ["way", "loud"],
    pace: () => 900,
    where: (_, t) => (t ? `${bitsAt(t)} bits` : "32 bits"),
    choices: [
      { name: "way", label: "A scale for", chips: true, options: [["token", "each token"], ["channel", "each channel"], ["all", "all"], ["turned", "turned tokens"]] },
      { name: "loud", label: "One channel is", options: [[1, "an outlier"], [0, "as trained"]] },
    ],
    height: { wide: 452, narrow: 466 },
    draw,
    say,
    bet: {
      shows: { way: "token", loud: 1 },
      until: () => bits.indexOf(4) + 1,
      truth: () => "a scale for each column",
      answer: (state) => {
        const t = bits.indexOf(4) + 1;
        const [token, channel] = ["token", "channel"].map((way) => zeros({ ...state, way }, t));
        return `In 4 bits, by token, <b>${token}</b> of ${count} numbers become 0. By channel, ${channel} do.`;
      },
    },
  };

  function say(state, t) {
    const largest = Math.max(...rows(state).flat().map(Math.abs));
    const loudest = `one is an outlier, up to <b>${said(Math.round(largest))}</b>`;
    if (!t) return `The keys of six tokens. Each channel is drawn on its own measure; ${state.loud ? loudest : "none is an outlier"}.`;
    const { share, says: both } = outcome(state, t);
    const lost = zeros(state, t);
    const answer = both.join() === RIGHT.join() ? "Both answers are right." : both.some((word, i) => word === RIGHT[i]) ? "One answer is wrong." : "Both answers are wrong.";
    const gone = lost ? `, and ${lost} of ${count} numbers become 0` : "";
    return `In ${bitsAt(t)} bits, ${WAYS[state.way]}, <b>${share().toFixed(1)} %</b> of the probability moves${gone}. ${answer}`;
  }

  function draw(svg, state, t, { width, narrow }) {
    const table = rows(state);
    const [left, top, high] = narrow ? [38, 34, 38] : [62, 36, 40];
    const wide = (width - left) / table[0].length;
    const at = Math.ceil(t);
    const there = at ? round(table, bitsAt(at), state.way) : { read: table };
    const before = at > 1 ? round(table, bitsAt(at - 1), state.way).read : table;
    const share = at ? 1 - (at - t) : 1;
    const measure = range(table[0].length).map((j) => Math.max(...table.map((row) => Math.abs(row[j]))) * 1.12);
    const loudest = measure.indexOf(Math.max(...measure));

    svg.append(text(left, 14, narrow ? "channels, each on its own measure" : "channels, each drawn on its own measure", "least quiet"));
    range(table[0].length).forEach((j) => {
      const isLoud = state.loud && j === loudest;
      svg.append(text(left + (j + 0.5) * wide, top - 5, isLoud && !narrow ? `${j}, outlier` : j, `least middle ${isLoud ? "bold" : "quiet"}`));
    });
    shared();
    table.forEach((_, i) => svg.append(text(left - 6, top + (i + 0.5) * high + 5, names[i], `${narrow ? "least" : "small"} end`)));
    numbers();
    model(top + table.length * high + 30);

    /** The numbers that share a scale with the first one that is rounded. */
    function shared() {
      const look = { rx: 5, fill: "now-soft", opacity: at ? 1 : 0 };
      if (state.way === "channel") svg.append(box(left, top, wide, table.length * high, look));
      else if (state.way === "all") svg.append(box(left, top, width - left, table.length * high, look));
      else svg.append(box(left, top, width - left, high, look));
    }

    /** Each number: the grid of what can be read back, where the number was, and where it is now. */
    function numbers() {
      const ways = { axes: [], bands: [], grid: [], errors: [], was: [], is: [] }; // one path each: the page is light
      table.forEach((row, i) =>
        row.forEach((value, j) => {
          const y = top + (i + 0.5) * high;
          const x = (value) => left + (j + 0.5 + (value / measure[j]) * 0.44) * wide;
          const along = (from, to) => `M${from.toFixed(1)} ${y}H${to.toFixed(1)}`;
          ways.axes.push(along(x(-measure[j]), x(measure[j])));
          if (at && state.way !== "turned") grid(there.scales[i][j], x, y, measure[j], along);
          const now = x(within(mix(before[i][j], there.read[i][j], share), -measure[j] * 1.04, measure[j] * 1.04));
          if (Math.abs(now - x(value)) > 0.5) ways.errors.push(along(x(value), now));
          ways.was.push(along(x(value), x(value)));
          if (at) ways.is.push(along(now, now));
        }),
      );
      const [ring, dot] = narrow ? [7.8, 4.8] : [10, 6];
      const draw = (kind, stroke, size, more) => {
        if (ways[kind].length) svg.append(path(ways[kind].join(""), { stroke, "stroke-width": size, ...more }));
      };
      draw("axes", "rule", 1);
      draw("bands", "rule", 15);
      draw("bands", "soft", 13);
      draw("grid", "edge", 1);
      draw("errors", "wrong", 6, { "stroke-opacity": 0.55 });
      draw("was", "ink", ring, ROUND);
      draw("was", "ground", ring - 2.8, ROUND);
      draw("is", "now", dot, ROUND);

      function grid(scale, x, y, end, along) {
        if (x(scale) - x(0) < NEAR) ways.bands.push(along(x(-end), x(end)));
        else {
          const last = Math.floor(end / scale);
          for (let n = -last; n <= last; n++) ways.grid.push(`M${x(n * scale).toFixed(1)} ${y - 8}v16`);
        }
      }
    }

    /** The share of the probability that moves, for each way, and what both texts say. */
    function model(y) {
      const t = Math.max(1, at);
      const { share: shareOf, says: both } = outcome(state, t);
      const [from, room] = narrow ? [64, width - 64 - 44] : [76, width - 76 - 270];
      svg.append(text(0, y - 10, at ? `How much of the probability moves, in ${bitsAt(at)} bits` : "How much of the probability moves", narrow ? "least bold" : "small bold"));
      ways.forEach((way, row) => {
        const foot = y + row * 27;
        const isMine = way === state.way;
        const label = { channel: "channel", token: "token", all: "all", turned: "turned" }[way];
        svg.append(text(from - 8, foot + 15, label, `${narrow ? "least" : "small"} end ${isMine ? "now bold" : "quiet"}`));
        svg.append(box(from, foot + 3, room, 15, { rx: 3, fill: "soft" }));
        if (!at) return;
        const long = (shareOf(way) / 100) * room;
        const look = isMine ? { fill: "now" } : { fill: "none", stroke: "ink", "stroke-dasharray": "5 4" };
        svg.append(box(from, foot + 3, Math.max(long, 1), 15, { rx: 3, ...look }));
        svg.append(text(from + room + 4, foot + 15, `${shareOf(way).toFixed(1)} %`, `least ${isMine ? "bold" : "quiet"}`));
      });
      if (!at) return;
      ["muddy", "rich"].forEach((adjective, i) => {
        const word = both[i];
        const [x0, y0, anchor] = narrow ? [0, y + 126 + i * 20, ""] : [width, y + 30 + i * 40, "end"];
        const parts = [`the ${adjective} bank: full of `, mark("tspan", { fill: word === RIGHT[i] ? HUE[word] : "wrong", class: "bold" }, word)];
        svg.append(mark("text", { x: x0, y: y0, fill: "ink", class: `small ${anchor}`.trim() }, parts));
      });
    }
  }
});
