// Heads that are shared out to two devices: what each computes for “bank”, what they send, and what becomes of it.
import { figure } from "../hand.js";
import { box, ease, empty, group, line, mix, other, range, said, text, two, within } from "../marks.js";

const DEVICES = [0, 1];
const LETTERS = ["A", "B"];
const PARTS = ["water", "money"]; // of what the output says: “bank” has nothing of the others
const MATRICES = ["query", "key", "value", "out"];
const SENT = { queries: "query", contexts: "context", outputs: "output" };
const ROWS = { heads: [0, 0, 1, 1], halves: [0, 1, 0, 1] }; // the device of each row
const WORDS = 6;

export default figure("heads", ({ own, "parts-of-bank": parts, results, whole }) => {
  /** A row of a printed table, by its name. */
  const row = (table, ...name) => table.values[table.rows.indexOf(name.join(" "))];
  const strips = ({ cut }, device) => {
    const numbers = row(own, cut, LETTERS[device]);
    return { query: numbers.slice(0, 2), context: numbers.slice(2), output: row(parts, cut, LETTERS[device]) };
  };
  const result = ({ cut, send }, device) => row(results, cut, send, LETTERS[device]);
  const truth = whole.values;
  const size = (send) => WORDS * strips({ cut: "heads" }, 0)[SENT[send]].length;
  const close = (each, c) => Math.abs(each - truth[c]) < 0.006; // of two decimals
  const right = (state) => DEVICES.every((device) => result(state, device).every(close));

  return {
    defaults: { send: "outputs", cut: "heads" },
    axis: "step",
    steps: () => 4,
    where: (_, t) => ["whole", "cut", "computed", "sent", "used"][t],
    pace: () => 900,
    keep: ["send", "cut"],
    choices: [
      { name: "cut", label: "Each device has", options: [["heads", "one head"], ["halves", "half of both"]] },
      { name: "send", label: "It sends its", options: Object.keys(SENT).map((name) => [name, name]) },
    ],
    height: { wide: 490, narrow: 536 },
    draw,
    say,
    bet: {
      shows: {},
      truth: () => `its output, ${size("outputs")} numbers`,
      answer: (state) => {
        const [water, money] = result(state, 0).map(two);
        return `The outputs add up to what one device finds: ${water} water and ${money} money.`;
      },
    },
  };

  function say(state, t) {
    const { cut, send } = state;
    if (!t) return "Four matrices with two heads: ● has the first two rows, and ■ the last two.";
    if (t === 1)
      return cut === "heads"
        ? "Device A has the rows and columns of ●, device B those of ■: half of all numbers each."
        : "Each device has half of the numbers, and half of each head.";
    if (t === 2)
      return cut === "heads"
        ? "Each computes for “bank” with its own head, and needs nothing from the other."
        : "Half a score is another score, and so each device finds other weights.";
    if (t === 3) return `Each sends its ${send}: <b>${size(send)}</b> numbers for six tokens.`;
    const [water, money] = result(state, 0);
    if (right(state))
      return `The sum is what one device finds: “bank” has <b>${two(water)}</b> water and <b>${two(money)}</b> money.`;
    if (send === "outputs")
      return `Wrong: ${two(money)} money, where one device finds ${two(truth[1])}. No sum mends a softmax of half a score.`;
    if (send === "contexts")
      return "Wrong: a device has no columns of “out” for the context of the other, so it takes its own.";
    return "Too little: a device has no keys and values for the query of the other. It has only its own part.";
  }

  function draw(svg, state, t, { width, narrow }) {
    const cell = narrow ? 9 : 13;
    const top = narrow ? 46 : 34;
    const wide = narrow ? 146 : 316; // of a frame
    const left = [0, width - wide];
    const frames = top + 4 * cell + (narrow ? 50 : 44);
    const high = narrow ? 288 : 250;
    const share = (moment) => ease(within(t - moment, 0, 1));

    whereTheyStand();
    DEVICES.forEach(frame);
    if (t > 1) DEVICES.forEach(computes);
    counts(frames + high + 32);

    /** The matrices: whole above, or their rows and columns on the way to the devices. */
    function whereTheyStand() {
      const gap = narrow ? 26 : 66;
      const from = (width - 16 * cell - 3 * gap) / 2;
      MATRICES.forEach((name, m) => {
        const x = from + m * (4 * cell + gap);
        svg.append(text(x + 2 * cell, top - 12, name, `small middle ${t >= 1 ? "quiet" : ""}`));
        if (t > 0) svg.append(box(x - 1, top - 1, 4 * cell + 2, 4 * cell + 2, empty));
        range(4).forEach((r) => piece(m, r, x));
      });
      if (t < 1)
        for (const r of range(4)) svg.append(text(from - 12, top + (r + 0.5) * cell + 5, "●●■■"[r], "least middle quiet"));
    }

    /** A row of a matrix, or a column of the last one, where it is now. */
    function piece(m, r, x) {
      const device = ROWS[state.cut][r];
      const at = ROWS[state.cut].slice(0, r).filter((each) => each === device).length;
      const column = m === 3;
      const inFrame = (narrow ? 6 : 14) + m * (4 * cell + (narrow ? 2 : 24));
      const goal = [left[device] + inFrame + (column ? at * cell : 0), frames + 34 + (column ? 0 : at * cell)];
      const start = [x + (column ? r * cell : 0), top + (column ? 0 : r * cell)];
      const [px, py] = start.map((each, i) => mix(each, goal[i], share(0)));
      const look = { rx: 2, fill: r < 2 ? "faint" : "soft", stroke: "quiet" };
      const [w, h] = column ? [cell - 1, 4 * cell - 1] : [4 * cell - 1, cell - 1];
      svg.append(box(px, py, w, h, look));
    }

    function frame(device) {
      const x = left[device];
      const heads = state.cut === "heads" ? ["●", "■"][device] : "half of ● and ■";
      svg.append(box(x + 1, frames, wide - 2, high, { fill: "none", stroke: "ink", "stroke-width": 2, rx: 6 }));
      svg.append(text(x + 12, frames + 22, LETTERS[device], "bold"));
      if (t > 0) svg.append(text(x + wide - 12, frames + 22, heads, `${narrow ? "least" : "small"} end quiet`));
    }

    /** What a device finds for “bank”, and what it makes of what is sent. */
    function computes(device) {
      const x = left[device];
      const first = frames + 34 + 4 * cell + (narrow ? 24 : 26);
      const [size, between, below] = narrow ? ["least", 34, 16] : ["small", 24, 0];
      const mine = strips(state, device);
      const kept = group({ opacity: share(1) });
      svg.append(kept);
      Object.entries(mine).forEach(([name, numbers], line) => {
        const y = first + line * between;
        const sent = name === SENT[state.send];
        const look = sent && t > 2 ? "now bold" : "";
        kept.append(text(x + 12, y, name, `${size} ${look || "quiet"}`));
        const [place, step, foot] = narrow ? [x + 12, 32, y + below] : [x + 86, 46, y];
        numbers.forEach((number, i) => kept.append(text(place + i * step, foot, two(number), `${size} ${look}`)));
        if (!sent || t <= 2) return;
        // The same numbers, on their way to the other device.
        const there = first + 3 * between + below;
        const [dx, dy] = [left[1 - device] - x, there - foot].map((way) => way * share(2));
        const at = (i) => [place + i * step + dx, foot + dy];
        numbers.forEach((number, i) => svg.append(text(...at(i), two(number), `${size} now bold clear`)));
      });
      if (t > 2) svg.append(text(x + 12, first + 3 * between, `from ${LETTERS[1 - device]}`, `${size} now bold`));
      if (t > 3) becomes(device, x, first + (narrow ? 130 : 88));
    }

    /** The result on a device, beside that of one device alone, which is dashed. */
    function becomes(device, x, y) {
      const numbers = result(state, device);
      const unit = (wide - (narrow ? 96 : 150)) / 3.2;
      PARTS.forEach((part, c) => {
        const foot = y + c * (narrow ? 19 : 20);
        const from = x + (narrow ? 70 : 86);
        const end = from + numbers[c] * unit * share(3);
        const beside = Math.max(end, from + truth[c] * unit) + 8;
        svg.append(text(x + 12, foot + 10, part, `${narrow ? "least" : "small"} ${part}`));
        svg.append(box(from, foot, end - from, 12, { fill: part, rx: 2 }));
        if (!narrow) svg.append(text(beside, foot + 11, two(numbers[c]), `small ${part}`));
        svg.append(line(from + truth[c] * unit, foot - 3, from + truth[c] * unit, foot + 15, other));
      });
    }

    /** How many numbers each choice sends for six tokens, as lengths. */
    function counts(y) {
      svg.append(text(0, y, "Numbers that a device sends for six tokens", narrow ? "small bold" : "bold"));
      const unit = (width - 150) / size("outputs");
      Object.keys(SENT).forEach((name, i) => {
        const now = name === state.send;
        const at = y + 10 + i * 22;
        svg.append(text(74, at + 13, name, `small end ${now ? "now bold" : "quiet"}`));
        svg.append(box(82, at + 1, size(name) * unit, 15, { fill: now ? "now" : "faint", rx: 2 }));
        svg.append(text(88 + size(name) * unit, at + 13, said(size(name)), `small ${now ? "now bold" : "quiet"}`));
      });
    }
  }
});
