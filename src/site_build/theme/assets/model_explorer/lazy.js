// What the drawing needs before anybody touches it: the build has drawn it. The model and its numbers are
// fetched when a pointer or the focus comes to it, or when the page changes an attribute.
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether the reader looks into a model of their own: tiny_lm/own.js. */
function wantsOwn() {
  try {
    return sessionStorage.getItem(`${new URL("../../", import.meta.url).pathname}.takes-own-model`);
  } catch {
    return false;
  }
}

// The address may spell a state, and a sentence may link to a part, more than once to the same.
const [first] = document.getElementsByTagName("whole-model");
const called = () => location.hash.startsWith("#whole");
const linked = () =>
  called() &&
  Promise.all([import("./link/link.js"), import("./whole.js")])
    .then(([{ take }]) => take(first, location.hash))
    .catch(console.warn);
addEventListener("hashchange", linked);
for (const link of document.querySelectorAll('a[href^="#whole:"]')) link.addEventListener("click", () => setTimeout(linked));
linked();

for (const drawing of document.querySelectorAll("whole-model")) {
  for (const part of drawing.querySelectorAll("[inert]")) part.inert = false;
  const wake = () => import("./whole.js").catch(console.warn);
  for (const kind of ["pointerover", "pointerdown", "focusin"]) drawing.addEventListener(kind, wake, { once: true, passive: true });
  new MutationObserver(wake).observe(drawing, { attributeFilter: ["text", "at", "follow", "off", "patch", "temperature", "open"] });
  // What the build has not drawn is drawn when it comes near.
  const near = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && wake(), { rootMargin: "50%" });
  if (drawing.matches("[open], [off], [patch], [temperature]") || wantsOwn()) near.observe(drawing);
  // What is pressed before the model is there is done once it is. A click is lost if the model comes while a mouse is down.
  for (const kind of ["mousedown", "click"])
    drawing.addEventListener(kind, ({ target }) => (drawing.pressed = target.closest("[data-act]")?.dataset.act));
  if (drawing.matches(".film") && !calm.matches && !called())
    import("./film.js").then(({ whenSeen }) => whenSeen(drawing), console.warn);
}
