// The marks of a plane and its arrows, which only some scenes need.

import { ASKS, HUES, SOFT, handle, rule, width, words } from "./marks.js";
import { clamp, range, say } from "./stage.js";

/** The hue of a word on the plane: of what it has most. `both` is for a word that has as much of the other. */
export function hueOf([water, money], both = HUES[0]) {
  if (water === money) return water ? both : SOFT;
  return water > money && water > 0 ? HUES[0] : money > 0 ? HUES[1] : SOFT;
}

/** The lines of a plane of water and money. Returns where a place is, to the right and up. */
export function grid(m, { x, y, u, frame: [left, right, high], size, o = 1 }) {
  const [px, py] = [(v) => x + v * u, (v) => y - v * u];
  for (const v of range(7).map((v) => v - 3)) {
    if (v === 0 || (v > left && v < right && (v > 0 || left < -1)))
      m[`gx${v}`] = rule(px(v), py(0), px(v), py(high), { sw: v ? 1 : 1.5, o });
    if (v >= 0 && v < high) m[`gy${v}`] = rule(px(v && left > -1 ? 0 : left), py(v), px(right), py(v), { sw: v ? 1 : 1.5, o });
  }
  const small = size < 15 ? 12 : 15; // on a phone, and elsewhere
  m.axisx = words(px(right), py(0) + size + 8, Math.max(small, size * 0.8), "water →", HUES[0], { z: 0, anchor: "end", look: "sans strong", o });
  m.axisy = words(px(0) - 4, py(high) - 8, Math.max(small, size * 0.8), "↑ money", HUES[1], { z: 0, look: "sans strong", o });
  return [px, py];
}

/** A plane with arrows from its corner, and the shadow that the first casts on the second. */
export function plane(m, [own, other], { x, y, u, frame, size, o = 1, hold, still }) {
  const [left, right] = frame;
  const [px, py] = grid(m, { x, y, u, frame, size, o });
  const length = Math.hypot(...other.tip) || 1;
  const unit = other.tip.map((v) => v / length);
  const shadow = own.tip[0] * unit[0] + own.tip[1] * unit[1];
  const wide = clamp(u / 26, 3, 7);
  const beside = [-unit[1], unit[0]].map((v) => (v * wide * 1.35) / u);
  const there = own.word === other.word ? 0 : o;
  m.shadow = { as: "line", x0: px(beside[0]), y0: py(beside[1]), x: px(unit[0] * shadow + beside[0]), y: py(unit[1] * shadow + beside[1]), stroke: ASKS, sw: wide * 1.7, o: 0.3 * there };
  m.drop = { as: "line", x0: px(own.tip[0]), y0: py(own.tip[1]), x: px(unit[0] * shadow), y: py(unit[1] * shadow), stroke: ASKS, sw: 2, dash: "2 6", o: there };
  const near = Math.hypot(own.tip[0] - other.tip[0], own.tip[1] - other.tip[1]) * u < 46;
  for (const [name, { word, tip, fill, o: shown, above }] of [["other", { ...other, o: there, above: !near }], ["own", { ...own, o, above: true }]]) {
    m[name] = { as: "arrow", x0: px(0), y0: py(0), x: px(tip[0]), y: py(tip[1]), w: wide, fill, o: shown };
    const far = px(tip[0]) + width(word, size * 1.3) > px(right);
    m[`name.${name}`] = words(px(tip[0]) + (far ? 14 : 18), py(tip[1]) + (above ? -18 : 40), size * 1.3, word, fill, { look: "strong", anchor: far ? "end" : "start", o: shown, free: true });
  }
  if (hold && !still) m.handle = handle(hold, px(own.tip[0]), py(own.tip[1]), u > 60 ? 24 : 18, ASKS, `The arrow of ${own.word}`, [own.tip[0], left, right, `water ${say(own.tip[0])}, money ${say(own.tip[1])}`], { o: 0.18 * o });
  return { x, y, u };
}
