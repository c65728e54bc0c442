// The online softmax, and the merge of two parts: the functions of the page, held equal by a test.

/** What is kept after each word: the maximum, the sum of exponentials, and the sum of values times exponentials. */
export function walk(scores, values, shrinks = true) {
  let [max, total, mixed] = [-Infinity, 0, values[0].map(() => 0)];
  return scores.map((score, at) => {
    const larger = Math.max(max, score);
    const factor = shrinks && total ? Math.exp(max - larger) : 1;
    const exponential = Math.exp(score - larger);
    max = larger;
    total = total * factor + exponential;
    mixed = mixed.map((each, c) => each * factor + exponential * values[at][c]);
    return { max, factor, exponential, total, context: mixed.map((each) => each / total) };
  });
}

/** How much each of two parts counts, and the context of both. */
export function merge(one, two) {
  const larger = Math.max(one.max, two.max);
  const totals = [one, two].map(({ max, total }) => total * Math.exp(max - larger));
  const shares = totals.map((total) => total / (totals[0] + totals[1]));
  const context = one.context.map((each, c) => shares[0] * each + shares[1] * two.context[c]);
  return { max: larger, totals, shares, context };
}
