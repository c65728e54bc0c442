// What the lab says of its numbers, in words.

import { explain, format } from "./math.js";

/** Marks that keep a name together, in whatever direction it is written. */
export const quote = (name) => `\u2068“${name}”\u2069`;

/** The rows and columns of other matrices that made a number. */
export function madeOf(kind, i, j, { projected }) {
  const [query, key, value] = projected ? ["query", "key", "value"] : Array(3).fill("inputs");
  const asked = [
    { kind: query, row: i },
    { kind: key, row: j },
  ];
  if (kind === "scores") return asked;
  if (kind === "weights") return [{ kind: "scores", row: i }, ...asked];
  if (kind === "context") return [{ kind: "weights", row: i }, { kind: value, column: j }];
  return kind === "inputs" ? [] : [{ kind: "inputs", row: i }];
}

/** Say which number it is, and how it is made. */
export function titleOf({ kind, i, j, on }, names, columns) {
  const [who, whom] = [names[i], names[j]].map((name) => name && quote(name));
  const [query, key] = on.projected ? ["the query of ", "the key of "] : ["", ""];
  if (kind === "scores") return `Score that ${who} gives ${whom}: ${query}${who} times ${key}${whom}, number by number, added up`;
  if (kind === "weights") return `Weight that ${who} gives ${whom}: its share of the row of ${who}`;
  const what = `${quote(columns[j])} of ${who}`;
  if (kind === "context") return `Context, ${what}: what all words give, each times its weight`;
  if (kind === "inputs") return `Vector, ${what}: it is yours to change`;
  return `The ${kind}, ${what}: the vector times row ${j + 1} of W_${kind}`;
}

/** The sum or fraction that made a number. */
export function sumOf({ kind, i, j, on }, result, matrices) {
  if (kind === "inputs") return format(result.inputs[i][j]);
  if (Number.isNaN(result[kind][i][j])) return "There is no such number.";
  if (on.causal && j > i && (kind === "scores" || kind === "weights"))
    return `hidden by the mask: it comes later, so its ${kind === "scores" ? "score is -inf" : "weight is 0"}`;
  return explain(kind, i, j, on, result, matrices);
}

/** Say why there are rows without numbers. */
export function noticeOf({ scores, weights }, names) {
  const quoted = (isMeant) => names.filter((_, i) => isMeant(i)).map(quote).join(", ");
  const zeros = quoted((i) => Number.isNaN(scores[i][i]));
  if (zeros) return `A vector of zeros has no direction, and so no cosine: ${zeros}.`;
  const sums = quoted((i) => Number.isNaN(weights[i][0]));
  return sums && `Scores that add up to 0 cannot be divided by their sum: ${sums}.`;
}

/** Say what the word that asks finds. */
export function summaryOf(view, result, query, names, columns) {
  const row = result[view === "scores" ? "scores" : "weights"][query];
  const most = row.indexOf(Math.max(...row));
  const found = `${quote(names[query])} ${view === "scores" ? "scores highest with" : "takes most from"} ${quote(names[most])}: ${format(row[most])}.`;
  if (view !== "context") return found;
  return `${found} Context: ${result.context[query].map((x, e) => `${columns[e]} ${format(x)}`).join(", ")}.`;
}
