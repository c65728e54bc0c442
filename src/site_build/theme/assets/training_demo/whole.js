// The whole of the element: what the model writes, its loss, its answers; and models without a part.

import { copyAddress } from "../dom.js";
import { load } from "../tiny_lm/read.js";
import { FIRST, STEPS, WITHOUT } from "./trainer.js";

const [FINDS, SOMETIMES, CANNOT] = [0, 1, 2]; // the guesses, in the order of their buttons
const OF_BANK = 6; // the place of its adjective
const NAMED = /^#learn&/;
const percent = (share) => `${Math.round(100 * share)} %`;

/** The choice that an address carries, as far as there is such a one. */
function readAddress() {
  if (!NAMED.test(location.hash)) return {};
  const given = new URLSearchParams(location.hash.replace(NAMED, ""));
  const [seed, without] = [Number(given.get("seed")), given.get("without")];
  return {
    ...(Number.isInteger(seed) && seed > 0 && seed < 1e6 && { seed }),
    ...(without in WITHOUT && { without }),
  };
}

const writeAddress = ({ seed, without }) =>
  history.replaceState(null, "", `#learn&${new URLSearchParams({ seed, without })}`);

/** Where a loss is drawn, as in site_build.training_demo.picture. */
const pointOf = (step, loss) => `${(16 + 308 * Math.sqrt(step / STEPS)).toFixed(1)} ${(166 * (1 - Math.min(loss, 4.2) / 4.2)).toFixed(1)}`;

const lineOf = (curve) => {
  const shown = curve.map((loss, step) => [step, loss]).filter(([step]) => step % Math.ceil(Math.max(1, step / 60)) === 0);
  return shown.length ? `M${shown.map(([step, loss]) => pointOf(step, loss)).join("L")}` : "";
};

/** Let the element have all of it, and return the choice to begin with. */
export function open(element) {
  if (element.heard) return undefined;
  const find = (name) => element.querySelector(name);
  const [line, before, verdict, guess, select] = [".line", "path.before", ".learn-verdict", ".learn-guess", ".without"].map(find);
  const written = [...element.querySelectorAll(".learn-more dd")];
  const skills = [...element.querySelectorAll(".learn-skills li")];

  element.copyLink = async (trainer) => {
    writeAddress(trainer);
    find(".copy").textContent = await copyAddress();
  };

  const choice = readAddress();
  if (choice.without) ask(choice.without);

  /** Let the reader guess what happens without a part. */
  function ask(without) {
    select.value = without;
    guess.hidden = without === "whole";
    guess.querySelector("legend").textContent = `Guess first: what becomes of a model with ${without}?`;
    for (const each of guess.querySelectorAll("input")) each.checked = false;
  }

  element.chosen = (trainer) => {
    writeAddress(trainer);
    ask(trainer.without);
  };

  element.started = ({ curve, seed }) => {
    element.note = `, start ${seed}`;
    before.setAttribute("d", curve?.length > 20 ? lineOf(curve) : "");
    line.setAttribute("d", "");
    verdict.hidden = true;
    for (const each of written) each.textContent = "";
  };

  element.heard = (trainer, told) => {
    line.setAttribute("d", lineOf(trainer.curve));
    for (const { step, ...text } of told.kept) tellText(written[[...written].findIndex((dd) => Number(dd.previousSibling.textContent.replace(",", "")) === step)], text);
    if (told.wrote) tellText(find(".wrote"), told.wrote);
    for (const each of skills) {
      const share = trainer.right?.[each.dataset.kind] ?? 0;
      each.querySelector("i").style.setProperty("--share", share);
      each.querySelector("b").textContent = percent(share);
    }
    find(".learn-curve").ariaLabel = `The loss after ${told.step} steps: ${(trainer.loss ?? 0).toFixed(2)}. The floor is ${told.floors[1].toFixed(2)}.`;
    if (told.step < STEPS) return;
    judge(trainer, told);
    if (trainer.without === "whole") offer(told.numbers, trainer.seed).catch(console.warn);
  };

  function tellText(place, { words, isStory, isNew }) {
    place.textContent = words.filter((word) => word !== "<").join(" ").replaceAll(" .", ".");
    if (!isStory) return;
    const mark = document.createElement("b");
    mark.textContent = isNew ? "a story it was never told" : "a story";
    place.append(" ", mark);
  }

  /** Say at the end what has come true, here and over several starts. */
  function judge({ loss, right, without, seed }, { texts }) {
    const share = (right["the bank's"] + right["the duck's"]) / 2;
    const outcome = share > 0.95 ? FINDS : share > 0.6 ? SOMETIMES : CANNOT;
    const paragraphs = [document.createElement("p")];
    const guessed = guess.querySelector(":checked");
    const own = `Start ${seed} ended at a loss of ${loss.toFixed(2)}, and finds the right one of two adjectives in ${percent(share)} of the stories.`;
    if (without === "whole") paragraphs[0].textContent = `${own} ${wayOf(texts)}`;
    else {
      const answer = guess.querySelectorAll("label")[outcome].textContent.trim();
      const said = !guessed ? "" : Number(guessed.value) === outcome ? "As you guessed: " : "You guessed otherwise: ";
      paragraphs[0].textContent = `${said}${said ? answer[0].toLowerCase() + answer.slice(1) : answer} ${own}`;
      const names = [...document.querySelectorAll(".learn-parts dt")];
      const known = names.find((name) => name.textContent === without)?.nextElementSibling;
      if (known) paragraphs.push(known.querySelector("p")?.cloneNode(true) ?? Object.assign(document.createElement("p"), { innerHTML: known.innerHTML }));
    }
    verdict.replaceChildren(...paragraphs);
    verdict.hidden = false;
  }

  /** Keep a model that has all its parts, and lead to where it can be taken. */
  async function offer(numbers, seed) {
    const { keep, take } = await import("../tiny_lm/own.js");
    if (!(await keep(numbers, seed))) return;
    const paragraph = document.createElement("p");
    const links = Object.entries({ "Look inside it": "look-inside", "let it write": "let-it-write" }).map(([text, step]) => {
      const href = new URL(`../../steps/${step}/`, import.meta.url).href;
      return Object.assign(document.createElement("a"), { href, textContent: text, onclick: () => take(true) });
    });
    const shown = seed === FIRST ? await comparedWithShown(numbers) : "";
    paragraph.append(`${shown}This is your model now, kept in this browser alone. `, links[0], ", or ", links[1], ".");
    verdict.append(paragraph);
  }

  /** How many numbers are those of the model that the pages show, which are kept in 32 bits. */
  async function comparedWithShown(numbers) {
    const { numbers: shown } = await load();
    const same = shown.filter((number, i) => number === Math.fround(numbers[i])).length;
    const count = shown.length.toLocaleString("en");
    return same === shown.length ? `All ${count} numbers are those of the model on these pages. ` : `${same.toLocaleString("en")} of ${count} numbers are those of the model on these pages. `;
  }

  /** In which head the last word looks at the adjective of the bank, if in one. */
  function wayOf(texts) {
    const shares = texts[0].looks.map((looks, head) => Math.min(looks[OF_BANK], texts[1].looks[head][OF_BANK]));
    const head = shares.indexOf(Math.max(...shares));
    if (!(shares[head] > 50)) return "In no head, the last word looks mainly at the adjective of the bank in both texts: this start has found another way.";
    return `In head ${Math.floor(head / 2)}.${head % 2}, the last word looks mainly at the adjective of the bank. Another start may find another way.`;
  }
  return choice;
}
