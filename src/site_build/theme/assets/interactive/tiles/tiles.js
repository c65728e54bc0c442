// Tiles that are swept over a table, what is held on the way, and the same to scale.
import { figure } from "../hand.js";
import { box, ease, empty, group, hatched, inWords, listed, mark, mix, quoted, said, text, two, within } from "../marks.js";
import { sweep } from "./sweep.js";

const wordsOf = ({ adjective }) => ["the", "duck", "likes", "the", adjective, "bank"];
const named = (words) =>
  words.length < 3 ? listed(words.map(quoted)) : `${quoted(words[0])} to ${quoted(words.at(-1))}`;
const bytes = (count) =>
  count >= 1e9 ? `${(count / 1e9).toFixed(1)} GB` : count >= 1e6 ? `${(count / 1e6).toFixed(1)} MB` : `${Math.round(count / 1e3)} KB`;
const long = ({ words }) => Math.round(2 ** words);

export default figure("tiles", ({ vectors, kernel }) => {
  const [side, each] = kernel.values; // of a tile of a GPU, and the bytes of a score
  const kept = new Map();
  const run = ({ adjective, size, causal }) => {
    const name = [adjective, size, causal].join();
    if (!kept.has(name)) {
      const rows = wordsOf({ adjective }).map((word) => vectors.values[vectors.rows.indexOf(word)]);
      kept.set(name, sweep(rows, size, causal === 1));
    }
    return kept.get(name);
  };
  const tilesInAll = ({ size }) => Math.ceil(6 / size) ** 2;
  const leftOut = (state) => tilesInAll(state) - run(state).length;
  const most = (state) => Math.max(...run(state).map(({ scores }) => scores.length * scores[0].length));

  return {
    defaults: { size: 2, causal: 0, adjective: "muddy", words: 11 },
    axis: "tile",
    steps: (state) => run(state).length,
    best: (state) => run(state).length - 1,
    keep: ["words", "adjective"],
    pace: ({ size }) => (size === 1 ? 250 : 650),
    where: (state, t) => (t ? `tile ${t} of ${run(state).length}` : `${run(state).length} tiles`),
    choices: [
      { name: "size", label: "Tile", options: [[1, "1"], [2, "2"], [3, "3"], [4, "4"], [6, "6"]] },
      { name: "causal", label: "Each token sees", options: [[0, "all"], [1, "itself and back"]] },
      { name: "adjective", label: "The bank is", options: [["muddy", "muddy"], ["rich", "rich"]] },
      { name: "words", label: "To scale", range: [7, 16.61, 0.01], format: (_, state) => `${said(long(state))} tokens` },
    ],
    height: { wide: 470, narrow: 380 },
    draw,
    say,
    bet: {
      shows: { size: 2, causal: 1 },
      truth: (state) => String(leftOut(state)),
      answer: (state, right) =>
        right
          ? "Those on the diagonal are computed whole."
          : `Count the hatched tiles: ${inWords(leftOut(state))}. Those on the diagonal are computed whole.`,
    },
  };

  function say(state, t) {
    const tiles = run(state);
    const words = wordsOf(state);
    if (!t)
      return state.causal
        ? `${leftOut(state)} of ${tilesInAll(state)} tiles have no pair that may meet. They are left out.`
        : `36 scores. The fast memory never holds more than <b>${most(state)}</b>.`;
    const { rows, columns, held } = tiles[t - 1];
    if (t === tiles.length) {
      const [water, money] = held.at(-1).context;
      return `Done: “bank” has ${two(water)} water and ${two(money)} money, as from the whole table. Never more than <b>${most(state)}</b> of 36 scores were held.`;
    }
    const before = beforeIn(tiles, t - 1);
    const larger = words.slice(...rows).filter((_, i) => before && held[i].max > before.held[i].max);
    const meet = `${named(words.slice(...rows))} ${rows[1] - rows[0] > 1 ? "meet" : "meets"} ${named(words.slice(...columns))}.`;
    return larger.length ? `${meet} A larger score for ${named(larger)}: what was there <b>shrinks</b>.` : meet;
  }

  function draw(svg, state, t, { width, narrow }) {
    const words = wordsOf(state);
    const tiles = run(state);
    const [left, cell, top] = narrow ? [46, 25, 44] : [66, 43, 42];
    const x = (column) => left + column * cell;
    const y = (row) => top + row * cell;
    const small = narrow ? "least" : "small";
    // At 2.4, the third tile is on its way, and four tenths of it are done.
    const now = Math.ceil(t) - 1;
    const share = t - now;
    const tile = tiles[now];
    const before = tile && beforeIn(tiles, now);
    const arrived = ease(within(share * 2 - 0.6, 0, 1));

    if (tile) lit(now ? tiles[now - 1] : tile);
    const names = narrow ? words.map((_, i) => (i % 2 ? 14 : 0)) : words.map(() => 0); // in two lines on a phone
    words.forEach((word, i) => {
      svg.append(text(x(i + 0.5), top - 9 - names[i], word, `${small} middle`));
      svg.append(text(left - 7, y(i + 0.5) + 5, word, `${small} end`));
    });
    for (let row = 0; row < 6; row += state.size) for (let column = 0; column < 6; column += state.size) place(row, column);
    if (tile) held(tile);
    carried();
    toScale();

    /** The bands of rows and columns, on their way from the tile before. */
    function lit(from) {
      const along = ease(within(share * 1.6, 0, 1));
      const [r0, r1, c0, c1] = [0, 1, 2, 3].map((i) =>
        mix([...from.rows, ...from.columns][i], [...tile.rows, ...tile.columns][i], along),
      );
      svg.append(box(0, y(r0), width, (r1 - r0) * cell, { fill: "now-soft", rx: 6 }));
      svg.append(box(x(c0), top - (narrow ? 38 : 26), (c1 - c0) * cell, y(6) - top + (narrow ? 38 : 26), { fill: "now-soft", rx: 6 }));
    }

    /** The place of a tile: to come, done, or never computed. */
    function place(row, column) {
      const at = tiles.findIndex(({ rows, columns }) => rows[0] === row && columns[0] === column);
      const [right, below] = [Math.min(6, column + state.size), Math.min(6, row + state.size)];
      const look = at < 0 ? hatched : at > now ? empty : { fill: "none", stroke: "edge" };
      svg.append(box(x(column) + 1.5, y(row) + 1.5, (right - column) * cell - 3, (below - row) * cell - 3, { rx: 4, ...look }));
      if (at >= 0 && at < now) svg.append(text(x((column + right) / 2), y((row + below) / 2) + 5, at + 1, "least quiet middle"));
    }

    /** The scores of the tile that is in memory. */
    function held({ rows: [top], columns: [left], scores }) {
      const cells = scores.flatMap((row, i) =>
        row.map((score, j) => {
          const hidden = score === -Infinity;
          const ground = box(x(left + j) + 2, y(top + i) + 2, cell - 4, cell - 4, { rx: 4, fill: "ground" });
          const shade = { fill: hidden ? "hatched" : "ink", "fill-opacity": hidden ? 1 : 0.04 + 0.3 * Math.min(1, score / 12) };
          const look = { rx: 4, stroke: "now", "stroke-width": 1.6, ...shade };
          return [
            ground,
            box(x(left + j) + 2, y(top + i) + 2, cell - 4, cell - 4, look),
            hidden ? [] : text(x(left + j + 0.5), y(top + i + 0.5) + 5, score, `${narrow ? "least" : ""} middle`),
          ].flat();
        }),
      );
      svg.append(group({ opacity: arrived }, cells.flat()));
    }

    /** What each row carries on: the maximum, the sum with what is new in it, and the context. */
    function carried() {
      const start = x(6) + (narrow ? 4 : 12);
      const [max, sum, context] = narrow ? [start + 10, start + 24, start + 64] : [start + 20, start + 50, start + 128];
      const [unit, long] = narrow ? [11, (width - context - 2) / 3] : [22, (width - context - 44) / 3];
      const head = top - 9;
      svg.append(text(max, head, "max", "least quiet middle"), text(sum, head - (narrow ? 14 : 0), "sum", "least quiet"));
      svg.append(narrow ? text(width, head, "context", "least quiet end") : text(context, head, "context so far", "least quiet"));
      words.forEach((_, i) => {
        const middle = y(i + 0.5);
        const inTile = tile && i >= tile.rows[0] && i < tile.rows[1];
        const row = inTile ? tile.held[i - tile.rows[0]] : lastOf(tiles, now, i);
        if (!row) return;
        const was = inTile && before?.held[i - tile.rows[0]];
        const shown = inTile && arrived < 0.5 ? was : row;
        if (shown) {
          const grew = inTile && was && shown === row && row.max > was.max;
          svg.append(text(max, middle + 5, shown.max, `${small} middle${grew ? " now bold" : ""}`));
          svg.append(text(sum, middle - (narrow ? 1.5 : 1), two(shown.sum), "least"));
        }
        const old = inTile ? mix(was ? was.sum : 0, row.kept, ease(within(share * 2, 0, 1))) : row.sum;
        const added = inTile ? (row.sum - row.kept) * arrived : 0;
        svg.append(box(sum, middle + (narrow ? 3 : 5), old * unit, narrow ? 5 : 6, { fill: "faint" }));
        svg.append(box(sum + old * unit, middle + (narrow ? 3 : 5), added * unit, narrow ? 5 : 6, { fill: "now" }));
        ["water", "money"].forEach((hue, c) => {
          const amount = mix(was ? was.context[c] : 0, row.context[c], inTile ? arrived : 1);
          const foot = middle + (c ? 3 : -11);
          svg.append(box(context, foot, Math.max(amount * long, amount > 0.005 ? 1.5 : 0), 9, { rx: 2, fill: hue }));
          if (!narrow && shown) svg.append(text(context + amount * long + 5, foot + 9, two(shown.context[c]), `least ${hue}`));
        });
      });
    }

    /** A table of a long text, and a tile of it: areas are memory. */
    function toScale() {
      const count = long(state);
      const [below, size] = [y(6) + 40, narrow ? 140 : 126];
      svg.append(text(narrow ? 0 : left, below - 12, `The same to scale: ${said(count)} tokens`, narrow ? "small bold" : "bold"));
      const from = narrow ? 0 : left;
      const small = Math.max((size * side) / count, 1.2);
      svg.append(box(from, below, size, size, { rx: 2, fill: "soft", stroke: "edge" }));
      const inRow = Math.ceil(count / side);
      const at = Math.min(inRow ** 2 - 1, Math.floor((t / tiles.length) * inRow ** 2));
      const [tx, ty] = [at % inRow, Math.floor(at / inRow)].map((place) => Math.min(size - small, place * small));
      svg.append(box(from, below + ty, size, small, { fill: "now-soft" }), box(from + tx, below, small, size, { fill: "now-soft" }));
      svg.append(box(from + tx, below + ty, small, small, { fill: "now" }));
      if (small < 7) {
        const ring = { cx: from + tx + small / 2, cy: below + ty + small / 2, r: 9, fill: "none", stroke: "now", "stroke-width": 2 };
        svg.append(mark("circle", ring));
      }
      const beside = from + size + 18;
      svg.append(text(beside, below + 22, `the table: ${bytes(count ** 2 * each)}`, narrow ? "small" : ""));
      svg.append(text(beside, below + 48, `a tile: ${bytes(side ** 2 * each)}`, `now bold${narrow ? " small" : ""}`));
      svg.append(text(beside, below + 76, `${side} by ${side}, ${each * 8} bits`, "least quiet"));
      svg.append(text(beside, below + 94, "a score, in one head", "least quiet"));
    }
  }
});

/** The tile before in the same rows. */
const beforeIn = (tiles, at) => (tiles[at - 1]?.rows[0] === tiles[at].rows[0] ? tiles[at - 1] : undefined);

/** What a row has at a tile of other rows. */
function lastOf(tiles, at, row) {
  const last = tiles.slice(0, at + 1).findLast(({ rows }) => row >= rows[0] && row < rows[1]);
  return last?.held[row - last.rows[0]];
}
