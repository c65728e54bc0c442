// The functions that were built in this browser, on the page that lists all.
import { recall } from "../progress/progress.js";

const { built = {} } = recall();
const links = [...document.querySelectorAll(".to-build a")];
for (const link of links) {
  const done = built[link.textContent];
  if (done) link.after(make(done === "built" ? " ✓ built" : " ✓ mistake found"));
}
const number = links.filter((link) => built[link.textContent] === "built").length;
if (number) document.querySelector("p.built").textContent = `You have built ${number} of ${links.length} functions.`;

function make(textContent) {
  return Object.assign(document.createElement("span"), { className: "built-mark", textContent });
}
