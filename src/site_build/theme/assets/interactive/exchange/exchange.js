// Devices that trade words of all heads for all words of some heads, and what they send beside a ring.
import { figure } from "../hand.js";
import { box, ease, inWords, mix, range, text, two, within } from "../marks.js";
import { sent } from "./sent.js";

const WORDS = 8;
const DEVICES = [2, 4, 8, 16, 32, 64];
const counts = (numbers) => numbers.map((number) => [number, String(number)]);
const several = (count, word) => `${inWords(count)} ${word}${count === 1 ? "" : "s"}`;

/** The device of a card before the exchange, and after it. */
const places = ({ devices, heads }, head, word) =>
  [word / WORDS, head / heads].map((share) => Math.floor(share * devices));

export default figure("exchange", () => {
  const possible = ({ devices, heads }) => heads >= devices;
  return {
    defaults: { devices: 4, heads: 4, keys: 4 },
    axis: "moment",
    steps: (state) => (possible(state) ? 3 : 0),
    best: () => 1,
    where: (_, t) => ["by tokens", "by heads", "attention", "by tokens again"][t],
    pace: () => 1100,
    choices: [
      { name: "devices", label: "Devices", options: counts([2, 4, 8]) },
      { name: "heads", label: "Heads", options: counts([2, 4, 8, 16]) },
      { name: "keys", label: "Heads of keys", options: counts([1, 2, 4, 8, 16]) },
    ],
    fix: (state, changed) => {
      if (changed === "keys") state.heads = Math.max(state.heads, state.keys);
      else state.keys = Math.min(state.keys, state.heads);
    },
    height: { wide: 376, narrow: 464 },
    draw,
    say,
    bet: {
      shows: {},
      truth: () => "the same to the last bit",
      answer: (_, right) =>
        `${right ? "" : "It is the same. "}Each head is computed whole, on one device, and nothing is merged.`,
    },
  };

  function say(state, t) {
    const { devices, heads, keys } = state;
    if (!possible(state))
      return `${devices} devices and ${heads} heads: <b>some devices would have none</b>. Take fewer, or a ring.`;
    const repeated = keys < devices ? ` Heads of keys are repeated, from ${keys} to ${devices}.` : "";
    if (t === 0) return `Each device has ${several(WORDS / devices, "token")} of all ${inWords(heads)} heads.`;
    if (t === 1) return `Each keeps one part of ${inWords(devices)} and trades the others.${repeated}`;
    if (t === 2)
      return `Each has ${several(heads / devices, "head")} with all tokens, and attends <b>as if it were alone</b>.`;
    return "The contexts are traded back: each device has its tokens again, of all heads.";
  }

  function draw(svg, state, t, { width, narrow }) {
    const { devices, heads } = state;
    const inRow = narrow ? Math.max(2, devices / 2) : devices;
    const gap = 8;
    const wide = (width - gap * (inRow - 1)) / inRow;
    const all = narrow ? 240 : 152; // of the rows together
    const rows = devices / inRow;
    const high = (all - gap * (rows - 1)) / rows;
    const cell = Math.min(15, (wide - 10) / WORDS, (high - 42) / heads);
    const corner = (device) => [(device % inRow) * (wide + gap), 4 + Math.floor(device / inRow) * (high + gap)];

    range(devices).forEach(frame);
    range(heads).forEach((head) => range(WORDS).forEach((word) => card(head, word)));
    lengths(all + 40);

    function frame(device) {
      const [x, y] = corner(device);
      const refused = !possible(state) && device >= heads;
      const stroke = refused ? { stroke: "wrong", "stroke-dasharray": "3 4" } : { stroke: "ink" };
      svg.append(box(x + 1, y, wide - 2, high, { fill: "none", "stroke-width": 2, rx: 6, ...stroke }));
      svg.append(text(x + wide / 2, y + 20, String.fromCharCode(65 + device), "bold middle"));
    }

    /** A word of a head: its place before, on its way, and after. */
    function card(head, word) {
      const [before, after] = places(state, head, word);
      const way = t <= 1 ? t : t >= 2 ? 3 - t : 1;
      const share = possible(state) ? ease(within(way, 0, 1)) : 0;
      const [each, few] = [WORDS / devices, heads / devices];
      const at = (device, column, row, columns) => {
        const [x, y] = corner(device);
        return [x + (wide - columns * cell) / 2 + column * cell, y + 30 + row * cell];
      };
      const from = at(before, word % each, head, each);
      const to = possible(state) ? at(after, word, head % few, WORDS) : from;
      const [x, y] = from.map((start, i) => mix(start, to[i], share));
      const attends = t === 2;
      const trades = before !== after && t > 0 && t < 3;
      const fill = attends || trades ? "now" : "faint";
      svg.append(box(x, y, cell - 1.5, cell - 1.5, { fill, rx: 1.5 }));
    }

    /** What a device sends, for each number of its inputs. */
    function lengths(top) {
      svg.append(text(0, top, "Numbers sent, for each of the inputs", narrow ? "small bold" : "bold"));
      const unit = (width - (narrow ? 130 : 190)) / 2;
      DEVICES.forEach((count, i) => {
        const y = top + 12 + i * 28;
        const now = count === devices;
        const { ring, exchange } = sent(count, Math.max(heads, count), keysOf(count));
        const look = now ? "now bold" : "quiet";
        svg.append(text(24, y + 16, count, `small end ${look}`));
        svg.append(box(32, y + 1, ring * unit, 10, { fill: now ? "now" : "faint", rx: 2 }));
        const outlined = { fill: now ? "now-soft" : "soft", stroke: now ? "now" : "quiet", rx: 2 };
        svg.append(box(32, y + 13, exchange * unit, 10, outlined));
        svg.append(text(38 + ring * unit, y + 11, `ring ${two(ring)}`, `least ${look}`));
        svg.append(text(38 + exchange * unit, y + 24, `exchange ${two(exchange)}`, `least ${look}`));
      });
    }

    function keysOf(count) {
      return (state.keys / heads) * Math.max(heads, count);
    }
  }
});
