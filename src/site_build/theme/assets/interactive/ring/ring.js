// A ring of devices: the blocks that travel, the table of all pairs, and the time that each turn takes.
import { figure } from "../hand.js";
import { box, ease, hatched, line, listed, mark, other, path, range, round, said, sum, text } from "../marks.js";
import { circle, LETTERS } from "./circle.js";
import { pairs, positions } from "./turns.js";

const timeOf = (table) => sum(table.map((turn) => Math.max(...turn)));
const ORDERS = ["in order", "head and tail"];

export default figure("ring", ({ story }) => {
  const words = story.trim().split(" ");
  const [bank, duck] = [words.lastIndexOf("bank"), words.indexOf("duck")];
  const placesOf = ({ devices, order }) => positions(words.length, devices, order === 1);
  const tableOf = (state) => pairs(placesOf(state), state.causal === 1);
  const ownerOf = (state, word) => placesOf(state).findIndex((places) => places.includes(word));
  const turnOf = (state, query, key) => (ownerOf(state, query) - ownerOf(state, key) + state.devices) % state.devices;
  const otherTime = (state) => timeOf(tableOf({ ...state, order: 1 - state.order }));

  return {
    defaults: { devices: 3, causal: 0, order: 0 },
    axis: "turn",
    steps: ({ devices }) => devices,
    best: ({ devices }) => devices,
    keep: ["causal", "order"],
    pace: () => 900,
    where: ({ devices }, t) => (t ? `turn ${t} of ${devices}` : "before turn 1"),
    choices: [
      { name: "devices", label: "Devices", options: [2, 3, 4, 6].map((count) => [count, count]) },
      { name: "causal", label: "Each token sees", options: [[0, "all"], [1, "itself and back"]] },
      { name: "order", label: "Tokens", options: ORDERS.map((words, order) => [order, words]) },
    ],
    height: { wide: 292, narrow: 440 },
    draw,
    say,
    bet: {
      shows: { devices: 3, causal: 1 },
      truth(state) {
        const work = range(3).map((device) => sum(tableOf(state).map((turn) => turn[device])));
        const least = work.indexOf(Math.min(...work));
        return new Set(work).size === 1 ? "all have as much" : `the ${["first", "second", "last"][least]}`;
      },
      answer(state) {
        const work = (device) => sum(tableOf(state).map((turn) => turn[device]));
        return `Device A computes ${work(0)} pairs, and device C <b>${work(2)}</b>, for which all wait.`;
      },
    },
  };

  function say(state, t) {
    const table = tableOf(state);
    const { devices, causal, order } = state;
    if (!t) return `${words.length} tokens on ${devices} devices. The circle marks a pair: “bank” asks “duck”, which is on device ${LETTERS[ownerOf(state, duck)]}.`;
    const found = turnOf(state, bank, duck) === t - 1 ? " “bank” meets “duck”." : "";
    if (t === devices) {
      const idle = devices * timeOf(table) - sum(table.flat());
      const waited = idle ? `Devices wait for the time of ${said(idle)}.` : "No device waits.";
      const instead = causal ? ` ${order ? "In order" : "With head and tail"}, it takes ${otherTime(state)}.` : found;
      return `${said(sum(table.flat()))} pairs, in the time of <b>${timeOf(table)}</b>. ${waited}${instead}`;
    }
    const now = table[t - 1];
    const waiting = range(devices).filter((device) => !now[device]).map((device) => LETTERS[device]);
    if (waiting.length)
      return `Turn ${t}: device${waiting.length > 1 ? "s" : ""} ${listed(waiting)} wait${waiting.length > 1 ? "" : "s"}, for the block there holds only later tokens.${found}`;
    return `Turn ${t}: every device computes <b>${now[0]}</b> pairs.${found}`;
  }

  function draw(svg, state, t, { narrow }) {
    const { devices, causal } = state;
    const table = tableOf(state);
    const turn = Math.max(0, Math.min(devices, Math.ceil(t)) - 1); // the one that is computed, or that begins
    const share = t - turn; // of it that is done: first the blocks travel, then the devices compute
    const started = t > 0;
    const travels = started && turn > 0 && share < 0.6;
    const computes = started && !travels;
    const [x, y] = narrow ? [150, 116] : [140, 150];
    const size = narrow ? { radius: 78, width: 70, height: 46 } : { radius: 92, width: 84, height: 50 };
    const ring = circle({ x, y, ...size, devices, narrow });
    svg.append(ring.way());
    if (started) svg.append(text(x, y, `turn ${turn + 1}`, "middle bold"));
    if (travels) svg.append(text(x, y + 18, "blocks travel", "least middle quiet"));
    for (const device of ring.places) {
      const count = computes ? table[turn][device] : undefined;
      const look = count ? { stroke: "now", "stroke-width": 2.5 } : count === 0 ? { fill: "hatched" } : {};
      svg.append(...ring.device(device, look, count === undefined ? "" : count ? `${count} pairs` : "waits", count ? "now" : "quiet"));
    }
    const way = turn - 1 + (travels ? ease(share / 0.6) : 1);
    for (const owner of ring.places) svg.append(...ring.block(owner, owner + (started ? Math.max(0, way) : 0)));
    const [left, top, long] = narrow ? [24, 248, 168] : [300, 34, 228];
    drawPairs(left, top, long);
    drawTime(...(narrow ? [218, 82] : [566, 92]), top, long);

    /** Rows ask, columns answer: what was computed, what is computed now, and what never is. */
    function drawPairs(left, top, size) {
      const cell = size / words.length;
      svg.append(text(left + size / 2, top - (narrow ? 20 : 22), "blocks", "least quiet middle"));
      if (causal) svg.append(path(`M${left} ${top}h${size}v${size}Z`, { fill: "hatched", opacity: 0.6 }));
      const done = ["", ""];
      const owners = words.map((_, word) => ownerOf(state, word));
      const turnsOf = (row) => words.map((_, key) => (causal && key > row ? -1 : (owners[row] - owners[key] + devices) % devices));
      words.forEach((_, row) => {
        const turns = turnsOf(row);
        for (let from = 0; from < turns.length; ) {
          let to = from + 1;
          while (turns[to] === turns[from]) to++;
          const is = turns[from];
          if (is >= 0 && started && (is < turn || (is === turn && computes)))
            done[is === turn ? 1 : 0] += `M${round(left + from * cell)} ${round(top + row * cell)}h${round((to - from) * cell - 0.7)}v${round(cell - 0.7)}h${round(0.7 - (to - from) * cell)}z`;
          from = to;
        }
      });
      svg.append(path(done[0], { fill: "faint", "fill-opacity": 0.5 }), path(done[1], { fill: "now" }));
      svg.append(box(left, top, size, size, { fill: "none", stroke: "edge" }));
      for (let from = 0, to = 1; to <= words.length; to++) {
        if (to < words.length && owners[to] === owners[from]) continue;
        const [middle, letter] = [((from + to) / 2) * cell, LETTERS[owners[from]]];
        svg.append(text(left - 11, top + middle + 5, letter, "small bold middle"), text(left + middle, top - 7, letter, "small bold middle kept"));
        svg.append(line(left - 3, top + from * cell + 1, left - 3, top + to * cell - 1, { stroke: "ink", "stroke-width": 2 }));
        svg.append(line(left + from * cell + 1, top - 3, left + to * cell - 1, top - 3, { stroke: "kept", "stroke-width": 2 }));
        from = to;
      }
      svg.append(text(left, top + size + 17, `rows: queries${narrow ? "" : ", which stay"}`, "least quiet"));
      const ring = { cx: left + (duck + 0.5) * cell, cy: top + (bank + 0.5) * cell, r: 8, fill: "none", stroke: "ink", "stroke-width": 2 };
      svg.append(mark("circle", ring));
    }

    /** A lane for each device; its length is the time of the pairs. Hatched is waiting. */
    function drawTime(left, width, top, size) {
      const unit = size / Math.max(timeOf(table), otherTime(state));
      const lane = width / devices;
      svg.append(text(left, top - (narrow ? 20 : 22), "time ↓", "least quiet"));
      for (const device of ring.places) {
        svg.append(text(left + (device + 0.5) * lane, top - 5, LETTERS[device], "small bold middle"));
        let y = top;
        table.forEach((counts, at) => {
          if (!started || at > turn || (at === turn && !computes)) return;
          const [done, whole] = [counts[device] * unit, Math.max(...counts) * unit];
          const look = at === turn ? { fill: "now" } : { fill: "faint", "fill-opacity": 0.6 };
          svg.append(box(left + device * lane + 1.5, y + 0.5, lane - 3, done - 1, { rx: 2, ...look }));
          if (whole > done + 1) svg.append(box(left + device * lane + 1.5, y + done + 0.5, lane - 3, whole - done - 1, { rx: 2, ...hatched }));
          y += whole;
        });
      }
      if (!causal || t < devices) return;
      const y = top + otherTime(state) * unit;
      const name = ORDERS[1 - state.order];
      svg.append(line(left - 4, y, left + width, y, other));
      svg.append(text(left + width, top + size + 17, `${name}: ${otherTime(state)}`, "least end"));
    }
  }
});

