// The functions that were built in this browser, on the page that lists all; above them those that went
// wrong some days ago.
import { recall, root } from "../progress/progress.js";
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
if (back.length) {
  const again = back.flatMap(({ name, page }, n) => [
    n ? ", " : "",
    make("a", { href: new URL(`${page}#build-it`, root), textContent: name }),
  ]);
  line.before(make("p", { className: "again" }, "These went wrong some days ago. Try them again first: ", ...again, "."));
}

function make(tag, properties, ...inside) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...inside);
  return element;
}
