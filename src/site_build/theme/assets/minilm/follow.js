// One word of two sentences that the model has read: its paths, and where it looks.

const range = (count) => Array.from({ length: count }, (_, k) => k);

/** The places, in both, of what both have: of as many pieces, place by place; otherwise before and behind what differs. */
export function sharedBy([one, other]) {
  const more = other.length - one.length;
  const differs = (k) => one[k] !== other[k];
  if (!more) return range(one.length).filter((k) => !differs(k)).map((k) => [k, k]);
  const first = range(one.length).findIndex(differs); // the marks at the end are as far away as the sentences are long
  const least = Math.min(one.length, other.length) - first;
  const behind = range(least).findIndex((back) => one.at(-1 - back) !== other.at(-1 - back));
  const from = one.length - (behind < 0 ? least : behind);
  return range(one.length).filter((k) => k < first || k >= from).map((k) => (k < first ? [k, k] : [k, k + more]));
}

/** A word of one piece or several. */
export function wordAt(place, tokens) {
  const end = tokens.findIndex((token, k) => k > place && !token.startsWith("##"));
  return tokens.slice(place, end).join("").replaceAll("##", "");
}

/** A pair as the scene has it, for the word at two places. */
export function following({ read: { tokens, paths, weights, senses }, same, without, at }) {
  const others = same.filter(([k]) => k && k !== at[0] && k < tokens[0].length - 1);
  const apart = (layer) => others.reduce((sum, [one, other]) => sum + paths[0][one][layer] - paths[1][other][layer], 0);
  const looks = weights.map((layers, s) => {
    const count = tokens[s].length;
    return layers.map((shares) => range(shares.length / count ** 2).map((head) => [...shares.subarray((head * count + at[s]) * count).subarray(0, count)]));
  });
  return {
    word: wordAt(at[0], tokens[0]),
    senses,
    tokens,
    at,
    same,
    paths: at.map((k, s) => paths[s][k]),
    rest: others.length ? paths[0][0].map((_, layer) => Math.abs(apart(layer) / others.length)) : undefined,
    looks,
    without: without.map((heads) => heads.map((all) => at.map((k, s) => all[s][k]))),
  };
}
