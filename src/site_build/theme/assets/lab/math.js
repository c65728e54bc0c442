// The arithmetic of the attention lab, and what it says of its numbers: nothing of the page.

// The words of the course, and the matrices of step 5.
export const components = ["water", "money", "acts", "describes"];
export const embedding = {
  the: [0, 0, 0, 1],
  duck: [3, 0, 1, 0],
  likes: [0, 0, 2, 0],
  muddy: [3, 0, 0, 3],
  rich: [0, 3, 0, 3],
  bank: [1, 1, 0, 0],
  money: [0, 3, 0, 0],
};
export const W_query = [[1, 1, 0, 0], [0, 0, 1, 0]];
export const W_key = [[0, 0, 0, 1], [1, 1, 0, -1]];
export const W_value = [[1, 0, 0, 0], [0, 1, 0, 0]];

// The two heads of step 10: "what kind?" and "who is there?".
export const heads = [
  { W_query, W_key, W_value },
  {
    W_query: [[1, 1, 0, 0], [0, 0, 0, 0]],
    W_key: [[1, 1, 0, -1], [0, 0, 0, 0]],
    W_value,
  },
];

// The sentence and the numbers of the notebooks' source.
export const source = {
  Your: [0.43, 0.15, 0.89],
  journey: [0.55, 0.87, 0.66],
  starts: [0.57, 0.85, 0.64],
  with: [0.22, 0.58, 0.33],
  one: [0.77, 0.25, 0.1],
  step: [0.05, 0.8, 0.55],
};

// A score adds up products of two numbers. Up to this size they keep all four decimals.
export const LARGEST = 10000;
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/** Say what keeps a text from being a number of the lab; say nothing if it is one. */
export function problemWith(text) {
  const typed = text.trim();
  if (!typed) return "A number is missing.";
  if (!NUMBER.test(typed)) return `“${shorten(typed)}” is not a number like -0.43.`;
  if (Math.abs(Number(typed)) <= LARGEST) return "";
  return `“${shorten(typed)}” is not between -${LARGEST} and ${LARGEST}.`;
}

const shorten = (text) => (text.length > 20 ? `${text.slice(0, 20)}…` : text);

/** Write a number as torch prints it; NaN, which the lab explains, as a dash. */
export function format(x) {
  if (Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x < 0 ? "-inf" : "inf";
  if (Math.abs(x) >= 1e5) return x.toExponential(4).replace(/e\+(\d)$/, "e+0$1");
  return x.toFixed(4).replace("-0.0000", "0.0000");
}

/** Write a number with as many decimals as there is room for in a cell: two, unless it is large. */
export function short(x) {
  const size = Math.abs(x);
  if (!Number.isFinite(x)) return format(x);
  if (size >= 99999.5) return x.toExponential(1);
  return x.toFixed(size < 99.995 ? 2 : size < 999.95 ? 1 : 0).replace(/^-(0\.0+)$/, "$1");
}

const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);
const dot = (a, b) => sum(a.map((x, e) => x * b[e]));
const length = (a) => Math.sqrt(dot(a, a));
const column = (matrix, e) => matrix.map((row) => row[e]);
const project = (inputs, W) => inputs.map((input) => W.map((row) => dot(input, row)));

/** Subtracting the largest score first changes nothing, and no exponential overflows. */
function softmax(scores) {
  const largest = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - largest));
  return exponentials.map((x) => x / sum(exponentials));
}

/** Each score as a share of their sum: NaN where the sum is zero, but for rounding. */
function shares(scores) {
  const allowed = scores.map((score) => (score === -Infinity ? 0 : score));
  const isZero = Math.abs(sum(allowed)) <= 1e-9 * sum(allowed.map(Math.abs));
  return allowed.map((score) => (isZero ? NaN : score / sum(allowed)));
}

/**
 * Attention of the inputs to themselves, with every matrix on the way. The switches that are on:
 * `projected` (by the matrices), `cosine`, `scaled`, `causal`, `plain` (no softmax).
 */
export function attention(inputs, on, matrices = heads[0]) {
  const { W_query, W_key, W_value } = matrices;
  const [query, key, value] = [W_query, W_key, W_value].map((W) =>
    on.projected ? project(inputs, W) : inputs,
  );
  const score = (q, k) =>
    dot(q, k) / (on.cosine ? length(q) * length(k) : 1) / (on.scaled ? Math.sqrt(q.length) : 1);
  const scores = query.map((q, i) =>
    key.map((k, j) => (on.causal && j > i ? -Infinity : score(q, k))),
  );
  const weights = scores.map(on.plain ? shares : softmax);
  const context = weights.map((row) => value[0].map((_, e) => dot(row, column(value, e))));
  return { inputs, query, key, value, scores, weights, context };
}

/** The sum or fraction that made number `j` of row `i` of one of the matrices. */
export function sumOf({ kind, i, j, on }, result, matrices) {
  const { inputs, query, key, value, scores, weights } = result;
  if (kind === "inputs") return format(inputs[i][j]);
  if (Number.isNaN(result[kind][i][j])) return "There is no such number.";
  if (on.causal && j > i && (kind === "scores" || kind === "weights"))
    return `hidden by the mask: it comes later, so its ${kind === "scores" ? "score is -inf" : "weight is 0"}`;
  if (kind === "scores") return explainScore(query[i], key[j], on);
  if (kind === "weights") return explainWeight(scores[i], j, on);
  if (kind === "context") return explainSum(weights[i], column(value, j));
  return explainSum(inputs[i], matrices[`W_${kind}`][j]);
}

const explainSum = (a, b) =>
  fewestDigits((round) => [products(a.map(round), b.map(round)), dot(a.map(round), b.map(round))]);

function explainScore(query, key, on) {
  const root = on.scaled ? query.length : 1;
  return fewestDigits((round) => {
    const [q, k] = [query.map(round), key.map(round)];
    const lengths = on.cosine ? [round(length(query)), round(length(key))] : [1, 1];
    const text = products(q, k);
    return [
      (on.cosine || on.scaled ? `(${text})` : text) +
        (on.cosine ? ` / (${even(lengths).join("·")})` : "") +
        (on.scaled ? ` / √${root}` : ""),
      dot(q, k) / (lengths[0] * lengths[1]) / Math.sqrt(root),
    ];
  });
}

function explainWeight(scores, j, on) {
  const allowed = scores.filter((score) => score !== -Infinity);
  const largest = Math.max(...allowed);
  // No calculator has the exponential of a large number: show what is left of it.
  const less = !on.plain && allowed.some((score) => Math.abs(score) > 100) ? largest : 0;
  return fewestDigits((round) => {
    const terms = allowed.map((score) => round(score - less));
    const written = even(terms).map((term) => (on.plain ? bracket(term) : `e^(${term})`));
    return [
      `${written[j]} / (${written.join(" + ")})`,
      (on.plain ? shares : softmax)(terms)[j],
    ];
  });
}

const bracket = (x) => (x.startsWith("-") ? `(${x})` : x);

/** Write numbers with equally many decimals, as few as they have. */
function even(numbers) {
  const decimals = (x) => (/e-/.test(x) ? 15 : `${x}`.split(".")[1]?.length ?? 0);
  const most = Math.max(...numbers.map(decimals));
  return numbers.map((x) => x.toFixed(most));
}

function products(a, b) {
  const [left, right] = [a, b].map(even);
  return left.map((x, e) => `${bracket(x)}·${bracket(right[e])}`).join(" + ");
}

/** Write a sum with so few digits as give the exact result to four decimals: four at least. */
function fewestDigits(write) {
  const [, exact] = write((x) => x);
  for (let digits = 4; digits < 16; digits++) {
    const [text, value] = write((x) => Number(x.toFixed(digits)));
    if (format(value) === format(exact)) return `${text} = ${format(exact)}`;
  }
  return `${write((x) => x)[0]} = ${format(exact)}`;
}

// ---- what the lab says of its numbers ----------------------------------------------------------

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
