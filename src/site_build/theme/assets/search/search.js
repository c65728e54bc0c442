// A proxy between the theme and its search worker, which loads the index lazily. The theme sends the
// whole index at each visit; this fetches it, more than all else on a page together, at the first
// query. It also asks in words that lunr, with which the theme searches, cannot take for commands,
// and puts in front what has most of them.

// The theme's messages, by their numbers. A query is 2.
const SETUP = 0;
const READY = 1;
const RESULT = 3;

const OTHER_NAMES = "reference/notation/#other-names";

const worker = new URLSearchParams(location.search).get("worker"); // as seen from here
let setup; // what the theme sent: all but the documents
let index; // the documents, and the words that do not tell what a question is about
let search; // the theme's worker, once there was a query

/** Starts the theme's worker; resolves when it has read the index. */
async function start() {
  index = await (await fetch("../../search/full_index.json")).json();
  const started = new Worker(worker);
  return new Promise((resolve) => {
    started.onmessage = ({ data: { type, data } }) => {
      if (type === READY) return resolve(started);
      postMessage({ type, data: { ...data, items: rank(data.items) } });
    };
    started.postMessage({ type: SETUP, data: { ...setup, docs: index.docs } });
  });
}

/**
 * Splits a query where the index is split, so that no sign is left that is a command to lunr, such
 * as a minus, which is its "not". Words such as "how" and "the" are left out if there are others.
 * Each word is asked for as it is, "^1"; if it is long, with one letter that may be wrong, "~1"; and
 * as the beginning of a longer one, which the theme adds: so "heads" becomes "head". Of "to" there
 * are too many, unless it is still being typed.
 */
function plain(query) {
  const all = query.split(RegExp(setup.config.separator)).filter(Boolean);
  const telling = all.filter((word) => !index.filler.includes(word.toLowerCase()));
  const words = telling[0] ? telling : all;
  return words
    .map((word) => word.replace(/(....)s$/, "$1"))
    .flatMap((word, i) => [word + "^1", word[4] && word + "~1", word[3] || !words[i + 1] ? word : ""])
    .join(" ");
}

/**
 * Puts in front, in each page and among the pages, what has most of the words that were asked for,
 * where a word counts for more the fewer entries have it. The theme folds all sections of a page but
 * the best: those nearly as good get the same score. Where even the best has little of it, and a word
 * is nowhere, only the nearest pages are left, and an entry in front of them says so.
 */
function rank(items) {
  const entries = items.flat().filter(({ score }) => score); // others hold a section
  const having = {};
  for (const { terms } of entries)
    for (const term in terms) having[term] = (having[term] ?? 0) + terms[term];
  const rarity = (term) => Math.log((index.docs.length + 1) / (having[term] + 0.5));
  const sum = (terms) => terms.reduce((total, term) => total + rarity(term), 0.1);
  const share = ({ terms }) => {
    const asked = Object.keys(terms);
    return sum(asked.filter((term) => terms[term])) / sum(asked);
  };
  for (const page of items) {
    for (const entry of page) entry.score *= share(entry);
    page.sort((a, b) => b.score - a.score);
    for (const entry of page) if (entry.score > page[0].score * 0.6) entry.score = page[0].score;
  }
  items.sort(([a], [b]) => b.score - a.score);
  const missing = Object.keys(having).filter((term) => !having[term]);
  if (missing[0] && Math.max(...entries.map(share)) < 0.4) {
    const title = `Nothing here says “${missing.join(" ")}”. The nearest:`;
    const says = { location: OTHER_NAMES, title, text: "", score: 1, terms: {} };
    return [[says], ...items.slice(0, 3)];
  }
  return items;
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
