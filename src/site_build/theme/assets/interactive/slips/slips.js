// Volumes on their way home, each with a slip on which every desk writes; and the gradient of a matrix, of which
// every desk has a part.
import { figure } from "../hand.js";
import { box, ease, empty, line, listed, other, range, text, two, within } from "../marks.js";
import { circle, LETTERS } from "../ring/circle.js";

const WAYS = ["sum", "mean", "last"];
const NAMES = ["their sum", "their mean", "that of the last device"];

export default figure("slips", ({ training }) => {
  // For two desks, and for three: what the slip of “duck” holds after each, what each finds for the matrix, and
  // what comes of this in the three ways.
  const [onTwo, onThree] = [training.slice(0, 3), training.slice(3)].map((outputs) => outputs.map(({ values }) => values));
  const found = ({ desks }) => {
    const [slip, parts, results] = desks === 2 ? onTwo : onThree;
    return { slip, parts, results, whole: results[0] };
  };

  return {
    defaults: { desks: 3, way: 0 },
    axis: "turn",
    steps: ({ desks }) => desks + 2,
    best: ({ desks }) => desks + 2,
    keep: ["way"],
    pace: () => 900,
    where: ({ desks }, t) => (!t ? "before turn 1" : t <= desks ? `turn ${t} of ${desks}` : t === desks + 1 ? "home" : "the matrix"),
    choices: [
      { name: "desks", label: "Devices", options: [[2, "2"], [3, "3"]] },
      { name: "way", label: "Gradient of the matrix", options: WAYS.map((name, way) => [way, name]) },
    ],
    height: { wide: 300, narrow: 456 },
    draw,
    say,
    bet: {
      shows: (guess) => ({ way: Math.max(0, NAMES.indexOf(guess)) }),
      truth(state) {
        const { results, whole } = found(state);
        return NAMES[results.findIndex((result) => result === whole)];
      },
      answer: (state, right) => (right ? `${added(state)}.` : `${say(state, state.desks + 2)}`),
    },
  };

  function added(state) {
    const { parts, whole } = found(state);
    return `${listed(parts.map(two))} add up to ${two(whole)}, as on one device`;
  }

  function say(state, t) {
    const { slip, results, whole } = found(state);
    const { desks, way } = state;
    if (!t) return "“duck” is on device A. The gradient of its block travels with it, and each device adds a part.";
    if (t <= desks) {
      const more = t > 1 ? `: <b>${two(slip[t - 1])}</b> so far` : `, ${two(slip[0])}`;
      return `Turn ${t}: device ${LETTERS[t - 1]} adds its part to the gradient of “duck”${more}.`;
    }
    if (t === desks + 1) return `Passed on once more, the gradient is home: <b>${two(slip.at(-1))}</b> for “duck”, as on one device.`;
    if (way === 0) return `The value matrix: ${added(state)}.`;
    const name = way === 1 ? "The mean of the parts" : "The part of the last device";
    return `${name} is <b>${two(results[way])}</b>. One device finds ${two(whole)}.`;
  }

  function draw(svg, state, t, { narrow }) {
    const { desks, way } = state;
    const { slip, parts, results, whole } = found(state);
    const turn = Math.ceil(t); // the one that is shown, or that begins
    const share = t - turn + 1;
    const travels = turn > 1 && turn <= desks + 1 && share < 0.6;
    const written = Math.min(desks, travels ? turn - 1 : turn); // parts on each slip
    const [x, y] = narrow ? [150, 128] : [138, 164];
    const ring = circle({ x, y, ...(narrow ? { radius: 76, width: 74, height: 48 } : { radius: 92, width: 84, height: 50 }), desks, narrow });
    svg.append(ring.way());
    const center = turn > desks ? "home" : turn ? `turn ${turn}` : "";
    svg.append(text(x + (narrow ? 9 : 0), y, turn > desks + 1 ? "" : center, "middle bold"));
    if (travels) svg.append(text(x, y + 18, "blocks travel", "least middle quiet"));
    for (const desk of ring.places) {
      const writes = turn >= 1 && turn <= desks && !travels;
      svg.append(...ring.desk(desk, writes ? { stroke: "now", "stroke-width": 2.5 } : {}, writes ? "writes" : "", "now"));
    }
    const place = within(turn - 1, 0, desks) - (travels ? 1 - ease(share / 0.6) : 0);
    for (const owner of ring.places) {
      const [cx, cy] = ring.at(owner + place);
      svg.append(...ring.volume(owner, owner + place));
      const { size } = ring;
      const left = cx + size.width / 2 - 7 - desks * 6;
      range(desks).forEach((square) => {
        const look = square < written ? { fill: "kept", stroke: "kept" } : { fill: "ground", stroke: "kept" };
        svg.append(box(left + square * 12, cy - size.height / 2 - 26, 11, 11, { rx: 2, ...look }));
      });
    }
    const [from, top, long] = narrow ? [0, 250, 296] : [316, 40, 330];
    slipOfDuck(from, top, long);
    matrix(from, top + (narrow ? 78 : 96), long);

    /** What the slip of “duck” holds: the part of each desk, one behind the other. */
    function slipOfDuck(from, top, long) {
      const unit = (long * 0.8) / slip.at(-1);
      svg.append(text(from, top - 12, "with block A: gradient of “duck”", "small bold"));
      slip.forEach((so, desk) => {
        const before = desk ? slip[desk - 1] : 0;
        const look = desk >= written ? empty : desk === written - 1 && turn <= desks ? { fill: "now" } : { fill: "kept" };
        svg.append(box(from + before * unit + 0.5, top, (so - before) * unit - 1, 20, { rx: 3, ...look }));
        svg.append(text(from + ((before + so) / 2) * unit, top + 37, LETTERS[desk], "least middle quiet"));
      });
      const whole = from + slip.at(-1) * unit;
      svg.append(line(whole, top - 5, whole, top + 25, other));
      if (written) svg.append(text(whole + 8, top + 15, two(slip[written - 1]), "small bold"));
    }

    /** The gradient of the value matrix: what each desk finds, what comes of it, and what one device finds. */
    function matrix(from, top, long) {
      const shown = turn > desks + 1;
      const start = from + 52;
      const unit = (long - 52) / (whole * 1.22);
      const high = 21;
      svg.append(text(from, top - 8, "gradient of the value matrix: water", "small bold"));
      parts.forEach((part, desk) => {
        const foot = top + desk * high;
        svg.append(text(from, foot + 14, narrow ? LETTERS[desk] : `device ${LETTERS[desk]}`, "least quiet"));
        svg.append(box(start, foot + 3, Math.max(part * unit, 1.5), 14, { rx: 2, ...(shown ? { fill: "faint" } : empty) }));
        if (shown) svg.append(text(start + part * unit + 6, foot + 15, two(part), "least"));
      });
      const foot = top + desks * high + 2;
      const result = shown ? results[way] * ease(share) : 0;
      svg.append(text(from, foot + 16, WAYS[way], `least ${shown ? "now bold" : "quiet"}`));
      svg.append(box(start, foot + 3, result * unit, 17, { rx: 2, fill: "now" }));
      const one = start + whole * unit;
      svg.append(line(one, top - 2, one, foot + 24, other));
      if (shown && way) svg.append(text(start + result * unit + 6, foot + 17, two(results[way]), "least now bold"));
      svg.append(text(one, foot + 38, `one device: ${two(whole)}`, "least end"));
    }
  }
});
