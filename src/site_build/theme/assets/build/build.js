// A function is built from lines. Every program that can be built was run by torch before the page
// was made: what came of it is fetched, and nothing is computed here. What was found and built is kept
// in this browser alone, beside what was read.
import { make } from "../dom.js";
import { root as site } from "../progress/kept.js";
import { remember, missed } from "./again.js";

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
const styled = ["build.css", "../heat/map.css"].map((name) => {
  const styles = make("link", { rel: "stylesheet", href: new URL(name, import.meta.url) });
  document.head.append(styles);
  return new Promise((resolve) => (styles.onload = styles.onerror = resolve));
});

// What can be done with a function, the easiest first. What a puzzle has no numbers for is left out.
const WAYS = {
  predict: ["Predict", "What does this program give? Press the numbers."],
  find: ["Find the mistake", "One line of this program is wrong. Press it."],
  repair: ["Repair", "Two lines of this program are wrong. Repair them."],
  order: ["Put in order", "Press the lines in the order in which they run."],
  empty: ["From nothing", "Choose a line for each place."],
};

const DONE = { find: "found", repair: "repaired", order: "ordered", empty: "built" };

class BuildIt extends HTMLElement {
  async connectedCallback() {
    this.exercise = this.getAttribute("name");
    const answer = await fetch(new URL(`assets/puzzles/${this.exercise}.json`, site));
    this.known = await answer.json();
    await Promise.all(styled);
    this.choosable = this.known.places.flatMap((lines, place) => (lines.length > 1 ? [place] : []));
    this.asks = make("p", { className: "build-ask", role: "status" });
    this.seen = make("div", { className: "build-seen" });
    this.lines = this.program();
    this.ordered = make("div", { className: "build-program" });
    this.append(this.asks, this.lines, this.ordered, this.seen, this.bar());
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
    const { predict, repair, ordered } = this.known;
    const has = { predict, repair, order: ordered.length, find: true, empty: true };
    const ways = Object.keys(WAYS).filter((way) => has[way]);
    const buttons = [...ways, "copy"].map((act) => {
      const button = make("button", { type: "button", textContent: WAYS[act]?.[0] ?? "Copy" });
      button.dataset.act = act;
      return button;
    });
    return make("p", { className: "build-bar" }, ...buttons);
  }

  /** Begin: with a program to look at, or with none. */
  start(how) {
    const { places, find, repair, predict } = this.known;
    const program = { find, repair, predict: predict?.program }[how];
    this.how = how;
    this.found = false;
    this.erred = false;
    this.picked = places.map((lines, place) => (program ? program[place] : lines.length === 1 ? 0 : null));
    this.order = [];
    this.lines.hidden = how === "order";
    this.ordered.hidden = how !== "order";
    for (const button of this.querySelectorAll("[data-act]")) button.ariaPressed = button.dataset.act === how;
    this.open(-1);
    this.draw();
    this.asks.textContent = WAYS[how][1];
  }

  /** Something went wrong: it comes back after some days. */
  err() {
    this.erred = true;
    missed(this.exercise);
  }

  handleEvent(event) {
    if (event.type === "keydown") return this.walk(event);
    const button = event.target.closest("button");
    if (!button) return;
    const { act, line } = button.dataset;
    if (act === "copy") this.copy();
    else if (act) {
      this.start(act);
      const first = { order: ".build-left", predict: ".build-answer button" }[act] ?? ".build-place";
      this.querySelector(first).focus();
    } else if (button.dataset.answer) this.answer(button);
    else if (button.dataset.move) this.move(Number(button.dataset.move));
    else if (line) this.take(this.lists.indexOf(button.parentElement), Number(line));
    else this.press(this.buttons.indexOf(button));
  }

  press(number) {
    const place = this.choosable[number];
    if (this.how === "predict") return;
    if (this.how === "find" && !this.found) {
      if (!this.known.find[place]) {
        this.err();
        this.asks.textContent = "This line is right. Look at the numbers, and press another.";
        return;
      }
      this.found = true;
      remember(this.exercise, "found", this.erred);
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
    return this.told(this.known.programs[index]);
  }

  told(number) {
    return { says: "", partly: "", read: [], numbers: [], ...this.known.outcomes[number] };
  }

  /** Take the next line, or take back one that stands there, with those below it. */
  move(line) {
    const at = this.order.indexOf(line);
    if (at < 0) this.order.push(line);
    else this.order.length = at;
    const left = this.known.places.length - this.order.length;
    if (left === 1) this.order.push(this.known.places.findIndex((_, place) => !this.order.includes(place)));
    this.asks.textContent = WAYS.order[1];
    this.draw();
    (this.querySelector(".build-left") ?? this.querySelector(".build-taken")).focus();
  }

  /** The lines in the order that they were pressed in, and those that are left. */
  drawOrder() {
    const { head, places } = this.known;
    const button = (place, className) => {
      const element = make("button", { type: "button", className: `build-place ${className}` });
      element.append(make("code", { textContent: places[place][0] }));
      element.dataset.move = place;
      return element;
    };
    // Lines come by their letters, so the order tells nothing.
    const left = places.map((_, place) => place).filter((place) => !this.order.includes(place));
    left.sort((a, b) => (places[a][0] < places[b][0] ? -1 : 1));
    this.ordered.replaceChildren(
      make("code", { textContent: head, className: "build-line" }),
      ...this.order.map((place) => button(place, "build-taken")),
      ...(left.length ? [make("p", { textContent: "Left:" })] : []),
      ...left.map((place) => button(place, "build-left empty")),
    );
    if (left.length) return [];
    // Permutations are counted as Python counts them.
    const rest = places.map((_, place) => place);
    const index = this.order.reduce((sum, place) => {
      const at = rest.indexOf(place);
      rest.splice(at, 1);
      return (sum + at) * Math.max(rest.length, 1);
    }, 0);
    const mine = this.told(this.known.ordered[index]);
    if (mine.at) this.ordered.querySelectorAll(".build-taken")[mine.at[0]]?.classList.add("raised");
    return this.result(mine);
  }

  /** Three results, of which one is that of the program. */
  drawAnswers() {
    const { answers, program } = this.known.predict;
    const own = this.outcome(program);
    return answers.map((number, n) => {
      const button = make("button", { type: "button", textContent: `These: ${"ABC"[n]}` });
      button.dataset.answer = this.told(number).numbers === own.numbers ? "yes" : "no";
      const maps = this.heat(this.told(number).numbers.map((table) => ({ ...table, wrong: [] })), "ABC"[n]);
      return make("div", { className: "build-answer" }, ...maps, button);
    });
  }

  answer(button) {
    if (button.dataset.answer === "no") {
      this.err();
      button.disabled = true;
      this.asks.textContent = "No, these are the numbers of another program. Look at each line.";
      this.seen.querySelector("button:enabled").focus();
      return;
    }
    remember(this.exercise, "predicted", this.erred);
    const mine = this.outcome(this.known.predict.program);
    this.asks.textContent = mine.kind === "right" ? "Yes. And the program is right." : "Yes. But the program makes a mistake.";
    for (const other of this.seen.querySelectorAll("button")) other.disabled = true;
    if (mine.kind !== "right") this.seen.append(...this.says(mine));
  }

  /** Tables as heat maps, with colours that mean the same in all. */
  heat(tables, who, others = tables) {
    const shown = [...tables, ...others].flatMap(({ rows }) => rows.flat());
    const sizes = shown.map((text) => Math.abs(text === "True" ? 1 : Number(text))).filter(Number.isFinite);
    const most = Math.max(1e-9, ...sizes);
    return tables.map((table) => map(table, who, most, this.known));
  }

  draw() {
    const { places } = this.known;
    this.querySelector("[data-act=copy]").hidden = this.how === "order";
    if (this.how === "order") return this.seen.replaceChildren(...this.drawOrder());
    this.buttons.forEach((button, n) => {
      const line = this.picked[this.choosable[n]];
      const text = line === null ? "" : places[this.choosable[n]][line];
      button.firstChild.textContent = shown(text) || "    choose a line";
      button.classList.toggle("empty", line === null);
      button.classList.remove("raised");
    });
    const full = this.picked.every((line) => line !== null);
    this.querySelector("[data-act=copy]").hidden = !full;
    if (this.how === "predict") this.seen.replaceChildren(...this.drawAnswers());
    else this.seen.replaceChildren(...(full ? this.result(this.outcome(this.picked)) : []));
  }

  /** What came of the program: the numbers beside the right ones, and what `check` says. */
  result(mine) {
    const right = this.outcome(this.picked.map(() => 0));
    const parts = [];
    if (mine.numbers.length) {
      const mineIsRight = mine.kind === "right";
      const who = mineIsRight ? "Right" : this.how === "find" && !this.found ? "This program" : "Yours";
      const yours = this.heat(mine.numbers, who, right.numbers);
      const others = mineIsRight ? [] : this.heat(right.numbers, "Right", mine.numbers);
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
      remember(this.exercise, DONE[this.how], this.erred);
      this.asks.textContent = this.how === "empty" ? "Right. You have built it." : "Right. Can you build it from nothing?";
    } else if (!secret) {
      if (this.how === "empty" || this.how === "order") {
        this.err();
        this.asks.textContent = this.how === "order" ? "Not yet. Press a line to take it back." : "Not yet. Press a line to change it.";
      }
      parts.push(...this.says(mine));
    } else if (mine.at) parts.push(make("p", { className: "build-raised", textContent: `torch stops: ${mine.raised}` }));
    return parts;
  }

  says(mine) {
    const wrong = this.how === "order" ? [] : this.choosable.filter((place) => this.picked[place]);
    let { says, read } = mine;
    const { partly, raised } = mine;
    if (mine.at && this.how !== "order") {
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
