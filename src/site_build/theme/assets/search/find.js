// Finds the entries of the index that have a word of a query, and puts them in order. An entry is a page,
// up to its first heading, or a section.

// What a word counts for that stands in a title, among other names, in a text of some size so many times,
// or in code.
const FIELDS = { title: () => 1.5, names: () => 2, text: (n, size) => n / (n + size), code: () => 0.3 };

let separator, // what is between two words
  tags, // the same, or a tag
  ending, // what a word loses, for "queries" to find "query"
  entries, // each with the strength of each of its words
  having, // for each word, the entries that have it
  rarities, // of words that were asked for, or are in titles
  pages, // by their address: their entries, the one without a heading first
  called, // for each other name, its words in order: the entries
  treated, // the words of titles and of other names
  filler, // the words that tell nothing
  whole; // whether the texts are there, or only the titles
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

/** Weighs the words of all entries: first of their titles, and again once the texts have come. */
function read(index, texts) {
  [separator, ending, whole] = [RegExp(index.separator), RegExp(index.ending), !!texts];
  tags = RegExp(`(<[^>]+>|${index.separator})`);
  filler = new Set(index.filler.map(stem));
  [having, rarities, pages, called, treated] = [table(), table(), table(), table(), new Set()];
  entries = index.docs.map((title, i) => ({ text: "", ...title, ...texts?.[i] }));
  for (const entry of entries) {
    const [page, anchor] = entry.location.split("#");
    // The build leaves it out where the title says it.
    if (anchor === "") entry.location += flat(entry.title).match(/\w+/g).join("-");
    entry.page = pages[page] ??= [];
    entry.page.push(entry);
    for (const name of entry.called.split(",")) (called[stems(name).sort()] ??= []).push(entry);
    entry.strength = table();
    for (const field in FIELDS) {
      const count = table();
      for (const word of entry[field] ? stems(entry[field]) : []) count[word] = (count[word] ?? 0) + 1;
      for (const word in count) {
        if (!entry.strength[word]) (having[word] ??= []).push(entry);
        entry.strength[word] = (entry.strength[word] ?? 0) + FIELDS[field](count[word], entry.size);
        if (FIELDS[field](1) > 1) treated.add(word);
      }
    }
    entry.titled = [...new Set(stems(entry.title))].filter((word) => !filler.has(word) && /\D/.test(word));
    entry.named = stems(entry.names);
  }
}

/** How many entries have a word. */
const many = (word) => having[word]?.length ?? 0;

/** How much a word tells: the more, the fewer entries have it. */
const rarity = (word) => (rarities[word] ??= Math.log(entries.length / (many(word) + 0.5)));
const sum = (words) => words.reduce((total, word) => total + rarity(word), 0.01);

/** A word, and what is left of it without one of its letters: two words that share some differ by a slip. */
const slips = (word) => [word, ...[...word].map((_, i) => word.slice(0, i) + word.slice(i + 1))];

/**
 * The message that a terminal printed: without colours, without what stands before the last error, and without files
 * and lines, to which Python glues what follows.
 */
const message = (query) =>
  query
    .replace(/\x1b?\[[\d;]*m/g, "")
    .replace(/.*\w(?:Error|Warning): (?=\S)/s, "")
    .replace(/\S*\/\S+\.(?:py|cpp|cu)\b(?::\d+)*|\S+\.(?:py|cpp|cu):\d+|\.$/g, "") // not of llama.cpp
    .trim();

/** The known word that was meant: the one itself, one that begins like it, or one of a title but for a slip. */
function meant(word) {
  if (many(word) || !word[3]) return word;
  const near = slips(word);
  return (
    Object.keys(having).find((known) => known.startsWith(word)) ??
    [...treated].find((known) => known[3] && slips(known).some((slip) => near.includes(slip))) ??
    word
  );
}

/**
 * Returns the words of a query, as they were typed by what was meant. One that is unknown is taken apart, as "1Torch".
 * Words such as "how" and "the", and single letters, are left out if there are others.
 */
function asked(query) {
  const all = query
    .split(separator)
    .flatMap((word) => (many(stem(word)) ? word : word.split(/_|(?<=\d)(?=\D{3})/)))
    .filter(Boolean);
  const telling = all.filter((word) => word[1] && !filler.has(stem(word)));
  return Object.fromEntries((telling[0] ? telling : all).map((typed) => [meant(stem(typed)), typed]));
}

/**
 * Returns an entry, how well it fits (what it has of the query, and how much of its title that is, or whether the query
 * is another name of it), and its share.
 */
function fit(entry, words, query, isName) {
  let [score, covered] = [0, 0];
  for (const word of words) {
    const strength = 2 * isName + (entry.strength[word] ?? 0);
    score += rarity(word) * strength;
    covered += rarity(word) * Math.min(1, strength);
  }
  const share = covered / sum(words);
  const named = Math.max(
    isName,
    sum(entry.titled.filter((word) => words.includes(word))) / (entry.all ??= sum(entry.titled)),
    sum(words.filter((word) => entry.named.includes(word))) / sum(words) / 2,
  );
  const pasted = query[24] && said(entry).includes(query) ? 8 : 1;
  return { entry, score: score * share ** 2 * (1 + 1.5 * named) * entry.prior * pasted, share };
}

/** Marks words in HTML. A word begins like its stem: where no stem is, nothing is split. */
function mark(html, words) {
  const small = html.toLowerCase();
  if (!words.some((word) => small.includes(word))) return html;
  return html
    .split(tags)
    .map((word) => (words.includes(stem(word)) ? `<mark>${word}</mark>` : word))
    .join("");
}

/** What is shown of a text: the first two paragraphs that have one of the words, or the first of all. */
function excerpt(text, words) {
  const paragraphs = text.split(/<\/?(?:p|ul|ol|li)>/).filter((html) => html.trim());
  const found = [];
  for (const html of paragraphs) {
    const marked = mark(html, words);
    if (marked !== html) found.push(marked);
    if (found[1]) break;
  }
  return (found[0] ? found : paragraphs.slice(0, 1)).map((html) => `<p>${html}</p>`).join("");
}

/**
 * Says which words the three nearest pages lack, or a short query as it was typed, if no entry has much of the query
 * (the more words, the less is enough): "T5 relative attention bias" asks for what is not here, though many entries
 * have its common words. Likewise for a lone word that no title has.
 */
function lacking(words, items, typed, line) {
  if (!whole) return [];
  const phrase = Object.values(typed).join(" ");
  if (!words[1]) return [!treated.has(words[0]) && many(words[0]) < 4 && `No title has “${phrase}”. Mentioned here:`];
  if (items.flat().some(({ share }) => share >= 0.3 + 0.55 / words.length)) return [];
  const nearest = items.slice(0, 3).flatMap(([{ entry }]) => entry.page);
  const unsaid = words.filter((word) => /\D/.test(word) && !nearest.some((entry) => entry.strength[word]));
  const isSaid = unsaid[0] || line !== flat(phrase) || nearest.some((entry) => said(entry).includes(line));
  const telling = isSaid ? unsaid.map((word) => typed[word]) : [phrase];
  return [telling[0] && `None of the nearest pages says “${telling.join("” or “")}”:`, unsaid];
}

/** An entry as the theme takes it, which says what words are missing, and marks the others on its page. */
function shown({ entry, score }, words, typed) {
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
 * theme folds all but the best of a page: so the three best get the same score. What the nearest pages lack is said
 * before them, and the best page that has it comes next.
 */
function find(query) {
  query = message(query);
  const [typed, line] = [asked(query), flat(query)];
  const words = Object.keys(typed);
  const same = called[[...words].sort()] ?? []; // whatever words they have
  const telling = words.filter((word) => many(word) < entries.length / 5);
  const found = new Set((telling[0] ? telling : words).flatMap((word) => having[word] ?? []).concat(same));
  const items = [];
  for (const page of Object.values(pages)) {
    const item = page
      .filter((entry) => entry === page[0] || found.has(entry))
      .map((entry) => fit(entry, words, line, same.includes(entry)))
      .sort((a, b) => b.score - a.score);
    for (const part of item.slice(0, 3)) part.score = item[0].score;
    if (item[0].score) items.push(item);
  }
  items.sort(([a], [b]) => b.score - a.score);
  if (!items[0]) return items;
  const [title, unsaid = []] = lacking(words, items, typed, line);
  const next = unsaid.map((word) => items.find(([{ entry }]) => having[word]?.some(({ page }) => page === entry.page))).filter(Boolean);
  const notice = title ? [[{ location: "reference/notation/#other-names", title, text: "", score: 1, terms: {} }]] : [];
  return notice.concat([...new Set([...items.slice(0, 3), ...next, ...items])].map((item) => item.map((part) => shown(part, words, typed))));
}
