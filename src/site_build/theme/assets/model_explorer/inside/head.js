// Inside a head: query, keys, scores, weights, values, and what is added, in the words' own columns.
import { LANE, bars, ribbons } from "../picture.js";
import { percent, quoted, signed } from "../say.js";
import { label, row } from "./rows.js";

const largest = (...vectors) => Math.max(...vectors.flatMap((vector) => Array.from(vector, Math.abs)));

export function rows(whole, part) {
  const { drawn, frame: f, state } = whole;
  const { at, words } = drawn;
  const [layer, h] = part.split(".").map(Number);
  const head = drawn.now.layers[layer].heads[h];
  const look = state.look === undefined || state.look > at ? drawn.heads[layer][h].most : state.look;
  const [asks, found] = [quoted(words[at]), quoted(words[look])];
  const column = Math.min(f.W / f.n - 4, 44);
  const seen = words.slice(0, at + 1);
  const each = (draw) => seen.map((_, j) => `<g class="${j === look ? "look" : ""}" data-look="${j}">${draw(j)}</g>`).join("");
  // Words after the one that asks are hidden by the mask.
  const hidden = (high) => words.slice(at + 1).map((_, k) => `<rect class="hidden" x="${(f.x(at + 1 + k) - column / 2).toFixed(1)}" y="2" width="${column.toFixed(1)}" height="${high - 4}"/>`).join("");
  const most = largest(head.query[at], ...head.key.slice(0, at + 1));
  const size = (number) => (f.isNarrow ? signed(number, 0) : signed(number));
  const score = head.scores[at][look];
  const [top, share] = [largest(head.scores[at]), head.weights[at][look]];
  const wide = Math.min(110, f.W / 4);
  const beside = Math.min(f.W - wide / 2 - 2, Math.max(wide / 2 + 2, f.x(at) + (f.x(at) > f.W / 2 ? -1 : 1) * (wide / 2 + 16)));
  return [
    row(whole, "query", `<b>Query</b>: what ${asks} asks for, 8 numbers.`, 44, bars(head.query[at], f.x(at), 22, column, 20, most)),
    row(whole, "keys", "<b>Keys</b>: what each word can be found by, 8 numbers.", 44, each((j) => bars(head.key[j], f.x(j), 22, column, 20, most)) + hidden(44)),
    row(whole, "scores", `<b>Scores</b>: query times key is ${signed(score * Math.sqrt(head.query[at].length))} for ${found}, ÷ √8 = ${signed(score)}.`, 62,
      each((j) => {
        const number = head.scores[at][j];
        const high = (20 * Math.abs(number)) / top;
        return `<rect class="bar" data-score="${number}" x="${(f.x(j) - 6).toFixed(1)}" y="${(number < 0 ? 24 : 24 - high).toFixed(1)}" width="12" height="${Math.max(0.5, high).toFixed(1)}"/>${label(f.x(j), 58, size(number))}`;
      }) + hidden(62)),
    row(whole, "weights", `<b>Weights</b>: shares of 100 %. ${found} gets ${percent(share)}.`, 58,
      each((j) => {
        const weight = head.weights[at][j];
        const text = f.isNarrow ? Math.round(100 * weight) : weight < 0.005 ? "0" : percent(weight);
        return `<rect class="bar" x="${(f.x(j) - 7).toFixed(1)}" y="${(40 - 38 * weight).toFixed(1)}" width="14" height="${Math.max(0.5, 38 * weight).toFixed(1)}"/>${label(f.x(j), 54, text)}`;
      }) + hidden(58)),
    row(whole, "values", `<b>Values</b> flow to ${asks}, each by its weight.`, LANE, ribbons(drawn, layer, h, 20, LANE + 10, f)),
    row(whole, "added", `<b>Added</b> to ${asks}: 16 numbers.`, 44, bars(head.note[at], beside, 22, wide, 20, Math.max(0.5, largest(head.note[at])))),
  ].join("");
}
