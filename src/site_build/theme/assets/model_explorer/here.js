// The small drawing of a page, pressed: it opens in its place, with the part of the page lit.
const sheet = new URL("whole.css", import.meta.url).href;

/** Add the style sheet of the drawing, and wait until it is there. */
const styled = () =>
  new Promise((ready) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: sheet, onload: ready, onerror: ready });
    document.head.append(link);
  });

async function open(small) {
  const { open: part, lit } = small.dataset;
  await Promise.all([styled(), import("./whole.js")]);
  const drawing = document.createElement("whole-model");
  drawing.setAttribute("role", "group");
  drawing.ariaLabel = "A whole language model, with the part of this page open";
  drawing.setAttribute("open", part);
  drawing.setAttribute("lit", lit);
  const place = small.parentElement;
  const close = () => {
    drawing.replaceWith(place);
    small.focus();
  };
  drawing.addEventListener("close", close);
  drawing.addEventListener("keydown", ({ key }) => key === "Escape" && close());
  place.replaceWith(drawing);
  await drawing.ready;
  drawing.querySelector(`[data-act="toggle:${part}"]`)?.focus({ preventScroll: true });
  drawing.querySelector(".whole-row.lit")?.scrollIntoView({ block: "nearest" });
}

for (const small of document.querySelectorAll(".here a"))
  small.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return; // a tab of its own
    event.preventDefault();
    open(small).catch(() => location.assign(small.href));
  });
