// The worker of the search, which answers the theme. What finds something (find.js) and the index are loaded once the
// reader comes to the box: first the titles, in a tenth of the bytes, and with them a first answer, then the texts. The
// theme asks nothing before it hears that this is ready, and the page asks again once the texts have come.

let loading;

const part = async (name) => (await fetch(`../../search/${name}.json`)).json();

async function load() {
  const titles = part("titles"); // on its way while the script is
  self.find ?? importScripts("find.js"); // once: a second time it would be refused
  read(await titles);
  postMessage({ type: 1 }); // ready
  const texts = await part("texts");
  read(await titles, texts);
  postMessage({ type: "load" }); // done
}

addEventListener("message", ({ data: { type, data } }) => {
  // Offline, perhaps: the next letter tries again.
  if (type === "load")
    loading ??= load().catch(() => {
      loading = undefined;
      postMessage({ type: "failed" });
    });
  // A query, and its result.
  if (type === 2) postMessage({ type: 3, data: { items: find(data), whole } });
});
