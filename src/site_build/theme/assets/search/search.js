// The box of the search and its five results. A worker finds them; it is started when the reader comes to the box.

const root = new URL("../../", import.meta.url);
const dialog = document.querySelector("dialog.search");
const [box, status, list] = ["input", "[role=status]", "ol"].map((part) => dialog.querySelector(part));
let worker;

function ask() {
  if (!worker) {
    worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }) => data.query === box.value.trim() && show(data));
    worker.addEventListener("error", () => {
      worker = undefined;
      show({ isLost: true });
    });
  }
  if (!list.firstChild) status.textContent = box.value.trim() && "Loading the search…";
  worker.postMessage(box.value.trim());
}

/** Show what was found, and say in one line what was not. */
function show(found) {
  const { query, results = [] } = found;
  const held = document.activeElement.closest(".search li a")?.href;
  list.replaceChildren(...results.map(shown));
  // Who went down by arrow while only the titles were there stands where he stood, or in the box again.
  if (held) ([...list.querySelectorAll("a")].find((link) => link.href === held) ?? box).focus();
  status.textContent = query || found.isLost ? said(found) : "";
}

function said({ isLost, isWhole, results, count, nowhere, read }) {
  if (isLost) return "The search could not be loaded. The next letter tries again.";
  if (!isWhole) return "Among the titles. Texts are being loaded…";
  const quoted = (words) => words.map((word) => `“${word}”`).join(", ");
  const others = read.map(([typed, words]) => `Read ${quoted([typed])} as ${quoted(words.slice(0, 2))}.`);
  const missing = nowhere[0] ? [`Nowhere on this site: ${quoted(nowhere)}.`] : [];
  return [...missing, ...others].join(" ") || (count ? `${results.length} of ${count} sections` : "Nothing found");
}

function shown({ location, title, page, excerpt }) {
  const link = make("a", make("b", ...title.map(marked)), make("small", page), make("span", ...excerpt.map(marked)));
  link.href = new URL(location, root);
  return make("li", link);
}

const marked = ([text, isHit]) => (isHit ? make("mark", text) : text);

function make(tag, ...inside) {
  const element = document.createElement(tag);
  element.append(...inside);
  return element;
}

/** Open the dialog: site.js asks for it, by the button or the key "/". */
export const open = () => dialog.open || dialog.showModal();
box.addEventListener("focus", ask);
box.addEventListener("input", ask); // also what a mouse or a phone pastes
dialog.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click(); // Enter
});
dialog.addEventListener("keydown", (event) => {
  const stops = [box, ...list.querySelectorAll("a")];
  const next = stops[stops.indexOf(document.activeElement) + { ArrowDown: 1, ArrowUp: -1 }[event.key]];
  if (!next) return;
  event.preventDefault();
  next.focus();
});
// A press beside it closes it, and so does one on a result: it may lie on this page.
dialog.addEventListener("click", ({ target }) => (target === dialog || target.closest("a, button")) && dialog.close());
