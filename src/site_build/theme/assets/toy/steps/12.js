// Step 12: the words can change places.

import { two } from "../attention.js";
import { button } from "../controls.js";
import lesson from "../lesson.js";
import { isSentence, sameWords } from "../sentence.js";

/** Let the open word and its neighbour change places; the word that asks goes on asking. */
function move(toy, by) {
  const { words, asks, open } = toy.state;
  const to = open + by;
  if (!(to in words)) return;
  const moved = words.with(open, words[to]).with(to, words[open]);
  toy.change({ words: moved, open: to, asks: { [open]: to, [to]: open }[asks] ?? asks });
}

export default {
  ...lesson,
  controls: [button("← move the word", (toy) => move(toy, -1)), button("move the word →", (toy) => move(toy, 1))],
  below: ({ shares }, j) => two(shares[j]),
  accepts: (words) => isSentence(words) || sameWords(words),
};
