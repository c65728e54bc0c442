// The worker of the search, which answers the theme. The index, more than all else on a page together, and what
// finds something in it (find.js) are loaded once the reader comes to the box. The theme asks nothing before it
// hears that this is ready.

// The theme's messages, by their numbers.
const READY = 1;
const QUERY = 2;
const RESULT = 3;

let loading;

async function load() {
  const index = await (await fetch("../../search/full_index.json")).json();
  importScripts("find.js");
  read(index);
  postMessage({ type: READY });
}

addEventListener("message", ({ data: { type, data } }) => {
  // Offline, perhaps: the next letter tries again.
  if (type === "load") loading ??= load().catch(() => (loading = undefined));
  if (type === QUERY) postMessage({ type: RESULT, data: { items: data ? find(data) : [] } });
});
