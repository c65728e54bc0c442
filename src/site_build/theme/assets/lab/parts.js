// What the lab is built of, one kind of part after the other.

import { cellFor } from "../readout/readout.js";
import { LARGEST, problemWith, short } from "./math.js";

// ---- elements: text becomes text, whatever stands in it --------------------------------------

/** Make an element. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const area = (className, ...children) => make("div", { className }, ...children);

export const group = (className, legend, ...children) =>
  make("fieldset", { className }, make("legend", {}, legend), ...children);

export const button = (text, onclick, label = text) =>
  make("button", { type: "button", className: "lab-button", onclick, "aria-label": label }, text);

/** Make a box or, of those with one name, a button of a radio, behind its words. */
export const option = (type, name, text, onchange) =>
  make("label", { className: "lab-option" }, make("input", { type, name, onchange }), make("span", { dir: "auto" }, text));

/** Put children into a parent if there are not as many as there should be. */
export function keep(parent, count, makeChild) {
  if (parent.children.length !== count)
    parent.replaceChildren(...Array.from({ length: count }, (_, i) => makeChild(i)));
  return [...parent.children];
}

// ---- what the reader changes: a number is typed, dragged sideways, or stepped -----------------

const STEP = 0.1;
const BUTTON = 10; // steps: the words of the course are whole numbers
const PIXELS = 6; // of a drag for one step

/** Say what is wrong with the numbers of a row, and what counts in their place. */
export const problemsOf = ({ texts, vector }) =>
  texts
    .map((text, e) => problemWith(text) && `${problemWith(text)} ${vector[e]} still counts.`)
    .filter(Boolean)
    .join(" ");

/** Make a field for number `e` of a row; what is wrong with the row is said in `problem`. */
export function makeField(row, e, label, problem, changed) {
  const field = make("input", {
    className: "lab-field",
    value: row.texts[e],
    inputMode: "decimal",
    autocomplete: "off",
    spellcheck: false,
    "aria-label": label,
  });
  const check = () => {
    row.texts[e] = field.value;
    const isWrong = problemWith(field.value) !== "";
    if (!isWrong) row.vector[e] = Number(field.value);
    field.setAttribute("aria-invalid", isWrong);
    if (isWrong) field.setAttribute("aria-describedby", problem.id);
    else field.removeAttribute("aria-describedby");
    problem.textContent = problemsOf(row);
  };
  field.oninput = () => {
    check();
    changed();
  };
  field.set = (number) => {
    field.value = Number(Math.max(-LARGEST, Math.min(number, LARGEST)).toFixed(6));
    field.oninput();
  };
  field.stepBy = (steps) => field.set(row.vector[e] + steps * STEP);
  field.onkeydown = (event) => {
    const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (!steps) return;
    event.preventDefault();
    field.stepBy(steps);
  };
  letDrag(field, () => row.vector[e]);
  check();
  return field;
}

/** Let a number be dragged sideways. A finger that moves up or down scrolls the page. */
function letDrag(field, read) {
  let from;
  let isDragged;
  field.onpointerdown = ({ clientX: x, button }) => {
    from = button ? undefined : { x, value: read() };
    isDragged = false;
  };
  field.onpointermove = ({ clientX, pointerId, buttons }) => {
    if (!from || !buttons) return;
    const steps = Math.round((clientX - from.x) / PIXELS);
    if (!steps && !isDragged) return;
    isDragged = true;
    field.setPointerCapture(pointerId);
    field.set(from.value + steps * STEP);
    field.setSelectionRange(0, 0); // a mouse would select the digits
  };
  field.onpointerup = field.onpointercancel = () => (from = undefined);
}

/** Put a button for less and one for more around a field. */
export function makeStepper(name, field) {
  return make(
    "div",
    { className: "lab-stepper" },
    make("span", { ariaHidden: true }, name),
    button("\u2212", () => field.stepBy(-BUTTON), `less ${name}`),
    field,
    button("+", () => field.stepBy(BUTTON), `more ${name}`),
  );
}

// ---- matrices: coloured cells that are pointed at, or walked with the arrow keys --------------

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
  grid.onkeydown = (event) => cellFor(event, (row) => [...row.querySelectorAll("td")])?.focus();
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

// ---- the picture: who asks, an arc and a bar for each word, and what the word becomes ---------

const THICK = 22; // pixels of the thickest arc
const SVG = "http://www.w3.org/2000/svg";

/** Make the arcs, the words, of which one asks, and the bars below them. */
export function makeLinks(ask, pick) {
  const arcs = document.createElementNS(SVG, "svg");
  arcs.setAttribute("preserveAspectRatio", "none");
  arcs.ariaHidden = true;
  const words = make("div", { className: "lab-words", role: "radiogroup", "aria-label": "Who asks?" });
  const bars = make("div", { className: "lab-bars", ariaHidden: true });
  const drawing = make("div", { className: "lab-drawing" }, arcs, words, bars);

  const draw = ({ names, query, values, shares, at }) => {
    drawing.style.setProperty("--count", names.length);
    arcs.setAttribute("viewBox", `0 0 ${100 * names.length} 100`);
    keep(arcs, names.length, () => document.createElementNS(SVG, "path")).forEach((path, j) => {
      path.setAttribute("d", arc(query, j, names.length));
      path.style.strokeWidth = `${THICK * shares[j]}px`;
      path.style.strokeOpacity = 0.45 + 0.45 * shares[j];
      path.classList.toggle("minus", values[j] < 0);
      path.classList.toggle("at", j === at);
    });
    keep(words, names.length, (i) => option("radio", "lab-query", "", () => ask(i))).forEach((label, i) => {
      label.control.checked = i === query;
      label.control.ariaLabel = `${names[i]}, word ${i + 1}, asks`;
      label.lastChild.textContent = names[i];
    });
    const makeBar = (j) =>
      make("div", { onclick: () => pick(j) }, make("i"), make("b"));
    keep(bars, names.length, makeBar).forEach((bar, j) => {
      bar.firstChild.style.height = `${3.4 * shares[j]}rem`;
      bar.classList.toggle("minus", values[j] < 0);
      bar.classList.toggle("at", j === at);
      bar.lastChild.textContent = short(values[j]);
    });
  };
  return { element: drawing, draw };
}

/** The way of an arc, in a place that is 100 high and 100 wide for each word. */
function arc(from, to, count) {
  const [start, end] = [100 * from + 50, 100 * to + 50];
  if (from === to) return `M${start - 14},100C${start - 24},52 ${start + 24},52 ${start + 14},100`;
  const high = 100 - 124 * (0.25 + (0.75 * Math.abs(to - from)) / (count - 1));
  return `M${start},100C${start},${high} ${end},${high} ${end},100`;
}

/** Make a line for each component: the words' values on it, and the context among them. */
export function makeStrips() {
  const heading = make("p");
  const lines = make("div");
  const strips = make("div", { className: "lab-strips", ariaHidden: true }, heading, lines);
  const draw = ({ name, columns, values, weights, context, own }) => {
    heading.textContent = own
      ? `${name} goes from ○ to ●, where its words pull it`
      : `What ${name} takes: ●, where its words pull it`;
    const numbers = [...values.flat(), ...context].filter(Number.isFinite);
    const [low, high] = [Math.min(0, ...numbers), Math.max(0, ...numbers)];
    const place = (x) => `${Number.isFinite(x) ? (100 * (x - low)) / (high - low || 1) : 0}%`;
    const makeStrip = () =>
      make("div", {}, make("span"), make("div", { className: "lab-line" }), make("b"));
    keep(lines, columns.length, makeStrip).forEach(({ children: [part, line, number] }, e) => {
      part.textContent = columns[e];
      const dots = keep(line, values.length + 2, () => make("i"));
      values.forEach((row, j) => {
        dots[j].style.left = place(row[e]);
        dots[j].style.setProperty("--share", Math.min(1, Math.abs(weights[j]) || 0));
      });
      const [before, after] = dots.slice(-2);
      before.className = "before";
      before.hidden = !own;
      before.style.left = place(own?.[e] ?? 0);
      after.className = "after";
      after.style.left = place(context[e]);
      number.textContent = own ? `${short(own[e])} → ${short(context[e])}` : short(context[e]);
    });
  };
  return { element: strips, draw };
}
