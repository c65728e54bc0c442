// The readout, a tooltip: says of one cell of a picture what stands there, under a mouse, a finger or
// the keyboard. The cells are there without it (site_build/markdown/printed_cells.py).

const MATRIX = ".printed-matrix";
// In a figure, which is one picture to a screen reader, for the mouse alone.
const CELL = `${MATRIX} i, .heat-map tbody td, .map :is(rect, .hatched)`;
const cellsOf = (row) => [...row.children].filter((cell) => cell.matches(CELL));
const rowsOf = (matrix) => [...matrix.children].filter((row) => cellsOf(row).length);
const words = (elements) => [...elements].map((element) => element.textContent);

/** What is known of each matrix, beside its text. */
const facts = new WeakMap();
const readout = Object.assign(document.createElement("div"), { className: "printed-readout" });
readout.ariaHidden = "true"; // a screen reader has the label of the cell
const [saying, colours] = ["strong", "div"].map((tag) => readout.appendChild(document.createElement(tag)));
let shown;

for (const matrix of document.querySelectorAll(MATRIX)) {
  const { name, colours: meaning, index } = matrix.dataset;
  const [height, width] = [matrix.children.length, cellsOf(matrix.firstChild).length];
  const isVector = matrix.matches(".vector");
  const block = matrix.closest(".highlight").dataset;
  const [rows, columns] = [[block.rows, height], [block.columns, width]].map(([axis, count]) => {
    const names = axis?.split(" ");
    return names?.length === count && names;
  });
  const fact = { name, meaning, isVector, outer: index?.split(", "), rows: !isVector && rows, columns };
  facts.set(matrix, fact);
  // A row without names is no tab stop: the readout says no more than its text.
  if (height > 1 || fact.rows || columns)
    makeGrid(matrix, `${name ?? "matrix"}, ${height} rows, ${width} columns, ${meaning}; arrow keys move`);
}

/** Of tables and figures all that is known stands in their text. */
for (const table of document.querySelectorAll(".heat-map")) {
  const matrix = table.tBodies[0];
  const [rows, columns] = ["tbody th", "thead th"].map((heads) => words(table.querySelectorAll(heads)));
  facts.set(matrix, { rows, columns });
  table.role = "grid";
  matrix.querySelector("td").tabIndex = 0;
  table.parentNode.removeAttribute("tabindex"); // a cell can be reached
}
for (const matrix of document.querySelectorAll(".map svg")) {
  const [rows, columns] = ["g > text:first-child", ":scope > text"].map((heads) => words(matrix.querySelectorAll(heads)));
  facts.set(matrix, { rows, columns });
}

function makeGrid(matrix, label) {
  matrix.role = "grid";
  matrix.ariaLabel = label;
  for (const row of matrix.children) {
    row.role = "row";
    for (const cell of cellsOf(row)) cell.role = "gridcell";
  }
  cellsOf(matrix.firstChild)[0].tabIndex = 0;
}

/** Says where a cell stands and what is printed: "weights: row journey, column with: 0.1240". */
function describe(cell) {
  const [row, matrix] = [cell.parentNode, cell.parentNode.parentNode];
  const { name, rows, columns, isVector, outer = [] } = facts.get(matrix);
  const [i, j] = [rowsOf(matrix).indexOf(row), cellsOf(row).indexOf(cell)];
  const index = `[${[...outer, ...(isVector ? [] : [i]), j].join(", ")}]`;
  const column = columns ? columns[j] : j;
  const named = isVector ? column : `row ${rows ? rows[i] : i}, column ${column}`;
  const text = cell.matches(".map *") ? cell.nextSibling?.textContent : cell.textContent;
  const number = cell.dataset.n ?? (cell.matches(".hatched") ? "hidden" : text);
  return [name, rows || columns ? named : index, number].filter(Boolean).join(": ");
}

/** Marks the row and the column of a cell. */
function cross(cell, on) {
  const j = cellsOf(cell.parentNode).indexOf(cell);
  for (const row of cell.parentNode.parentNode.children)
    cellsOf(row).forEach((other, k) => other.classList.toggle("crossed", on && (k === j || row === cell.parentNode)));
}

function show(cell) {
  if (shown) cross(shown, false);
  if (cell) cross(cell, true);
  shown = cell;
  readout.hidden = !cell;
  if (!cell) return;
  saying.textContent = describe(cell);
  colours.textContent = facts.get(cell.parentNode.parentNode).meaning;
  document.body.append(readout);
  place();
}

const hide = () => show(null);

/** Puts the readout above the cell, or below where the header of the page would hide it. */
function place() {
  if (!shown) return;
  const cell = shown.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = readout;
  const left = cell.left + (cell.width - width) / 2;
  const above = cell.top - height - 4;
  readout.style.left = `${scrollX + Math.max(8, Math.min(left, document.body.clientWidth - width - 8))}px`;
  readout.style.top = `${scrollY + (above < 56 ? cell.bottom + 4 : above)}px`;
}

const cellAt = (element) => {
  const cell = element?.closest(CELL);
  return facts.has(cell?.parentNode.parentNode) ? cell : null;
};

// A finger leaves the readout where it was, until it touches another place.
document.addEventListener("pointerover", ({ target }) => {
  show(cellAt(target) ?? cellAt(document.activeElement));
});
document.addEventListener("focusin", ({ target }) => {
  const cell = cellAt(target);
  if (cell) cell.ariaLabel = describe(cell);
  show(cell);
});
document.addEventListener("focusout", hide);
// Pressed with the mouse, a number is selected: if it took the focus, Chromium would select nothing.
document.addEventListener("mousedown", ({ target }) => {
  const stop = target.closest(":is(i, td)[tabindex]");
  stop?.removeAttribute("tabindex");
  setTimeout(() => stop?.setAttribute("tabindex", 0));
});
document.addEventListener("scroll", place, { capture: true, passive: true });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
  const cell = cellAt(event.target);
  if (!cell || event.shiftKey) return;
  const next = cellFor(event, cellsOf);
  if (!next || next === cell) return;
  next.tabIndex = 0;
  next.focus();
  cell.removeAttribute("tabindex");
});

/** The cell of a grid that a key leads to; `cellsOf` gives those of a row. */
export function cellFor(event, cellsOf) {
  if (event.altKey || event.ctrlKey || event.metaKey) return undefined; // the browser's own keys
  const row = event.target.parentNode;
  const cells = cellsOf(row);
  const j = cells.indexOf(event.target);
  const inRow = (other) => other && cellsOf(other)[j];
  const goals = {
    ArrowLeft: cells[j - 1],
    ArrowRight: cells[j + 1],
    ArrowUp: inRow(row.previousElementSibling),
    ArrowDown: inRow(row.nextElementSibling),
    Home: cells[0],
    End: cells.at(-1),
  };
  if (event.key in goals) event.preventDefault();
  return goals[event.key];
}
