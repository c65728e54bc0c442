// Cells that one stop of the tab key leads to, and arrow keys between them.

/** The cell of a grid that a key leads to; `cellsOf` gives those of a row. */
function cellFor(event, cellsOf) {
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

/** Lets keys move in a grid. `press` is called with a cell that was pressed, or reached with a key. */
export function withKeys(grid, cellsOf, press) {
  grid.addEventListener("keydown", (event) => {
    const isCell = cellsOf(event.target.parentNode).includes(event.target);
    if (!isCell || event.shiftKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      press(event.target);
    }
    const next = cellFor(event, cellsOf);
    if (!next || next === event.target) return;
    stopAt(event.target.closest("[role=grid]"), next);
    next.focus();
    press(next);
  });
}

/** Makes a cell the one that the tab key leads to. */
export function stopAt(grid, cell) {
  grid.querySelector("[tabindex='0']")?.setAttribute("tabindex", -1);
  cell.tabIndex = 0;
}
