// Every printed matrix is also a picture: in the text itself, the place of each number is coloured
// by its value. No text is added and nothing moves, so the picture cannot disagree with the digits.

const PRINTED = ".language-output samp, .language-pycon .go";
const TENSOR = /(?<=\b(?:tensor|array)\()\[[-+.\w\s,[\]]*\]/g;
const MATRIX = /\[[^[\]]+\](?:,\s*\[[^[\]]+\])*/g;
const ROW = /\[[^[\]]+\]/g;
// With the sign before a number and the sign after it, cells lie side by side.
const ENTRY = /[[\s]\s*[^\s,[\]]+ *[,\]]/g;
const NUMBER = /^(-?(\d+\.?\d*(e[-+]\d+)?|inf|nan)|True|False)$/;

// Each block is drawn when it comes near the screen.
const nearby = new IntersectionObserver(
  (entries) => entries.forEach((entry) => entry.isIntersecting && draw(entry.target)),
  { rootMargin: "50%" },
);
for (const printed of document.querySelectorAll(PRINTED)) nearby.observe(printed);
addEventListener("beforeprint", () => document.querySelectorAll(PRINTED).forEach(draw));

function draw(printed) {
  nearby.unobserve(printed);
  if (printed.querySelector(".printed-matrix")) return;
  const { rows, columns, tensors, hidden } = printed.closest(".highlight").dataset;
  const names = tensors?.split(" ") ?? [];
  const drawing = (text) =>
    drawTensor(text, { name: names.shift(), rows: rows?.split(" "), columns: columns?.split(" ") });
  const panels = [...printed.querySelectorAll("span:not(:has(*))")];
  for (const text of panels.length ? panels : [printed]) {
    const parts = split(text.textContent, TENSOR, drawing);
    if (parts.length > 1) text.replaceChildren(...parts);
    mark(text, text.parentNode.dataset.wrong, "wrong");
  }
  mark(printed, hidden, "hidden");
}

/** Marks the numbers at some places, counted through a text. */
function mark(text, places, name) {
  for (const place of places?.split(" ") ?? []) text.querySelectorAll(".printed-cell")[place]?.classList.add(name);
}

/** Makes something of what a pattern finds in a text, and keeps the text between. */
function split(text, pattern, make) {
  let end = 0;
  const parts = Array.from(text.matchAll(pattern), ({ 0: found, index }) => {
    const between = text.slice(end, index);
    end = index + found.length;
    return [between, make(found, text.slice(0, index))];
  });
  return [...parts.flat(2), text.slice(end)];
}

function drawTensor(text, names) {
  const numbers = text.split(/[\s,[\]]+/).filter(Boolean);
  if (!numbers.every((number) => NUMBER.test(number))) return text; // shortened, or complex
  const scale = scaleOf(numbers);
  const width = Math.max(...numbers.map((number) => number.length));
  const drawRow = (row) => span("", split(row, ENTRY, (cell) => drawCell(cell, width, scale)));
  return split(text, MATRIX, (rows, before) => {
    const matrix = span("printed-matrix", split(rows, ROW, drawRow));
    letRead(matrix, before, names, scale.meaning);
    return matrix;
  });
}

/** The numbers without a colour and with the full one, how colours grow between them, and what
    they mean: as in site_build/markdown/colours.py. */
function scaleOf(numbers) {
  if (/^[TF]/.test(numbers[0])) return { low: 0, full: 1, power: 1, meaning: "True is filled" };
  const values = numbers.map(Number).filter(Number.isFinite);
  const least = Math.min(...values);
  const full = Math.max(0, ...values.map(Math.abs));
  if (least < 0) return { low: 0, full, power: 1, meaning: `colours from -${full} to ${full}` };
  const range = (full - least) / full;
  if (least > 0 && range > 0.02 && range < 0.2)
    return { low: least, full, power: 1, meaning: `numbers close together: colours from ${least} to ${full}` };
  if (full > 1) return { low: 0, full, power: 1, meaning: `colours from 0 to ${full}` };
  return { low: 0, full: 1, power: 0.5, meaning: "colours from 0 to 1" };
}

function drawCell(text, width, { low, full, power }) {
  const indent = Math.max(0, text.length - width - 2); // of a row that goes on in another line
  const cell = span("printed-cell", [text.slice(indent)]);
  const share = (valueOf(text) - low) / (full - low);
  if (!Number.isFinite(share)) cell.classList.add("hidden");
  else cell.style.setProperty("--share", Math.abs(share) ** power);
  if (share < 0) cell.classList.add("minus");
  return [text.slice(0, indent), cell];
}

function valueOf(text) {
  const number = text.match(/[^\s,[\]]+/)[0];
  return { True: 1 }[number] ?? Number(number); // False and inf are no numbers: NaN
}

function span(name, children) {
  const element = document.createElement("span");
  if (name) element.className = name;
  element.append(...children);
  return element;
}

// ---- the readout, a tooltip ---------------------------------------------------------------------

// Says of one cell of a picture what stands there: under a mouse, a finger or the keyboard.

// In a figure, which is one picture to a screen reader, for the mouse alone.
const CELL = ".printed-cell, .heat-map tbody td, .map :is(rect, .hatched)";
const cellsOf = (row) => [...row.children].filter((cell) => cell.matches(CELL));
const rowsOf = (matrix) => [...matrix.children].filter((row) => cellsOf(row).length);
const words = (elements) => [...elements].map((element) => element.textContent);

/** What is known of each matrix, beside its text. */
const facts = new WeakMap();
const readout = Object.assign(document.createElement("div"), { className: "printed-readout" });
readout.setAttribute("aria-hidden", "true"); // a screen reader has the label of the cell
const [saying, colours] = ["strong", "div"].map((tag) => readout.appendChild(document.createElement(tag)));
let shown;

/** Lets the cells of a matrix be read; `before` is the text before it in its tensor. */
function letRead(matrix, before, { name, rows, columns }, meaning) {
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
  // A row without names is no tab stop: the readout says no more than its text.
  if (height > 1 || fact.rows || fact.columns)
    makeGrid(matrix, `${name ?? "matrix"}, ${height} rows, ${width} columns, ${meaning}; arrow keys move`);
}

/** Of tables and figures all that is known stands in their text. */
for (const table of document.querySelectorAll(".heat-map")) {
  const matrix = table.tBodies[0];
  const [rows, columns] = ["tbody th", "thead th"].map((heads) => words(table.querySelectorAll(heads)));
  facts.set(matrix, { rows, columns, outer: [], meaning: "" });
  table.setAttribute("role", "grid");
  matrix.querySelector("td").tabIndex = 0;
  table.parentNode.removeAttribute("tabindex"); // a cell can be reached
}
for (const matrix of document.querySelectorAll(".map svg")) {
  const [rows, columns] = ["g > text:first-child", ":scope > text"].map((heads) => words(matrix.querySelectorAll(heads)));
  facts.set(matrix, { rows, columns, outer: [], meaning: "" });
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
  const [i, j] = [rowsOf(matrix).indexOf(row), cellsOf(row).indexOf(cell)];
  const index = `[${[...outer, ...(isVector ? [] : [i]), j].join(", ")}]`;
  const column = columns ? columns[j] : j;
  const named = isVector ? column : `row ${rows ? rows[i] : i}, column ${column}`;
  const text = cell.matches(".map *") ? cell.nextSibling?.textContent : cell.textContent;
  const number = cell.dataset.n ?? (cell.matches(".hatched") ? "hidden" : text.replace(/[[\],\s]/g, ""));
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
  cell?.setAttribute("aria-label", describe(cell));
  show(cell);
});
document.addEventListener("focusout", hide);
// Pressed with the mouse, a number is selected: if it took the focus, Chromium would select nothing.
document.addEventListener("mousedown", ({ target }) => {
  const stop = target.closest(":is(.printed-cell, td)[tabindex]");
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
