// The worker of the search: it fetches the sections once, and answers each query. Their titles are the first line of
// the file and answer first, for on a slow line the texts take two seconds.

const SHOWN = 5;
const INDEX = new URL("../../search/sections.json", import.meta.url);
let sections, isWhole, loading;
let query = "";

/** Answer the query that was asked last, once there is something to search in. */
const answer = () => sections && postMessage({ query, isWhole, ...sections.find(query, SHOWN) });

async function load() {
  // Both at once: on a slow line, one after the other is a fifth of a second more.
  const [file, { Sections }] = await Promise.all([fetch(INDEX), import("./sections.js")]);
  if (!file.ok) throw new Error(`${INDEX}: ${file.status}`);
  const reader = file.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    if (sections || !text.includes("\n")) continue;
    const titles = JSON.parse(text.slice(1, text.indexOf("\n") - 1)); // "[titles,", and then "texts]"
    sections = new Sections(titles.map((title) => [...title, "", ""]));
    answer();
  }
  const [titles, texts] = JSON.parse(text);
  sections = new Sections(titles.map((title, i) => [...title, ...texts[i]]));
  isWhole = true;
  answer();
}

addEventListener("message", ({ data }) => {
  query = data;
  answer();
  loading ??= load().catch(() => {
    loading = undefined; // offline, perhaps: the next letter tries again
    postMessage({ query, isLost: true });
  });
});
