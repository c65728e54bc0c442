// Which words lie on which device, and how many pairs each device computes in each turn: the functions of the page,
// held equal by a test.
import { range } from "../marks.js";

/** The places of the words of each device: in order, or a piece from the front and one from the back. */
export function positions(words, devices, headAndTail) {
  const piece = words / devices / (headAndTail ? 2 : 1);
  const from = (place) => range(piece).map((i) => place * piece + i);
  return range(devices).map((device) => (headAndTail ? [...from(device), ...from(2 * devices - 1 - device)] : from(device)));
}

/** The device whose block lies on a device in a turn. */
const blockOn = (device, turn, devices) => (device - turn + devices) % devices;

/** For each turn, how many pairs each device computes; a pair that may not meet is left out. */
export function pairs(places, isCausal) {
  const devices = range(places.length);
  const may = (query, key) => !isCausal || key <= query;
  const count = (queries, keys) => queries.reduce((n, query) => n + keys.filter((key) => may(query, key)).length, 0);
  return devices.map((turn) => devices.map((device) => count(places[device], places[blockOn(device, turn, devices.length)])));
}
