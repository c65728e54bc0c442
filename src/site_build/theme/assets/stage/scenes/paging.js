// Requests share the pages of their prefix: a request is a column, its tokens run down, and a page that several use is as
// wide as they are. Below is the memory, page by page.

import { ASKS, INK, SOFT, words } from "../marks.js";
import { EMPTY, KEEPS, KEPT, NOW, Run } from "../run.js";
import { clamp, range } from "../stage.js";

/** What the requests read. The page has them in Python. */
export const TEXTS = {
  A: "< the duck likes the muddy bank . the bank is full of".split(" "),
  B: "< the duck likes the rich bank . the bank is full of".split(" "),
  C: "< the duck likes the bank . the bank is full of".split(" "),
  D: "< the queen likes the bank .".split(" "),
};
const NAMES = Object.keys(TEXTS);
const EVENTS = "ABCaD"; // a small letter is a request that ends
const [ROWS, LONGEST] = [48, 13]; // that the memory holds, and of a request
const plural = (count) => `${count} page${count === 1 ? "" : "s"}`;

/**
 * Give pages to requests that come and end, as the cache of the page does.
 *
 * @param texts of each request, by its name, a capital letter
 * @param events a capital letter is a request that comes, and a small one is a request that ends
 * @param size how many tokens a page holds
 * @param pages how many there are
 * @param shares whether a prefix is shared
 * @returns after each event, the block tables of the requests that are there
 */
export function allocate(texts, events, size, pages, shares) {
  let [free, known, tables] = [range(pages), new Map(), {}];
  return [...events].map((event) => {
    const name = event.toUpperCase();
    const { [name]: table = [], ...others } = tables;
    if (event !== name) {
      const freed = table.filter((page) => !Object.values(others).flat().includes(page));
      free = [...freed, ...free];
      known = new Map([...known].filter(([, page]) => !freed.includes(page)));
      return (tables = others);
    }
    const text = texts[name];
    const beginning = (end) => (shares ? "" : name) + text.slice(0, end).join(" ");
    for (let end = size; end < text.length && known.has(beginning(end)); end += size) table.push(known.get(beginning(end)));
    table.push(...free.splice(0, Math.ceil(text.length / size) - table.length));
    for (let end = size; end <= text.length; end += size) known.set(beginning(end), table[end / size - 1]);
    return (tables = { ...others, [name]: table });
  });
}

export default class Paging extends Run {
  last = EVENTS.length - 1;
  switches = [
    { name: "shares", options: [[false, "each its own"], [true, "shared prefix"]] },
    { name: "size", options: [[2, "pages of 2"], [4, "pages of 4"]] },
  ];

  constructor() {
    super({ shares: true, size: 2 });
  }

  get tensors() {
    const after = range(EVENTS.length);
    return { in_use: [true, false].map((shares) => after.map((at) => this.inUse(shares, at))) };
  }

  tables(at, shares = this.is.shares) {
    const { size } = this.is;
    return allocate(TEXTS, EVENTS.slice(0, at + 1), size, ROWS / size, shares).at(-1) ?? {};
  }

  inUse(shares, at = this.at) {
    return new Set(Object.values(this.tables(at, shares)).flat()).size;
  }

  /** The request that comes or ends, its block table, and how many of these pages others use. */
  get event() {
    const event = EVENTS[this.at];
    const name = event.toUpperCase();
    const [before, now] = [this.tables(this.at - 1), this.tables(this.at)];
    const ends = event !== name;
    const table = (ends ? before : now)[name];
    const others = Object.values(ends ? now : before).flat();
    return { name, ends, table, common: table.filter((page) => others.includes(page)).length };
  }

  get where() {
    const { name, ends, table, common } = this.event;
    const what = ends ? `ends, ${common} of its ${plural(table.length)} stay${common === 1 ? "s" : ""}` : `shares ${plural(common)}, and takes ${table.length - common}`;
    return `${this.at + 1} of ${EVENTS.length}: ${name} ${what}`;
  }

  get matters() {
    const { shares } = this.is;
    return { number: this.inUse(shares), says: "pages in use", other: `${this.inUse(!shares)} ${shares ? "if none is shared" : "if shared"}` };
  }

  told() {
    const { name, ends, common } = this.event;
    const read = ends ? "" : ` The model reads ${TEXTS[name].length - common * this.is.size} of its ${TEXTS[name].length} tokens.`;
    return `${this.where}.${read} ${plural(this.inUse(this.is.shares))} in use.`;
  }

  run(m, { x, y, w, h, narrow }) {
    const { size } = this.is;
    const [head, strip] = narrow ? [20, 34] : [30, 66];
    const left = narrow ? 0 : 34; // for the places
    const lines = size * Math.ceil(LONGEST / size);
    const [row, column] = [(h - head - strip) / lines, (w - left) / NAMES.length];
    const font = narrow ? 12 : clamp(row * 0.55, 15, 20);
    const top = y + head;
    const tables = this.tables(this.at);
    const fresh = this.event.ends ? [] : this.event.table.filter((page) => !Object.values(this.tables(this.at - 1)).flat().includes(page));
    NAMES.forEach((name, k) => {
      const here = name in tables;
      const ended = !here && EVENTS.indexOf(name) < this.at;
      if (ended) this.tables(EVENTS.indexOf(name))[name].forEach((_, n) => (m[`old${name}.${n}`] = { as: "rect", z: 0, x: x + left + column * k + 3, y: top + row * size * n + 1.5, w: column - 6, h: row * size - 3, r: 5, ...EMPTY, o: 0.6 }));
      m[`name${name}`] = words(x + left + column * (k + 0.5), top - 8, narrow ? 14 : 17, ended ? `${name} has ended` : name, here ? INK : SOFT, { anchor: "middle", look: here ? "sans strong" : "sans" });
    });
    if (!narrow) for (const p of range(LONGEST)) if (row > 20 || p % 2 === 0) m[`place${p}`] = words(x + left - 12, top + row * (p + 0.5) + 5, 15, p, SOFT, { anchor: "end", look: "sans" });
    for (const page of new Set(Object.values(tables).flat())) {
      const users = NAMES.filter((name) => tables[name]?.includes(page));
      const first = tables[users[0]].indexOf(page) * size;
      const place = { x: x + left + column * NAMES.indexOf(users[0]) + 3, y: top + row * first + 1.5, w: column * users.length - 6, h: row * size - 3, r: 5 };
      const [hue, o] = fresh.includes(page) ? [NOW.fill, 0.2] : [KEPT, users.length > 1 ? 0.35 : 0.15];
      m[`page${page}`] = { as: "rect", z: 0, ...place, fill: hue, o };
      if (users.length > 1) m[`edge${page}`] = { as: "rect", ...place, fill: "none", stroke: KEPT, sw: 2.5 };
      m[`number${page}`] = words(place.x + 7, place.y + row / 2 + font * 0.36, font, page, hue === NOW.fill ? ASKS : KEPT, { look: "sans strong" });
      range(size).forEach((k) => {
        const token = TEXTS[users[0]][first + k];
        const [center, middle] = [place.x + place.w / 2 + 8, top + row * (first + k + 0.5)];
        if (token) m[`token${page}.${k}`] = words(center, middle + font * 0.36, font, token.replace("<", "‹"), INK, { anchor: "middle" });
        else m[`empty${page}.${k}`] = { as: "rect", x: place.x + 26, y: middle - row * 0.3, w: place.w - 34, h: row * 0.6, r: 3, ...EMPTY };
      });
    }
    this.memory(m, { x, w, y: y + h - (narrow ? 12 : 34), fresh, narrow, used: Object.values(tables).flat() });
  }

  memory(m, { x, y, w, fresh, used, narrow }) {
    const count = ROWS / this.is.size;
    const [step, high] = [w / count, narrow ? 12 : 30];
    m.memory = words(x, y - (narrow ? 6 : 10), narrow ? 12 : 15, `the memory, with ${count} pages`, SOFT, { look: "sans" });
    for (const page of range(count)) {
      const users = used.filter((each) => each === page).length;
      const look = fresh.includes(page) ? NOW : users > 1 ? { fill: KEPT } : users ? KEEPS : EMPTY;
      m[`slot${page}`] = { as: "rect", x: x + step * page + 1, y, w: step - 3, h: high, r: 3, ...look };
      const solid = fresh.includes(page) || users > 1;
      if (!narrow) m[`slot${page}.is`] = words(x + step * (page + 0.5) - 0.5, y + 20, 15, page, solid ? "var(--paper)" : users ? INK : SOFT, { anchor: "middle", look: "sans" });
    }
  }
}
