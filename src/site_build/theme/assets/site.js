// What the theme leaves out for readers who use the keyboard, hear the page, or want no motion.
// Without JavaScript, every word and number is there all the same.

// The place where a page says that code was copied.
document.querySelector(".md-dialog__inner").role = "status";

// Workaround: the theme's contents scroll smoothly, whatever prefers-reduced-motion says.
const calm = matchMedia("(prefers-reduced-motion: reduce)");
for (const contents of document.querySelectorAll(".md-sidebar__scrollwrap"))
  contents.scrollTo = ({ behavior, ...place }) =>
    Element.prototype.scrollTo.call(contents, calm.matches ? place : { behavior, ...place });

// An old address leads on: a section that has moved, or a page (site_build/moved.py).
const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
const moved = named?.closest(".moved") ?? document.querySelector(".moved:not([id])");
if (moved) location.replace(moved.href);

// By now the theme has added its boxes.
addEventListener("DOMContentLoaded", () => {
  // A box is a tab stop while it is too narrow for what it holds, which may grow, as a font arrives.
  const boxes = document.querySelectorAll(".md-typeset__scrollwrap, .formula, samp, .pair > span");
  const sizes = new ResizeObserver(() => {
    for (const part of boxes)
      if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
  });
  for (const part of [...boxes, ...document.querySelectorAll("table")]) sizes.observe(part);
});

// Lazy loading: what lets a reader build or press is fetched when the first part that
// needs it is nearby. Without it, the page stays as it was built.
const nearby = new IntersectionObserver(
  (parts) => {
    for (const part of parts) if (part.isIntersecting) import(`./${part.target.dataset.needs}.js`).catch(console.warn);
  },
  { rootMargin: "50%" },
);
for (const part of document.querySelectorAll("[data-needs]")) nearby.observe(part);

// The search is fetched when its button or the key "/" is pressed.
const search = () => import("./search/search.js").then(({ open }) => open()).catch(console.warn);
document.querySelector(".search-open").addEventListener("click", search);
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.closest("input, select, textarea, [contenteditable]")) return;
  event.preventDefault();
  search();
});
