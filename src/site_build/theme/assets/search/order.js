// The order of the results. lunr, with which the theme searches, finds the entries that have any of the
// words of a query, and marks them; it is asked in words that it cannot take for commands, and what it
// finds is put in order here.

const OTHER_NAMES = "reference/notation/#other-names";

// What a word counts for that stands in a title, among other names, in a text of some size so many times,
// or in code.
const FIELDS = { title: () => 1.5, names: () => 2, text: (n, size) => n / (n + size), code: () => 0.3 };
const USUAL = 80; // words in an entry
// Endings, for "queries" to find "query". What is left need not be a word.
const ENDING =
  /(?<=..[^aisu])s$|(?<=....)(?:es|ies|y|e|ed|ied|ing|ings|ying|er|ers|ion|ions|ional|ations?|ate|ates|ated|ating|able|al)$/;

let index; // the documents, and more
let entries; // by their address: how often each word is in each field
let having; // for each word, how many entries have it
let treated; // the words of titles and of other names
let filler; // the words that tell nothing
const stemmed = Object.create(null); // the words that were met, without their endings

/** An object with no names of its own, for "constructor" is a word like any other. */
const table = () => Object.create(null);

/** A text on one line, in small letters, to find words in the order in which they were pasted. */
const flat = (text) => text.replace(/<[^>]+>/g, "").replace(/\s+/g, " ").toLowerCase();

/** Splits a text where the index is split, and takes off endings. */
const stems = (text) =>
  text
    .replace(/<[^>]+>/g, " ")
    .split(RegExp(index.config.separator))
    .filter(Boolean)
    .map((word) => (stemmed[word] ??= word.toLowerCase().replace(ENDING, "")));

/** Counts the words of all entries. */
function read(documents) {
  index = documents;
  filler = new Set(index.filler.flatMap(stems));
  [entries, having, treated] = [table(), table(), new Set()];
  for (const document of index.docs) {
    const entry = (entries[document.location] = table());
    entry.said = flat(document.title + document.text);
    entry.called = document.called.split(",").map((name) => String(stems(name).sort()));
    for (const field in FIELDS) {
      entry[field] = table();
      for (const word of stems(document[field])) {
        entry[field][word] = (entry[field][word] ?? 0) + 1;
        if (FIELDS[field](1) > 1) treated.add(word);
      }
    }
    entry.size = 0.3 + Object.values(entry.text).reduce((total, n) => total + n, 0) / USUAL;
    const all = Object.assign(table(), ...Object.keys(FIELDS).map((field) => entry[field]));
    for (const word in all) having[word] = (having[word] ?? 0) + 1;
  }
}

/** How much a word tells: the more, the fewer entries have it. */
const rarity = (word) => Math.log((index.docs.length + 1) / ((having[word] ?? 0) + 0.5));
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
  if (having[word] || !word[3]) return word;
  const longer = Object.keys(having).filter((known) => known.startsWith(word));
  longer.sort((a, b) => having[b] - having[a]);
  return longer[0] ?? [...treated].find((known) => known[3] && isSlip(word, known, word[5] && typed[7])) ?? word;
}

/**
 * Returns the words of a query, as they were typed by what was meant. Words such as "how" and "the" are
 * left out if there are others.
 */
function asked(query) {
  const isKnown = (word) => stems(word).some((stem) => having[stem]);
  const all = query
    .split(RegExp(index.config.separator))
    .flatMap((word) => (isKnown(word) ? word : word.split("_")))
    .filter(Boolean);
  const telling = all.filter((word) => !filler.has(stems(word)[0]));
  return Object.fromEntries((telling[0] ? telling : all).map((typed) => [meant(stems(typed)[0], typed), typed]));
}

/**
 * What lunr is asked: each word as the beginning of a longer one, which the theme adds. A short word or
 * a number has too many longer ones, "^1" keeps it as it is. A word of each fifth entry takes long to
 * find and to mark, and finds nothing new beside a rarer one.
 */
function plain(query) {
  const words = Object.entries(asked(query));
  const rare = words.filter(([word]) => having[word] < index.docs.length / 5);
  return (rare[0] ? rare : words)
    .map(([word, typed]) => (/^\D.../.test(word) ? word : `${word}^1 ${typed}^1`))
    .join(" ");
}

/** How well an entry fits: what it has of the query, and how much of its title that is. And its share of the query. */
function fit(location, words, query) {
  const entry = entries[location];
  const isName = entry.called.includes(String([...words].sort()));
  let [score, covered] = [0, 0];
  for (const word of words) {
    let strength = isName ? 2 : 0;
    for (const field in FIELDS) if (entry[field][word]) strength += FIELDS[field](entry[field][word], entry.size);
    score += rarity(word) * strength;
    covered += rarity(word) * Math.min(1, strength);
  }
  const share = covered / sum(words);
  const title = Object.keys(entry.title).filter((word) => !filler.has(word) && !/^\d+$/.test(word));
  const named = Math.max(
    isName && 1,
    sum(title.filter((word) => words.includes(word))) / sum(title),
    sum(words.filter((word) => entry.names[word])) / sum(words) / 2,
  );
  const kind = location.match(/^$|^steps|^practice|^reference(?!.notation)|writing/)?.[0];
  const prior = { "": 2, steps: 1.1, practice: 0.6, reference: 0.6, writing: 0.5 }[kind] ?? 1;
  const pasted = query[24] && entry.said.includes(query) ? 8 : 1;
  return [score * share ** 2 * (1 + 1.5 * named) * prior * pasted, share];
}

/**
 * Puts in front, in each page and among the pages, what fits best. The theme folds all sections of a
 * page but the best: those nearly as good get the same score. Where nothing fits well and the nearest pages do
 * not say what was asked, an entry in front says so, and only they are left, with the best pages that say it.
 * Likewise for a lone word that few have.
 */
function rank(items, query) {
  const typed = asked(query);
  const words = Object.keys(typed);
  for (const page of items) {
    for (const entry of page) {
      [entry.score, entry.share] = fit(entry.location, words, flat(query));
      // The theme says which words an entry lacks, and marks the others on its page.
      const has = (word) => Object.keys(FIELDS).some((field) => entries[entry.location][field][word]);
      entry.terms = Object.fromEntries(words.map((word) => [typed[word].toLowerCase(), has(word)]));
    }
    page.sort((a, b) => b.score - a.score);
    for (const entry of page) if (entry.score > page[0].score * 0.6) entry.score = page[0].score;
  }
  items = items.filter(([best]) => best.score).sort(([a], [b]) => b.score - a.score);
  if (!items[0]) return items;
  const quoted = (some) => `“${some.map((word) => typed[word]).join(" ")}”`;
  // "T5 relative attention bias" asks for what is not here, though many entries have its common words: no entry
  // has much of it (the more words, the less is enough), and none of the first pages has its two rarest together.
  const rarest = [...words].sort((a, b) => rarity(b) - rarity(a)).slice(0, 2);
  const rare = words.filter((word) => rarest.includes(word)); // as they were typed
  const nearest = items.slice(0, 3);
  const says = (pages, some) =>
    pages.flat().some(({ terms }) => some.every((word) => terms[typed[word].toLowerCase()]));
  const unsaid = rare.filter((word) => !says(nearest, [word]));
  const title = words[1]
    ? items.flat().every(({ share }) => share < 0.3 + 0.55 / words.length) &&
      !says(nearest, rare) &&
      `The nearest pages do not say ${unsaid.map((word) => quoted([word])).join(" or ") || quoted(rare)}:`
    : !treated.has(words[0]) && having[words[0]] < 4 && `No title has ${quoted(words)}. Mentioned here:`;
  if (!title) return items;
  const notice = [{ location: OTHER_NAMES, title, text: "", score: 1, terms: {} }];
  for (const word of unsaid) nearest.push(...items.filter((page) => says([page], [word])).slice(0, 1));
  return [notice, ...new Set(nearest)];
}
