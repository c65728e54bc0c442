// A function is built from lines. Every program that can be built was run by torch before the page
// was made: what came of it is fetched, and nothing is computed here. What was found and built is kept
// in this browser alone, beside what was read.
import { keep, recall, root as site } from "../progress/progress.js";

const make = (tag, properties = {}, ...inside) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...inside);
  return element;
};

const shown = (line) => line.replace("# nothing", "(no line here)");

/** Numbers as a heat map, those outlined that differ from the right ones. */
function map({ rows, wrong, shape }, title, full, { rows: names, columns }) {
  const marked = new Set(wrong);
  const width = rows[0]?.length ?? 0;
  const named = names.length > 0 && rows.length % names.length === 0;
  const table = make("table", { className: "heat-map" }, make("caption", { textContent: shape ? `${title}, shape (${shape.join(", ")})` : title }));
  if (columns.length === width) table.append(make("tr", {}, ...(named ? [make("td")] : []), ...columns.map((word) => make("th", { scope: "col", textContent: word }))));
  const body = make("tbody");
  rows.forEach((row, i) => {
    const cells = row.map((text, j) => {
      const number = text === "True" ? 1 : Number(text);
      const cell = make("td", { textContent: text.replace("-", "−") });
      if (Number.isFinite(number)) cell.style.setProperty("--share", Math.abs(number) / full);
      else cell.classList.add("hidden");
      cell.classList.toggle("minus", number < 0);
      cell.classList.toggle("differs", marked.has(i * width + j));
      return cell;
    });
    const name = make("th", { scope: "row", textContent: names[i % names.length] });
    body.append(make("tr", {}, ...(named ? [name] : []), ...cells));
  });
  table.append(body);
  return make("div", { className: "heat", tabIndex: 0 }, table);
}

// The styles come with the script: a page is lighter without them until a function is near.
const styles = make("link", { rel: "stylesheet", href: new URL("build.css", import.meta.url) });
const styled = new Promise((resolve) => (styles.onload = styles.onerror = resolve));
document.head.append(styles);

class BuildIt extends HTMLElement {
  async connectedCallback() {
    this.exercise = this.getAttribute("name");
    const answer = await fetch(new URL(`assets/puzzles/${this.exercise}.json`, site));
    this.known = await answer.json();
    await styled;
    this.choosable = this.known.places.flatMap((lines, place) => (lines.length > 1 ? [place] : []));
    this.asks = make("p", { className: "build-ask", role: "status" });
    this.seen = make("div", { className: "build-seen" });
    this.append(this.asks, this.program(), this.seen, this.bar());
    this.buttons = [...this.querySelectorAll(".build-place")];
    this.lists = [...this.querySelectorAll(".build-lines")];
    this.addEventListener("click", this);
    this.addEventListener("keydown", this);
    this.start("find");
  }

  /** The lines that stand there, and for each place a button with the lines to choose from. */
  program() {
    const { head, places, orders } = this.known;
    const code = (textContent, className = "") => make("code", { textContent, className });
    const parts = places.flatMap((lines, place) => {
      if (lines.length === 1) return [code(lines[0], "build-line")];
      const choices = orders[place].map((number) => {
        const button = make("button", { type: "button" }, code(shown(lines[number])));
        button.dataset.line = number;
        return button;
      });
      return [
        make("button", { type: "button", className: "build-place" }, code("")),
        make("div", { className: "build-lines", hidden: true }, ...choices),
      ];
    });
    return make("div", { className: "build-program" }, code(head, "build-line"), ...parts);
  }

  bar() {
    const acts = { empty: "From nothing", find: "Find the mistake", copy: "Copy" };
    const buttons = Object.entries(acts).map(([act, textContent]) => {
      const button = make("button", { type: "button", textContent });
      button.dataset.act = act;
      return button;
    });
    return make("p", { className: "build-bar" }, ...buttons);
  }

  /** Begin with the program that has a wrong line, or with none. */
  start(how) {
    this.how = how;
    this.found = false;
    this.picked = this.known.places.map((lines, place) =>
      lines.length === 1 ? 0 : how === "find" ? this.known.find[place] : null,
    );
    this.open(-1);
    this.draw();
    this.asks.textContent =
      how === "find" ? "One line of this program is wrong. Press it." : "Choose a line for each place.";
  }

  handleEvent(event) {
    if (event.type === "keydown") return this.walk(event);
    const button = event.target.closest("button");
    if (!button) return;
    const { act, line } = button.dataset;
    if (act === "copy") this.copy();
    else if (act) {
      this.start(act);
      this.buttons[0].focus();
    } else if (line) this.take(this.lists.indexOf(button.parentElement), Number(line));
    else this.press(this.buttons.indexOf(button));
  }

  press(number) {
    const place = this.choosable[number];
    if (this.how === "find" && !this.found) {
      if (!this.known.find[place]) {
        this.asks.textContent = "This line is right. Look at the numbers, and press another.";
        return;
      }
      this.found = true;
      this.remember("found");
      this.asks.textContent = "Yes, this line. Which should it be?";
      this.open(number);
      this.draw();
    } else this.open(this.opened === number ? -1 : number);
  }

  take(number, line) {
    this.picked[this.choosable[number]] = line;
    const empty = this.choosable.findIndex((place) => this.picked[place] === null);
    this.open(empty);
    this.draw();
    this.buttons[empty < 0 ? number : empty].focus();
  }

  /** Show the lines of one place. */
  open(number) {
    this.opened = number;
    this.buttons.forEach((button, n) => (button.ariaExpanded = n === number));
    this.lists.forEach((list, n) => (list.hidden = n !== number));
  }

  outcome(picked) {
    const index = picked.reduce((sum, line, place) => sum * this.known.places[place].length + line, 0);
    return { says: "", partly: "", read: [], numbers: [], ...this.known.outcomes[this.known.programs[index]] };
  }

  draw() {
    const { places } = this.known;
    this.buttons.forEach((button, n) => {
      const line = this.picked[this.choosable[n]];
      const text = line === null ? "" : places[this.choosable[n]][line];
      button.firstChild.textContent = shown(text) || "    choose a line";
      button.classList.toggle("empty", line === null);
      button.classList.remove("raised");
    });
    const full = this.picked.every((line) => line !== null);
    this.querySelector("[data-act=copy]").hidden = !full;
    this.seen.replaceChildren(...(full ? this.result() : []));
  }

  /** What came of the program: the numbers beside the right ones, and what `check` says. */
  result() {
    const mine = this.outcome(this.picked);
    const right = this.outcome(this.picked.map(() => 0));
    const parts = [];
    if (mine.numbers.length) {
      const shown = [...mine.numbers, ...right.numbers].flatMap(({ rows }) => rows.flat());
      const most = Math.max(1e-9, ...shown.map((text) => Math.abs(text === "True" ? 1 : Number(text))).filter(Number.isFinite));
      const heat = (of, who) =>
        of.numbers.map((table) => map(table, who, most, this.known));
      const mineIsRight = mine.kind === "right";
      const yours = heat(mine, mineIsRight ? "Right" : this.how === "find" && !this.found ? "This program" : "Yours");
      const others = mineIsRight ? [] : heat(right, "Right");
      const differs = ({ wrong, shape }) => wrong.length || shape;
      const none = !mine.numbers.some(differs);
      const pairs = yours.flatMap((table, n) => !none && !differs(mine.numbers[n]) ? [] : [
        ...(yours.length > 1 ? [make("p", { textContent: this.known.results[n] })] : []),
        make("div", { className: "build-pair" }, table, ...(others[n] ? [others[n]] : [])),
      ]);
      parts.push(make("p", { textContent: `For ${this.known.for}:` }), ...pairs);
    }
    const secret = this.how === "find" && !this.found;
    if (mine.kind === "right") {
      this.remember(this.how === "find" ? "found" : "built");
      this.asks.textContent = this.how === "find" ? "Right. Can you build it from nothing?" : "Right. You have built it.";
    } else if (!secret) {
      if (this.how !== "find") this.asks.textContent = "Not yet. Press a line to change it.";
      parts.push(...this.says(mine));
    } else if (mine.at) parts.push(make("p", { className: "build-raised", textContent: `torch stops: ${mine.raised}` }));
    return parts;
  }

  says(mine) {
    const wrong = this.choosable.filter((place) => this.picked[place]);
    let { says, read } = mine;
    const { partly, raised } = mine;
    if (mine.at) {
      const number = this.choosable.indexOf(mine.at[0]);
      this.buttons[number]?.classList.add("raised");
    }
    // Of several wrong lines, the first has a name of its own.
    if (!mine.read.length || ["error", "difference"].includes(mine.kind)) {
      const alone = this.picked.map((line, place) => (place === wrong[0] ? line : 0));
      const first = this.outcome(alone);
      if (wrong.length > 1) {
        says += `\n${wrong.length} lines are not those of the solution. Of the first:\n${first.says || first.raised}`;
        ({ read } = first);
      }
    }
    const told = [raised && `torch stops: ${raised}`, partly, says].join("\n").split("\n").filter(Boolean);
    const parts = told.map((textContent) => make("p", { textContent }));
    for (const page of new Set(read)) {
      const link = make("a", { href: new URL(page, site), textContent: "Where this is explained" });
      parts.push(make("p", {}, link));
    }
    return [make("div", { className: "build-says" }, ...parts)];
  }

  copy() {
    const lines = this.picked.map((line, place) => this.known.places[place][line]);
    const text = [this.known.head, ...lines.filter((line) => line.trim() !== "# nothing")].join("\n");
    navigator.clipboard.writeText(`${text}\n`).then(() => (this.asks.textContent = "Copied."));
  }

  remember(what) {
    const { built = {} } = recall();
    if (built[this.exercise] !== "built") keep({ built: { ...built, [this.exercise]: what } });
  }

  /** Arrow keys walk over the lines; Escape closes them. */
  walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" && this.opened >= 0) {
      this.buttons[this.opened].focus();
      this.open(-1);
    } else if (step) {
      const stops = [...this.querySelectorAll("button")].filter((button) => button.checkVisibility());
      stops.at((stops.indexOf(document.activeElement) + step) % stops.length)?.focus();
      event.preventDefault();
    }
  }
}
customElements.define("build-it", BuildIt);
