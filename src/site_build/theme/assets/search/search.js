// A worker between the theme and its own worker for search. The theme sends the whole index at
// each visit; this one fetches it, more than all else on a page together, at the first query.

// The theme's messages, by their numbers.
const SETUP = 0;
const READY = 1;
const QUERY = 2;
const RESULT = 3;

const worker = new URL(new URL(location).searchParams.get("worker"), location);
let setup; // what the theme sent: all but the documents
let search; // the theme's worker, once there was a query

/** Starts the theme's worker; resolves when it has read the index. */
async function start() {
  const index = await fetch("../../search/full_index.json");
  const data = { ...setup, docs: (await index.json()).docs };
  const started = new Worker(worker);
  return new Promise((resolve) => {
    started.onmessage = (message) =>
      message.data.type === READY ? resolve(started) : postMessage(message.data);
    started.postMessage({ type: SETUP, data });
  });
}

addEventListener("message", async ({ data: { type, data } }) => {
  if (type === SETUP) {
    setup = data;
    postMessage({ type: READY });
  } else if (data) {
    search ??= start().catch(() => {
      search = undefined; // offline, perhaps: the next query tries again
    });
    (await search)?.postMessage({ type: QUERY, data });
  } else {
    postMessage({ type: RESULT, data: { items: [] } });
  }
});
