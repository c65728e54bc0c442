// The card of a formula: press a number, and it says where it comes from, with its sources lit; a name, and
// it lights in the formula, in the code and among the numbers; a letter, and it says what it counts.
// What stands there without this script is written by site_build/formula_card.py.

import { make } from "../dom.js";
import { derive, placesOf, shown } from "./derive.js";
import { stopAt, withKeys } from "./grid.js";
import { explainPrinted } from "./printed.js";
import { scheme } from "./scheme.js";

const cellsOf = (row) => [...row.children].filter((cell) => cell.matches("[role=gridcell]"));
const span = (text) => make("span", {}, text);

class Card {
  constructor(element) {
    this.element = element;
    Object.assign(this, JSON.parse(element.querySelector("script").textContent));
    this.told = element.querySelector(".card-told");
    this.told.role = "status";
    /** Of each number that the formula explains: its equation, and the place on each axis. */
    this.answers = new Map();
    for (const part of this.parts)
      for (const at of placesOf(part.letters)) this.answers.set(`${this.cellOf(part, at)}`, { part, at });
    this.draw();
    element.addEventListener("click", ({ target }) => this.press(target));
    const [first] = this.parts;
    this.light(derive(first.element, this.tensors, this.at).cells, this.cellOf(first, this.at));
  }

  /** Puts the numbers and a button for each letter between the formula and what is said. */
  draw() {
    const leading = () => Object.values(this.at);
    const boxes = this.parts.map((part) => scheme(part, this.tensors, this.axes, leading)).filter(Boolean);
    const namesOf = (box) => [...box.querySelectorAll("[data-of]")].map(({ dataset }) => dataset.of);
    const isWithin = (box, other) => other !== box && namesOf(box).every((name) => namesOf(other).includes(name));
    boxes.forEach((box, i) => {
      if (boxes.some((other, j) => isWithin(box, other) && (j > i || !isWithin(other, box)))) return; // shown there
      this.told.before(box);
      withKeys(box, cellsOf, (cell) => this.pressCell(cell));
    });
    const letters = [...new Set([...this.element.querySelectorAll("math [data-letter]")].map(({ dataset }) => dataset.letter))];
    const buttons = letters.map((letter) => make("button", { type: "button", ariaLabel: `What is ${letter}?`, "data-letter": letter }, letter.replace("'", "′")));
    const row = make("div", { className: "card-letters for-scripts", role: "group", ariaLabel: "What a letter counts" }, buttons);
    if (letters.length) this.element.querySelector(".formula").after(row);
  }

  press(target) {
    const part = target.closest("[data-cell], [data-name], [data-letter]");
    if (!part) return;
    if (part.dataset.cell) this.pressCell(part);
    else if (part.dataset.name) this.pressName(part.dataset.name);
    else this.pressLetter(part.dataset.letter);
  }

  pressCell(cell) {
    stopAt(cell.closest("[role=grid]"), cell);
    this.tell(cell.dataset.cell);
  }

  /** Says where a number comes from, or of a source, what it is and which numbers read it. */
  tell(key, told = this.told) {
    const answer = this.answers.get(key);
    if (answer) return this.say(answer, told);
    const [name, ...places] = key.split(",");
    const number = places.reduce((part, place) => part[place], this.tensors[name]);
    told.replaceChildren(span(`${name}[${places.join(", ")}]`), " ", span(`= ${shown(number)}`));
    const readers = [...this.answers].filter(([, { part, at }]) => derive(part.element, this.tensors, at).cells.some((cell) => `${cell}` === key));
    this.light(readers.map(([reader]) => reader.split(",")), key.split(","));
    return undefined;
  }

  say({ part, at }, told = this.told) {
    const { text, value, cells, because } = derive(part.element, this.tensors, at);
    this.told.ariaLive = told === this.told ? "polite" : "off"; // it is heard once
    for (const place of new Set([this.told, told])) {
      place.replaceChildren(span(this.words(part, at)), " ", span(text));
      if (text !== shown(value)) place.append(" ", make("strong", {}, `= ${shown(value)}`));
      if (because.length) place.append(" ", span(`because ${because.join(" and ")}`));
    }
    this.light(cells, this.cellOf(part, at));
  }

  /** The number that an equation explains at some places. */
  cellOf(part, at) {
    return [part.name, ...part.index.map((place) => derive(place, this.tensors, at).value)];
  }

  /** What a number is, in words. */
  words(part, at) {
    const own = this.says[this.parts.indexOf(part)] || this.says[0];
    const said = own || `${part.name}[${Object.keys(part.letters).map((letter) => `{${letter}}`).join(", ")}]`;
    return Object.entries(at).reduce((words, [letter, place]) => words.replaceAll(`{${letter}}`, this.axes[letter]?.[place] ?? place), said);
  }

  /** Lights the sources of a number, and marks the number. */
  light(sources, chosen) {
    const lit = new Set(sources.map(String));
    for (const cell of this.element.querySelectorAll("[data-cell]")) {
      cell.classList.toggle("from", lit.has(cell.dataset.cell));
      cell.ariaSelected = cell.dataset.cell === `${chosen}`;
    }
    document.dispatchEvent(new CustomEvent("sources", { detail: { card: this, lit } }));
  }

  /** Lights all parts with a name or a letter, and no other. */
  mark(attribute, value) {
    for (const part of this.element.querySelectorAll("[data-name], [data-letter]")) {
      const isLit = part.dataset[attribute] === value;
      part.classList.toggle("lit", isLit);
      if (part.matches("button")) part.ariaPressed = isLit;
    }
    for (const matrix of this.element.querySelectorAll("[data-of]")) matrix.classList.toggle("lit", attribute === "name" && matrix.dataset.of === value);
  }

  pressName(name) {
    this.mark("name", name);
  }

  pressLetter(letter) {
    this.mark("letter", letter);
    this.told.replaceChildren(span(sentenceAbout(letter.replace("'", "′"), this.element) ?? `${letter} counts the places of an axis.`));
  }
}

/** The sentence of the page that introduces a letter: the nearest in its section, below the formula or above. */
function sentenceAbout(letter, card) {
  const near = [];
  for (const way of ["nextElementSibling", "previousElementSibling"])
    for (let other = card[way]; other && !/^H\d$/.test(other.tagName); other = other[way]) if (other.matches("p")) near.push(other);
  for (const paragraph of near) {
    const math = [...paragraph.querySelectorAll("math")].find(({ textContent }) => textContent === letter);
    if (!math) continue;
    const inside = (node) => (node === math ? `\0${letter}` : node.contains(math) ? [...node.childNodes].map(inside).join("") : spoken(node));
    const text = inside(paragraph);
    const sentence = text.split(/(?<=[.:?!])\s+/).find((part) => part.includes("\0"));
    return sentence.replace("\0", "").trim();
  }
  return undefined;
}

/** A text, in which an index is told from its name. */
const spoken = (node) =>
  node.localName === "msub" ? `${spoken(node.children[0])}_${spoken(node.children[1])}` : node.childNodes.length ? [...node.childNodes].map(spoken).join("") : node.textContent;

export const cards = [...document.querySelectorAll("formula-card")].map((element) => new Card(element));
explainPrinted(cards);
