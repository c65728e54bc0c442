// The picture: arcs say who is asked, ribbons what is brought, the line where the word ends up. Each
// is drawn from a frame of numbers, so that a change can pass through the frames between.

const path = (way, width, more) => `<path d="${way}" stroke-width="${width.toFixed(2)}" ${more}/>`;
const s = (x) => x.toFixed(1);
export const BELOW = 50; // pixels of the row of words
const LOW = 44; // from the line to the bottom

/** Where things are, from the frame's size: a phone has thinner arcs. */
export function geometry({ W, H }) {
  const isPhone = W < 600;
  const room = Math.min(W / 2 - 8, 400);
  return {
    isPhone,
    thick: isPhone ? 26 : 44,
    y: H - LOW,
    ends: [W / 2 - room, W / 2 + room],
    at: (place) => W / 2 + place * (room - 36),
  };
}

/** Arcs above the words, from the one that asks to all, as wide as their shares. */
export function arcs(frame) {
  const { x, w, asks, up, blocked } = frame;
  const { thick, isPhone } = geometry(frame);
  const wide = (j) => Math.max(thick * w[j], 0.8);
  const others = x.map((_, j) => j).filter((j) => j !== asks);
  // They end side by side: the nearest outside, so that none cross.
  const order = [...others.filter((j) => j < asks).reverse(), ...others.filter((j) => j > asks).reverse()];
  const sum = order.reduce((total, j) => total + wide(j), 0);
  const span = Math.max(...x) - Math.min(...x);
  let end = x[asks] - sum / 2;
  let drawn = "";
  for (const j of order) {
    const to = end + wide(j) / 2;
    end += wide(j);
    const high = up - (up - 8) * (0.28 + (0.72 * Math.abs(x[j] - x[asks])) / span) * 1.28;
    const way = `M${s(x[j])} ${up + 3}C${s(x[j])} ${s(high)} ${s(to)} ${s(high)} ${s(to)} ${up + 3}`;
    drawn += path(way, wide(j), blocked?.[j] ? 'class="blocked"' : "");
  }
  if (wide(asks) > 0.9) {
    const from = x[asks] + sum / 2 + wide(asks) / 2 + 2;
    const gap = Math.max(17, wide(asks) + 4);
    const high = up - (isPhone ? 30 : 52);
    drawn += path(`M${s(from)} ${up + 3}C${s(from)} ${high} ${s(from + gap)} ${high} ${s(from + gap)} ${up + 3}`, wide(asks), "");
  }
  return `<g class="toy-arcs">${drawn}</g>`;
}

/** The words, which are buttons on the screen, as a part of the picture. */
export function onPaper({ x, asks, up }, row) {
  const words = [...row.children].map((word, j) => {
    const size = `font-size:${getComputedStyle(word).fontSize};font-weight:${j === asks ? 700 : 400}`;
    return `<text x="${s(x[j])}" y="${up + 36}" style="${size}">${word.firstChild.textContent}</text>`;
  });
  return `<g class="toy-on-paper">${words.join("")}</g>`;
}

/** Ribbons from the words down to the line: the hue says what is brought, the width how much. */
export function ribbons(frame) {
  const { x, w, up, hues, drop, blocked, hasNumbers } = frame;
  const { thick, y, at, isPhone } = geometry(frame);
  const top = up + BELOW + (hasNumbers ? 10 : -4);
  const middle = (top + y - 16) / 2;
  let land = at(frame.line[1]) - w.reduce((sum, share) => sum + (thick * share) / 2, 0);
  let drawn = "";
  let drops = "";
  x.forEach((from, j) => {
    const wide = thick * w[j];
    const to = land + wide / 2;
    land += wide;
    if (blocked?.[j]) return;
    const way = `M${s(from)} ${s(top)}C${s(from)} ${s(middle)} ${s(to)} ${s(middle)} ${s(to)} ${s(y - 16)}`;
    drawn += path(way, Math.max(wide, 0.6), `class="${hues[j]}"`);
    const count = drop ? Math.round(w[j] * 14) : 0;
    for (let k = 0; k < count; k++) {
      const t = drop * 1.9 - ((k + 0.5) / count) * 0.9;
      if (t <= 0 || t >= 1) continue;
      const [u, v] = [1 - t * t, t * t];
      const [near, far] = [u * u * u + 3 * u * u * v, 3 * u * v * v + v * v * v];
      const [cx, cy] = [near * from + far * to, u * u * u * top + 3 * u * v * middle + v * v * v * (y - 16)];
      drops += `<circle cx="${s(cx)}" cy="${s(cy)}" r="${isPhone ? 3.2 : 4.5}" class="${hues[j]}"/>`;
    }
  });
  return `<g class="toy-ribbons">${drawn}</g>${drops}`;
}

/** The line from one meaning to the other. */
export function scale(frame) {
  const { poles } = frame;
  const { y, ends: [left, right] } = geometry(frame);
  const pole = (name, x, side) => `<text class="toy-pole ${name} ${side}" x="${s(x)}" y="${y + 37}">${name.toUpperCase()}</text>`;
  return (
    `<defs><linearGradient id="${frame.id}"><stop class="${poles[0]}"/><stop offset=".5" class="none"/>` +
    `<stop offset="1" class="${poles[1]}"/></linearGradient></defs>` +
    `<rect x="${s(left)}" y="${y - 3}" width="${s(right - left)}" height="6" rx="3" fill="url(#${frame.id})"/>` +
    pole(poles[0], left, "start") + pole(poles[1], right, "end")
  );
}

/** The meaning of a place on the line: the middle has none. */
export const hueAt = ({ poles }, place) => (Math.abs(place) < 1 / 6 ? "none" : poles[+(place > 0)]);

/** The word that asks, as a pill on the line. */
function pill(frame) {
  const { y, at, isPhone } = geometry(frame);
  const { name, line: [, place] } = frame;
  const wide = 22 + name.length * (isPhone ? 10 : 12);
  return (
    `<g class="toy-pill chosen ${hueAt(frame, place)}"><rect x="${s(at(place) - wide / 2)}" y="${y - 17}" width="${s(wide)}" height="34" rx="17"/>` +
    `<text x="${s(at(place))}" y="${y + 6}">${name}</text></g>`
  );
}

/** The line, a ring where the word began, and the word where it is now. */
export function line(frame) {
  const { y, at } = geometry(frame);
  const ring = `<circle class="toy-began" cx="${s(at(frame.line[0]))}" cy="${y}" r="7"/>`;
  return scale(frame) + ring + pill(frame);
}
