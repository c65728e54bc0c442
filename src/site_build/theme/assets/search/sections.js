// Finds the sections that answer a query, by BM25F: a word counts by how rare it is among all sections, by the
// field that it stands in, and the less, the longer that field is (Robertson and Zaragoza, 2009, section 3.6).
// A section is [location, title, text, code]; one without a "#" is the beginning of its page.

// How much a word counts in each field, and how much the length of the field matters.
const FIELDS = { title: [6, 0.3], called: [9, 0], page: [1, 0.5], text: [1, 0.75], code: [0.5, 0.75] };
const SATURATION = 1.2; // how soon it is enough that a word is said again
const [PREFIX, SLIP, HALF] = [0.5, 0.5, 0.7]; // what counts a word that was not typed as it stands

// Words that tell nothing, if there are others.
const STOP = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by can
  could did do does doing don down during each few for from further had has have having he her here hers him his how i if in
  into is it its just me more most my no nor not now of off on once only or other our out over own s same she should so some
  such t than that the their them then there these they this those through to too under until up very was we were what when
  where which while who whom why will with would you your`.split(/\s+/),
);

/** The words of a text. Printed decimals are none: nobody searches for 0.4387. */
const wordsOf = (text) => text.toLowerCase().replace(/\d*\.\d+/g, " ").match(/[\p{L}\p{N}]+/gu) ?? [];

/** What a section says of other names of its subject: "Also called: RoPE." */
const called = (text) => /^Also called:(.*)/m.exec(text)?.[1] ?? "";

const stems = new Map();
const stem = (word) => stems.get(word) ?? stems.set(word, withoutEnding(word)).get(word);

/** "caches", "cached" and "caching" are one word, and so are "ablate" and "ablation". */
function withoutEnding(word) {
  if (word.length < 4 || /\d/.test(word)) return word;
  const short = word
    .replace(/ies$/, "y")
    .replace(/(ss|x|z|ch|sh)es$/, "$1")
    .replace(/([^sui])s$/, "$1")
    .replace(/i[sz](?:e|ation)$/, "ize")
    .replace(/ation$/, "ate")
    .replace(/([st])ion$/, "$1");
  const cut = short.replace(/(ing|ed)$/, "");
  const isVerb = cut !== short && cut.length > 2 && /[aeiouy]/.test(cut);
  const root = isVerb ? cut.replace(/([bdfgmnprt])\1$/, "$1") : short;
  return root.length > 3 ? root.replace(/e$/, "").replace(/y$/, "i") : root;
}

/** Whether two words differ by one slip: a letter more, less or another, or two that changed places. */
function isNear(a, b) {
  if (Math.abs(a.length - b.length) > 1) return false;
  let [start, end] = [0, 0];
  while (start < a.length && a[start] === b[start]) start++;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return (x.length < 2 && y.length < 2) || (x.length === 2 && x === y[1] + y[0]);
}

export class Sections {
  constructor(sections) {
    this.sections = sections;
    this.pages = new Map(sections.filter(([location]) => !location.includes("#")));
    const said = sections.map(([location, title, text, code]) =>
      [title, called(text), this.pageOf(location), text, code].map((field) => wordsOf(field).map(stem)),
    );
    this.having = new Map(); // for each word: how often each section has it, by the fields
    Object.values(FIELDS).forEach(([weight, b], field) => {
      const mean = said.reduce((sum, fields) => sum + fields[field].length, 0) / said.length || 1;
      said.forEach((fields, section) => {
        const once = weight / (1 - b + (b * fields[field].length) / mean);
        for (const word of fields[field]) {
          if (!this.having.has(word)) this.having.set(word, new Map());
          const counts = this.having.get(word);
          counts.set(section, (counts.get(section) ?? 0) + once);
        }
      });
    });
  }

  /** The title of the page that a section is part of. */
  pageOf(location) {
    return location.includes("#") ? (this.pages.get(location.split("#")[0]) ?? "") : "";
  }

  rarity(word) {
    const many = this.having.get(word)?.size ?? 0;
    return Math.log(1 + (this.sections.length - many + 0.5) / (many + 0.5));
  }

  /** What a typed word may mean: known words, how much each of them counts, and how it is read if otherwise. */
  meant(typed, isLast) {
    const known = [...this.having.keys()];
    const word = stem(typed);
    if (this.having.has(word)) return [[word, 1]];
    const begun = isLast && typed[2] ? known.filter((each) => each.startsWith(typed)) : [];
    if (begun[0] || !typed[3]) return begun.map((each) => [each, PREFIX]);
    const isMeant = (each) => this.having.has(stem(each)) && isNear(typed, each);
    const near = /\d/.test(word) ? [] : [...stems.keys()].filter(isMeant);
    if (near[0]) return near.map((each) => [stem(each), SLIP, each]);
    for (let at = 3; at < typed.length - 2; at++) { // "attentionmask", where the site says "attention mask"
      const halves = [typed.slice(0, at), typed.slice(at)];
      const isKnown = (half) => stem(half)[2] && this.having.has(stem(half));
      if (halves.every(isKnown)) return halves.map((half) => [stem(half), HALF, half]);
    }
    return [];
  }

  /** All sections that have a word of a query, best first; the words that no section has; what was read otherwise. */
  rank(query) {
    const typed = [...new Set(wordsOf(query))];
    const telling = typed.filter((word) => word[1] && !STOP.has(word));
    const [scores, hits, nowhere, read] = [new Map(), new Set(), [], []];
    for (const word of telling[0] ? telling : typed) {
      const meant = this.meant(word, query.toLowerCase().endsWith(word));
      if (!meant[0] && /\p{L}/u.test(word)) nowhere.push(word); // a number may stand in a drawing
      const otherwise = meant.flatMap(([, , each]) => each ?? []);
      if (otherwise[0]) read.push([word, otherwise]);
      const best = new Map(); // of all that the word may mean, what counts most in a section
      for (const [each, share] of meant) {
        hits.add(each);
        for (const [section, often] of this.having.get(each)) {
          const counts = (share * this.rarity(each) * often * (SATURATION + 1)) / (often + SATURATION);
          best.set(section, Math.max(best.get(section) ?? 0, counts));
        }
      }
      for (const [section, counts] of best) scores.set(section, (scores.get(section) ?? 0) + counts);
    }
    const ranked = [...scores].sort(([, a], [, b]) => b - a).map(([section]) => this.sections[section]);
    return { ranked, hits, nowhere, read };
  }

  /** The best sections, as they are shown: the words that were found are parts of their own. */
  find(query, limit) {
    const { ranked, hits, ...said } = this.rank(query);
    const isHit = (part) => hits.has(stem(part.toLowerCase()));
    const parts = (text) => text.split(/([\p{L}\p{N}]+)/u).map((part) => [part, isHit(part)]);
    const results = ranked.slice(0, limit).map(([location, title, text]) => ({
      location,
      title: parts(title),
      page: this.pageOf(location),
      excerpt: parts(this.excerpt(text, hits)),
    }));
    return { results, count: ranked.length, ...said };
  }

  /** The sentence that has most of what was asked for, from near its first word of it, and the next one. */
  excerpt(text, hits) {
    const sentences = text.match(/[^\n.!?]+(?:[.!?](?!\s)[^\n.!?]*)*[.!?]*/g) ?? [""];
    const found = (sentence) => [...new Set(wordsOf(sentence).map(stem))].filter((word) => hits.has(word));
    const worth = sentences.map((sentence) => found(sentence).reduce((sum, word) => sum + this.rarity(word), 0));
    const best = worth.indexOf(Math.max(...worth));
    const shown = sentences.slice(best, best + 2).join(" ").trim();
    const first = [...shown.matchAll(/[\p{L}\p{N}]+/gu)].find(([word]) => hits.has(stem(word.toLowerCase())))?.index ?? 0;
    return first < 80 ? shown : `… ${shown.slice(shown.indexOf(" ", first - 40) + 1)}`;
  }
}
