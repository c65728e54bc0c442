// What the theme leaves out for readers who use the keyboard, hear the page, or want no motion.

// The sign for the drawer is the label of a hidden checkbox; a button can be reached and pressed.
const drawer = document.querySelector("#__drawer");
const sign = document.querySelector(".md-header [for=__drawer]");
const menu = document.createElement("button");
menu.className = `${sign.className} menu`;
menu.type = "button";
menu.ariaLabel = "Navigation";
menu.ariaExpanded = "false";
menu.append(...sign.childNodes);
menu.addEventListener("click", () => drawer.click());
sign.replaceWith(menu);

// Opened by the keyboard, the drawer takes the focus; it closes with Escape, or when the focus
// leaves it.
drawer.addEventListener("change", () => {
  menu.ariaExpanded = drawer.checked;
  if (drawer.checked && menu.matches(":focus-visible"))
    [...document.querySelectorAll(".md-nav--primary :is(a, input)")]
      .find((stop) => stop.checkVisibility({ visibilityProperty: true }))
      ?.focus();
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !drawer.checked) return;
  drawer.click();
  menu.focus();
});
addEventListener("focusin", ({ target }) => {
  if (drawer.checked && !target.closest(".md-sidebar--primary, .menu")) drawer.click();
});

// A box is a stop of the Tab key while it is too narrow for what it holds.
const narrowness = new ResizeObserver((boxes) => {
  for (const { target: box } of boxes)
    if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
    else box.removeAttribute("tabindex");
});

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Make a page that was put in place accessible. */
export function accessible() {
  // One button to copy is no place to navigate.
  for (const nav of document.querySelectorAll(".md-code__nav")) nav.setAttribute("role", "none");
  narrowness.disconnect();
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap, .formula, samp"))
    narrowness.observe(box);
  // The contents follow the text in a movement of their own.
  for (const contents of document.querySelectorAll(".md-sidebar__scrollwrap"))
    contents.scrollTo = ({ behavior, ...place }) =>
      Element.prototype.scrollTo.call(contents, calm.matches ? place : { behavior, ...place });
}
