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
await new Promise((loaded, failed) => {
  const theme = document.createElement("script");
  theme.src = document.querySelector("[data-theme-script]").dataset.themeScript;
  theme.onload = loaded;
  theme.onerror = failed;
  document.body.append(theme);
});

// These begin with what the theme has made.
const [{ accessible }, { pictures }] = await Promise.all([
  import("./accessible.js"),
  import("./pictures.js"),
]);

// The theme's observable of the page: it speaks at first, and again after each navigation, which
// changes the page without a reload.
document$.subscribe(async () => {
  accessible();
  pictures();
  if (document.querySelector("[data-script]")) import("./take-away.js");
  if (document.querySelector("attention-lab")) await import("./lab.js");
});

// The theme waits for this, which has been.
await turn();
document.dispatchEvent(new Event("DOMContentLoaded"));
