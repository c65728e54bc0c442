// Who has what, when texts, words and heads are shared out or not; and what a gradient becomes.
import { range, sum } from "../marks.js";

export const AXES = ["texts", "words", "heads"]; // two of each
export const ADDED = { nothing: [], heads: ["heads"], words: ["words"], texts: ["texts"], both: ["words", "texts"], all: AXES };

/** The places of all that a device has: on an axis that is shared out, one half. */
export const devicesOf = (state) =>
  AXES.reduce((all, axis) => all.flatMap((device) => halves(state[axis]).map((half) => [...device, half])), [[]]);
const halves = (parts) => (parts === 2 ? [[0], [1]] : [[0, 1]]);

/** How many devices have the same rows. */
export const copiesOf = ({ texts, words }) => texts * words;

/** Those that a device adds with: like it, but along some axes. */
export const groupOf = (state, device, axes) => {
  const all = devicesOf(state);
  const alike = (other) => AXES.every((axis, a) => axes.includes(axis) || String(other[a]) === String(all[device][a]));
  return range(all.length).filter((each) => alike(all[each]));
};

/** What devices found together for the rows of one head, from the parts of eight. */
function found(state, parts, members, head) {
  const all = devicesOf(state);
  const places = members.flatMap((member) => {
    const [texts, words, heads] = all[member];
    const mine = heads.includes(head) ? [head] : heads;
    return texts.flatMap((text) => words.flatMap((half) => mine.map((each) => 4 * text + 2 * half + each)));
  });
  return range(parts[0].length).map((c) => sum(places.map((place) => parts[place][c])));
}

export const headOf = (state, device) => devicesOf(state)[device][2][0];

/** The gradient that a device has found, that it has once the parts are added, and that of one device alone. */
export function gradients(state, parts, device) {
  const head = headOf(state, device);
  const alone = { texts: 1, words: 1, heads: 1 };
  return {
    found: found(state, parts, [device], head),
    added: found(state, parts, groupOf(state, device, ADDED[state.add]), head),
    whole: found(alone, parts, [0], head),
  };
}

/** Which part of its rows a device keeps, of how many: all of them, or with FSDP one for each copy. */
export function keptOf(state, device) {
  if (state.keeps === "rows") return [0, 1];
  const [texts, words] = devicesOf(state)[device];
  return [(state.texts === 2 ? texts[0] : 0) * state.words + (state.words === 2 ? words[0] : 0), copiesOf(state)];
}
