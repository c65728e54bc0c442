// "Show the numbers": all that the picture is made from, for a pocket calculator.

import course from "./words.js";
import { two } from "./attention.js";
import { polesOf, vectorOf } from "./sentence.js";

const { components } = course;
const short = (x) => `${+x.toFixed(4)}`;
export const minus = (text) => text.replace("-", "−");
const cell = (text) => `<td>${text}</td>`;
const heading = (text) => `<th scope="col">${text}</th>`;
const paragraph = (text) => `<p>${text}</p>`;
// No template within a template: the minifier would take spaces out of it.
export const row = (name, cells) => `<tr><th scope="row">${name}</th>${cells.map(cell).join("")}</tr>`;
export const table = (heads, rows) =>
  `<div class="toy-scroll" tabindex="0" role="group" aria-label="Numbers"><table class="toy-table"><thead><tr><td></td>${heads.map(heading).join("")}</tr></thead>` +
  `<tbody>${rows.join("")}</tbody></table></div>`;

/** Return the words' vectors, scores, exponentials and shares, and the sums that they lead to. */
export function tableOf({ words, asks, result, head, explained, poles = polesOf(words), blanks = 0 }) {
  const { scores, shares, context, isPlain } = result;
  const vectors = words.map(vectorOf);
  const partOf = (score) => (isPlain ? score : Math.exp(score));
  const write = (part) => (isPlain ? short(part) : part >= 1e6 ? part.toExponential(3) : part.toFixed(2));
  const shown = components.map((_, c) => c).filter((c) => c < 4 || vectors.some((vector) => vector[c]));
  const rows = words.map((word, j) => {
    const isHidden = scores[j] === -Infinity;
    const numbers = [isHidden ? "hidden" : short(scores[j]), ...(isPlain ? [] : [write(partOf(scores[j]))]), shares[j].toFixed(4)];
    return row(j === asks ? `<b>${word}</b>` : word, [...shown.map((c) => vectors[j][c]), ...numbers]);
  });
  const parts = scores.map(partOf);
  if (blanks) {
    const isHidden = scores.at(-1) === -Infinity;
    rows.push(row(`${blanks} blank`, [...shown.map(() => 0), isHidden ? "hidden" : 0, `${blanks} · ${write(parts.at(-1))}`, shares.at(-1).toFixed(4)]));
    parts.push(parts.pop() * blanks);
  }
  const sum = write(parts.reduce((a, b) => a + b));
  const [left, right] = poles;
  const what = isPlain ? "score" : "e<sup>score</sup>";
  return (
    (head ? `<p><strong>${head}</strong></p>` : "") +
    table([...shown.map((c) => components[c]), ...new Set(["score", what]), "share"], rows) +
    `<p>The score of a word is ${explained}. ` +
    `Its share is ${what} divided by the sum of that column, ${sum}.</p>` +
    [left, right].map((c) => paragraph(sumOf(c, shares, vectors, context))).join("") +
    `<p>Place on the line: ${two(context[right])} − ${two(context[left])} = ${minus(two(context[right] - context[left]))}</p>`
  );
}

/** Write out how a component of the context adds up. */
export function sumOf(c, shares, vectors, context) {
  const products = vectors.map((vector, j) => vector[c] && `${shares[j].toFixed(4)} · ${vector[c]}`).filter(Boolean);
  return `${components[c]}: ${products.join(" + ") || 0} = ${two(context[c])}`;
}
