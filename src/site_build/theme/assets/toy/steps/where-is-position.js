// The words can change places.

import { two } from "../attention.js";
import { button } from "./controls.js";
import lesson from "../lesson.js";
import { slotOf } from "../sentence.js";
import course from "../words.js";
import { bothQuestions, head } from "./multi-head-attention.js";

/** Whether words make a sentence in some order. */
const accepts = (words) => course.templates.some((template) => `${template.toSorted()}` === `${words.map(slotOf).sort()}`);

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
  heads: [{ name: "", attend: head(bothQuestions) }],
  explains: () => "its score by the two questions, divided by the root of 2",
  controls: [button("← move the word", (toy) => move(toy, -1)), button("move the word →", (toy) => move(toy, 1))],
  below: ({ shares }, j) => two(shares[j]),
  accepts,
};
