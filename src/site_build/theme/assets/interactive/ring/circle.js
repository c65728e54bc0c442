// Devices in a circle, and blocks that travel from device to device.
import { box, mark, range, text } from "../marks.js";

export const LETTERS = "ABCDEF";

/**
 * A circle of devices.
 *
 * @returns `at(place)`, the middle of a device, or of a place between two; `way()`, that of the blocks;
 *   `device(place, look, said, hue)`; and `block(owner, place)`, at the corner of a device of that `size`.
 */
export function circle({ x, y, radius, width, height, devices, narrow }) {
  const at = (place) => {
    const angle = 2 * Math.PI * (place / devices - 1 / 4);
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  };
  const way = () => mark("circle", { cx: x, cy: y, r: radius, fill: "none", stroke: "edge", "stroke-width": 1.5, "stroke-dasharray": "2 6" });
  const device = (place, look, said, hue) => {
    const [cx, cy] = at(place);
    return [
      box(cx - width / 2, cy - height / 2, width, height, { rx: 8, fill: "ground" }),
      box(cx - width / 2, cy - height / 2, width, height, { rx: 8, fill: "none", stroke: "edge", "stroke-width": 1.5, ...look }),
      text(cx - width / 2 + 8, cy - height / 2 + 18, narrow ? LETTERS[place] : `device ${LETTERS[place]}`, "small bold"),
      text(cx - width / 2 + 8, cy + height / 2 - 7, said, `least ${hue}`),
    ];
  };
  const block = (owner, place) => {
    const [cx, cy] = at(place);
    const [left, top] = [cx + width / 2 - 20, cy - height / 2 - 12];
    return [
      box(left, top, 26, 30, { rx: 3, fill: "kept-soft", stroke: "kept", "stroke-width": 1.8 }),
      text(left + 13, top + 21, LETTERS[owner], "middle kept bold"),
    ];
  };
  return { at, way, device, block, places: range(devices), size: { width, height } };
}
