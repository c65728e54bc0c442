/**
 * Give pages to texts that come and leave, as `allocate` on the page does.
 *
 * @param words Of each text, by its name, a capital letter.
 * @param events A capital letter is a text that comes, and a small one is a text that leaves.
 * @param size How many words a page holds.
 * @param pages How many there are.
 * @returns After each event, the pages of each text, and the texts that wait.
 */
export function allocate(words, events, size, pages) {
  let free = Array.from({ length: pages }, (_, page) => page);
  let known = new Map(); // the page that ends with a beginning
  let tables = new Map();
  let waiting = [];
  const isUsed = (page) => [...tables.values()].some((table) => table.includes(page));
  const beginning = (text, end) => text.slice(0, end).join(" ");
  return [...events].map((event) => {
    const name = event.toUpperCase();
    if (event === name) waiting = [...waiting, name];
    else if (waiting.includes(name)) waiting = waiting.filter((other) => other !== name);
    else release(name);
    for (const each of waiting) take(each);
    return { tables: new Map(tables), waiting };
  });

  function release(name) {
    const table = tables.get(name);
    tables = new Map(tables);
    tables.delete(name);
    const freed = table.filter((page) => !isUsed(page));
    free = [...freed, ...free];
    known = new Map([...known].filter(([, page]) => !freed.includes(page)));
  }

  /** Share the pages of the beginning, and take others for the rest, if there are enough. */
  function take(name) {
    const text = words[name];
    const table = [];
    for (let end = size; end < text.length && known.has(beginning(text, end)); end += size) table.push(known.get(beginning(text, end)));
    const more = Math.ceil(text.length / size) - table.length;
    if (more > free.length) return;
    table.push(...free.splice(0, more));
    for (let end = size; end <= text.length; end += size) known.set(beginning(text, end), table[end / size - 1]);
    tables = new Map(tables).set(name, table);
    waiting = waiting.filter((other) => other !== name);
  }
}
