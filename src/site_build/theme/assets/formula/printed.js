// Printed tensors that a formula of their page explains: a number that is pressed says below its block where
// it comes from, and its sources are lit. The text stays text, which can be selected and copied.

import { make } from "../dom.js";
import { withKeys } from "./grid.js";

const ROOM = 0.51; // of one unit of the last printed digit
const cellsOf = (row) => [...row.children].filter((cell) => cell.matches("i, td"));
const rowsOf = (matrix) => [...matrix.children].filter((row) => cellsOf(row).length);
const words = { True: 1, False: 0, "-inf": -Infinity, inf: Infinity };

/** Tells whether a number is what was printed. */
function isPrinted(number, cell) {
  const text = cell.dataset.n ?? cell.textContent.replace("−", "-");
  if (text in words) return Number(number) === words[text];
  const [, digits = ""] = text.split("e")[0].split(".");
  return Math.abs(text - number) <= ROOM * 10 ** (Number(text.split("e")[1] ?? 0) - digits.length);
}

/** The places of a tensor at which all numbers of a printed matrix stand, if there are any. */
function placeOf(tensor, rows, leading = []) {
  if (!Array.isArray(tensor) || !Array.isArray(tensor[0])) return undefined;
  const fits = tensor.length === rows.length && rows.every((row, i) => row.length === tensor[i].length && row.every((cell, j) => isPrinted(tensor[i][j], cell)));
  if (fits && !Array.isArray(tensor[0][0])) return leading;
  for (const [place, part] of tensor.entries()) {
    const found = placeOf(part, rows, [...leading, place]);
    if (found) return found;
  }
  return undefined;
}

/** The same for a single row. */
function rowOf(tensor, row, leading = []) {
  if (!Array.isArray(tensor)) return undefined;
  if (!Array.isArray(tensor[0])) return tensor.length === row.length && row.every((cell, j) => isPrinted(tensor[j], cell)) ? leading : undefined;
  for (const [place, part] of tensor.entries()) {
    const found = rowOf(part, row, [...leading, place]);
    if (found) return found;
  }
  return undefined;
}

/** Finds the numbers of cards among those that are printed, and lets them be pressed. */
export function explainPrinted(cards) {
  const where = new Map(); // of each cell: its card, and its tensor with its places
  for (const matrix of document.querySelectorAll(".printed-matrix[data-name], .heat-map[data-name] tbody")) {
    const name = matrix.dataset.name ?? matrix.closest("[data-name]").dataset.name;
    const rows = rowsOf(matrix).map(cellsOf);
    for (const card of cards) {
      if (!(name in card.tensors)) continue;
      const leading = placeOf(card.tensors[name], rows) ?? (rows.length === 1 ? rowOf(card.tensors[name], rows[0]) : undefined);
      if (!leading) continue;
      const isRow = rows.length === 1 && placeOf(card.tensors[name], rows) === undefined;
      rows.forEach((row, i) =>
        row.forEach((cell, j) => {
          const key = `${[name, ...leading, ...(isRow ? [j] : [i, j])]}`;
          if (!where.has(cell) || card.answers.has(key)) where.set(cell, { card, key });
        }),
      );
    }
    if (rows.flat().some((cell) => where.has(cell) && where.get(cell).card.answers.has(where.get(cell).key))) makeGrid(matrix, rows, where);
  }
  document.addEventListener("sources", ({ detail: { card, lit } }) => {
    for (const [cell, { card: own, key }] of where) if (own === card) cell.classList.toggle("from", lit.has(key));
  });
}

function makeGrid(matrix, rows, where) {
  const grid = matrix.closest("table") ?? matrix;
  const name = grid.dataset.name;
  grid.role = "grid";
  grid.ariaLabel = `${name}, ${rows.length} rows, ${rows[0].length} columns; press a number to hear where it comes from, arrow keys move`;
  for (const row of rows) {
    row[0].parentNode.role = "row";
    for (const cell of row) {
      cell.role = "gridcell";
      cell.tabIndex = -1;
      cell.classList.add("explained");
    }
  }
  rows[0][0].tabIndex = 0;
  const block = matrix.closest(".language-output, .heat");
  const answer = block.nextElementSibling?.matches(".card-answer") ? block.nextElementSibling : make("p", { className: "card-answer card-told", role: "status" });
  block.after(answer);
  const press = (cell) => {
    const { card, key } = where.get(cell);
    if (card.answers.has(key)) card.say(card.answers.get(key), answer);
    for (const other of document.querySelectorAll(".printed-matrix .told, .heat-map .told")) other.classList.remove("told");
    cell.classList.add("told");
  };
  grid.addEventListener("click", ({ target }) => {
    const cell = target.closest("i, td");
    if (where.has(cell) && getSelection().isCollapsed) press(cell);
  });
  grid.addEventListener("keydown", ({ key }) => key === "Escape" && answer.replaceChildren());
  withKeys(grid, cellsOf, press);
  // Pressed with the mouse, a number is selected: if it took the focus, Chromium would select nothing.
  grid.addEventListener("mousedown", ({ target }) => {
    const cell = target.closest("[tabindex]");
    const stop = cell?.tabIndex;
    cell?.removeAttribute("tabindex");
    setTimeout(() => cell?.setAttribute("tabindex", stop));
  });
}
