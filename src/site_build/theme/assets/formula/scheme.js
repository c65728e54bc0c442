// The numbers of a formula. Of a matrix product, what is multiplied stands left and above, and the result
// where row and column meet; otherwise one matrix stands beside the other.

import { make } from "../dom.js";
import { shown } from "./derive.js";

const LONGEST = 12; // rows or columns that can be taken in

/** A number in a cell: two digits behind the point, without the zero before it. */
const inCell = (number) =>
  Number.isInteger(number) || !Number.isFinite(number) ? shown(number) : number.toFixed(2).replace("-", "−").replace(/^(−?)0\./, "$1.");

const lengthsOf = (tensor) => (Array.isArray(tensor) ? [tensor.length, ...lengthsOf(tensor[0])] : []);
const at = (tensor, places) => places.reduce((part, place) => part[place], tensor);

/** Every cell that an element reads, as `["cell", name, index]`. */
const cellsIn = (element) =>
  !Array.isArray(element) ? [] : element[0] === "cell" ? [element, ...element[2].flatMap(cellsIn)] : element.flatMap(cellsIn);

/** What each axis of a matrix is called: the letter of its rows, and of its columns. */
const lettersOf = ([, , index]) => index.map(([kind, letter]) => (kind === "place" ? letter : undefined));

/** @returns how the two factors of a product stand, if a formula is one, by the letters of their axes. */
function factors({ index, element: [kind, k, , body] }) {
  if (kind !== "sum" || body[0] !== "*" || body[1][0] !== "cell" || body[2][0] !== "cell") return undefined;
  const [one, other] = [body[1], body[2]].map((cell) => ({ name: cell[1], letters: lettersOf(cell) }));
  const result = index.map(([kind, letter]) => (kind === "place" ? letter : undefined));
  const all = [...one.letters, ...other.letters, ...result];
  if (result.length > 2 || one.letters.length > 2 || other.letters.length > 2 || all.includes(undefined)) return undefined;
  const has = (letter) => [one, other].find(({ letters }) => letters.includes(letter));
  const isRow = result.length === 1 && has(result[0]).letters[0] === k;
  const [row, column] = result.length === 2 ? result : isRow ? [undefined, result[0]] : [result[0], undefined];
  const left = row === undefined ? [one, other].find((factor) => factor !== has(column)) : has(row);
  const top = left === one ? other : one;
  const view = ({ name, letters }, rows, columns) => ({ name, letters, rows, columns });
  return [view(left, row, k), view(top, k, column)];
}

/**
 * Draws the numbers of an equation.
 * @param part The equation, as the build writes it.
 * @param tensors Its numbers, by their names.
 * @param axes The names of the places on an axis, by its letter.
 * @param first The places of a tensor of more than two axes that is drawn.
 */
export function scheme(part, tensors, axes, first) {
  const box = make("div", { className: "card-scheme for-scripts" });
  const own = { name: part.name, letters: lettersOf(["", "", part.index]) };
  const pair = factors(part);
  if (pair) {
    const [left, top] = pair;
    const result = { ...own, rows: left.rows, columns: top.columns };
    const [a, b, c] = [left, top, result].map((view) => measured(view, tensors));
    if (Math.max(a.height, a.width, b.width) > LONGEST) return undefined;
    box.classList.add("product");
    const beside = a.width + 3; // the first column of the result
    const below = b.height + 4; // its first row
    box.append(
      matrix(b, tensors, axes, { row: 3, column: beside, labels: [true, true], title: 1 }),
      matrix(a, tensors, axes, { row: below, column: 2, labels: [true, true], title: below - 1, above: `2 / ${below - 1}` }),
      matrix(c, tensors, axes, { row: below, column: beside, labels: [false, false], title: below - 1 }),
    );
    box.style.gridTemplateColumns = `auto repeat(${a.width}, var(--cell)) minmax(0.4rem, auto) repeat(${b.width}, var(--cell))`;
    return box;
  }
  const names = new Map(cellsIn(part.element).map((cell) => [cell[1], lettersOf(cell)]));
  names.delete(part.name);
  const views = [...[...names].map(([name, letters]) => ({ name, letters })), own].map((view) => {
    const [one, other] = view.letters.slice(-2);
    const isVector = lengthsOf(tensors[view.name]).length === 1;
    const isColumn = isVector && one !== undefined && one === own.letters.at(-2);
    const isRow = isVector && !isColumn;
    return measured({ ...view, rows: isRow ? undefined : one, columns: isRow ? one : other }, tensors, isColumn);
  });
  const drawn = views.filter(({ height, width, axes }) => axes && height <= LONGEST && width <= LONGEST);
  if (!drawn.includes(views.at(-1))) return undefined;
  for (const view of drawn) {
    const single = make("div");
    single.style.gridTemplateColumns = `auto repeat(${view.width}, var(--cell))`;
    single.append(matrix(view, tensors, axes, { row: 3, column: 2, labels: [true, true], title: 1, leading: first(view.name) }));
    box.append(single);
  }
  return box;
}

/** A matrix with its height and its width. */
function measured(view, tensors, isColumn = view.columns === undefined && view.rows !== undefined) {
  const lengths = lengthsOf(tensors[view.name]);
  if (lengths.length < 2) return { ...view, axes: lengths.length, isColumn, height: isColumn ? lengths[0] : 1, width: isColumn ? 1 : lengths[0] };
  const [rows, columns] = lengths.slice(-2);
  const isTurned = view.rows !== undefined && view.rows === view.letters.at(-1) && view.columns === view.letters.at(-2);
  return { ...view, axes: lengths.length, isTurned, height: isTurned ? columns : rows, width: isTurned ? rows : columns };
}

const placed = (made, row, column, span = 1) => {
  Object.assign(made.style, { gridRow: row, gridColumn: `${column} / span ${span}` });
  return made;
};

/** The cells of a matrix, with its title and the names of its rows and columns, where the grid has them. */
function matrix(view, tensors, axes, { row, column, labels, title, above = row - 1, leading = [] }) {
  const { name, height, width, isTurned, isColumn } = view;
  const tensor = tensors[name];
  const named = (letter, k) => axes[letter?.[0]]?.[k] ?? `${k}`; // j′ goes through the places of j
  const placesOf = (i, j) => (view.axes === 1 ? [isColumn ? i : j] : [...leading.slice(0, view.axes - 2), ...(isTurned ? [j, i] : [i, j])]);
  const numbers = Array.from({ length: height }, (_, i) => Array.from({ length: width }, (_, j) => at(tensor, placesOf(i, j))));
  const largest = Math.max(...numbers.flat().map(Math.abs).filter(Number.isFinite), 1e-9);
  const grid = make("div", { role: "grid", "aria-label": `${name}, ${height} rows, ${width} columns; arrow keys move` });
  const button = make("button", { type: "button", "data-name": name, "aria-pressed": false }, name + (isTurned ? "ᵀ" : ""));
  if (width < 3) button.style.justifySelf = "end"; // the name is wider than its matrix
  if (labels[1] && (axes[view.columns?.[0]] || width > 1))
    for (let j = 0; j < width; j += 1)
      grid.append(placed(make("span", { class: "column", "data-letter": view.columns ?? "", "aria-hidden": true }, named(view.columns, j)), above, column + j));
  for (let i = 0; i < height; i += 1) {
    const line = make("div", { role: "row" });
    if (labels[0] && (axes[view.rows?.[0]] || height > 1))
      line.append(placed(make("span", { class: "row", "data-letter": view.rows ?? "", "aria-hidden": true }, named(view.rows, i)), row + i, column - 1));
    numbers[i].forEach((number, j) => {
      const words = [height > 1 && named(view.rows, i), width > 1 && named(view.columns, j)].filter(Boolean).join(", ");
      const cell = make("span", { role: "gridcell", tabindex: -1, "data-cell": [name, ...placesOf(i, j)], "aria-label": `${words}: ${shown(number)}` }, inCell(number));
      cell.style.setProperty("--share", Number.isFinite(number) ? (Math.abs(number) / largest).toFixed(2) : 0);
      line.append(placed(cell, row + i, column + j));
    });
    grid.append(line);
  }
  grid.querySelector("[role=gridcell]").tabIndex = 0;
  return make("div", { className: "card-matrix", "data-of": name }, placed(button, title, column, width), grid);
}
