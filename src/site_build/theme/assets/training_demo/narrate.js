// What can be said of a training, from its numbers, in the order in which it becomes true.

const OF_BANK = 6; // the place of its adjective
const SENTENCES = {
  before: "This small model has 4,944 numbers, all random. It has read no story yet.",
  first: "In each step it guesses the words of 64 stories, and its numbers change a little.",
  common: "It has found out which words are frequent: “the”, “bank” and the full stop.",
  pairs: "It learns which word follows which.",
  back: "It is better than any guess from the last word alone: it looks back.",
  half: "Water or money? It knows that one of the two comes, and guesses.",
  parts: "The two texts are no longer the same to it.",
  tells: "The same words in another order, and another answer. Nobody told it where to look.",
  looks: "It looks at the adjective of the bank. Nobody told it where to look.",
  all: "It answers every question of its small world. Nobody told it where to look.",
  same: "The training is over. It cannot tell the two orders apart.",
  lost: "For a moment it has lost that again.",
};
const RANK = Object.keys(SENTENCES);
const STAYS = 1300; // milliseconds, so that a sentence can be read

export const begin = () => ({ name: undefined, at: -Infinity });

/** Return a new sentence, if there is one to say now. What was reached is not taken back for a small relapse. */
export function narrate(story, moment) {
  const name = nameOf(story, moment);
  const isNew = RANK.indexOf(name) > RANK.indexOf(story.name) || (story.name === "lost" && name !== "half");
  const isOver = moment.step >= moment.steps;
  const stays = !isOver && story.name !== "before" && moment.now - story.at < STAYS; // the first one was there before
  if (name === story.name || !(isNew || moment.step === 0) || stays) return undefined;
  Object.assign(story, { name, at: moment.now });
  return SENTENCES[name];
}

function nameOf(story, { step, steps, loss, texts, floors, right }) {
  const [{ water }, { money }] = texts;
  const both = water > 0.9 && money > 0.9;
  const [lastWord] = floors;
  const looks = texts.slice(0, 2).every(({ looks }) => looks.some((head) => head[OF_BANK] > 50));
  const isOver = step >= steps;
  if (step === 0) return "before";
  if (both && right && Math.min(...Object.values(right)) > 0.98) return "all";
  const reached = RANK.indexOf(story.name) >= RANK.indexOf("tells");
  if (reached && !isOver && (water < 0.5 || money < 0.5)) return "lost";
  if (both) return looks ? "looks" : "tells";
  if (isOver) return "same";
  if (water - texts[1].water > 0.3) return "parts";
  if (water + texts[0].money > 0.7) return "half";
  if (loss < lastWord) return "back";
  if (loss < 2.3) return "pairs";
  if (loss < 3.3) return "common";
  return "first";
}
