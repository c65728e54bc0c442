// A proxy between the theme and its search worker, which loads the index lazily. The theme sends the
// whole index at each visit; this fetches it, more than all else on a page together, at the first
// query. It also asks in words that lunr, with which the theme searches, cannot take for commands,
// and puts in front what has most of them.

// The theme's messages, by their numbers. A query is 2.
const SETUP = 0;
const READY = 1;
const RESULT = 3;

const worker = new URLSearchParams(location.search).get("worker"); // as seen from here
let setup; // what the theme sent: all but the documents
let search; // the theme's worker, once there was a query

/** Starts the theme's worker; resolves when it has read the index. */
async function start() {
  const index = await fetch("../../search/full_index.json");
  const data = { ...setup, docs: (await index.json()).docs };
  const started = new Worker(worker);
  return new Promise((resolve) => {
    started.onmessage = ({ data: { type, data } }) => {
      if (type === READY) return resolve(started);
      rank(data.items);
      postMessage({ type, data });
    };
    started.postMessage({ type: SETUP, data });
  });
}

/**
 * Splits a query where the index is split, so that no sign is left that is a command to lunr, such
 * as a minus, which is its "not". Each word is asked for as it is, "^1"; if it is long, with one
 * letter that may be wrong, "~1"; and as the beginning of a longer one, which the theme adds: so
 * "heads" becomes "head". Of "to" there are too many, unless it is still being typed.
 */
function plain(query) {
  const words = query.split(RegExp(setup.config.separator)).filter(Boolean);
  return words
    .map((word) => word.replace(/(....)s$/, "$1"))
    .flatMap((word, i) => [word + "^1", word[4] && word + "~1", word[3] || !words[i + 1] ? word : ""])
    .join(" ");
}

/**
 * Puts in front, in each page and among the pages, what has most of the words that were asked for.
 * The theme folds all sections of a page but the best: those nearly as good get the same score.
 */
function rank(items) {
  for (const page of items) {
    for (const entry of page) {
      const terms = Object.values(entry.terms);
      entry.score *= (terms.filter(Boolean).length + 0.1) / (terms.length + 0.1);
    }
    page.sort((a, b) => b.score - a.score);
    for (const entry of page) if (entry.score > page[0].score * 0.6) entry.score = page[0].score;
  }
  items.sort(([a], [b]) => b.score - a.score);
}

addEventListener("message", async ({ data: { type, data } }) => {
  if (type === SETUP) {
    setup = data;
    postMessage({ type: READY });
  } else if (data) {
    // Offline, perhaps: the next query tries again.
    search ??= start().catch(() => (search = undefined));
    (await search)?.postMessage({ type, data: plain(data) });
  } else {
    postMessage({ type: RESULT, data: { items: [] } });
  }
});
