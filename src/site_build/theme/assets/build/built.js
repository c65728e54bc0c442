// The functions that were built in this browser, on the page that lists all; above them those that went
// wrong some days ago, and the guesses.
import { make } from "../dom.js";
import { keep, recall, root } from "../progress/kept.js";
import { due } from "./again.js";

const { built = {} } = recall();
const DONE = { predicted: "predicted", found: "mistake found", ordered: "in order", repaired: "repaired", built: "built" };
const links = [...document.querySelectorAll(".to-build a")];
for (const link of links) {
  const done = DONE[built[link.textContent]];
  if (done) link.after(make("span", { className: "built-mark", textContent: ` ✓ ${done}` }));
}
const line = document.querySelector("p.built");
const number = links.filter((link) => built[link.textContent] === "built").length;
if (number) line.textContent = `You have built ${number} of ${links.length} functions.`;

const back = links.length ? due() : [];
const isGuess = ({ name, page }) => name === page;
tellOf("These went wrong some days ago. Try them again first: ", back.filter((each) => !isGuess(each)), "#build-it");
const guesses = back.filter(isGuess).map(({ page }) => ({ page, name: titleOf(page) }));
tellOf("These guesses were wrong. Guess again: ", guesses, "");
// What was guessed is told no more, so that the reader guesses anew.
if (guesses.length) {
  const { guesses: kept } = recall();
  for (const { page } of guesses) delete kept?.[page];
  keep({ guesses: kept });
}

function tellOf(says, back, place) {
  const again = back.flatMap(({ name, page }, n) => [
    n ? ", " : "",
    make("a", { href: new URL(page + place, root), textContent: name }),
  ]);
  if (back.length) line.before(make("p", { className: "again" }, says, ...again, "."));
}

function titleOf(page) {
  const { href } = new URL(page, root);
  const link = [...document.querySelectorAll(".sheet a")].find((each) => each.href === href);
  return link?.textContent.trim() ?? page;
}
