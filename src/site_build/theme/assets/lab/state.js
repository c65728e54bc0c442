// What the reader has chosen, how it starts, and how a link carries it.

import * as course from "./math.js";

export const MOST_TOKENS = 12;
export const LONGEST_NAME = 24;
export const SWITCHES = {
  projected: "ask with the matrices",
  scaled: "divide by the square root",
  causal: "hide the future",
  cosine: "cosine instead of dot product",
  plain: "plain shares instead of softmax",
};
const MATRICES = ["W_query", "W_key", "W_value"];

/** Numbers in a row: what was typed for each, and the last number that was right. */
const makeRow = (vector) => ({ vector: [...vector], texts: vector.map(String) });
export const makeToken = (name, vector) => ({ name, ...makeRow(vector) });

/** Copies of the course's matrices, for one head or for two. */
const matricesOf = (isTwo) =>
  (isTwo ? course.heads : [course]).map((head) =>
    Object.fromEntries(MATRICES.map((name) => [name, head[name].map(makeRow)])),
  );

/** The state that the attributes of an element ask for. */
export function ownState(element) {
  const words = element.getAttribute("words").split(" ");
  const query = (element.getAttribute("query") ?? 1) - 1;
  return {
    tokens: words.map((word) => makeToken(word, course.embedding[word])),
    query,
    edited: query,
    head: 0,
    heads: matricesOf(element.hasAttribute("heads")),
    on: Object.fromEntries(Object.keys(SWITCHES).map((name) => [name, element.hasAttribute(name)])),
  };
}

/** The sentence that the notebooks take from their source. */
export const sourceState = (state) => ({
  ...state,
  tokens: Object.entries(course.source).map(([name, vector]) => makeToken(name, vector)),
  query: 1,
  edited: 1,
});

/** The names of the numbers of each token. */
export const partsOf = ({ tokens: [{ vector }] }) =>
  vector.length === course.components.length ? course.components : vector.map((_, e) => `number ${e + 1}`);

/** The matrices of the head that is shown, as numbers. */
export const matricesNow = ({ heads, head }) =>
  Object.fromEntries(MATRICES.map((name) => [name, heads[head][name].map((row) => row.vector)]));

const numbersOf = (heads) =>
  heads.flatMap((head) => MATRICES.flatMap((name) => head[name].flatMap((row) => row.vector)));

export function writeState({ tokens, query, head, heads, on }) {
  const switches = Object.keys(SWITCHES).filter((name) => on[name]);
  const rows = tokens.map(({ name, vector }) => `token=${[encodeURIComponent(name), ...vector]}`);
  const W = `${numbersOf(heads)}`;
  const changed = W === `${numbersOf(matricesOf(heads.length > 1))}` ? [] : [`W=${W}`];
  const parts = tokens[0].vector.length;
  return `#${["lab", `query=${query + 1}`, `head=${head}`, `parts=${parts}`, ...switches, ...changed, ...rows].join("&")}`;
}

/** Return the state that a fragment carries, or undefined if it is not one of the lab's. */
export function readState(fragment, own) {
  const given = new URLSearchParams(fragment.slice(1));
  const parts = Number(given.get("parts") ?? course.components.length);
  const rows = given.getAll("token").map((row) => row.split(","));
  const texts = rows.map((row) => row.splice(-parts));
  const query = Number(given.get("query")) - 1;
  const head = Number(given.get("head") ?? 0);
  const on = Object.fromEntries(Object.keys(SWITCHES).map((name) => [name, given.has(name)]));
  const W = given.get("W")?.split(",") ?? numbersOf(own.heads).map(String);
  const isWhole =
    rows.length <= MOST_TOKENS &&
    query in rows &&
    head in own.heads &&
    (parts === course.components.length || (parts === 3 && !on.projected)) &&
    W.length === numbersOf(own.heads).length &&
    rows.every((row, i) => row.length && row.join().length <= LONGEST_NAME && texts[i].length === parts) &&
    ![...texts.flat(), ...W].some(course.problemWith);
  if (!isWhole) return undefined;
  const state = { ...own, query, edited: query, head, on };
  state.tokens = rows.map((row, i) => makeToken(row.join(), texts[i].map(Number)));
  const numbers = W.map(Number);
  for (const matrices of state.heads)
    for (const name of MATRICES)
      for (const row of matrices[name]) Object.assign(row, makeRow(numbers.splice(0, row.vector.length)));
  return state;
}
