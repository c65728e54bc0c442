// The marks of a clock, which only some scenes need.

import { CELL, INK, SOFT, rule } from "./marks.js";
import { range } from "./stage.js";

/** The face of a clock, with its hours. */
export function dial(m, { x, y, r, size }) {
  m.dial = { as: "circle", z: 0, x, y, r, fill: CELL };
  for (const hour of range(12)) {
    const [across, up] = [Math.sin((hour * Math.PI) / 6), Math.cos((hour * Math.PI) / 6)];
    m[`hour${hour}`] = rule(x + r * 0.92 * across, y - r * 0.92 * up, x + r * across, y - r * up, { stroke: SOFT, sw: hour % 3 ? 1 : 2.5 });
  }
  m.axle = { as: "circle", z: 2, x, y, r: size * 0.25, fill: INK };
}

/** A hand of a clock, so long, turned from 12 o'clock by so many degrees. */
export const hand = (m, key, { x, y, long, turn, w, fill, ...rest }) => (m[key] = { as: "hand", x, y, long, turn, w, fill, ...rest });
