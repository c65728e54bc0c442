// Trains in a thread of its own, and tells the page how it goes.

import { randomNumbers } from "./random.js";
import { Model, drawer } from "./train.js";

const STEPS = 1500;
const STORIES = 64; // of a step
const CHARGE = 0.015; // for spreading weights, in the end
const ASKED = 24; // questions of each kind
const DIARY = [0, 40, 80, 200, STEPS];
const WRITES = 40; // steps from text to text: enough time to read some of it, and the same texts on each machine
const WAIT = (step) => 200 * 0.82 ** step; // milliseconds after a step: the first ones are for the eye
const TEXTS = ["muddy", "rich"].map((kind) => `< the duck likes the ${kind} bank . the bank is full of .`);
const PRONOUNS = ["it", "she", "they"];

const waiting = []; // what is asked before the stories have come
onmessage = ({ data }) => waiting.push(data);
const answer = await fetch(new URL("world.json", import.meta.url));
if (!answer.ok) throw new Error(`world.json: ${answer.status}`);
const { words, length, floors, stories } = await answer.json();
const ID = Object.fromEntries(words.map((word, id) => [word, id]));
const texts = TEXTS.map((text) => text.split(" ").map((word) => ID[word]));
const training = stories.filter((story) => !story.isKeptBack);
const asked = questions();

let run, model, draw, seed, step, isRunning, pace, losses, wrote, kept, timer, checkedAt, toldAt;

/** Some questions of each kind, cut off after their answer. */
function questions() {
  const kinds = {};
  for (const { ids, questions } of training)
    for (const [place, kind] of Object.entries(questions)) {
      const name = ["it or she", "they"].includes(kind) ? "pronoun" : kind; // always "they" is not right
      (kinds[name] ??= new Map()).set(ids.slice(0, Number(place)).join(), ids.slice(0, Number(place) + 1));
    }
  return Object.entries(kinds).map(([kind, all]) => {
    const every = all.size / Math.min(all.size, ASKED);
    return [kind, [...all.values()].filter((_, i) => i % every < 1)];
  });
}

const sharesOf = (place) => model.last.shares.subarray(place * words.length, (place + 1) * words.length);
const best = (shares, among) => among.reduce((a, b) => (shares[b] > shares[a] ? b : a));
const everyWord = words.map((_, id) => id);

function right() {
  const pronouns = PRONOUNS.map((word) => ID[word]);
  return Object.fromEntries(
    asked.map(([kind, all]) => {
      model.take(all).forward();
      const among = kind === "pronoun" ? pronouns : everyWord;
      const hits = all.filter((text, s) => best(sharesOf(model.starts[s + 1] - 1), among) === text.at(-1));
      return [kind, hits.length / all.length];
    }),
  );
}

/** Draw each word by its share, up to the second full stop; the same text at the same step. */
function write() {
  const random = randomNumbers(seed + 7919 * step);
  const ids = [ID["<"]];
  while (ids.length < length && ids.filter((id) => id === ID["."]).length < 2) {
    model.take([[...ids, 0]]).forward();
    const shares = sharesOf(ids.length - 1);
    let left = random();
    ids.push(everyWord.find((id) => (left -= shares[id]) < 0) ?? 0);
  }
  const told = ids.map((id) => words[id]).slice(1);
  const story = stories.find((each) => each.ids.join() === ids.join());
  return { words: told, isStory: Boolean(story), isNew: Boolean(story?.isKeptBack) };
}

/** What is seen in both texts: the shares of both answers, the word that is said, the looks of the last word. */
function glimpse() {
  model.take(texts).forward();
  const { heads, attention } = model.has;
  return texts.map((_, s) => {
    const last = model.starts[s + 1] - 1;
    const shares = sharesOf(last);
    const looks = !attention ? [] : model.blocks.flatMap(({ weights }) =>
      Array.from({ length: heads }, (_, head) => {
        const row = (last * heads + head) * length;
        return Array.from(weights.subarray(row, row + texts[s].length - 1), (weight) => 100 * weight);
      }),
    );
    return { water: shares[ID.water], money: shares[ID.money], said: words[best(shares, everyWord)], looks };
  });
}

function report() {
  const now = performance.now();
  const told = { run, step, losses, wrote, kept, floors, texts: glimpse() };
  const isLast = step === STEPS || step === 0;
  if (isLast || now - checkedAt > 500) [told.right, checkedAt] = [right(), now];
  if (step === STEPS) told.numbers = numbersOf(model);
  [losses, wrote, kept, toldAt] = [[], undefined, [], now];
  postMessage(told);
}

/** The numbers of a model, as model/forward.js has those of the course's own. */
function numbersOf({ w }) {
  const named = { words, length, width: w.norm.length };
  for (const [name, numbers] of Object.entries(w)) {
    const third = numbers.length / 3;
    if (name.endsWith("qkv_proj"))
      ["q", "k", "v"].forEach((part, i) => (named[name.replace("qkv", part)] = numbers.slice(i * third, (i + 1) * third)));
    else named[name] = numbers.slice();
  }
  return named;
}

function once() {
  losses.push(model.learn(draw(STORIES), step / STEPS, CHARGE));
  step++;
  keep();
}

function keep() {
  if (step % WRITES === 0 || step === STEPS) wrote = write();
  if (DIARY.includes(step)) kept.push({ step, ...wrote });
}

function loop() {
  if (!isRunning) return;
  const began = performance.now();
  do once();
  while (step < STEPS && WAIT(step) < 4 && performance.now() - began < 40);
  if (step === STEPS || performance.now() - toldAt >= pace) report();
  isRunning &&= step < STEPS;
  timer = setTimeout(loop, WAIT(step) < 4 ? 0 : WAIT(step));
}

function hear(data) {
  clearTimeout(timer);
  if (data.begin) {
    ({ run } = data);
    ({ seed, pace } = data.begin);
    model = new Model(words.length, length, STORIES * length, data.begin.has).start(seed);
    draw = drawer(training.map(({ ids }) => ids), training.map(({ probability }) => probability), seed);
    [step, losses, kept, checkedAt, isRunning] = [0, [], [], -Infinity, false];
    keep();
    report();
  }
  if ("go" in data) isRunning = data.go && step < STEPS;
  if (data.once && step < STEPS) {
    once();
    wrote = write();
    report();
  }
  if (isRunning) loop();
}

onmessage = ({ data }) => hear(data);
waiting.forEach(hear);
