// The marks that scenes are made of, each drawn by one function: it writes shapes into a dictionary, under names that
// stay the same in each state, so that a bar can become a cell.

import { clamp, mix, range, sum } from "./stage.js";

export const FEATURES = ["water", "money", "acts", "describes"];
export const HUES = FEATURES.map((name) => `var(--${name})`);
export const [INK, SOFT, ASKS, RULE, CELL] = ["ink", "soft", "ask", "rule", "cell"].map((name) => `var(--${name})`);

/** How wide letters are, about. What is drawn has this width, whatever the font, so no still depends on one. */
const LETTERS = { i: 0.28, j: 0.28, l: 0.28, t: 0.31, f: 0.33, r: 0.36, s: 0.39, m: 0.78, w: 0.72, ".": 0.25, " ": 0.25 };
export const width = (words, size) => size * sum([...words].map((letter) => LETTERS[letter] ?? 0.48));

/** Words. `look` is a list of sans, strong and big. */
export const words = (x, y, size, t, fill = INK, rest = {}) => ({ as: "text", x, y, size, t, fill, ...rest });
export const rule = (x0, y0, x, y, rest = {}) => ({ as: "line", z: 0, x0, y0, x, y, stroke: RULE, sw: 1, ...rest });

/** What a hand can press, over what is drawn. */
export const pressed = (press, box, said, rest = {}) => ({ as: "rect", z: 3, r: 6, ...box, fill: "transparent", look: "hit", press, said, ...rest });

/** A box that a finger hits: what is smaller grows to 44 pixels around its middle. */
export function reach({ x, y, w, h }) {
  const [wide, high] = [w, h].map((side) => Math.max(side, 44));
  return { x: x + (w - wide) / 2, y: y + (h - high) / 2, w: wide, h: high };
}

/** What is pressed by itself. A cell among others is `pressed`, or it would lie on its neighbours. */
export const control = (press, box, said, rest = {}) => pressed(press, reach(box), said, { stop: true, ...rest });

/** A button: full, or with a frame alone. */
export function button(m, name, press, text, { x, y, w, h, size = 16, full = false, still, ...rest }) {
  m[name] = { as: "rect", x, y, w, h, r: h / 2, fill: full ? INK : "none", stroke: INK, sw: 1.5 };
  m[`${name}.text`] = words(x + w / 2, y + h / 2 + size * 0.34, size, text, full ? "var(--paper)" : INK, { anchor: "middle", look: "sans strong" });
  if (!still) m[`${name}.hit`] = control(press, { x, y, w, h }, text, { r: Math.max(h, 44) / 2, ...rest });
}

/** A handle that can be dragged. `value` is its number, the least, the most, and what is said of it. */
export const handle = (hold, x, y, r, fill, said, value, rest = {}) => ({ as: "circle", z: 3, x, y, r: Math.max(r, 22), fill, o: 0.18, look: "tip", hold, said, value, ...rest });

/** A sentence: the word that asks, the word that is asked, and words that can be swapped, which are underlined. */
export function sentence(m, { list, x, y, size, gap = 0.3, asks, asked, swaps = {}, still }) {
  return list.map((word, k) => {
    const [fill, strong] = k === asks ? [ASKS, "strong"] : k === asked ? [INK, "strong"] : [SOFT, ""];
    const w = width(word, size) * (strong ? 1.06 : 1);
    m[`word${k}`] = words(x, y, size, word, fill, { w, look: strong });
    if (swaps[k] && !still) {
      m[`swap${k}`] = rule(x, y + size * 0.28, x + w, y + size * 0.28, { stroke: SOFT, sw: 2, dash: "2 4" });
      m[`swaps${k}`] = control(`word ${k}`, { x: x - 4, y: y - 28, w: w + 8, h: 44 }, `${word}: swap this word`);
    }
    const place = { x, w, middle: x + w / 2 };
    x += w + (list[k + 1] === "." ? 0 : gap * size);
    return place;
  });
}

/** The number that matters. */
export const big = (x, y, size, t, fill = ASKS) => words(x, y, size, t, fill, { z: 2, anchor: "end", look: "strong big" });

/** A number with the numbers that it is made of, each term in its hue. */
export const derived = (x, y, size, terms, { first = 0, ...rest } = {}) =>
  words(x, y, size, terms.flatMap((term, k) => [[k + first ? " + " : "", SOFT], [term, HUES[k + first]]]), INK, { look: "sans", ...rest });

/** The parts of an amount as a stack. Those below 0 hang from the line. Returns where it ends. */
function stack(m, key, parts, { x, w, base, scale, o }) {
  let [up, down] = [base, base];
  parts.forEach((part, e) => {
    if (!part) return;
    const h = Math.abs(part) * scale;
    m[`s${key}.${e}`] = { as: "rect", x, y: part > 0 ? up - h : down, w, h, r: 2, fill: HUES[e], o, look: part < 0 ? "less" : "" };
    if (part > 0) up -= h;
    else down += h;
  });
  return up;
}

/**
 * A row of amounts, which can be pressed: each is a stack of its parts, with its number above and its word below.
 * An item has `key`, `parts`, `amount`, `text`, `word`, `on`, `press` and `said`.
 */
export function bars(m, items, { x, w, base, high, most, size }) {
  const below = Math.max(0, ...items.map(({ parts }) => -sum(parts.filter((part) => part < 0))));
  const above = Math.max(most, ...items.map(({ parts }) => sum(parts.filter((part) => part > 0))));
  const scale = high / (below + above);
  const [line, step] = [base - below * scale, w / items.length];
  const wide = Math.min(88, step * 0.64);
  items.forEach(({ key, parts, amount, text, word, on, press, said }, j) => {
    const [left, middle] = [x + step * (j + 0.5) - wide / 2, x + step * (j + 0.5)];
    const bare = !parts.some(Boolean);
    const top = bare ? line - amount * scale : stack(m, key, parts, { x: left, w: wide, base: line, scale, o: on ? 1 : 0.45 });
    m[`z${key}`] = { as: "rect", z: 0, x: left, y: Math.min(top, line - 2), w: wide, h: bare ? Math.max(2, amount * scale) : 2, r: 1, fill: bare && amount ? SOFT : RULE, o: bare && amount && !on ? 0.45 : 1 };
    m[`n${key}`] = words(middle, Math.min(top, line) - 8, size, text, INK, { anchor: "middle", look: "sans strong" });
    m[`w${j}`] = words(middle, base + size * 1.4, size, word, on ? INK : SOFT, { anchor: "middle", look: on ? "strong" : "" });
    m[`h${key}`] = pressed(press, { x: x + step * j + 2, y: base - high - 26, w: step - 4, h: high + 28 + size * 1.8 }, said, { on, stop: on });
  });
}

/**
 * A table of numbers, which can be pressed: each cell has the hues of its parts, as strong as its share of the most.
 * `item(i, j)` gives what `bars` takes.
 */
export function table(m, { rows, columns, item, x, y, c, size, most, o = 1, late = () => 0, tell = true }) {
  const side = c - (c > 40 ? 4 : 2);
  for (const i of range(rows))
    for (const j of range(columns)) {
      const { key, parts, amount, text, on, press, said, stop = on } = item(i, j);
      const place = { x: x + j * c, y: y + i * c, w: side, h: side };
      const whole = sum(parts.map(Math.abs));
      const shade = { o: o * (whole ? 0.14 + 0.5 * Math.sqrt(Math.abs(amount) / most) : 0), late: late(i) };
      m[`z${key}`] = { as: "rect", z: 0, ...place, r: 3, fill: CELL, o, late: late(i) };
      let top = place.y + side;
      parts.forEach((part, e) => {
        if (!part) return;
        const h = (side * Math.abs(part)) / whole;
        top -= h;
        m[`s${key}.${e}`] = { as: "rect", x: place.x, y: top, w: side, h, r: 3, fill: HUES[e], look: part < 0 ? "less" : "", ...shade };
      });
      m[`n${key}`] = words(place.x + side / 2, place.y + side / 2 + size * 0.36, size, text, INK, { anchor: "middle", look: on ? "sans strong" : "sans", o, late: late(i) });
      if (tell) m[`h${key}`] = pressed(press, { ...place, w: c, h: c }, said, { on, stop });
      if (on) m.ring = ring(place, INK, o);
    }
}

/** A frame around something that is chosen. */
export const ring = ({ x, y, w, h }, stroke, o = 1, out = 1) => ({ as: "rect", z: 2, x: x - out, y: y - out, w: w + 2 * out, h: h + 2 * out, r: 5, fill: "none", stroke, sw: 2.5, o });

/** The words beside the rows of a table, and above its columns. */
export function names(m, list, { rows, columns, c, size, asks, asked, o = 1, late = () => 0 }) {
  list.forEach((word, k) => {
    const middle = k * c + c / 2;
    m[`r${k}`] = words(rows.x, rows.y + middle + size * 0.3, size, word, k === asks ? ASKS : SOFT, { anchor: "end", look: k === asks ? "strong" : "", o, late: late(k) });
    m[`w${k}`] = words(columns.x + middle - 2, columns.y, Math.min(size, c * 0.4), word, k === asked ? INK : SOFT, { anchor: "middle", look: k === asked && c > 30 ? "strong" : "" });
  });
}

/** Move things that have a middle, `x`, and half a width apart until none touches another, between two edges. */
export function apart(near, left, right) {
  for (const _ of range(60))
    near.forEach((one, k) => {
      const gap = k ? near[k - 1].x + near[k - 1].half + one.half - one.x : 0;
      if (gap > 0) [near[k - 1].x, one.x] = [near[k - 1].x - gap / 2, one.x + gap / 2];
      one.x = clamp(one.x, left + one.half, right - one.half);
    });
  return near;
}

/** One line that is cut into shares, each with its word and its share below or above; words that would touch move apart. */
export function whole(m, items, { x, y, w, thick, size, above = false }) {
  let left = x;
  const middles = items.map(({ amount }) => (left += amount * w) - (amount * w) / 2);
  const near = apart(items.map(({ word }, j) => ({ x: middles[j], half: width(word, size) / 2 + 8 })), x - 8, x + w + 8);
  items.forEach(({ key, parts, amount, text, word, on, press, said }, j) => {
    const place = { x: middles[j] - (amount * w) / 2, w: Math.max(1, amount * w - 2) };
    const total = sum(parts);
    if (total) stack(m, key, parts, { ...place, base: y + thick, scale: thick / total, o: on ? 1 : 0.45 });
    m[`z${key}`] = { as: "rect", z: 0, ...place, y, h: thick, r: 2, fill: total ? RULE : SOFT, o: total || on ? 1 : 0.45 };
    const under = above ? y - size * 2.8 : y + thick + size * 2.6;
    const lead = above ? [y - 5, under + size * 1.4] : [y + thick + 5, under - size - 3];
    m[`lead${j}`] = rule(middles[j], lead[0], near[j].x, lead[1], { stroke: SOFT, o: 0.6 });
    m[`w${j}`] = words(near[j].x, under, size, word, on ? INK : SOFT, { anchor: "middle", look: on ? "strong" : "" });
    m[`n${key}`] = words(near[j].x, under + size * 1.25, Math.max(12, size * 0.9), text, INK, { anchor: "middle", look: "sans strong" });
    const [top, foot] = above ? [under - size, y + thick] : [y, under + size * 1.6];
    m[`h${key}`] = pressed(press, { x: near[j].x - near[j].half + 1, y: top, w: 2 * near[j].half - 2, h: foot - top }, said, { on, stop: on });
  });
  m.ring = ring({ x, y, w: w - 2, h: thick }, INK, 1, 4);
}

/** Where one word looks: from each word a ribbon to one place, as wide as its share. */
export function ribbons(m, { shares, from, to, widest, hues, fill, bend, o = 1 }) {
  shares.forEach((share, k) => {
    const w = Math.max(1, share * widest);
    const hue = hues(k); // of one that counts
    const [stroke, shown] = hue ? [hue, 0.92] : [SOFT, mix(0.25, 0.6, share)];
    m[`ribbon${k}`] = { as: "ribbon", x0: from[k].x, y0: from[k].y, x: to.x, y: to.y, w, stroke, o: o * shown, bend: bend?.(k) };
  });
  m.end = { as: "circle", x: to.x, y: to.y, r: widest / 2 + 1, fill, o };
}

/** A line with a handle, and what lies behind the handle in ink. */
export function rail(m, { x, y, w, at, hold, said, value, still }) {
  const place = x + w * at;
  m.rail = rule(x, y, x + w, y, { sw: 4 });
  m.railed = rule(x, y, place, y, { z: 1, stroke: INK, sw: 4 });
  m.knob = { as: "circle", z: 2, x: place, y, r: 13, fill: INK };
  if (!still) m.handle = handle(hold, place, y, 24, INK, said, value, { o: 0.02 });
  return place;
}

/** A training to be dragged: its loss as a curve, above a line with a handle. One that still runs has `count` in the end. */
export function scrubber(m, { losses, count = losses.length, high, ...line }) {
  const [{ x, y, w }, most] = [line, Math.max(...losses)];
  const points = losses.map((loss, k) => [x + (w * k) / (count - 1), y - 56 - (high * loss) / most]);
  const place = rail(m, line);
  const gone = points.filter(([left]) => left <= place + 0.01);
  m.loss = { as: "curve", points, stroke: SOFT, sw: 2.5, o: 0.45 };
  m.gone = { as: "curve", points: gone, stroke: INK, sw: 2.5 };
}

