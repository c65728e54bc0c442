// The picture: arcs say who is asked, ribbons what is brought, the line where the word ends up. Each
// is drawn from a frame of numbers, so that a change can pass through the frames between.

const path = (way, width, more) => `<path d="${way}" stroke-width="${width.toFixed(2)}" ${more}/>`;
const s = (x) => x.toFixed(1);
export const BELOW = 50; // pixels of the row of words
const LOW = 44; // from the line to the bottom

/** Where things are: what lies side by side is as far apart as the frame is wide, as in toy/picture.py. */
export const geometry = ({ W, H }) => ({ thick: W / 17, y: H - LOW, at: (place) => W * (0.5 + 0.41 * place) });

/** Arcs above the words, from the one that asks to all, as wide as their shares. */
export function arcs(frame) {
  const { x, w, asks, up, blocked } = frame;
  const { thick } = geometry(frame);
  const wide = (j) => Math.max(thick * w[j], 0.8);
  const others = x.map((_, j) => j).filter((j) => j !== asks);
  // They end side by side: the nearest outside, so that none cross.
  const order = [...others.filter((j) => j < asks).reverse(), ...others.filter((j) => j > asks).reverse()];
  const sum = order.reduce((total, j) => total + wide(j), 0);
  const span = Math.max(...x) - Math.min(...x);
  const own = wide(asks);
  const legs = own > 0.9 ? 1.3 * own + thick / 3 : 0; // how far apart those of the arc to itself are: it stays open
  let end = x[asks] - (sum + own + legs) / 2;
  let drawn = "";
  const draw = (from, to, rise, j) => {
    const high = up * (1 - rise);
    drawn += path(`M${s(from)} ${up + 3}C${s(from)} ${s(high)} ${s(to)} ${s(high)} ${s(to)} ${up + 3}`, wide(j), blocked?.[j] ? 'class="blocked"' : "");
  };
  for (const j of order) {
    draw(x[j], end + wide(j) / 2, 0.34 + (0.88 * Math.abs(x[j] - x[asks])) / span, j);
    end += wide(j);
  }
  if (legs) draw(end + own / 2, end + own / 2 + legs, 0.2 + 0.35 * w[asks], asks);
  return `<g class="toy-arcs">${drawn}</g>`;
}

/** The words, which are buttons on the screen, as a part of the picture. */
export function onPaper({ x, asks, up }, row) {
  const size = getComputedStyle(row.firstElementChild).fontSize;
  const words = [...row.children].map((word, j) => {
    const below = `<tspan x="${s(x[j])}" y="${up + 52}">${word.lastChild.textContent}</tspan>`;
    return `<text x="${s(x[j])}" y="${up + 36}" class="${j === asks ? "bold" : ""}">${word.firstChild.textContent}${below}</text>`;
  });
  return `<g class="toy-on-paper" font-size="${size}">${words.join("")}</g>`;
}

/** Ribbons from the words down to the line: the hue says what is brought, the width how much. */
export function ribbons(frame) {
  const { x, w, up, hues, blocked, hasNumbers } = frame;
  const { thick, y, at } = geometry(frame);
  const top = up + BELOW + (hasNumbers ? 10 : -4);
  const middle = (top + y - 16) / 2;
  let land = at(frame.line[1]) - w.reduce((sum, share) => sum + (thick * share) / 2, 0);
  let drawn = "";
  x.forEach((from, j) => {
    const wide = thick * w[j];
    const to = land + wide / 2;
    land += wide;
    if (blocked?.[j]) return;
    const way = `M${s(from)} ${s(top)}C${s(from)} ${s(middle)} ${s(to)} ${s(middle)} ${s(to)} ${s(y - 16)}`;
    drawn += path(way, Math.max(wide, 0.6), `class="${hues[j]}"`);
  });
  return `<g class="toy-ribbons">${drawn}</g>`;
}

/** The line from one meaning to the other. */
function scale(frame) {
  const { poles, W } = frame;
  const { y } = geometry(frame);
  const [left, right] = [0.01 * W, 0.99 * W];
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
  const { y, at } = geometry(frame);
  const { name, line: [, place] } = frame;
  const wide = 22 + name.length * 11;
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
