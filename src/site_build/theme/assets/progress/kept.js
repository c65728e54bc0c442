// What a reader has read, guessed and built, kept in this browser alone, and its marks in the navigation.

export const root = new URL("../../", import.meta.url);
const KEY = `${root.pathname}.progress`; // projects of one owner may share a host, and so its storage
const pathOf = ({ pathname }) => pathname.slice(root.pathname.length);
export const here = pathOf(location);

/** What a use of the storage returns; nothing where that is refused, or what is kept cannot be read. */
const storage = (use) => {
  try {
    return use(localStorage);
  } catch {
    return null;
  }
};

const isTable = (value) => value?.constructor === Object;
const isPages = (value) => Array.isArray(value) && value.every((page) => typeof page === "string");
/** Whether an address is one of this site, and so neither another's nor a script. */
const isOurs = (href) => new URL(href, root).href.startsWith(root.href);
const isPlace = ({ href, title }) => typeof title === "string" && isOurs(href);
const isDue = ({ page, day, after }) => isOurs(page) && Number.isInteger(day) && Number.isInteger(after);
const FORMS = {
  read: isPages,
  made: isPages,
  guesses: isTable,
  built: isTable,
  again: (value) => isTable(value) && Object.values(value).every(isDue),
  last: isPlace,
};

/** What is kept. A part that does not have its form is forgotten, and all if it is no JSON. */
export const recall = () => {
  const isSound = ([name, value]) => storage(() => FORMS[name](value));
  const kept = storage((kept) => Object.entries(JSON.parse(kept.getItem(KEY)))) ?? [];
  return { read: [], ...Object.fromEntries(kept.filter(isSound)) };
};
export const keep = (news) =>
  storage((kept) => kept.setItem(KEY, JSON.stringify({ ...recall(), ...news })));
export const forget = () => storage((kept) => kept.removeItem(KEY));

export const mark = () => {
  const { read, made = [] } = recall();
  for (const link of document.querySelectorAll(".dots a, .sheet a")) {
    link.classList.toggle("read", read.includes(pathOf(link)));
    link.classList.toggle("made", made.includes(pathOf(link)));
  }
};
mark();
