// A figure that a reader holds is drawn already. Its script waits for them to do something, and is fetched
// when the figure is nearby. It knows what they pressed meanwhile.

const nearby = new IntersectionObserver(
  (figures) => {
    for (const { isIntersecting, target } of figures)
      if (isIntersecting)
        import(`../${target.dataset.needs}.js`).catch(console.warn);
  },
  { rootMargin: "50%" },
);
const still = new AbortController();
function stir({ type, movementX, movementY }) {
  // A page that opens under a pointer is told where the pointer stands, though nobody moves it.
  if (type === "pointermove" && !movementX && !movementY) return;
  still.abort();
  document.querySelectorAll("hand-figure").forEach((figure) => nearby.observe(figure));
}
for (const kind of ["scroll", "pointermove", "pointerdown", "keydown", "focusin"])
  addEventListener(kind, stir, { passive: true, signal: still.signal });
// An address that names a figure opens a state of it, whether or not the page has to scroll to it.
const named = CSS.escape(location.hash.slice(1).split("&")[0]);
if (document.querySelector(`hand-figure[figure="${named}"]`)) stir({});
for (const part of document.querySelectorAll("hand-figure, .guess"))
  part.addEventListener("click", ({ target }) => (part.pressed = target));
