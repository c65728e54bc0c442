// The one drawing of attention. Words stand on a line. Arcs above lead from the word that asks to those that
// it reads; ribbons below carry what their values bring, each in its hue. Both are as wide as the share. The
// pill between water and money is the context. Below each word is its card: the key and the value.
import { box, empty, group, hatched, mark, mix, path, range, sum, text } from "./marks.js";

const LETTER = 0.56; // how wide a letter is, in its size
const SIZES = [[20, "large"], [16, ""], [14, "small"], [13, "least"]]; // of letters, in units
const CARD = { wide: 24, high: 20 };
const FADED = { "stroke-opacity": 0.45 }; // arcs and ribbons may cross
export const LOOKS = {
  kept: { fill: "kept-soft", stroke: "kept" },
  now: { fill: "now-soft", stroke: "now" },
  gone: hatched,
  unread: { ...hatched, stroke: "kept" },
  empty,
};

/**
 * Where everything stands.
 *
 * @param size `width` of the drawing, and whether it is the `narrow` one
 * @param words of the text
 * @param up how high the arcs may rise
 */
export function geometry({ width, narrow }, words, up = narrow ? 104 : 150) {
  const count = words.length;
  const longest = Math.max(...words.map((word) => word.length));
  const gap = Math.min(96, (width - (narrow ? 64 : 80)) / (count - 1));
  const room = (rows) => (rows * gap - 6) / (LETTER * longest); // for the size of letters
  const rows = room(1) < 13 ? 2 : 1; // where they would be too small, every second word stands lower
  const [size, letters] = SIZES.find(([size]) => size <= Math.min(room(rows), narrow ? 16 : 20)) ?? SIZES.at(-1);
  const row = up + 8 + 12 * rows; // the top of the first row of words, below the shares
  const cards = row + 16 + 18 * rows;
  return {
    width, count, gap, rows, up, row, cards,
    size, letters,
    half: Math.min(gap / 2, (longest * size * LETTER) / 2 + 10), // of the room of a word
    thick: narrow ? 16 : 24, // of a share of 1
    line: cards + CARD.high + (narrow ? 92 : 104),
    x: (place) => width / 2 + (place - (count - 1) / 2) * gap,
    on: (place) => width / 2 + (place * (width - (narrow ? 88 : 160))) / 2,
  };
}

/** How high a drawing is. */
export const heightOf = (size, words, up) => geometry(size, words, up).line + 40;

/** Where a context lies between water (−1) and money (1). */
const placeOf = ([water, money]) => Math.max(-1, Math.min(1, (money - water) / 3));

/** What a vector has more of. */
const hueOf = ([water, money]) => (Math.abs(water - money) < 0.05 ? (water ? "quiet" : "edge") : water > money ? "water" : "money");

/**
 * Draw a frame.
 *
 * @param where from `geometry`
 * @param frame `words`; `asks`, the place of the one that asks; `reads`, whether it reads each; `shares`, what
 *   each gets; `values` and `context`, as [water, money]. And if there are: `cards`, how each looks (kept, now,
 *   unread, gone or empty); `would`, the shares that those not read would have; `was`, the context of the other choice;
 *   `seen`, from 0 to 1, how much the arcs are seen
 */
export function attend(svg, where, frame) {
  asking(svg, where, frame);
  svg.append(ribbons(where, frame), scale(where), ...pills(where, frame));
}

/** The upper half: who asks whom, and the cards. */
export const asking = (svg, where, frame) => svg.append(arcs(where, frame), ...names(where, frame), ...cards(where, frame));

/** A frame between those of two moments: the arcs give way to the next ones, what is brought glides. */
export function between(frameAt, t) {
  const [before, after, share] = [frameAt(Math.floor(t)), frameAt(Math.ceil(t)), t % 1];
  const glide = (from, to) => from.map((each, at) => mix(each, to[at], share));
  return {
    ...(share < 0.5 ? before : after),
    shares: glide(before.shares, after.shares),
    context: glide(before.context, after.context),
    seen: Math.abs(1 - 2 * share),
  };
}

/** Those that are read, and hollow those that are not and would have had a share. */
export function arcs({ x, up, thick, width, count }, { asks, reads, shares, would, seen = 1 }) {
  const places = range(count).filter((j) => j !== asks && (reads[j] || would?.[j] > 0.02));
  const wide = (j) => Math.max(1, thick * (reads[j] ? shares[j] : would[j]));
  const own = reads[asks] ? thick * shares[asks] : 0;
  const ring = own > 0.1 ? 12 + 2 * own : 0; // as wide as its share, and open
  const total = sum(places.map((j) => wide(j) + 1)) + ring;
  let end = Math.max(2, Math.min(x(asks) - total / 2, width - total - 2));
  const [solid, hollow] = [[], []];
  // They leave it side by side, the nearest outside, so that none cross.
  for (const j of [...places.filter((j) => j < asks).reverse(), null, ...places.filter((j) => j > asks).reverse()]) {
    if (j === null) {
      if (ring) solid.push(mark("circle", { cx: end + ring / 2, cy: up - ring / 2, r: 6 + own / 2, fill: "none", stroke: "ink", "stroke-width": own, ...FADED }));
      end += ring;
      continue;
    }
    const from = end + wide(j) / 2;
    const high = up * (1 - (0.3 + (0.95 * Math.abs(j - asks)) / (count - 1)));
    const way = curve(from, up, high, x(j), up, high);
    if (reads[j]) solid.push(path(way, { stroke: "ink", "stroke-width": wide(j), ...FADED }));
    else {
      hollow.push(path(way, { stroke: "edge", "stroke-width": wide(j) }));
      if (wide(j) > 3) hollow.push(path(way, { stroke: "ground", "stroke-width": wide(j) - 2 }));
    }
    end += wide(j) + 1;
  }
  return group({ class: "arcs", opacity: seen }, hollow, solid);
}

/** From each card to the line, where they end side by side below the context. */
function ribbons({ x, cards, thick, line, on, count }, { shares, values, context }) {
  const [top, foot] = [cards + CARD.high + 1, line - 16];
  const wide = (j) => Math.max(0.8, thick * shares[j]);
  const bring = range(count).filter((j) => shares[j] > 0.0005);
  let end = on(placeOf(context)) - sum(bring.map(wide)) / 2;
  return group(
    { class: "ribbons" },
    bring.map((j) => {
      end += wide(j);
      const middle = (top + foot) / 2;
      const way = curve(x(j), top, middle, end - wide(j) / 2, foot, middle);
      return path(way, { stroke: hueOf(values[j]), "stroke-width": wide(j), "stroke-opacity": 0.65 });
    }),
  );
}

function names({ x, rows, up, row, size, letters, count }, { words, asks, reads, shares, seen = 1 }) {
  return range(count).flatMap((j) => {
    const y = row + (rows > 1 && j % 2 ? 18 : 0);
    const wide = words[j].length * size * LETTER + 14;
    const share = reads[j] && shares[j] >= (rows > 1 ? 0.05 : 0.005) && seen === 1 ? `${(100 * shares[j]).toFixed(0)} %` : "";
    const look = j === asks ? "bold" : reads[j] ? "" : "quiet";
    return [
      ...(j === asks ? [box(x(j) - wide / 2, y, wide, 28, { rx: 6, fill: "now-soft", stroke: "now", "stroke-width": 1.5 })] : []),
      text(x(j), y + 20, words[j], `middle ${letters} ${look}`),
      ...(share ? [text(x(j), up + 14 + (rows > 1 && j % 2 ? 12 : 0), share, "middle least quiet")] : []),
    ];
  });
}

function cards({ x, cards: y, gap, count }, { cards: looks }) {
  const wide = Math.min(CARD.wide, gap - 5);
  return looks ? range(count).filter((j) => looks[j]).map((j) => box(x(j) - wide / 2, y, wide, CARD.high, { rx: 3, "stroke-width": 1.8, ...LOOKS[looks[j]] })) : [];
}

function scale({ line, on }) {
  const [left, right] = [on(-1) - 34, on(1) + 34];
  const part = (from, hue) => box(from, line - 3, (right - left) / 2, 6, { fill: hue, rx: 3, opacity: 0.75 });
  return group(
    {},
    part(left, "water"), part((left + right) / 2, "money"),
    text(left, line + 34, "WATER", "least bold water"), text(right, line + 34, "MONEY", "least bold money end"),
  );
}

/** The context as a pill on the line, and dashed where the other choice has it. */
function pills({ line, on }, { words, asks, context, was }) {
  const wide = words[asks].length * 9 + 28;
  const at = on(placeOf(context));
  const pill = (x, look) => box(x - wide / 2, line - 17, wide, 34, { rx: 17, "stroke-width": 2.5, ...look });
  return [
    ...(was ? [pill(on(placeOf(was)), { fill: "ground", stroke: "ink", "stroke-width": 1.5, "stroke-dasharray": "5 4" })] : []),
    pill(at, { fill: "ground", stroke: hueOf(context) }),
    text(at, line + 6, words[asks], "middle bold"),
  ];
}

const n = (number) => +number.toFixed(2);
/** A curve that leaves and arrives upright. */
const curve = (x1, y1, high1, x2, y2, high2) => `M${n(x1)} ${n(y1)}C${n(x1)} ${n(high1)} ${n(x2)} ${n(high2)} ${n(x2)} ${n(y2)}`;
