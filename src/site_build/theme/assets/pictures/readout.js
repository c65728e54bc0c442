// Says of one cell of a picture what stands there: under a mouse, a finger or the keyboard.

/** What is known of each matrix, beside its text. */
const facts = new WeakMap();
const readout = Object.assign(document.createElement("div"), { className: "printed-readout" });
readout.setAttribute("aria-hidden", "true"); // a screen reader has the label of the cell
const [words, colours] = ["strong", "div"].map((tag) => readout.appendChild(document.createElement(tag)));
let shown;

/** Lets the cells of a matrix be read; `before` is the text before it in its tensor. */
export function letRead(matrix, before, { name, rows, columns }, meaning) {
  const [height, width] = [matrix.children.length, matrix.firstElementChild.children.length];
  const isVector = !before;
  const fact = {
    name,
    meaning,
    isVector,
    outer: outerIndex(before),
    rows: !isVector && rows?.length === height && rows,
    columns: columns?.length === width && columns,
  };
  facts.set(matrix, fact);
  // A row without names is no stop of the Tab key: the readout says no more than its text.
  if (height > 1 || fact.rows || fact.columns)
    makeGrid(matrix, `${name ?? "matrix"}, ${height} rows, ${width} columns, ${meaning}; arrow keys move`);
}

/** The index of a matrix among those of its tensor: a bracket opens an axis, a comma goes along. */
function outerIndex(before) {
  const index = [];
  for (const sign of before) {
    if (sign === "[") index.push(0);
    else if (sign === "]") index.pop();
    else if (sign === ",") index[index.length - 1] += 1;
  }
  return index.slice(0, -1);
}

function makeGrid(matrix, label) {
  matrix.setAttribute("role", "grid");
  matrix.setAttribute("aria-label", label);
  for (const row of matrix.children) {
    row.setAttribute("role", "row");
    for (const cell of row.children) cell.setAttribute("role", "gridcell");
  }
  matrix.firstElementChild.firstElementChild.tabIndex = 0;
}

/** Says where a cell stands and what is printed: "weights: row journey, column with: 0.1240". */
function describe(cell) {
  const [row, matrix] = [cell.parentNode, cell.parentNode.parentNode];
  const { name, rows, columns, isVector, outer } = facts.get(matrix);
  const [i, j] = [[...matrix.children].indexOf(row), [...row.children].indexOf(cell)];
  const index = `[${[...outer, ...(isVector ? [] : [i]), j].join(", ")}]`;
  const column = columns ? columns[j] : j;
  const named = isVector ? column : `row ${rows ? rows[i] : i}, column ${column}`;
  const number = cell.textContent.replace(/[[\],\s]/g, "");
  return [name, rows || columns ? named : index, number].filter(Boolean).join(": ");
}

function show(cell) {
  shown = cell;
  readout.hidden = !cell;
  if (!cell) return;
  words.textContent = describe(cell);
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

const cellAt = (element) => element?.closest(".printed-cell");

// A finger leaves the readout where it was, until it touches another place.
document.addEventListener("pointerover", ({ target }) => {
  show(cellAt(target) ?? cellAt(document.activeElement));
});
document.addEventListener("focusin", ({ target }) => {
  const cell = cellAt(target);
  cell?.setAttribute("aria-label", describe(cell));
  show(cell);
});
document.addEventListener("focusout", hide);
// Pressed with the mouse, a number is selected: if it took the focus, Chromium would select nothing.
document.addEventListener("mousedown", ({ target }) => {
  const stop = target.closest(".printed-cell[tabindex]");
  stop?.removeAttribute("tabindex");
  setTimeout(() => stop?.setAttribute("tabindex", 0));
});
document.addEventListener("scroll", place, { capture: true, passive: true });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
  const cell = cellAt(event.target);
  if (!cell || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const row = cell.parentNode;
  const inRow = (other) => other?.children[[...row.children].indexOf(cell)];
  const moves = {
    ArrowLeft: cell.previousElementSibling,
    ArrowRight: cell.nextElementSibling,
    ArrowUp: inRow(row.previousElementSibling),
    ArrowDown: inRow(row.nextElementSibling),
    Home: row.firstElementChild,
    End: row.lastElementChild,
  };
  if (!(event.key in moves)) return;
  event.preventDefault();
  const next = moves[event.key];
  if (!next || next === cell) return;
  next.tabIndex = 0;
  next.focus();
  cell.removeAttribute("tabindex");
});
