// The attention lab: the reader changes a word, and sees who then listens to whom.

import { attention, components, embedding, madeOf, noticeOf, quote, summaryOf, sumOf, titleOf } from "./math.js";
import { area, button, fillGrid, group, keep, make, makeField, makeGrid, makeLinks, makeStepper, makeStrips, markGrid, option, problemsOf } from "./parts.js";
import * as states from "./state.js";

const KINDS = ["inputs", "query", "key", "value", "scores", "weights", "context"];

class AttentionLab extends HTMLElement {
  connectedCallback() {
    this.view = this.getAttribute("view") ?? "context"; // how far its page has come
    this.build();
    this.start(states.ownState(this));
    clearTimeout(this.soon); // nothing has changed yet
    this.restore();
    addEventListener("hashchange", () => this.restore());
  }

  /** What the picture shows of each pair of words. */
  get shown() {
    return this.view === "scores" ? "scores" : "weights";
  }

  start(state) {
    this.state = state;
    this.ask(state.query);
    this.drawEditor();
    this.drawMatrices();
  }

  // ---- what stays --------------------------------------------------------------------------

  build() {
    const pick = (kind) => (i, j) => this.pick(kind, i, j);
    const point = (kind) => (i, j) => this.mark(i === undefined ? this.state : { ...this.state, kind, i, j });
    const grid = (kind) => makeGrid(kind, point(kind), pick(kind));
    this.grids = Object.fromEntries(KINDS.map((kind) => [kind, grid(kind)]));
    this.boxes = Object.fromEntries(KINDS.map((kind) => [kind, area("lab-scroll", this.grids[kind])]));
    const numbers = (kinds) => area("lab-numbers", ...kinds.map((kind) => this.boxes[kind]));
    const later = { scores: [], weights: ["scores"], context: ["scores", "context"] }[this.view];
    this.links = makeLinks(
      (i) => this.ask(i),
      (j) => this.pick(this.shown, this.state.query, j),
    );
    this.strips = makeStrips();
    const heads = ["head 0: what kind?", "head 1: who is there?"];
    const presets = [
      button("make it zero", () => this.change((x) => x * 0)),
      button("double it", () => this.change((x) => x * 2)),
    ];
    this.parts = {
      title: make("strong", { className: "lab-title" }),
      tabs: make("div", { className: "lab-tabs", role: "radiogroup", "aria-label": "Which word do you change?" }),
      editor: area("lab-editor"),
      add: button("+ word", () => this.add()),
      remove: button("remove it", () => this.remove()),
      switches: Object.entries(states.SWITCHES).map(([name, text]) =>
        option("checkbox", name, text, () => {
          this.state.on[name] = !this.state.on[name];
          this.render();
        }),
      ),
      heads: heads.map((text, head) =>
        option("radio", "lab-head", text, () => {
          this.state.head = head;
          this.drawMatrices();
          this.render();
        }),
      ),
      matrices: area("lab-matrices"),
      heading: make("strong"),
      sum: make("code"),
      notice: make("p", { className: "lab-notice" }),
      told: make("span", { className: "lab-told" }),
      spoken: make("p", { className: "lab-spoken", role: "status" }),
    };
    const parts = this.parts;
    const foot = area("lab-foot", button("Reset", () => this.reset()), button("Copy link", () => this.copyLink()), parts.told);
    if (this.hasAttribute("source"))
      foot.prepend(button("“Your journey starts…”", () => this.start(states.sourceState(this.state)), "Take “Your journey starts with one step”, with three numbers for each word"));
    const more = (words, ...children) =>
      make("details", { className: "lab-more" }, make("summary", {}, words), ...children);
    this.lab = make(
      "div",
      { className: "lab", role: "group", "aria-label": "Attention lab" },
      area(
        "lab-side",
        parts.title,
        make("p", { className: "lab-hint" }, "Press a word: it asks. A thick arc finds much."),
        ...(this.hasAttribute("heads") ? [group("lab-heads", "Which head?", ...parts.heads)] : []),
        this.links.element,
        this.strips.element,
        group(
          "lab-inputs",
          "Change a word: drag a number, or press +",
          parts.tabs,
          parts.editor,
          area("lab-presets", ...presets, parts.remove, parts.add),
        ),
        group("lab-switches", "What if", ...parts.switches),
        ...(this.hasAttribute("projected") ? [more("Change the matrices", parts.matrices)] : []),
      ),
      area(
        "lab-side",
        parts.notice,
        area(
          "lab-numbers",
          this.boxes.inputs,
          area("lab-scroll lab-three", this.boxes.query, this.boxes.key, this.boxes.value),
          this.boxes[this.shown],
        ),
        ...(later.length ? [more(`Show ${later.join(" and ")}`, numbers(later))] : []),
        area("lab-sum", parts.heading, parts.sum),
      ),
      foot,
      parts.spoken,
    );
    this.append(this.lab);
  }

  // ---- the word that is changed ---------------------------------------------------------------

  drawEditor() {
    const { edited, tokens } = this.state;
    const token = tokens[edited];
    const problem = make("p", { className: "lab-problem", id: "lab-problem" });
    const columns = states.partsOf(this.state);
    const fields = columns.map((part, e) => makeField(token, e, part, problem, () => this.render()));
    const name = make("input", {
      className: "lab-field lab-name",
      value: token.name,
      maxLength: states.LONGEST_NAME,
      dir: "auto",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: false,
      "aria-label": "word",
      // A word of the course brings its vector, as from a dictionary.
      oninput: () => {
        token.name = name.value;
        const vector = columns === components && Object.hasOwn(embedding, token.name) && embedding[token.name];
        if (vector) fields.forEach((field, e) => field.set(vector[e]));
        else this.render();
      },
    });
    this.fields = fields;
    const stepper = (field, e) => makeStepper(columns[e], field);
    this.parts.editor.replaceChildren(name, ...fields.map(stepper), problem);
  }

  drawMatrices() {
    const { heads, head } = this.state;
    const matrix = ([name, rows]) => {
      const problems = rows.map((_, r) => make("p", { className: "lab-problem", id: `lab-${name}-${r}` }));
      const fieldsOf = (row, r) =>
        row.vector.map((_, e) => makeField(row, e, `${name}, row ${r + 1}, ${components[e]}`, problems[r], () => this.render()));
      return group("lab-matrix", name, ...rows.flatMap(fieldsOf), ...problems);
    };
    this.parts.matrices.replaceChildren(
      make("p", {}, `Each row makes one number of ${components.join(", ")}. Drag a number, or press ↑ and ↓.`),
      ...Object.entries(heads[head]).map(matrix),
    );
  }

  edit(i) {
    this.state.edited = i;
    this.drawEditor();
    this.render();
  }

  change(of) {
    const { vector } = this.state.tokens[this.state.edited];
    this.fields.forEach((field, e) => field.set(of(vector[e])));
  }

  add() {
    const { tokens } = this.state;
    tokens.push(states.makeToken(`word ${tokens.length + 1}`, tokens[0].vector.map(() => 0.5)));
    this.edit(tokens.length - 1);
    this.parts.editor.querySelector(".lab-name").select();
  }

  remove() {
    const { state } = this;
    state.tokens.splice(state.edited, 1);
    const last = state.tokens.length - 1;
    if (state.query > state.edited || state.query > last) state.query -= 1;
    state.edited = Math.min(state.edited, last);
    this.ask(state.query);
    this.drawEditor();
    this.parts.editor.querySelector(".lab-name").focus();
  }

  ask(i) {
    Object.assign(this.state, { query: i, i, kind: this.shown, j: 0 });
    this.render();
    const row = this.result[this.shown][i];
    this.state.j = Math.max(0, row.indexOf(Math.max(...row))); // the word that it finds
    this.render();
  }

  // ---- what follows from it -------------------------------------------------------------------

  pick(kind, i, j) {
    Object.assign(this.state, { kind, i, j });
    this.render();
    this.say(`${this.parts.heading.textContent} ${this.parts.sum.textContent}`);
  }

  render() {
    const { state, parts, view } = this;
    const { tokens, query, on, edited } = state;
    this.names = tokens.map(({ name }, i) => name.trim() || `word ${i + 1}`);
    this.matrices = states.matricesNow(state);
    this.result = attention(tokens.map(({ vector }) => vector), on, this.matrices);
    const { names, result } = this;
    const columns = states.partsOf(state);
    const few = on.projected ? ["1", "2"] : columns;
    this.columns = { inputs: columns, query: few, key: few, value: few, context: few, scores: names, weights: names };
    state.j = Math.min(state.j, this.columns[state.kind].length - 1);

    const values = result[this.shown][query];
    const largest = Math.max(...values.map(Math.abs).filter(Number.isFinite)) || 1;
    const share = (x) => (Number.isFinite(x) ? Math.min(1, Math.abs(x) / (view === "scores" ? largest : 1)) : 0);
    const at = state.kind === this.shown && state.i === query ? state.j : -1;
    this.links.draw({ names, query, values, shares: values.map(share), at });
    this.strips.element.hidden = view !== "context";
    this.strips.draw({
      columns: on.projected ? ["number 1", "number 2"] : columns,
      name: quote(names[query]),
      values: result.value,
      weights: result.weights[query],
      query,
      context: result.context[query],
      own: on.projected ? undefined : result.inputs[query],
    });

    const verb = view === "scores" ? "scores with" : "takes from";
    parts.title.textContent = `What ${quote(names[query])} ${verb} each word`;
    const makeTab = (i) => option("radio", "lab-edit", "", () => this.edit(i));
    keep(parts.tabs, names.length, makeTab).forEach((label, i) => {
      label.control.checked = i === edited;
      label.control.ariaLabel = `${names[i]}, word ${i + 1}, change`;
      label.lastChild.textContent = names[i];
      label.classList.toggle("wrong", problemsOf(tokens[i]) !== "");
    });
    parts.add.disabled = names.length >= states.MOST_TOKENS;
    parts.remove.disabled = names.length === 1;
    const offered = (this.getAttribute("switches") ?? "").split(",");
    parts.switches.forEach((label) => {
      label.control.checked = on[label.control.name];
      label.hidden = !offered.includes(label.control.name) && (!label.control.checked || this.hasAttribute(label.control.name));
    });
    parts.switches[0].parentNode.hidden = parts.switches.every(({ hidden }) => hidden);
    parts.heads.forEach(({ control }, head) => (control.checked = head === state.head));

    for (const kind of KINDS) {
      const isShare = kind === "weights" && !on.plain;
      const isHidden = (i, j) => kind === "weights" && on.causal && j > i;
      fillGrid(this.grids[kind], this.columns[kind], names, result[kind], { isShare, isHidden });
      if (kind === "inputs" || "query key value".includes(kind)) this.boxes[kind].hidden = (kind === "inputs") === on.projected;
    }
    this.mark(state);

    const notice = noticeOf(result, names);
    parts.notice.textContent = notice;
    parts.told.textContent = "";
    const rows = [...tokens, ...state.heads.flatMap((head) => Object.values(head).flat())];
    const problem = rows.map(problemsOf).filter(Boolean).join(" ");
    this.lab.classList.toggle("stale", problem !== "");
    this.say(problem || notice || summaryOf(view, result, query, names, few));
  }

  /** Show a cross through a cell, what made it, and the sum. */
  mark(at) {
    const made = madeOf(at.kind, at.i, at.j, at.on);
    for (const kind of KINDS) {
      const of = made.filter((each) => each.kind === kind);
      const places = (axis) => of.map((each) => each[axis]).filter((place) => place !== undefined);
      markGrid(this.grids[kind], kind === at.kind ? [at.i, at.j] : undefined, places("row"), places("column"));
    }
    this.parts.heading.textContent = titleOf(at, this.names, this.columns[at.kind]);
    this.parts.sum.textContent = sumOf(at, this.result, this.matrices);
  }

  // ---- words and links ------------------------------------------------------------------------

  /** Show a message beside the buttons until something changes. */
  tell(message) {
    this.parts.told.textContent = message;
    this.say(message);
  }

  /** Let a screen reader say the last of the messages that come in quick succession. */
  say(message) {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => (this.parts.spoken.textContent = message), 500);
  }

  /** Show the state that the address carries, if it carries one. */
  restore() {
    if (!/^#lab(&|$)/.test(location.hash)) return;
    const state = states.readState(location.hash, states.ownState(this));
    if (!state) return this.tell("The link holds no state that the lab can show.");
    this.start(state);
    this.scrollIntoView();
  }

  reset() {
    history.replaceState(null, "", location.pathname + location.search);
    this.start(states.ownState(this));
    this.tell("The lab is as it was at first.");
  }

  async copyLink() {
    history.replaceState(null, "", states.writeState(this.state));
    try {
      await navigator.clipboard.writeText(location.href);
      this.tell("The link is copied.");
    } catch {
      this.tell("The link stands in the address bar: copy it from there.");
    }
  }
}

customElements.define("attention-lab", AttentionLab);
