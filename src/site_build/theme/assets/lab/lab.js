// The attention lab: the reader edits numbers, and watches attention change.

import { attention, components, embedding, explain, format, problemWith } from "./math.js";

const MOST_TOKENS = 12;
const LONGEST_NAME = 24;
const SWITCHES = {
  projected: "matrices of step 5",
  scaled: "divide by √head_dim",
  causal: "causal mask",
  cosine: "cosine instead of dot product",
  plain: "plain shares instead of softmax",
};
const VIEWS = ["scores", "weights"]; // what the large grid shows

/** Make an element. Text becomes text, whatever stands in it. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const button = (text, onclick, label = text) =>
  make("button", { type: "button", className: "lab-button", onclick, "aria-label": label }, text);

const option = (type, name, text, onchange) =>
  make("label", { className: "lab-option" }, make("input", { type, name, onchange }), text);

/** Make a grid whose cells are walked with the arrow keys, in one tab stop, and pressed. */
function makeGrid(label, onpress) {
  const grid = make("table", {
    className: "lab-grid",
    role: "grid",
    "aria-label": label,
    "aria-readonly": true,
  });
  grid.append(make("thead"), make("tbody"));
  const place = (cell) => [cell.parentNode.rowIndex - 1, cell.cellIndex - 1];
  grid.onclick = ({ target }) => target.closest("tbody td") && onpress(...place(target));
  grid.addEventListener("focusin", ({ target }) => stopAt(grid, target));
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
    if (event.key === "Enter" || event.key === " ") cell.click();
    else if (event.key in goal) goal[event.key]?.matches("td") && goal[event.key].focus();
    else return;
    event.preventDefault();
  };
  return grid;
}

/** Let the tab key reach this cell of the grid, and no other. */
function stopAt(grid, stop) {
  for (const cell of grid.querySelectorAll("tbody td")) cell.tabIndex = cell === stop ? 0 : -1;
}

/** Write rows of `{name, values, selected}` into a grid; cells are kept, and so is the focus. */
function fillGrid(grid, columns, rows, corner = "") {
  const [head, body] = [grid.tHead, grid.tBodies[0]];
  if (body.rows.length !== rows.length || body.rows[0].cells.length !== columns.length + 1) {
    const name = (tag, scope) => make(tag, { scope, dir: "auto" });
    const names = columns.map(() => name("th", "col"));
    const row = () => make("tr", {}, name("th", "row"), ...columns.map(() => make("td")));
    head.replaceChildren(make("tr", {}, make("td", { dir: "auto" }), ...names));
    body.replaceChildren(...rows.map(row));
    stopAt(grid, body.rows[0].cells[1]);
  }
  head.rows[0].cells[0].textContent = corner;
  columns.forEach((name, j) => (head.rows[0].cells[j + 1].textContent = name));
  rows.forEach(({ name, values, largest, picked, selected }, i) => {
    const [header, ...cells] = body.rows[i].cells;
    header.textContent = name;
    body.rows[i].className = picked ? "picked" : "";
    cells.forEach((cell, j) => paint(cell, values[j], values[j] / largest, j === selected));
  });
}

/** Colour a cell as the static heat maps are coloured: see site_build/inside/output_fence.py. */
function paint(cell, value, share, selected) {
  const strength = Number.isFinite(share) ? Math.abs(share).toFixed(2) : 0;
  cell.textContent = format(value);
  cell.style.setProperty("--share", strength);
  cell.classList.toggle("high", strength >= 0.65);
  cell.classList.toggle("minus", share < 0);
  cell.setAttribute("aria-selected", selected);
}

const largestOf = (matrix) =>
  Math.max(...matrix.flat().map(Math.abs).filter(Number.isFinite)) || 1;

/** A token of the lab: what was typed for each number, and the last number that was right. */
const makeToken = (name, vector) => ({ name, vector: [...vector], texts: vector.map(String) });

class AttentionLab extends HTMLElement {
  connectedCallback() {
    this.build();
    this.state = this.ownState();
    this.drawTokens();
    clearTimeout(this.soon); // nothing has changed yet
    this.restore();
    addEventListener("hashchange", () => this.restore());
  }

  /** Make all that stays. */
  build() {
    const pressed = (kinds) => (row, j) => this.select(kinds()[row], j);
    this.parts = {
      tokens: make("div"),
      add: button("+ token", () => this.add()),
      switches: Object.entries(SWITCHES).map(([name, text]) =>
        option("checkbox", name, text, () => {
          this.state.on[name] = !this.state.on[name];
          this.render();
        }),
      ),
      views: VIEWS.map((view) =>
        option("radio", "lab-view", view, () => {
          this.state.view = view;
          this.select(view, this.state.j);
        }),
      ),
      formula: make("p"),
      matrix: makeGrid("Every query and every key", (i, j) => {
        this.state.query = i;
        this.select(this.state.view, j);
      }),
      row: makeGrid("Scores and weights of the query", pressed(() => VIEWS)),
      vectors: makeGrid("Vectors of the query", pressed(() => this.vectorKinds())),
      title: make("strong"),
      sum: make("code"),
      notice: make("p", { className: "lab-notice" }),
      spoken: make("p", { className: "lab-spoken", role: "status" }),
    };
    const parts = this.parts;
    const area = (name, ...children) => make("div", { className: name }, ...children);
    const heads = area("lab-token", ...["", "", ...components].map((e) => make("span", {}, e)));
    heads.ariaHidden = true;
    const group = (name, legend, ...children) =>
      make("fieldset", { className: name }, make("legend", {}, legend), ...children);
    const scrolling = (grid) => area("lab-scroll", grid);
    this.lab = make(
      "div",
      { className: "lab", role: "group", "aria-label": "Attention lab" },
      area(
        "lab-head",
        make("span", {}, "Change a number. Pick who asks. Press a cell to see the sum that made it."),
        button("Reset", () => this.reset()),
        button("Copy link", () => this.copyLink()),
      ),
      group("lab-inputs", "Tokens and their vectors", heads, parts.tokens, parts.add),
      group("lab-switches", "Switches", ...parts.switches),
      area(
        "lab-matrix",
        group("lab-views", "Shown", ...parts.views),
        scrolling(parts.matrix),
        parts.formula,
      ),
      area("lab-row", scrolling(parts.row), scrolling(parts.vectors)),
      area("lab-sum", parts.title, parts.sum, parts.notice),
      parts.spoken,
    );
    this.append(this.lab);
  }

  /** Show the state that the address carries, if it carries one. */
  restore() {
    if (!/^#lab(&|$)/.test(location.hash)) return;
    const state = readState(location.hash);
    if (!state) return this.tell("The link holds no state that the lab can show.");
    this.state = state;
    this.drawTokens();
    this.scrollIntoView();
  }

  ownState() {
    const view = this.getAttribute("view") ?? "weights";
    return {
      tokens: this.getAttribute("words").split(" ").map((word) => makeToken(word, embedding[word])),
      query: (this.getAttribute("query") ?? 1) - 1,
      on: Object.fromEntries(Object.keys(SWITCHES).map((name) => [name, this.hasAttribute(name)])),
      view,
      kind: view,
      j: 0,
    };
  }

  reset() {
    history.replaceState(null, "", location.pathname + location.search);
    this.state = this.ownState();
    this.drawTokens();
    this.tell("The lab is as it was at first.");
  }

  // ---- the tokens -----------------------------------------------------------------------

  drawTokens() {
    const { tokens } = this.state;
    this.parts.tokens.replaceChildren(...tokens.map((token, i) => this.makeTokenRow(token, i)));
    this.parts.add.disabled = tokens.length >= MOST_TOKENS;
    this.render();
  }

  makeTokenRow(token, i) {
    const nth = `Token ${i + 1}`;
    const problem = make("p", { className: "lab-problem", id: `lab-problem-${i + 1}` });
    const ask = () => {
      this.state.query = i;
      this.render();
    };
    const fields = token.texts.map((_, e) => this.makeField(token, e, nth, problem));
    // A word of the course brings its vector, as from a dictionary.
    const lookUp = (vector) =>
      fields.forEach((field, e) => {
        field.value = vector[e];
        field.oninput();
      });
    return make(
      "div",
      { className: "lab-token", role: "group", "aria-label": nth },
      make(
        "label",
        { className: "lab-option" },
        make("input", { type: "radio", name: "lab-query", "aria-label": `${nth} asks`, onchange: ask }),
      ),
      make("input", {
        className: "lab-field lab-name",
        value: token.name,
        maxLength: LONGEST_NAME,
        dir: "auto",
        autocomplete: "off",
        spellcheck: false,
        "aria-label": nth,
        oninput: ({ target }) => {
          token.name = target.value;
          if (Object.hasOwn(embedding, token.name)) lookUp(embedding[token.name]);
          else this.render();
        },
      }),
      ...fields,
      Object.assign(
        button("×", () => this.remove(i), `Remove token ${i + 1}`),
        { disabled: this.state.tokens.length === 1 },
      ),
      problem,
    );
  }

  makeField(token, e, nth, problem) {
    const field = make("input", {
      className: "lab-field",
      value: token.texts[e],
      autocomplete: "off",
      spellcheck: false,
      "aria-label": `${nth}, ${components[e]}`,
    });
    const check = () => {
      token.texts[e] = field.value;
      const isWrong = problemWith(field.value) !== "";
      if (!isWrong) token.vector[e] = Number(field.value);
      field.setAttribute("aria-invalid", isWrong);
      if (isWrong) field.setAttribute("aria-describedby", problem.id);
      else field.removeAttribute("aria-describedby");
    };
    field.oninput = () => {
      check();
      this.render();
    };
    field.onkeydown = (event) => {
      const step = { ArrowUp: 0.1, ArrowDown: -0.1 }[event.key];
      if (!step) return;
      event.preventDefault();
      field.value = Number((token.vector[e] + step).toFixed(6));
      field.oninput();
    };
    check();
    return field;
  }

  add() {
    const { tokens } = this.state;
    tokens.push(makeToken(`token ${tokens.length + 1}`, components.map(() => 0.5)));
    this.drawTokens();
    this.parts.tokens.lastElementChild.querySelector(".lab-name").select();
  }

  remove(i) {
    const { state } = this;
    state.tokens.splice(i, 1);
    const last = state.tokens.length - 1;
    if (state.query > i || state.query > last) state.query -= 1;
    state.j = Math.min(state.j, last);
    this.drawTokens();
    this.parts.tokens.children[Math.min(i, last)].querySelector(".lab-name").focus();
  }

  // ---- what follows from them -------------------------------------------------------------

  vectorKinds() {
    return this.state.on.projected ? ["query", "key", "value", "context"] : ["context"];
  }

  select(kind, j) {
    Object.assign(this.state, { kind, j });
    this.render();
    this.say(`${this.parts.title.textContent} ${this.parts.sum.textContent}`);
  }

  render() {
    const { state, parts } = this;
    const { tokens, query, on, view } = state;
    const inputs = tokens.map((token) => token.vector);
    const names = tokens.map(({ name }, i) => name.trim() || `token ${i + 1}`);
    const result = attention(inputs, on);
    const columns = on.projected ? [1, 2] : components;
    if (!VIEWS.includes(state.kind)) {
      if (!this.vectorKinds().includes(state.kind)) state.kind = "context";
      state.j = Math.min(state.j, columns.length - 1);
    }

    const problems = tokens.map(problemsOf);
    [...parts.tokens.children].forEach(({ firstChild, lastChild }, i) => {
      firstChild.control.checked = i === query;
      lastChild.textContent = problems[i];
    });
    parts.switches.forEach(({ control }) => (control.checked = on[control.name]));
    parts.views.forEach(({ control }, v) => (control.checked = VIEWS[v] === view));

    const selectedOf = (kind) => (kind === state.kind ? state.j : -1);
    const rowOf = (kind, i, name) => ({
      name,
      values: result[kind][i],
      largest: largestOf(result[kind]),
      picked: kind === view && i === query && name === names[i],
      selected: i === query ? selectedOf(kind) : -1,
    });
    parts.formula.textContent = formula(view, on);
    fillGrid(parts.matrix, names, names.map((name, i) => rowOf(view, i, name)));
    const asked = (kind) => rowOf(kind, query, kind);
    fillGrid(parts.row, names, VIEWS.map(asked), names[query]);
    fillGrid(parts.vectors, columns, this.vectorKinds().map(asked));

    const problem = problems.filter(Boolean).join(" ");
    this.lab.classList.toggle("stale", problem !== "");
    parts.title.textContent = titleOf(state, names);
    parts.sum.textContent = sumOf(state, inputs, result);
    const notice = noticeOf(result, names);
    parts.notice.textContent = notice;
    this.say(problem || notice || summaryOf(result, query, names));
  }

  /** Show a message until something changes. */
  tell(message) {
    this.parts.notice.textContent = message;
    this.say(message);
  }

  /** Let a screen reader say the last of the messages that come in quick succession. */
  say(message) {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => (this.parts.spoken.textContent = message), 500);
  }

  async copyLink() {
    history.replaceState(null, "", writeState(this.state));
    try {
      await navigator.clipboard.writeText(location.href);
      this.tell("The link is copied.");
    } catch {
      this.tell("The link stands in the address bar: copy it from there.");
    }
  }
}

// ---- words ---------------------------------------------------------------------------------

/** Marks that keep a name together, in whatever direction it is written. */
const quote = (name) => `\u2068“${name}”\u2069`;

const problemsOf = ({ texts, vector }) =>
  texts
    .map((text, e) => problemWith(text) && `${problemWith(text)} ${vector[e]} still counts.`)
    .filter(Boolean)
    .join(" ");

function formula(view, on) {
  const [query, key] = on.projected ? ["query", "key"] : ["inputs", "inputs"];
  let text = on.cosine ? `cosine(${query}, ${key})` : `${query} ${key}ᵀ`;
  if (on.scaled) text += ` / √${on.projected ? 2 : 4}`;
  if (on.causal) text = `mask(${text})`;
  if (view === "weights") text = `${on.plain ? "shares" : "softmax"}(${text})`;
  return `${view} = ${text}`;
}

function titleOf({ kind, j, query, on }, names) {
  if (kind === "scores") return `Score that ${quote(names[query])} gives ${quote(names[j])}`;
  if (kind === "weights") return `Weight that ${quote(names[query])} gives ${quote(names[j])}`;
  const number = on.projected ? `Number ${j + 1}` : quote(components[j]);
  return `${number} of the ${kind} of ${quote(names[query])}`;
}

function sumOf({ kind, j, query, on }, inputs, result) {
  if (Number.isNaN(result[kind][query][j])) return "There is no such number.";
  if (VIEWS.includes(kind) && on.causal && j > query) {
    return `hidden by the mask: it comes later, so its ${kind === "scores" ? "score is -inf" : "weight is 0"}`;
  }
  return explain(kind, query, j, inputs, on, result);
}

/** Say why there are rows without numbers. */
function noticeOf({ scores, weights }, names) {
  const quoted = (isMeant) => names.filter((_, i) => isMeant(i)).map(quote).join(", ");
  const zeros = quoted((i) => Number.isNaN(scores[i][i]));
  if (zeros) return `A vector of zeros has no direction, and so no cosine: ${zeros}.`;
  const sums = quoted((i) => Number.isNaN(weights[i][0]));
  return sums && `Scores that add up to 0 cannot be divided by their sum: ${sums}.`;
}

function summaryOf({ weights, context }, query, names) {
  const most = weights[query].indexOf(Math.max(...weights[query]));
  return (
    `${quote(names[query])} takes most from ${quote(names[most])}: ` +
    `${format(weights[query][most])}. Context: ${context[query].map(format).join(", ")}.`
  );
}

// ---- the state in a link -------------------------------------------------------------------

function writeState({ tokens, query, on, view }) {
  const switches = Object.keys(SWITCHES).filter((name) => on[name]);
  const rows = tokens.map(({ name, vector }) => `token=${[encodeURIComponent(name), ...vector]}`);
  return `#${["lab", `query=${query + 1}`, `view=${view}`, ...switches, ...rows].join("&")}`;
}

/** Return the state that a fragment carries, or undefined if it is not one of the lab's. */
function readState(fragment) {
  const given = new URLSearchParams(fragment.slice(1));
  const rows = given.getAll("token").map((row) => row.split(","));
  const texts = rows.map((row) => row.splice(-components.length));
  const query = Number(given.get("query")) - 1;
  const view = given.get("view");
  const isWhole =
    rows.length <= MOST_TOKENS &&
    query in rows &&
    VIEWS.includes(view) &&
    rows.every((row, i) => row.length && row.join().length <= LONGEST_NAME) &&
    !texts.flat().some(problemWith);
  if (!isWhole) return undefined;
  const on = Object.fromEntries(Object.keys(SWITCHES).map((name) => [name, given.has(name)]));
  const tokens = rows.map((row, i) => makeToken(row.join(), texts[i].map(Number)));
  return { tokens, query, on, view, kind: view, j: 0 };
}

customElements.define("attention-lab", AttentionLab);
