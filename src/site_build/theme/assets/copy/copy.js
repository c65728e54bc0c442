// Copies code. The button of a block gives a program that runs where it is pasted: the lines of the page
// that the block needs, which the build has found (site_build.copying), and the block. Beside it is a
// button for the block alone.

const PROMPT = /^(>>>|\.\.\.)( |$)/;

/** The code of a block, without prompts, and the outputs between them. */
function codeOf(block) {
  const code = block.querySelector("code").textContent.replace(/\n$/, "");
  if (!block.matches(".language-pycon")) return code;
  return code.split("\n").filter((line) => PROMPT.test(line)).map((line) => line.slice(4)).join("\n");
}

/** The code of a block, which prints what a notebook or a prompt would show. */
function printing(block) {
  const lines = codeOf(block).split("\n");
  for (const [, first, last, end, comma] of (block.dataset.shows ?? "").matchAll(/(\d+)-(\d+):(\d+)(,?)/g)) {
    // A tuple without brackets gets its own.
    lines[last] = `${lines[last].slice(0, end)}${comma ? ")))" : "))"}${lines[last].slice(end)}`;
    lines[first] = `print(repr(${comma ? "(" : ""}${lines[first]}`;
  }
  return lines.join("\n");
}

const blocks = [...document.querySelectorAll("[data-needs-lines]")];
const page = blocks.flatMap((block) => codeOf(block).split("\n"));

/** The lines of the page that a block needs, such as those of `0-3 7`. */
function neededBy({ dataset: { needsLines } }) {
  return (needsLines?.match(/\S+/g) ?? []).flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return page.slice(first, last + 1);
  });
}

/** Puts a text, or one that is on its way, on the clipboard, and tells what came of it. */
async function copy(text, told) {
  // The clipboard is asked at once: by the time a file is there, the click no longer counts.
  const blob = Promise.resolve(text).then((it) => new Blob([it], { type: "text/plain" }));
  try {
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  } catch {
    told = "Could not copy";
  }
  window.alert$?.next(told); // the theme's
}

/** A button that copies a program. */
function button(kind, title, text, told) {
  const made = document.createElement("button");
  made.className = "md-code__button";
  made.dataset.mdType = kind;
  made.title = made.ariaLabel = title;
  made.addEventListener("click", () => copy(text(), told));
  return made;
}

// A signature is no program.
for (const code of document.querySelectorAll(".highlight:not(.doc-signature) > pre > code")) {
  const block = code.closest(".highlight");
  const needed = neededBy(block);
  const count = needed.filter((line) => line.trim()).length;
  const also = block.dataset.needsAlso ? `; it imports ${block.dataset.needsAlso.replaceAll(" ", ", ")}` : "";
  const lines = (count ? `, with the ${count} line${count === 1 ? "" : "s"} it needs` : "") + also;
  const program = () => [...needed, ...(count ? ["", ""] : []), printing(block), ""].join("\n");
  const buttons = document.createElement("div");
  buttons.className = "md-code__nav";
  buttons.append(button("copy", `Copy${lines}`, program, `Copied${lines}`));
  if (count) {
    buttons.firstChild.textContent = `+${count}`;
    const alone = button("alone", "Copy this block alone", () => codeOf(block), "Copied, this block alone");
    alone.textContent = "alone";
    buttons.append(alone);
  }
  code.before(buttons);
}

// The page as a whole.
const script = document.querySelector("[data-script]");
script?.addEventListener("click", () => {
  const file = fetch(script.dataset.script).then((found) => (found.ok ? found.text() : Promise.reject(found)));
  copy(file, "Copied, the whole page as a script");
  script.closest("[popover]").hidePopover();
});
