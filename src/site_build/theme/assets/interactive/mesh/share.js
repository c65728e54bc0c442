// Who has what, when sequences, tokens and heads are shared out or not; and what a gradient becomes.
import { range, sum } from "../marks.js";

export const AXES = ["sequences", "tokens", "heads"]; // two of each
export const ADDED = { nothing: [], heads: ["heads"], tokens: ["tokens"], sequences: ["sequences"], both: ["tokens", "sequences"], all: AXES };

/** The places of all that a device has: on an axis that is shared out, one half. */
export const devicesOf = (state) =>
  AXES.reduce((all, axis) => all.flatMap((device) => halves(state[axis]).map((half) => [...device, half])), [[]]);
const halves = (parts) => (parts === 2 ? [[0], [1]] : [[0, 1]]);

/** How many devices have the same rows. */
export const copiesOf = ({ sequences, tokens }) => sequences * tokens;

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
    const [sequences, tokens, heads] = all[member];
    const mine = heads.includes(head) ? [head] : heads;
    return sequences.flatMap((text) => tokens.flatMap((half) => mine.map((each) => 4 * text + 2 * half + each)));
  });
  return range(parts[0].length).map((c) => sum(places.map((place) => parts[place][c])));
}

export const headOf = (state, device) => devicesOf(state)[device][2][0];

/** The gradient that a device has found, that it has once the parts are added, and that of one device alone. */
export function gradients(state, parts, device) {
  const head = headOf(state, device);
  const alone = { sequences: 1, tokens: 1, heads: 1 };
  return {
    found: found(state, parts, [device], head),
    added: found(state, parts, groupOf(state, device, ADDED[state.add]), head),
    whole: found(alone, parts, [0], head),
  };
}

/** Which part of its rows a device keeps, of how many: all of them, or with FSDP one for each copy. */
export function keptOf(state, device) {
  if (state.keeps === "rows") return [0, 1];
  const [sequences, tokens] = devicesOf(state)[device];
  return [(state.sequences === 2 ? sequences[0] : 0) * state.tokens + (state.tokens === 2 ? tokens[0] : 0), copiesOf(state)];
}
