// A drawing that writes: the answer becomes the last word of the text, and the model reads again. These
// methods take the place of those of whole.js.
import { calm } from "../dom.js";
import { read, softmax, unembed } from "../tiny_lm/read.js";
import { button, hueOf, named, percent, quoted, written } from "../model_explorer/say.js";
import { START, TEMPERATURES } from "../model_explorer/state.js";

const OFFERED = 5; // words
const SENTENCES = 2; // of a story
const PAUSE = 350; // milliseconds between two words

const isOver = (words) => words.filter((word) => word === ".").length >= SENTENCES;

/** The draws are the same for each reader, until one leaves the page: Park and Miller 1988, corrected 1993. */
function drawer(state = 12345) {
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/** All stories of the model's world, as one text each; nothing where they cannot be fetched. */
let stories;
async function isStory(words) {
  stories ??= fetch(new URL("../tiny_lm/world.json", import.meta.url)).then((answer) => answer.json());
  const world = await stories;
  const ids = words.map((word) => world.words.indexOf(word)).join();
  return world.stories.some((story) => story.ids.join() === ids);
}

/** Return the methods of a drawing that writes. */
export function writing(drawing) {
  const drawn = Object.getPrototypeOf(drawing);
  const first = drawing.getAttribute("text");
  const random = drawer();
  let note = ""; // what has just been written
  let run; // of the words that are still to come

  /** The share of each word after the one that asks, the largest first. */
  function order() {
    const { model, state } = drawing;
    const { streams } = read(model, state.words.map((word) => model.words.indexOf(word)), state);
    const shares = softmax(unembed(model, streams.at(-1)[state.at]), state.temperature);
    return Array.from(shares, (share, id) => ({ word: model.words[id], share })).sort((a, b) => b.share - a.share);
  }

  /** A word by its share. */
  function drawWord() {
    let left = random();
    const all = order();
    return all.find(({ share }) => (left -= share) < 0) ?? all[0];
  }

  /** Write a word behind the one that asks, and return whether there was a place for it. */
  async function add({ word, share }) {
    const { words, at } = drawing.state;
    const text = [...words.slice(1, at + 1), word];
    const { length } = drawing.model;
    if (text.length >= length || word === START) {
      note = word === START ? "The start stands at the beginning alone." : `There is no place for ${quoted(word)}: the model has learned ${length} places, and the start takes one.`;
      drawing.render();
      return false;
    }
    note = `${quoted(word)} had ${percent(share)}.`.replace(/^t/, "T");
    drawing.read(text.join(" "));
    await drawing.ready;
    if (isOver(text)) tellStory(text).catch(console.warn);
    return true;
  }

  /** Say whether a text that is over is a story of the model's world. */
  async function tellStory(text) {
    const found = (await isStory([START, ...text])) ? "It is a story of its world." : "It is no story of its world.";
    if (!isOver(drawing.state.words) || drawing.state.words.slice(1).join() !== text.join()) return;
    note = `The story is over. ${found}`;
    drawing.render();
  }

  return {
    act(named) {
      run = undefined;
      drawn.act.call(drawing, named);
    },

    /** What is switched off stays off from word to word. */
    read(text) {
      drawing.set({ text, at: undefined, follow: undefined, chosen: undefined, look: undefined, patch: undefined });
    },

    put(rank) {
      return add(order()[rank]);
    },

    drawOne() {
      return add(drawWord());
    },

    async drawRest() {
      const mine = (run = {});
      if (isOver(drawing.state.words)) drawing.again();
      await drawing.ready;
      while (run === mine && !isOver(drawing.state.words) && (await add(drawWord())))
        if (!calm.matches) await new Promise((ready) => setTimeout(ready, PAUSE));
    },

    takeBack() {
      note = "";
      const text = drawing.state.words.slice(1, -1);
      if (text.length) drawing.read(text.join(" "));
    },

    again() {
      note = "";
      drawing.read(first);
    },

    temper(temperature) {
      note = "";
      drawing.set({ temperature });
    },

    textsHtml() {
      const { words, at } = drawing.state;
      return `<p>${written(words.slice(1, at + 1))}${isOver(words) ? "" : " …"}</p>`;
    },

    trayHtml() {
      const { words, temperature } = drawing.state;
      const chips = order().slice(0, OFFERED).map(({ word, share }, rank) => button(`put:${rank}`, `<b>${named(word)}</b> ${percent(share)}`, `class="whole-${hueOf(word)}" data-style="--share:${share.toFixed(4)}" aria-label="write ${named(word)}, ${percent(share)}"`));
      const warm = TEMPERATURES.map((each) => button(`temper:${each}`, each, `aria-label="temperature ${each}" aria-pressed="${each === temperature}"`));
      const all = [button("drawOne", "draw a word"), button("drawRest", isOver(words) ? "draw another story" : "draw the rest"), button("takeBack", "take back")];
      const swaps = drawing.hasAttribute("chosen") ? drawn.trayHtml.call(drawing) : "";
      return `<div class="whole-next"><span>Next word:</span>${chips.join("")}</div><div><span>Temperature:</span>${warm.join("")}</div><div>${all.join("")}</div>${swaps && `<div>${swaps}</div>`}`;
    },

    beginHtml() {
      return button("again", "begin again");
    },

    tells() {
      const { words, at, off, patch } = drawing.state;
      const whose = drawing.isOwn ? `your model, from start ${drawing.seed},` : "the model";
      const { word, share } = drawing.drawn.answer;
      const next = isOver(words) ? "" : `After ${quoted(words[at])}, ${whose} gives ${quoted(word)} the largest share, ${percent(share)}.`;
      return [note, off.size || patch ? drawn.tells.call(drawing) : next].filter(Boolean).join(" ");
    },
  };
}
