// One slate with a row for the duck and one for the bank, on which one sentence after the other is written. The
// reader puts the sentences in order, lets the slate fade, and lets them overwrite.
import { figure, hold } from "../hand.js";
import { box, ease, empty, line, mix, path, range, text, within } from "../marks.js";
import { fade, write } from "./write.js";

// In two lines, and which of the page's it is.
const SENTENCES = { w: ["The duck is", "wet", 0], b: ["The bank is", "damp", 1], d: ["The duck is", "dry", 2], a: ["The duck is", "wet again", 0] };
const NAMES = ["duck", "bank"];
const MOST = 6; // that a row can say
const short = (number) => String(+number.toFixed(2)).replace("-", "−");
const whole = (letter) => `“${SENTENCES[letter].slice(0, 2).join(" ")}”`;
const orderOf = (state) => [...state.order].filter((letter) => letter !== "a" || state.again);

/** What the slate says after each sentence, and before the first. */
function slates(state, values) {
  const all = [[0, 0]];
  for (const letter of orderOf(state)) {
    const [duck, bank, water] = values[SENTENCES[letter][2]];
    all.push(write(all.at(-1), [duck, bank], water, state));
  }
  return all;
}

/** Between two sentences, the slate fades first, and is written to then. */
function slateAt(state, values, t) {
  const all = slates(state, values);
  const [before, after] = [all[Math.floor(t)], all[Math.ceil(t)]];
  const faded = fade(before, state);
  const [first, second] = [Math.min(1, 2 * (t % 1)), Math.max(0, 2 * (t % 1) - 1)];
  return before.map((value, row) => (t % 1 ? mix(mix(value, faded[row], first), after[row], ease(second)) : value));
}

/** Put a sentence at another place. */
function moved(state, letter, to) {
  const order = orderOf(state).filter((each) => each !== letter);
  order.splice(within(to, 0, order.length), 0, letter);
  return { order: order.join("") + (state.again ? "" : "a") };
}

/** The sentences in their order, each of which is held. */
function cards(state, t, { width, narrow, hand }) {
  const order = orderOf(state);
  const wide = narrow ? 69 : 140;
  const step = wide + (narrow ? 6 : 14);
  const left = (width - order.length * step + step - wide) / 2;
  return order.flatMap((letter, place) => {
    const x = left + place * step;
    const look = place < Math.round(t) - 1 ? { fill: "soft", stroke: "edge" } : place === Math.round(t) - 1 ? { fill: "now-soft", stroke: "now" } : { ...empty, fill: "ground" };
    const card = box(x, 4, wide, 50, { rx: 8, class: "ring", "stroke-width": 1.5, ...look });
    hold(card, {
      key: letter, group: "order", label: whole(letter), now: place + 1, min: 1, max: order.length, words: `sentence ${place + 1} of ${order.length}`,
      move: (at) => hand.set(moved(state, letter, Math.floor((at - left) / step))),
      step: (by) => hand.set(moved(state, letter, place + within(by, -9, 9))),
    });
    const words = SENTENCES[letter].slice(0, 2).map((words, row) => text(x + wide / 2, 25 + 18 * row, narrow ? words.replace("The ", "") : words, `middle ${narrow ? "least" : ""}`, { "pointer-events": "none" }));
    return [card, ...words];
  });
}

function draw(svg, state, t, size, values) {
  const { width, narrow } = size;
  const order = orderOf(state);
  const [left, right] = narrow ? [52, width - 8] : [110, width - 70];
  const at = (water) => left + ((water + MOST) / (2 * MOST)) * (right - left);
  const y = (row) => 104 + row * 62;
  svg.append(...cards(state, t, size));
  const now = slateAt(state, values, t);
  svg.append(box(left - 6, 78, right - left + 12, 126, { rx: 8, fill: "soft" }), line(at(0), 82, at(0), 204, { stroke: "edge" }));
  for (const water of [-6, -3, 0, 3, 6]) svg.append(text(at(water), 222, short(water), "middle least quiet"));
  svg.append(text(left, 240, "dry", "least quiet"), text(right, 240, "wet", "least water end"), text(at(0), 240, "dashed: what was said last", "middle least quiet"));
  NAMES.forEach((name, row) => {
    const told = order.slice(0, Math.round(t)).filter((letter) => values[SENTENCES[letter][2]][row]);
    const last = told.length ? values[SENTENCES[told.at(-1)][2]][2] : undefined;
    const value = now[row];
    const wide = Math.abs(at(value) - at(0));
    svg.append(
      text(left - 14, y(row) + 16, name, "bold end"),
      box(Math.min(at(0), at(value)), y(row) - 4, wide, 30, value < 0 ? { fill: "ground", stroke: "water", "stroke-width": 2 } : { fill: "water" }),
    );
    // What was said last: where the row would be if the slate had forgotten nothing, and kept nothing else.
    if (last !== undefined) svg.append(path(`M${at(last)} ${y(row) - 12}V${y(row) + 34}`, { stroke: "ink", "stroke-width": 2, "stroke-dasharray": "5 4" }));
    svg.append(text(narrow ? right : right + 62, narrow ? y(row) - 9 : y(row) + 17, short(value), `bold end ${narrow ? "small" : ""}`));
  });
  const top = 256;
  svg.append(text(narrow ? 0 : left - 14, top + 20, narrow ? "a cache:" : "a cache keeps", `small quiet ${narrow ? "" : "end"}`));
  const card = narrow ? 56 : 100;
  range(Math.round(t)).forEach((place) => {
    const [duck, , water] = values[SENTENCES[order[place]][2]];
    const x = (narrow ? 58 : left) + place * (card + 4);
    svg.append(box(x, top, card, 30, { rx: 4, fill: "kept-soft", stroke: "kept", "stroke-width": 1.5 }), text(x + card / 2, top + 20, `${duck ? "duck" : "bank"} ${short(water)}`, "middle least"));
  });
}

function say(state, t, values) {
  if (!t) return "Nothing is written yet. The state has two rows, whatever comes.";
  const order = orderOf(state);
  const letter = order[t - 1];
  const all = slates(state, values);
  const [duck, , water] = values[SENTENCES[letter][2]];
  const row = duck ? 0 : 1;
  const [had, says] = [fade(all[t - 1], state)[row], all[t][row]];
  const faded = state.decay < 1 && all[t - 1].some(Boolean) ? `All rows fade to ${short(state.decay)}. ` : "";
  const part = state.beta < 1 ? `${short(state.beta)} of the difference` : "the difference";
  const wrote = state.overwrites ? `finds ${short(had)} and writes ${part}` : `adds ${short(water)}`;
  const forms = `The ${NAMES[row]} has <b>${short(says)}</b>`;
  const rest = t === order.length ? `, the ${NAMES[1 - row]} ${short(all[t][1 - row])}` : "";
  return `${faded}${whole(letter)} ${wrote}. ${forms}${rest}.`;
}

const lastOf = (state) => orderOf(state).length;

export default figure("slate", ({ sentences: { values } }) => ({
  defaults: { order: "wbda", again: 0, overwrites: 0, decay: 1, beta: 1 },
  height: { wide: 296, narrow: 296 },
  steps: lastOf,
  best: lastOf,
  axis: "sentence",
  pace: () => 1100,
  where: (state, t) => (t ? `sentence ${t} of ${lastOf(state)}` : "an empty state"),
  keep: ["overwrites", "decay", "beta"],
  fix(state, changed) {
    if (changed === "beta") state.overwrites = 1;
  },
  choices: [
    { name: "overwrites", label: "A sentence", options: [[0, "adds"], [1, "overwrites"]] },
    { name: "again", label: "A fourth", options: [[0, "none"], [1, "wet again"]] },
    { name: "decay", label: "Decay", range: [0, 1, 0.1], format: short },
    { name: "beta", label: "Beta", range: [0, 1, 0.1], format: short },
  ],
  save: (state, given) => state.order !== "wbda" && given.set("order", state.order),
  load(state, given) {
    const order = given.get("order") ?? "";
    if ([...order].sort().join("") === "abdw") state.order = order;
  },
  draw: (svg, state, t, size) => draw(svg, state, t, size, values),
  say: (state, t) => say(state, t, values),
  bet: {
    shows: {},
    truth: (state) => ["neither", "wet", "dry"].at(Math.sign(slates(state, values).at(-1)[0])),
    answer: () => "The second sentence on the duck takes away what the first one added: 0.",
  },
}));
