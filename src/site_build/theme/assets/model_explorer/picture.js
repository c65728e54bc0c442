// The lines of the drawing: a stream for each word, and ribbons from the words to the one that asks.

export const LANES = 64; // how high the lanes of two heads are, in pixels, and that of one
export const LANE = 44;
const RIBBON = 17; // how wide the ribbon of a whole is, on a wide page
const ENDS = 10; // below its lanes, a ribbon has come to the stream

/** Where things stand in a drawing of a width with a number of words. */
export function frame(W, n) {
  const isNarrow = W < 560;
  return { W, n, isNarrow, side: isNarrow ? 7 : 11, x: (j) => ((j + 0.5) * W) / n };
}

const s = (number) => number.toFixed(1);
export const svg = (W, high, content, more = `data-style="height:${high}px"`) =>
  `<svg viewBox="0 0 ${s(W)} ${high}" preserveAspectRatio="none" aria-hidden="true" ${more}>${content}</svg>`;

/** A line in grey, and in it, in colour, the part that would be different in the other text. */
function line(kind, d, wide, changed) {
  const grey = `<path class="${kind}" d="${d}" data-style="--wide:${wide.toFixed(2)}"/>`;
  const core = wide * changed;
  return core < 0.4 ? grey : `${grey}<path class="${kind} core" d="${d}" data-style="--wide:${core.toFixed(2)}"/>`;
}

/** The streams at a level, through a block of any height: as wide as their vectors are long. */
export function streams(drawn, level, f) {
  const lines = drawn.levels[level].map(({ size, changed }, j) =>
    line("stream", `M${s(f.x(j))} 0V1`, Math.max(1, size), changed),
  );
  return svg(f.W, 1, lines.join(""), 'class="whole-streams"');
}

/** The way of a ribbon: along its lane, and down beside the stream of the one that asks. */
function way(j, at, y, end, side, f) {
  const [from, to] = [f.x(j), f.x(at) + side];
  const r = Math.min(16, Math.abs(to - from) / 2);
  if (j === at) {
    const out = f.x(at) - f.side * 2;
    return `M${s(f.x(at))} ${s(y - r)}C${s(out)} ${s(y - r)} ${s(out)} ${s(y + r)} ${s(to)} ${s(end - ENDS)}T${s(f.x(at))} ${s(end)}`;
  }
  const turn = Math.sign(to - from) * r;
  return `M${s(from)} ${s(y - r)}Q${s(from)} ${s(y)} ${s(from + turn)} ${s(y)}H${s(to - turn)}Q${s(to)} ${s(y)} ${s(to)} ${s(y + r)}V${s(end - ENDS)}Q${s(to)} ${s(end - 2)} ${s(f.x(at))} ${s(end)}`;
}

/** What a head brings to the word that asks: a ribbon for each weight, as wide as the weight. */
export function ribbons(drawn, layer, h, y, end, f, isPulsing) {
  const head = drawn.heads[layer][h];
  const side = f.side * (h ? -1 : 1);
  const name = `${layer}.${h}`;
  const order = [...head.weights.keys()].sort((i, j) => head.weights[i] - head.weights[j]); // the widest in front
  const lines = order.map((j) => {
    const weight = head.weights[j];
    if (weight < 0.004) return "";
    const d = way(j, drawn.at, y, end, side, f);
    const drop = isPulsing && j === head.lit ? `<path class="pulse" d="${d}" pathLength="1"/>` : "";
    return line("ribbon", d, Math.max(0.8, weight * RIBBON), head.changed[j]) + drop;
  });
  const kind = [drawn.off.has(name) && "off", head.lit === undefined && "rests"].filter(Boolean).join(" ");
  return `<g class="${kind}">${lines.join("")}</g>`;
}

/** The lanes of the heads of a block, those that bring nothing of the followed word behind the others. */
export function lanes(drawn, layer, f, isPulsing) {
  const order = drawn.heads[layer].map((_, h) => h).sort((g, h) => (drawn.heads[layer][g].lit !== undefined) - (drawn.heads[layer][h].lit !== undefined));
  const drawnLanes = order.map((h) => ribbons(drawn, layer, h, 17 + 26 * h, LANES + ENDS, f, isPulsing));
  return svg(f.W, LANES, drawnLanes.join(""));
}

/** The lane of one head. */
export const lane = (drawn, layer, h, f, isPulsing) => svg(f.W, LANE, ribbons(drawn, layer, h, 20, LANE + ENDS, f, isPulsing));

/** Signed bars of some numbers around a middle line. */
export function bars(numbers, x, y, wide, high, largest) {
  const step = wide / numbers.length;
  const all = Array.from(numbers, (number, e) => {
    const tall = Math.min(1, Math.abs(number) / largest) * high;
    return `<rect class="cell" x="${s(x - wide / 2 + e * step + 0.3)}" y="${s(number < 0 ? y : y - tall)}" width="${s(Math.max(0.8, step - 0.6))}" height="${s(Math.max(0.4, tall))}"/>`;
  });
  return `<path class="axis" d="M${s(x - wide / 2)} ${s(y)}h${s(wide)}"/>${all.join("")}`;
}

/** The neurons of each word: darker where they fire more, coloured where they would fire otherwise. */
export function neurons(drawn, layer, high, f) {
  const across = f.isNarrow ? 4 : 8;
  const { hidden } = drawn.now.layers[layer];
  const twin = drawn.twin.layers[layer].hidden;
  const boxes = hidden.map((fires, j) => {
    const wide = Math.min(f.W / f.n - 3, 46);
    const c = Math.min((wide - 4) / across, (high - 4) / (fires.length / across));
    const [x0, y0] = [f.x(j) - (c * across) / 2, (high - (c * fires.length) / across) / 2];
    const dots = Array.from(fires, (fire, n) =>
      fire < 0.05 ? "" : `<rect class="neuron ${Math.abs(fire - twin[j][n]) > 0.5 ? "core" : ""}" x="${s(x0 + (n % across) * c)}" y="${s(y0 + Math.floor(n / across) * c)}" width="${s(c - 1)}" height="${s(c - 1)}" opacity="${Math.min(1, 0.15 + fire / 2.5).toFixed(2)}"/>`,
    );
    const box = `<rect class="box" x="${s(f.x(j) - wide / 2)}" y="0.5" width="${s(wide)}" height="${high - 1}" rx="4"/>`;
    return `<g class="${j === drawn.at ? "asks" : ""}">${box}${dots.join("")}</g>`;
  });
  return svg(f.W, high, boxes.join(""));
}
