// The head that was trained: its words are points, and the query of the word that asks is an arrow that
// the reader turns. The numbers are those that its page trains.

import { attend, dot, softmax, two } from "../attention.js";
import { box, button } from "./controls.js";
import lesson from "../lesson.js";
import { aloud, quote } from "../sentence.js";
import { make } from "../../dom.js";
import WORDS from "./head-words.js";

const list = (text) => text.split(" ");
const START = list("the animal didn't cross the street because it was too tired");
const [FIRST, VERB, SECOND, IT, LAST] = [1, 3, 5, 7, 10];
const SLOTS = {
  alive: list("animal dog cat horse child duck"),
  places: list("street river field road bridge bank"),
  verbs: list("cross like see leave"),
  adjectives: list("tired hungry scared old lazy wide long narrow deep steep"),
};
const kindOf = (word) => Object.keys(SLOTS).find((kind) => SLOTS[kind].includes(word));
const choices = (word) => SLOTS[kindOf(word)] ?? [word];
const knows = (word) => Object.hasOwn(WORDS, word);

function accepts(words) {
  const kinds = [FIRST, VERB, SECOND, LAST].map((at) => kindOf(words[at]));
  const isPattern = words.length === START.length && START.every((word, at) => kindOf(word) || word === words[at]);
  return isPattern && ["alive,verbs,places,adjectives", "places,verbs,alive,adjectives"].includes(`${kinds}`);
}

// ---- the head ----------------------------------------------------------------------------------

const round = (pair) => pair.map((x) => Math.round(x * 100) / 100); // as the page has its 26 numbers
const ROOT = Math.SQRT2; // of head_dim

/** The query of a word after layer 1 has told it something of its sentence. */
export function queryOf(words, at) {
  const [asks, answers, tells] = [0, 1, 2].map((part) => words.map((word) => WORDS[word][part]));
  const told = attend(asks[at].map((x) => x / ROOT), answers, tells).context;
  return round(WORDS[words[at]][3].map((own, c) => own + told[c]));
}

const keyOf = (word) => round(WORDS[word][4]);

/** Ask all words, with the reader's arrow if there is one; the last word may be left out. */
function ask(_, asks, { arrow, out }, words) {
  const own = queryOf(out && asks !== LAST ? words.slice(0, LAST) : words, asks);
  const query = arrow ?? own;
  const scores = words.map((word, j) => (out && j === LAST ? -Infinity : dot(query, keyOf(word)) / ROOT));
  return { scores, shares: softmax(scores), query, own };
}

// ---- the picture -------------------------------------------------------------------------------

const SHORTER = 4; // how much shorter an arrow is drawn than it is
const REACH = { right: 8.8, up: 10.4, down: 5.6 }; // of an arrow
const within = (x, from, to) => Math.min(to, Math.max(from, x));
const inReach = ([x, y]) => [within(x, -REACH.right, REACH.right), within(y, -REACH.down, REACH.up)];
const s = (x) => x.toFixed(1);

/** Where the plane is on the stage, below the words. */
function planeOf({ W, H }, { row }) {
  const top = row.offsetTop + row.offsetHeight + 12;
  const unit = Math.min((H - top) / 4.45, W / 4.8); // pixels
  const at = ([x, y]) => [W / 2 + x * unit, top + (2.65 - y) * unit];
  return { at, unit, tipOf: ([x, y]) => at([x / SHORTER, y / SHORTER]) };
}

function arrow([x, y], [toX, toY], kind) {
  const length = Math.hypot(toX - x, toY - y) || 1;
  const [run, rise] = [((toX - x) / length) * 11, ((toY - y) / length) * 11];
  const head = `M${s(toX)} ${s(toY)}l${s(-run - rise * 0.45)} ${s(-rise + run * 0.45)}l${s(rise * 0.9)} ${s(-run * 0.9)}z`;
  return `<path class="${kind}" d="M${s(x)} ${s(y)}L${s(toX - run)} ${s(toY - rise)}${head}"/>`;
}

const OTHERS = "the, was, too …"; // words that lie together, and have one name

/** The side of a point on which its name stands, right and down; nouns make way for the arrow's end. */
function sideOf(word, isPointedAt) {
  if (word === "it") return [1, 0];
  const sides = { alive: isPointedAt ? [0, -1] : [1, 0], places: [isPointedAt ? -1 : 1, 0], verbs: [-1, 0.3] };
  const isForPlaces = SLOTS.adjectives.indexOf(word) > 4; // these lie between the nouns and the others
  return sides[kindOf(word)] ?? (word === OTHERS ? [-1, -0.5] : isForPlaces ? [0, -1] : [-1, 0.8]);
}

/** The name of a point that is as large as its share. */
function nameOf(word, [x, y], radius, isPointedAt, isMost) {
  const [right, down] = sideOf(word, isPointedAt);
  const beside = radius + 6;
  const place = `x="${s(x + right * beside)}" y="${s(y + 5 + down * (right ? 14 : beside + 5))}"`;
  return `<text ${place} class="${["end", "", "start"][right + 1]} ${isMost ? "bold" : ""}">${word}</text>`;
}

function plane(frame, toy) {
  const { words, keyX, keyY, w, query, own, blocked } = frame;
  const { at, unit, tipOf } = planeOf(frame, toy.stages[0]);
  const middle = at([0, 0]);
  const tip = tipOf(query);
  const [points, names] = [[], new Map()];
  words.forEach((word, j) => {
    if (blocked[j]) return;
    const [x, y] = at([keyX[j], keyY[j]]);
    const radius = 4 + 11 * Math.sqrt(w[j]);
    points.push(`<circle class="toy-key" cx="${s(x)}" cy="${s(y)}" r="${s(radius)}"/>`);
    const name = kindOf(word) || word === "it" ? word : OTHERS;
    const isPointedAt = Math.hypot(tip[0] - x, tip[1] - y) < 1.4 * unit;
    names.set(name, nameOf(name, [x, y], name === OTHERS ? 8 : radius, isPointedAt, w[j] > 0.5));
  });
  toy.handle.style.translate = `${s(tip[0])}px ${s(tip[1])}px`;
  toy.handle.ariaValueNow = Math.round((Math.atan2(query[1], query[0]) * 180) / Math.PI);
  toy.handle.ariaValueText = spelled(query);
  const ghost = Math.hypot(query[0] - own[0], query[1] - own[1]) > 0.1 ? arrow(middle, tipOf(own), "toy-own") : "";
  const [left, right, high, low] = [-2.2, 2.2, 2.6, -1.4].map((x, i) => at(i < 2 ? [x, 0] : [0, x]));
  const axes = `<path class="toy-axes" d="M${left}L${right}M${high}L${low}"/>`;
  return axes + points.join("") + ghost + arrow(middle, tip, "toy-arrow") + [...names.values()].join("");
}

function frameOf({ words }, { scores, shares, query, own }) {
  const keys = words.map(keyOf);
  const [keyX, keyY] = [0, 1].map((c) => keys.map((key) => key[c]));
  return { keyX, keyY, w: shares, query, own, blocked: scores.map((score) => score === -Infinity) };
}

const spelled = ([x, y]) =>
  `${two(Math.abs(x))} to the ${x < 0 ? "left" : "right"}, ${two(Math.abs(y))} ${y < 0 ? "down" : "up"}`;

// ---- what the reader does ----------------------------------------------------------------------

/** The end of the arrow, to drag with a finger or the mouse, or to move with the arrow keys. */
function handle(toy) {
  const { stage } = toy.stages[0];
  const element = make("span", { className: "toy-handle", tabIndex: 0, role: "slider", ariaLabel: "The end of the arrow, the query" });
  const turn = (query) => {
    toy.set("arrow", inReach(query.map((x) => Math.round(x * 10) / 10)), true);
  };
  Object.assign(element, { ariaValueMin: -180, ariaValueMax: 180 });
  element.onmousedown = (event) => event.preventDefault(); // no text is selected
  element.onpointerdown = (event) => {
    element.setPointerCapture(event.pointerId);
    element.focus({ preventScroll: true });
  };
  element.onpointermove = (event) => {
    if (!element.hasPointerCapture(event.pointerId)) return;
    const { left, top } = stage.getBoundingClientRect();
    const { at, unit } = planeOf(toy.frames[0], toy.stages[0]);
    const [x, y] = at([0, 0]);
    turn([event.clientX - left - x, y - event.clientY + top].map((way) => (way / unit) * SHORTER));
  };
  element.onkeydown = (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[event.key];
    if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    turn(toy.results[0].query.map((now, c) => now + way[c] * 0.4));
  };
  toy.handle = stage.appendChild(element);
  const read = (given) => {
    const query = given.split(",").map(Number);
    return query.length === 2 && query.every(Number.isFinite) ? inReach(query) : undefined;
  };
  return { name: "arrow", element: "", show: () => {}, read, spell: (query) => (query ?? []).join() };
}

/** Let both nouns change places. */
function exchange(toy) {
  const { words } = toy.state;
  toy.change({ words: words.with(FIRST, words[SECOND]).with(SECOND, words[FIRST]) });
}

function verdict({ words, asks, set: { arrow } }, { shares }) {
  const most = shares.indexOf(Math.max(...shares));
  const found = most === asks ? "itself" : quote(words[most]);
  if (asks !== IT) return `${quote(words[asks])} takes most from ${found}.`;
  if (shares[most] < 0.5) return arrow ? "It points between the words." : "“it” is not sure.";
  return most === FIRST || most === SECOND ? `“it” is the ${words[most]}.` : `“it” takes most from ${found}.`;
}

/** The numbers of each word, for a pocket calculator. */
function tableOf({ minus, row, table }, { words, asks, result: { scores, shares, query } }) {
  const [right, up] = query.map(two).map(minus);
  const rows = words.map((word, j) => {
    const [x, y] = keyOf(word).map(two).map(minus);
    const isOut = scores[j] === -Infinity;
    const score = `(${right} · ${x} + ${up} · ${y}) / √2`;
    return row(j === asks ? `<b>${word}</b>` : word, isOut ? ["left out", "", ""] : [score, minus(two(scores[j])), shares[j].toFixed(4)]);
  });
  return (
    `<p>The query of ${quote(words[asks])} goes ${spelled(query)}.</p>` +
    table(["query times key, divided by the root of 2", "score", "share"], rows) +
    "<p>The share of a word is e<sup>score</sup> divided by the sum of all e<sup>score</sup>.</p>"
  );
}

export default {
  ...lesson,
  sentence: START.join(" "),
  asks: IT,
  mayType: false, // the chips are all the words that it knows
  invite: "Drag the arrow, or tap a word to swap it",
  settings: { arrow: undefined, out: false },
  afresh: { arrow: undefined },
  controls: [
    handle,
    button("Reset", (toy) => toy.set("arrow", undefined)),
    button("Swap nouns", exchange),
    box("out", "drop last word"),
  ],
  vectorOf: keyOf,
  knows,
  choices,
  accepts,
  heads: [{ name: "", attend: ask }],
  frameOf,
  layers: [plane],
  below: ({ scores, shares }, j) => (scores[j] === -Infinity ? "left out" : two(shares[j])),
  verdict,
  aloud,
  tableOf,
};
