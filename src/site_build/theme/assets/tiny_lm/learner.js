// A model that learns the stories of its world, step by step, and what can be seen of it meanwhile.

import { Model, drawer } from "./model.js";
import { randomNumbers } from "./random.js";
import recipe from "./recipe.js";

const ASKED = 24; // questions of each kind
const PRONOUNS = ["it", "she", "they"];
const best = (shares, among) => among.reduce((a, b) => (shares[b] > shares[a] ? b : a));

export class Learner {
  /**
   * @param world The words, the length and the stories of world.json.
   * @param seed The start of its numbers, and of the draws of stories.
   * @param without What is left out, a name of the recipe.
   */
  constructor({ words, length, stories }, seed, without = "whole") {
    const told = stories.filter((story) => !story.isKeptBack);
    const draw = drawer(told.map(({ ids }) => ids), told.map(({ probability }) => probability), seed);
    const everyWord = words.map((_, id) => id);
    const has = recipe.without[without];
    const model = new Model(words, length, has).start(seed);
    const atOnce = has.stories ?? recipe.stories;
    Object.assign(this, { words, stories, told, seed, draw, everyWord, model, atOnce, step: 0 });
    this.id = Object.fromEntries(words.map((word, id) => [word, id]));
    this.texts = recipe.texts.map((text) => ["<", ...text.split(" "), "."].map((word) => this.id[word])); // the last is not read
  }

  /** Take a step of a training, and return the loss before. */
  learn() {
    return this.model.learn(this.draw(this.atOnce), this.step++ / recipe.steps);
  }

  sharesAt(row) {
    const { length } = this.words;
    return this.model.last.shares.subarray(row * length, (row + 1) * length);
  }

  /** Some questions of each kind, cut off after their answer. */
  get questions() {
    const kinds = {};
    for (const { ids, questions } of this.told)
      for (const [place, kind] of Object.entries(questions)) (kinds[kind] ??= new Map()).set(ids.slice(0, Number(place)).join(), ids.slice(0, Number(place) + 1));
    return Object.entries(kinds).map(([kind, all]) => {
      const every = all.size / Math.min(all.size, ASKED);
      return [kind, [...all.values()].filter((_, i) => i % every < 1)];
    });
  }

  /** The share of right answers to them, for each kind; of pronouns only these three words count. */
  right() {
    this.asked ??= this.questions;
    const pronouns = PRONOUNS.map((word) => this.id[word]);
    return Object.fromEntries(
      this.asked.map(([kind, all]) => {
        this.model.take(all).forward();
        const among = kind === "pronoun" ? pronouns : this.everyWord;
        const hits = all.filter((text, s) => best(this.sharesAt(this.model.starts[s + 1] - 1), among) === text.at(-1));
        return [kind, hits.length / all.length];
      }),
    );
  }

  /** Draw each word by its share, up to the second full stop; the same text at the same step. */
  write() {
    const { id, words, stories, model, step, seed } = this;
    const random = randomNumbers(seed + 7919 * step);
    const ids = [id["<"]];
    while (ids.length < model.length && ids.filter((each) => each === id["."]).length < 2) {
      model.take([[...ids, 0]]).forward();
      const shares = this.sharesAt(ids.length - 1);
      let left = random();
      ids.push(this.everyWord.find((each) => (left -= shares[each]) < 0) ?? 0);
    }
    const story = stories.find((each) => each.ids.join() === ids.join());
    return { words: ids.map((each) => words[each]).slice(1), isStory: Boolean(story), isNew: Boolean(story?.isKeptBack) };
  }

  /** What is seen in each text: the shares of both answers, the word that is said, the looks of the last word in percent. */
  glimpse() {
    const { model, texts, id, words } = this;
    model.take(texts).forward();
    return texts.map((text, s) => {
      const last = model.starts[s + 1] - 1;
      const shares = this.sharesAt(last);
      const looks = model.blocks.flatMap(({ weights }) =>
        Array.from({ length: model.heads }, (_, head) => {
          const row = (last * model.heads + head) * model.length;
          return Array.from(weights.subarray(row, row + text.length - 1), (weight) => 100 * weight);
        }),
      );
      return { water: shares[id.water], money: shares[id.money], said: words[best(shares, this.everyWord)], looks };
    });
  }
}
