// Which words lie on which desk, and how many pairs each desk computes in each turn: the functions of the page,
// held equal by a test.
import { range } from "../marks.js";

/** The places of the words of each desk: in order, or a piece from the front and one from the back. */
export function positions(words, desks, headAndTail) {
  const piece = words / desks / (headAndTail ? 2 : 1);
  const from = (place) => range(piece).map((i) => place * piece + i);
  return range(desks).map((desk) => (headAndTail ? [...from(desk), ...from(2 * desks - 1 - desk)] : from(desk)));
}

/** The desk whose volume lies on a desk in a turn. */
export const volumeOn = (desk, turn, desks) => (desk - turn + desks) % desks;

/** For each turn, how many pairs each desk computes; a pair that may not meet is left out. */
export function pairs(places, isCausal) {
  const desks = range(places.length);
  const may = (query, key) => !isCausal || key <= query;
  const count = (queries, keys) => queries.reduce((n, query) => n + keys.filter((key) => may(query, key)).length, 0);
  return desks.map((turn) => desks.map((desk) => count(places[desk], places[volumeOn(desk, turn, desks.length)])));
}
