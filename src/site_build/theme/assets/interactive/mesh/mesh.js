// Eight devices of a mesh, or fewer: sequences, tokens and heads are cut or not, and gradients are added along some axes.
import { figure, press } from "../hand.js";
import { box, ease, group, inWords, line, listed, mix, other, path, range, text, two, within } from "../marks.js";
import { ADDED, AXES, copiesOf, devicesOf, gradients, groupOf, headOf, keptOf } from "./share.js";

const KINDS = ["muddy", "rich"];
const HALVES = ["first", "last"];
const HEADS = ["●", "■"];
const NUMBERS = 64; // of four matrices
const ROWS = ["water", "money"]; // of the value matrix of a head
const CLOSE = 0.002; // sums of printed parts
const letter = (device) => String.fromCharCode(65 + device);
const letters = (devices) => listed(devices.map(letter));
const whole = (parts) => (parts === 2 ? "shared out" : "whole");

export default figure("mesh", ({ parts: { values: parts, columns } }) => {
  const names = columns.slice(0, 4);

  /** What happens, in order. */
  const moments = (state) => [
    "held",
    ...(state.keeps === "parts" && copiesOf(state) > 1 ? ["gathered"] : []),
    ...(state.tokens === 2 ? ["keys and values"] : []),
    ...(state.heads === 2 ? ["outputs"] : []),
    "gradients",
    "added",
  ];
  const axes = { "keys and values": ["tokens"], outputs: ["heads"], gathered: ["tokens", "sequences"] };
  /** Along which axes devices talk at a moment. */
  const talk = (state, moment) => (moment === "added" ? ADDED[state.add] : (axes[moment] ?? []));

  return {
    defaults: { sequences: 2, tokens: 2, heads: 2, keeps: "rows", add: "both", device: 0 },
    axis: "moment",
    steps: (state) => moments(state).length - 1,
    where: (state, t) => moments(state)[t],
    pace: () => 900,
    keep: ["add", "device"],
    choices: [
      ...AXES.map((name) => ({ name, label: name, options: [[1, whole(1)], [2, whole(2)]] })),
      { name: "keeps", label: "Each keeps", options: [["rows", "all its rows"], ["parts", "a part (FSDP)"]] },
      {
        name: "add",
        label: "Gradients are added along",
        chips: true,
        options: [["nothing", "nothing"], ["heads", "heads"], ["tokens", "tokens"], ["sequences", "sequences"], ["both", "tokens and sequences"], ["all", "all three"]],
      },
    ],
    save: ({ device }, given) => device && given.set("device", device),
    load: (state, given) => {
      if (given.has("device")) state.device = Number(given.get("device")) || 0;
    },
    fix: (state) => {
      state.device = within(state.device, 0, devicesOf(state).length - 1);
    },
    height: { wide: 428, narrow: 508 },
    draw,
    say,
    bet: {
      shows: (guess) => ({ add: { heads: "heads", "tokens and sequences": "both", "all three": "all" }[guess] }),
      truth: () => "tokens and sequences",
      answer: (state, right) => {
        if (right) return `Added so, ${letter(state.device)} has the gradient of one device.`;
        const { added, whole } = gradients(state, parts, state.device);
        return `Along heads, the rows of ● and ■ are mixed: ${two(added[0])}, and one device finds ${two(whole[0])}.`;
      },
    },
  };

  function say(state, t) {
    const { device, keeps, add } = state;
    const moment = moments(state)[t];
    const name = letter(device);
    const mine = devicesOf(state)[device];
    const copies = groupOf(state, device, ["tokens", "sequences"]);
    const rest = copies.filter((each) => each !== device);
    if (moment === "held") {
      const half = state.tokens === 2 ? `the ${HALVES[mine[1]]} half of ` : "";
      const text = state.sequences === 2 ? `the ${KINDS[mine[0]]} sequence` : "both sequences";
      const rows = keeps === "parts" && copies.length > 1 ? `a part of ${headsOf(state, device)}` : headsOf(state, device);
      return `Device ${name} has ${half}${text}, and ${rows}: <b>${count(state, device)}</b> of ${NUMBERS} numbers.`;
    }
    if (moment === "gathered") return `Before each layer, ${name} <b>gathers</b> the parts of ${letters(rest)}. Afterwards it drops them.`;
    if (moment === "keys and values") return "Along tokens: each half of a sequence needs the <b>keys and values</b> of the other.";
    if (moment === "outputs") return "Along heads: the outputs of ● and ■ are <b>added</b>, in every layer.";
    if (moment === "gradients")
      return rest.length
        ? `Each finds a gradient from its own tokens. That of ${name} is a <b>part</b>: the dashed lines are what one device finds.`
        : `${name} has all tokens. Its gradient is that of one device already.`;
    const { added, whole } = gradients(state, parts, device);
    const right = added.every((each, c) => Math.abs(each - whole[c]) < CLOSE);
    if (right && keeps === "parts" && rest.length)
      return `The ${inWords(copies.length)} parts are added and <b>cut</b>: ${name} keeps the numbers of its own part.`;
    const from = rest.length ? `: the sum of ${letters(copies)}` : "";
    if (right) return `${name} has <b>the gradient of one device</b>${from}.`;
    const wrong = `${two(added[0])}, where one device finds ${two(whole[0])}`;
    if (ADDED[add].includes("heads") && state.heads === 2) return `Wrong: ${wrong}. Rows of ● and ■ are no copies, and now they are mixed.`;
    if (add === "nothing") return `Wrong: ${wrong}. Each copy learns from its own tokens, and the copies <b>drift apart</b>.`;
    return `Wrong: ${wrong}. The other ${add === "tokens" ? "sequence" : "half of the tokens"} <b>is missing</b>, and no error is raised.`;
  }

  function headsOf(state, device) {
    return state.heads === 2 ? `head ${HEADS[headOf(state, device)]}` : "both heads";
  }

  /** How many numbers of the matrices a device keeps. */
  function count(state, device) {
    return NUMBERS / state.heads / keptOf(state, device)[1];
  }

  function draw(svg, state, t, { width, narrow, hand }) {
    const all = devicesOf(state);
    const order = moments(state);
    const [before, after] = [Math.floor(t), Math.ceil(t)];
    const share = ease(t - before);
    const now = order[Math.round(t)];
    const gap = narrow ? 8 : 14;
    const [high, channel, title] = narrow ? [84, 44, 38] : [96, 40, 24];
    const wide = (width - gap * (state.sequences - 1)) / state.sequences; // of a box
    const tall = state.tokens === 2 ? high : 2 * high + channel - title;
    const inside = narrow ? 3 : 6;
    const each = (wide - inside * (state.heads - 1)) / state.heads;
    const size = narrow ? 6.8 : 11; // of a number
    const inRow = each > 18 * size ? 16 : 8;
    const lower = title + high + channel;

    /** Where the frame of a device begins. */
    const corner = ([sequences, tokens, heads]) => [
      (state.sequences === 2 ? sequences[0] : 0) * (wide + gap) + (state.heads === 2 ? heads[0] : 0) * (each + inside),
      state.tokens === 2 && tokens[0] === 1 ? lower : title,
    ];

    range(state.sequences).forEach((c) => range(state.tokens).forEach((r) => tokens(c, r)));
    all.forEach(frame);
    for (const moment of new Set([before, after])) lines(order[moment], moment === after ? (before === after ? 1 : share) : 1 - share);
    bars(lower + high + title + (narrow ? 30 : 34));

    /** The tokens of a box, above it or below. */
    function tokens(c, r) {
      const kinds = state.sequences === 2 ? [KINDS[c]] : KINDS;
      const halvesOf = (kind) => ["the duck likes", `the ${kind} bank`].slice(...(state.tokens === 2 ? [r, r + 1] : []));
      const lines = narrow
        ? kinds.flatMap((kind) => (state.sequences === 2 ? halvesOf(kind) : [halvesOf(kind).join(" ")]))
        : [kinds.map((kind) => halvesOf(kind).join(" ")).join(" · ")];
      const top = r ? lower + high + 17 : title - 7 - 15 * (lines.length - 1);
      lines.forEach((tokens, l) => svg.append(text(c * (wide + gap) + wide / 2, top + 15 * l, tokens, "least middle quiet")));
    }

    function frame(place, device) {
      const [x, y] = corner(place);
      const chosen = device === state.device;
      const look = chosen ? { stroke: "now", fill: "now-soft", "stroke-width": 3 } : { stroke: "ink", fill: "ground", "stroke-width": 2 };
      const held = group({}, box(x + 1.5, y + 1.5, each - 3, tall - 3, { class: "ring", rx: 6, ...look }));
      held.append(text(x + 10, y + 20, letter(device), "bold"));
      held.append(text(x + each - 9, y + 20, state.heads === 2 ? HEADS[place[2]] : HEADS.join(" "), "end"));
      press(held, { key: `device-${device}`, label: `Device ${letter(device)}`, pressed: chosen, group: "devices", does: () => hand.set({ device }) });
      numbers(held, device, x + (each - inRow * size) / 2, y + 32);
      svg.append(held);
    }

    /** The numbers of its matrices, a square each: those that it keeps, and those that are there for one layer. */
    function numbers(held, device, x, y) {
      const rows = NUMBERS / state.heads;
      const [part, parts] = keptOf(state, device);
      const [first, last] = [part, part + 1].map((each) => (each * rows) / parts);
      squares(held, x, y, 0, first, now === "gathered" ? "now" : "rule");
      squares(held, x, y, last, rows, now === "gathered" ? "now" : "rule");
      squares(held, x, y, first, last, "kept");
    }

    /** Squares from one to another, a dashed line for each row. */
    function squares(held, x, y, first, last, stroke) {
      for (let from = first; from < last; from += inRow - (from % inRow)) {
        const row = Math.floor(from / inRow);
        const to = Math.min(last, (row + 1) * inRow);
        const [left, right] = [from, to].map((each) => x + (each - row * inRow) * size);
        const look = { stroke, "stroke-width": size - 1.2, "stroke-dasharray": `${size - 1.2} 1.2` };
        held.append(line(left, y + (row + 0.5) * size, right - 1.2, y + (row + 0.5) * size, look));
      }
    }

    /** A line for each two devices that talk. */
    function lines(moment, opacity) {
      const along = talk(state, moment);
      const mine = groupOf(state, state.device, along);
      const drawn = group({ opacity });
      for (const own of [false, true])
        AXES.forEach((axis, a) => {
          if (!along.includes(axis) || state[axis] === 1) return;
          all.forEach((place, device) => {
            const to = all.findIndex((other) => other[a][0] === 1 && other.every((half, b) => b === a || String(half) === String(place[b])));
            if (place[a][0] !== 0 || (mine.includes(device) && mine.includes(to)) !== own) return;
            drawn.append(path(way(axis, place, all[to]), own ? { stroke: "now", "stroke-width": 4 } : { stroke: "faint", "stroke-width": 2 }));
          });
        });
      svg.append(drawn);
    }

    function way(axis, from, to) {
      const [[x, y], [right]] = [corner(from), corner(to)];
      if (axis === "heads") return `M${x + each - 6} ${y + tall - 14}H${right + 6}`;
      const at = x + each - (narrow ? 12 : 24);
      if (axis === "tokens") return `M${at} ${title + tall - 1}V${lower + 1}`;
      // Through the room between the rows.
      const upper = state.tokens === 1 || from[1][0] === 0;
      const [foot, side] = upper ? [y + tall, 1] : [y, -1];
      const far = foot + side * (state.heads === 2 && from[2][0] === 1 ? 8 : 14);
      const start = x + each / 2 - 8;
      return `M${start} ${foot}V${far}H${right + each / 2 - 8}V${foot}`;
    }

    /** The gradient of two rows on the chosen device, and that of one device alone, which is dashed. */
    function bars(top) {
      const { found, added, whole } = gradients(state, parts, state.device);
      const at = (moment, c) => {
        const kept = Math.floor((c * keptOf(state, state.device)[1]) / whole.length) === keptOf(state, state.device)[0];
        return { gradients: found[c], added: kept ? added[c] : 0 }[order[moment]] ?? 0;
      };
      svg.append(text(0, top, `${narrow ? "G" : "The g"}radient of “value” on device ${letter(state.device)}`, narrow ? "small bold" : "bold"));
      const [column, room] = narrow ? [0, width] : [width / 2 + 10, width / 2 - 10];
      const unit = (room - 118) / 4.4; // the largest wrong sum
      svg.append(text(width, narrow ? top + 20 : top, "dashed: what one device finds", "least end quiet"));
      ROWS.forEach((row, r) => {
        const [x, y] = narrow ? [0, top + 20 + r * 94] : [r * column, top + 22];
        svg.append(text(x, y, `row of ${row}`, `${narrow ? "least" : "small"} quiet`));
        names.forEach((name, n) => {
          const c = 4 * r + n;
          const foot = y + 6 + n * (narrow ? 17 : 20);
          const number = mix(at(before, c), at(after, c), share);
          svg.append(text(x + 64, foot + 12, name, "least end quiet"));
          svg.append(box(x + 70, foot + 1, number * unit, narrow ? 11 : 13, { fill: "now", rx: 2 }));
          const dashed = x + 70 + whole[c] * unit;
          svg.append(line(dashed, foot - 1, dashed, foot + (narrow ? 14 : 16), other));
          if (number && before === after) svg.append(text(Math.max(dashed, x + 70 + number * unit) + 7, foot + 12, two(number), "least now"));
        });
      });
    }
  }
});
