// A proxy between the theme and its search worker, which loads the index lazily. The theme sends the
// whole index at each visit; this fetches it, more than all else on a page together, at the first
// query, and the order of the results (order.js) with it.

// The theme's messages, by their numbers. A query is 2.
const SETUP = 0;
const READY = 1;
const RESULT = 3;

const worker = new URLSearchParams(location.search).get("worker"); // as seen from here
let setup; // what the theme sent: all but the documents
let search; // the theme's worker, once there was a query
const queries = []; // that it has not answered yet

/** Starts the theme's worker; resolves when it has read the index. */
async function start() {
  const index = await (await fetch("../../search/full_index.json")).json();
  importScripts("order.js"); // for `read`, `plain` and `rank`
  read(index);
  const started = new Worker(worker);
  return new Promise((resolve) => {
    started.onmessage = ({ data: { type, data } }) => {
      if (type === READY) return resolve(started);
      postMessage({ type, data: { ...data, items: rank(data.items, queries.shift()) } });
    };
    started.postMessage({ type: SETUP, data: { ...setup, docs: index.docs } });
  });
}

addEventListener("message", async ({ data: { type, data } }) => {
  if (type === SETUP) {
    setup = data;
    postMessage({ type: READY });
  } else if (data) {
    // Offline, perhaps: the next query tries again.
    search ??= start().catch(() => (search = undefined));
    const started = await search;
    if (started) queries.push(data);
    started?.postMessage({ type, data: plain(data) });
  } else {
    postMessage({ type: RESULT, data: { items: [] } });
  }
});
