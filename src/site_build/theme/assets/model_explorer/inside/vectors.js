// Inside the first part: the row of each word, that of its place, and both added.
import { bars } from "../picture.js";
import { row } from "./rows.js";

const LARGEST = 1.6;

export function rows(whole) {
  const { drawn, frame: f } = whole;
  const { word, place, streams } = drawn.now;
  const wide = Math.min(f.W / f.n - 4, 48);
  const all = (vectors) => vectors.map((x, j) => bars(x, f.x(j), 22, wide, 20, LARGEST)).join("");
  return (
    row(whole, "word", "<b>The word</b>: its row of a table, 16 numbers.", 44, all(word)) +
    row(whole, "place", "<b>Its place</b>: a row of a second table.", 44, all(place)) +
    row(whole, "sum", "<b>Both added</b>: what its stream begins with.", 44, all(streams[0]))
  );
}
