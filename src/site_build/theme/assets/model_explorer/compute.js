// All numbers of the drawing. The model reads the text, and a second one that differs in one word: what is
// coloured would be different there. With a patch, one vector comes from there, and what is coloured would
// be different without it. tests/site_build/model_explorer compares them with torch.
import { read, softmax, unembed } from "../tiny_lm/read.js";
import { otherOf } from "./state.js";

const LIT = 0.15; // of a look, at least, would be different

export const length = (x) => Math.sqrt(x.reduce((sum, number) => sum + number * number, 0));
export const most = (numbers) => numbers.indexOf(Math.max(...numbers));

/** How much of a vector would be different: 0 for nothing, 1 for all of it. */
export function changed(x, other) {
  const size = length(x);
  return size < 1e-9 ? 0 : Math.min(1, length(x.map((number, e) => number - other[e])) / size);
}

/** What the model would say if it stopped at a vector: the word, its share, and all shares. */
export function says(model, x, temperature) {
  const shares = softmax(unembed(model, x), temperature);
  const best = most(shares);
  return { word: model.words[best], share: shares[best], shares };
}

/**
 * Compute what is drawn.
 *
 * @returns `levels`: before each block, in the middle of it and behind all blocks, the `size` of each
 *   stream and how much of it is `changed`; `heads[layer][head]`: for each word the `weights` of who asks,
 *   how much of each value is `changed`, where `most` of the weight is, and whether it is `lit`; what the
 *   model says at each level, `so`; and its `answer`, that to the other text, and that with all parts on.
 */
export function compute(model, { words, at, follow, off, patch, temperature }) {
  const run = (text, changes = { off }) => read(model, text.map((word) => model.words.indexOf(word)), changes);
  const other = otherOf(words[follow]);
  const plain = run(words);
  const donor = other ? run(words.with(follow, other)) : plain;
  const now = patch ? run(words, { off, patch: { ...patch, x: donor.streams[patch.layer][patch.place] } }) : plain;
  const twin = patch ? plain : donor;
  const levelsOf = ({ streams, layers }) => [...layers.flatMap(({ mid }, layer) => [streams[layer], mid]), streams.at(-1)];
  const [levels, twins] = [now, twin].map(levelsOf);
  const heads = now.layers.map((layer, l) =>
    layer.heads.map((head, h) => {
      const weights = head.weights[at];
      const share = head.value.slice(0, at + 1).map((value, j) => changed(value, twin.layers[l].heads[h].value[j]));
      const lit = weights.findIndex((weight, j) => weight * share[j] >= LIT);
      return { weights, changed: share, most: most(weights), lit: lit < 0 ? undefined : lit };
    }),
  );
  const saysAt = (level) => says(model, level[at], temperature);
  const answerOf = ({ streams }) => saysAt(streams.at(-1));
  return {
    words, at, follow, other, off, patch, now, twin, heads,
    levels: levels.map((level, l) => level.map((x, j) => ({ size: length(x), changed: changed(x, twins[l][j]) }))),
    so: levels.map(saysAt),
    answer: answerOf(now),
    answerOfOther: answerOf(donor),
    answerOfWhole: answerOf(off.size ? run(words, {}) : plain),
  };
}
