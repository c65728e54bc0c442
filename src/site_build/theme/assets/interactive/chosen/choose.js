// Which keys are read. The page has this function in Python, and tests/site_build/interactive/test_chosen.py holds them
// equal.

/** For each key, whether its rough score is one of the largest; of equal ones the first. */
export function best(rough, count) {
  const order = [...rough.keys()].sort((i, j) => rough[j] - rough[i] || i - j);
  const chosen = new Set(order.slice(0, count));
  return rough.map((_, j) => chosen.has(j));
}
