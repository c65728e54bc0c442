// A word of one sentence asks the words of another.

import { attend, two } from "../attention.js";
import { geometry } from "../drawing.js";
import lesson, { frameOf } from "../lesson.js";
import { aloud, ambiguousAt, choices, isSentence, polesOf, vectorOf, verdict } from "../sentence.js";
import { make } from "../../dom.js";

const START = "the thief sees the old bank".split(" ");

const spell = (words) => words.join("-");

/** The sentence that asks, above the one that is asked: a list to choose from for each word. */
function askingRow(toy) {
  const set = (at, word) => toy.set("asking", toy.state.set.asking.with(at, word));
  const words = START.map((word, at) => {
    const fitting = choices(word);
    if (fitting.length === 1) return make("span", {}, word);
    const options = fitting.map((each) => make("option", { selected: each === word }, each));
    const name = at === ambiguousAt(START) ? "The word that asks" : `Word ${at + 1} of the sentence that asks`;
    return make("select", { "aria-label": name, onchange: ({ target }) => set(at, target.value) }, ...options);
  });
  toy.parts.stages.prepend(make("div", { className: "toy-asking", role: "group", "aria-label": "The sentence that asks" }, ...words));
  const show = (sentence) => words.forEach((word, at) => (word.value = sentence[at]));
  const read = (given) => {
    const sentence = given.toLowerCase().split("-");
    return isSentence(sentence) && sentence.length === START.length ? sentence : undefined;
  };
  return { name: "asking", element: "", show, read, spell };
}

/** Where the word that asks stands, on a stage that is as wide as the row. */
function askerAt(W) {
  const [row, asker] = [".toy-asking", ".toy-asking select:last-child"].map((part) => {
    const { left, width } = document.querySelector(part).getBoundingClientRect();
    return left + width / 2;
  });
  return W / 2 + asker - row;
}

/** Arcs from the word that asks, in the row above, to all words that are asked. */
function reach(frame) {
  const { x, w, up, W } = frame;
  const { thick } = geometry(frame);
  const from = askerAt(W);
  let at = from - (thick * w.reduce((a, b) => a + b)) / 2;
  const paths = x.map((to, j) => {
    const wide = Math.max(thick * w[j], 0.8);
    const start = at + wide / 2;
    at += thick * w[j];
    return `<path d="M${start} 0C${start} ${up / 2} ${to} ${up / 2} ${to} ${up + 3}" stroke-width="${wide}"/>`;
  });
  return `<g class="toy-arcs">${paths.join("")}</g>`;
}

const asking = ({ set }) => ({ words: set.asking, asks: ambiguousAt(set.asking) });
const nameOf = (state) => asking(state).words[asking(state).asks];

export default {
  ...lesson,
  asks: -1,
  mayAsk: false,
  settings: { asking: START },
  controls: [askingRow],
  heads: [
    {
      name: "",
      attend: (vectors, _, set) => attend(vectorOf(nameOf({ set })), vectors, vectors),
    },
  ],
  frameOf: (state, result) => frameOf(state, result, asking(state)),
  layers: [reach, ...lesson.layers.slice(1)],
  below: ({ shares }, j) => two(shares[j]),
  verdict: (state, result) => {
    const name = nameOf(state);
    const [left, right] = polesOf(asking(state).words);
    const isSettled = Math.abs(result.context[right] - result.context[left]) >= 0.5;
    return isSettled ? verdict(asking(state), result) : `The lower sentence does not say which ${name}.`;
  },
  aloud: (state, result) => aloud(state, result, nameOf(state)),
  explains: () => "its numbers times those of the word that asks, added up",
  tableOf: (write, given) => write.tableOf({ ...given, poles: polesOf(given.set.asking) }),
};
