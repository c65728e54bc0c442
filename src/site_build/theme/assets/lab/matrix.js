// A matrix as a grid of coloured cells that are pointed at, or walked with the arrow keys.

import { make } from "./dom.js";
import { short } from "./math.js";

/** Make a grid with one tab stop; `point` is called with the cell that is meant, or without. */
export function makeGrid(label, point, pick) {
  const grid = make("table", { className: "lab-grid", role: "grid", "aria-label": label, "aria-readonly": true });
  grid.append(make("caption", {}, label), make("thead"), make("tbody"));
  const place = (cell) => [cell.parentNode.rowIndex - 1, cell.cellIndex - 1];
  const cellAt = (target) => target.closest("tbody td");
  grid.onclick = ({ target }) => cellAt(target) && pick(...place(cellAt(target)));
  grid.onpointerover = ({ target }) => cellAt(target) && point(...place(cellAt(target)));
  grid.onpointerleave = () => point();
  grid.addEventListener("focusin", ({ target }) => {
    stopAt(grid, target);
    pick(...place(target));
  });
  grid.onkeydown = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return; // the browser's own keys
    const cell = event.target;
    const row = cell.parentNode;
    const goal = {
      ArrowLeft: cell.previousElementSibling,
      ArrowRight: cell.nextElementSibling,
      ArrowUp: row.previousElementSibling?.cells[cell.cellIndex],
      ArrowDown: row.nextElementSibling?.cells[cell.cellIndex],
      Home: row.cells[1],
      End: row.lastElementChild,
    };
    if (!(event.key in goal)) return;
    event.preventDefault();
    if (goal[event.key]?.matches("td")) goal[event.key].focus();
  };
  return grid;
}

/** Let the tab key reach this cell of the grid, and no other. */
function stopAt(grid, stop) {
  for (const cell of grid.querySelectorAll("tbody td")) cell.tabIndex = cell === stop ? 0 : -1;
}

/** Write a matrix into a grid; cells are kept, and so is the focus. */
export function fillGrid(grid, columns, rows, matrix, { isShare, isHidden }) {
  const [head, body] = [grid.tHead, grid.tBodies[0]];
  if (body.rows.length !== rows.length || body.rows[0].cells.length !== columns.length + 1) {
    const name = (tag, scope) => make(tag, { scope, dir: "auto" });
    head.replaceChildren(make("tr", {}, make("td"), ...columns.map(() => name("th", "col"))));
    body.replaceChildren(...rows.map(() => make("tr", {}, name("th", "row"), ...columns.map(() => make("td")))));
    stopAt(grid, body.rows[0].cells[1]);
  }
  const largest = Math.max(...matrix.flat().map(Math.abs).filter(Number.isFinite)) || 1;
  columns.forEach((name, j) => (head.rows[0].cells[j + 1].textContent = name));
  rows.forEach((name, i) => {
    const [header, ...cells] = body.rows[i].cells;
    header.textContent = name;
    cells.forEach((cell, j) => {
      const x = matrix[i][j];
      const share = isShare ? Math.sqrt(Math.min(1, Math.abs(x))) : Math.abs(x) / largest;
      cell.textContent = short(x);
      cell.style.setProperty("--share", Number.isFinite(share) ? share.toFixed(2) : 0);
      cell.classList.toggle("minus", x < 0);
      cell.classList.toggle("hidden", !Number.isFinite(x) || isHidden(i, j));
    });
  });
}

/** Mark a cell with its row and column, or what made it: whole rows, columns. */
export function markGrid(grid, cell, rows, columns) {
  [...grid.tBodies[0].rows].forEach((row, i) => {
    row.classList.toggle("lit", rows.includes(i));
    [...row.cells].forEach((td, c) => {
      const isAt = cell?.[0] === i && cell[1] === c - 1;
      td.classList.toggle("lit", columns.includes(c - 1));
      td.classList.toggle("cross", !!cell && !isAt && (cell[0] === i || cell[1] === c - 1));
      if (c) td.setAttribute("aria-selected", isAt);
    });
  });
  [...grid.tHead.rows[0].cells].forEach((th, c) => th.classList.toggle("cross", cell?.[1] === c - 1 && c > 0));
}
