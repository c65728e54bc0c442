// What a page gains with JavaScript. Without it, every word and number is there all the same.

// The theme writes the address of each link out in full, so that it can compare the heads of two
// pages. At that a browser would read the styles again and, when a font has come since, set the page
// anew under the reader's eyes. So the theme finds done what it wants.
for (const styles of document.querySelectorAll("link[rel=stylesheet]")) {
  const full = styles.cloneNode();
  full.href = styles.href;
  Object.defineProperties(styles, {
    href: { get: () => full.href, set() {} },
    outerHTML: { get: () => full.outerHTML },
  });
}

// The page is drawn first. The theme's script takes longer than all the rest, and begins by asking
// where everything stands.
const turn = () => new Promise((later) => setTimeout(later));
await new Promise(requestAnimationFrame);
await turn();

// Then all is asked for at once: on a slow line, the way there and back takes longest.
const modules = Promise.all([import("./accessible.js"), import("./pictures.js")]);
forThisPage();
await new Promise((loaded, failed) => {
  const theme = document.createElement("script");
  theme.src = document.querySelector("[data-theme-script]").dataset.themeScript;
  theme.onload = loaded;
  theme.onerror = failed;
  document.body.append(theme);
});
const [{ accessible }, { pictures }] = await modules;

// The theme's observable of the page: it speaks at first, and again after each navigation, which
// changes the page without a reload.
document$.subscribe(() => {
  accessible();
  pictures();
  forThisPage();
});

// The theme waits for this, which has been.
await turn();
document.dispatchEvent(new Event("DOMContentLoaded"));

/** Loads what not every page has. */
function forThisPage() {
  if (document.querySelector("[data-script]")) import("./take-away.js");
  if (document.querySelector("attention-lab")) import("./lab.js");
}
