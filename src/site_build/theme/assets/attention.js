// Attention, in the browser: scores, shares that add up to 1, and what the shares bring together.

export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

export function softmax(scores) {
  const largest = Math.max(...scores); // softmax needs differences alone: no exponential overflows
  const parts = scores.map((score) => Math.exp(score - largest));
  const sum = parts.reduce((a, b) => a + b);
  return parts.map((part) => part / sum);
}

/** Mix the values: what a word takes with it. */
export const mix = (shares, value) => value[0].map((_, c) => dot(shares, value.map((row) => row[c])));
