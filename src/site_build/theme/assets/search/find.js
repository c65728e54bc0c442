// Finds the entries of the index that have a word of a query, and puts them in order. An entry is a page,
// up to its first heading, or a section.

// What a word counts for that stands in a title, among other names, in a text of some size so many times,
// or in code.
const FIELDS = { title: () => 1.5, names: () => 2, text: (n, size) => n / (n + size), code: () => 0.3 };
const PARAGRAPH = /<\/?(?:p|ul|ol|li)>/;

let separator; // what is between two words
let ending; // what a word loses, for "queries" to find "query"
let entries; // each with how often a word is in each field
let having; // for each word, the entries that have it
let pages; // by their address: their entries, the one without a heading first
let called; // for each other name, its words in order: the entries
let treated; // the words of titles and of other names
let filler; // the words that tell nothing
const stemmed = new Map(); // the words that were met, without their endings

/** An object with no names of its own, for "constructor" is a word like any other. */
const table = () => Object.create(null);

/** A text on one line, in small letters, to find words in the order in which they were pasted. */
const flat = (text) => text.replace(/<[^>]+>/g, "").replace(/\s+/g, " ").toLowerCase();

const said = (entry) => (entry.said ??= flat(entry.title + entry.text));

function stem(word) {
  if (!stemmed.has(word)) stemmed.set(word, word.toLowerCase().replace(ending, ""));
  return stemmed.get(word);
}

/** Splits a text where a word ends, and takes off endings. */
const stems = (text) =>
  text
    .replace(/<[^>]+>/g, " ")
    .split(separator)
    .filter(Boolean)
    .map(stem);

/** Counts the words of all entries. */
function read(index) {
  [separator, ending] = [RegExp(index.separator), RegExp(index.ending)];
  filler = new Set(index.filler.map(stem));
  [having, pages, called, treated] = [table(), table(), table(), new Set()];
  entries = index.docs;
  for (const entry of entries) {
    const page = entry.location.replace(/#.*/, "");
    (pages[page] ??= []).push(entry);
    entry.page = pages[page];
    for (const name of entry.called.split(",")) (called[stems(name).sort()] ??= []).push(entry);
    entry.count = table();
    const all = new Set();
    for (const field in FIELDS) {
      const count = (entry.count[field] = table());
      for (const word of stems(entry[field])) {
        count[word] = (count[word] ?? 0) + 1;
        all.add(word);
        if (FIELDS[field](1) > 1) treated.add(word);
      }
    }
    for (const word of all) (having[word] ??= []).push(entry);
  }
}

/** How many entries have a word. */
const many = (word) => having[word]?.length ?? 0;

/** How much a word tells: the more, the fewer entries have it. */
const rarity = (word) => Math.log((entries.length + 1) / (many(word) + 0.5));
const sum = (words) => words.reduce((total, word) => total + rarity(word), 0.01);

/** Whether a word is another one with a letter too many or too few or, if it is long, another letter. */
function isSlip(word, known, isLong) {
  let same = 0;
  while (same < word.length && word[same] === known[same]) same++;
  const [rest, right] = [word.slice(same), known.slice(same)];
  return rest.slice(1) === right || rest === right.slice(1) || (isLong && rest.slice(1) === right.slice(1));
}

/** The known word that was meant: the one itself, one that begins like it, or one of a title but for a slip. */
function meant(word, typed) {
  if (many(word) || !word[3]) return word;
  const longer = Object.keys(having).filter((known) => known.startsWith(word));
  longer.sort((a, b) => many(b) - many(a));
  return longer[0] ?? [...treated].find((known) => known[3] && isSlip(word, known, word[5] && typed[7])) ?? word;
}

/**
 * Returns the words of a query, as they were typed by what was meant. Words such as "how" and "the" are
 * left out if there are others.
 */
function asked(query) {
  const all = query
    .split(separator)
    .flatMap((word) => (many(stem(word)) ? word : word.split("_")))
    .filter(Boolean);
  const telling = all.filter((word) => !filler.has(stem(word)));
  return Object.fromEntries((telling[0] ? telling : all).map((typed) => [meant(stem(typed), typed), typed]));
}

/**
 * Returns an entry, how well it fits (what it has of the query, and how much of its title that is, or whether the query
 * is another name of it), and its share.
 */
function fit(entry, words, query, isName) {
  const { count } = entry;
  let [score, covered] = [0, 0];
  for (const word of words) {
    let strength = isName ? 2 : 0;
    for (const field in FIELDS) if (count[field][word]) strength += FIELDS[field](count[field][word], entry.size);
    score += rarity(word) * strength;
    covered += rarity(word) * Math.min(1, strength);
  }
  const share = covered / sum(words);
  const title = Object.keys(count.title).filter((word) => !filler.has(word) && /\D/.test(word));
  const named = Math.max(
    isName && 1,
    sum(title.filter((word) => words.includes(word))) / sum(title),
    sum(words.filter((word) => count.names[word])) / sum(words) / 2,
  );
  const pasted = query[24] && said(entry).includes(query) ? 8 : 1;
  return { entry, score: score * share ** 2 * (1 + 1.5 * named) * entry.prior * pasted, share };
}

/** Marks words in HTML. A word begins like its stem: where no stem is, nothing is split. */
function mark(html, words) {
  if (!words.some((word) => html.toLowerCase().includes(word))) return html;
  return html
    .split(RegExp(`(<[^>]+>|${separator.source})`))
    .map((word) => (words.includes(stem(word)) ? `<mark>${word}</mark>` : word))
    .join("");
}

/** What is shown of a text: the first two paragraphs that have one of the words, or the first of all. */
function excerpt(text, words) {
  const paragraphs = text.split(PARAGRAPH).filter((html) => html.trim());
  const found = [];
  for (const html of paragraphs) {
    const marked = mark(html, words);
    if (marked !== html) found.push(marked);
    if (found[1]) break;
  }
  return (found[0] ? found : paragraphs.slice(0, 1)).map((html) => `<p>${html}</p>`).join("");
}

/**
 * Says what the three nearest pages lack, if there is no answer to a query: "T5 relative attention bias" asks for what is
 * not here, though many entries have its common words. Then no entry has much of it (the more words, the less is
 * enough), and one of its two rarest words, or a short query as it was typed, is nowhere on these pages. Likewise for
 * a lone word that few have.
 */
function lacking(words, items, typed) {
  const quoted = (word) => `“${typed[word]}”`;
  if (!words[1]) {
    const isMentioned = !treated.has(words[0]) && many(words[0]) < 4;
    return [isMentioned && `No title has ${quoted(words[0])}. Mentioned here:`];
  }
  if (items.flat().some(({ share }) => share >= 0.3 + 0.55 / words.length)) return [];
  const rare = [...words].sort((a, b) => rarity(b) - rarity(a)).slice(0, 2);
  const nearest = items.slice(0, 3).flatMap(([{ entry }]) => entry.page);
  const unsaid = words.filter((word) => rare.includes(word) && !nearest.some((entry) => having[word]?.includes(entry)));
  const phrase = Object.values(typed).join(" ");
  const isSaid = words[3] || nearest.some((entry) => said(entry).includes(phrase.toLowerCase()));
  const what = unsaid[0] ? unsaid.map(quoted).join(" or ") : !isSaid && `“${phrase}”`;
  return [what && `None of the nearest pages says ${what}:`, unsaid];
}

/** An entry as the theme takes it, which says what words are missing, and marks the others on its page. */
function shown({ entry, score }, typed) {
  const words = Object.keys(typed);
  return {
    location: entry.location,
    title: mark(entry.title, words),
    text: excerpt(entry.text, words),
    score,
    terms: Object.fromEntries(words.map((word) => [typed[word].toLowerCase(), having[word]?.includes(entry)])),
  };
}

/**
 * Returns the entries for a query, page by page. In front is, in each page and among the pages, what fits best. The
 * theme folds all sections of a page but the best: those nearly as good get the same score. What the nearest pages
 * lack is said before them, and the best page that has it comes next.
 */
function find(query) {
  query = query.replace(/\S+\.py:\d+|\.$/g, "").trim(); // a terminal prints "file.py:1Torch was not compiled"
  const [typed, line] = [asked(query), flat(query)];
  const words = Object.keys(typed);
  const telling = words.filter((word) => many(word) < entries.length / 5);
  const same = called[[...words].sort()] ?? []; // whatever words they have
  const found = new Set((telling[0] ? telling : words).flatMap((word) => having[word] ?? []).concat(same));
  const items = [];
  for (const page of Object.values(pages)) {
    const parts = page.filter((entry) => found.has(entry));
    if (!parts[0]) continue;
    const item = [...new Set([page[0], ...parts])].map((entry) => fit(entry, words, line, same.includes(entry)));
    item.sort((a, b) => b.score - a.score);
    for (const part of item) if (part.score > item[0].score * 0.6) part.score = item[0].score;
    if (item[0].score) items.push(item);
  }
  items.sort(([a], [b]) => b.score - a.score);
  if (!items[0]) return items;
  const [title, unsaid = []] = lacking(words, items, typed);
  const next = unsaid.map((word) => items.find(([{ entry }]) => having[word]?.some(({ page }) => page === entry.page))).filter(Boolean);
  const results = [...new Set([...items.slice(0, 3), ...next, ...items])].map((item) => item.map((part) => shown(part, typed)));
  if (title) results.unshift([{ location: "reference/notation/#other-names", title, text: "", score: 1, terms: {} }]);
  return results;
}
