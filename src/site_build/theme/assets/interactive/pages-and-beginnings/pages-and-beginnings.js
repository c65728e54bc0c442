// Texts that come and leave share pages of memory; and how far the keys of the same words are apart.
import { figure, press } from "../hand.js";
import { box, empty, group, hatched, inWords, listed, quoted, range, shown, text, two, within } from "../marks.js";
import { allocate } from "./allocate.js";

const ROWS = 32; // words that the memory holds
const plural = (count, noun) => `${inWords(count)} ${noun}${count === 1 ? "" : "s"}`;
const capital = (words) => words[0].toUpperCase() + words.slice(1);

export default figure("pages-and-beginnings", ({ texts, differences }) => {
  const lines = texts.split("\n").map((line) => line.split(" "));
  const words = Object.fromEntries(lines.map(([name, ...rest]) => [name, rest]));
  const names = Object.keys(words);
  const layers = differences.map(({ values }) => values);
  const furthest = Math.max(...layers.flat());
  const first = layers[0].findIndex(Boolean); // the word in which both texts differ

  const kept = new Map();
  function run({ events, size }) {
    const name = `${events}${size}`;
    if (!kept.has(name)) kept.set(name, [{ tables: new Map(), waiting: [] }, ...allocate(words, events, size, ROWS / size)]);
    return kept.get(name);
  }
  const used = ({ tables }) => new Set([...tables.values()].flat());
  const usersOf = (page, { tables }) => names.filter((name) => tables.get(name)?.includes(page));
  const isHere = ({ tables, waiting }, name) => tables.has(name) || waiting.includes(name);
  const compares = ({ look }) => look === "keys";

  return {
    defaults: { look: "pages", size: 2, events: "ABCDa" },
    axis: "what happens",
    steps: (state) => (compares(state) ? words.A.length : state.events.length),
    best: (state) => (compares(state) ? words.A.length : 4),
    keep: ["size", "events"],
    pace: (state) => (compares(state) ? 350 : 900),
    where: (state, t) => (compares(state) ? `${t} of ${words.A.length} tokens` : `${t} of ${state.events.length}`),
    choices: [
      { name: "look", label: "Look at", options: [["pages", "pages"], ["keys", "keys of A and B"]] },
      { name: "size", label: "Tokens in a page", options: [1, 2, 4].map((size) => [size, String(size)]) },
    ],
    load(state, given) {
      const events = given.get("events") ?? "";
      if (isStory(events)) state.events = events;
    },
    save: (state, given) => state.events !== "ABCDa" && given.set("events", state.events),
    height: { wide: 430, narrow: 520 },
    draw: (svg, state, t, size) => (compares(state) ? drawKeys : drawPages)(svg, state, t, size),
    say: (state, t) => (compares(state) ? sayKeys : sayPages)(state, t),
    bet: {
      shows: { look: "pages", size: 2, events: "AB" },
      truth: (state) => `${used(run(state).at(-1)).size} pages`,
      answer: (state) => {
        const { tables } = run(state).at(-1);
        const own = tables.get("B").filter((page) => !tables.get("A").includes(page));
        return `Together they need <b>${used(run(state).at(-1)).size}</b>. B shares ${inWords(tables.get("B").length - own.length)}, and behind “rich” it takes ${inWords(own.length)} of its own.`;
      },
    },
  };

  /** Whether each letter is a text that comes when it is not there, or leaves when it is. */
  function isStory(events) {
    const here = new Set();
    return (
      events.length > 0 &&
      events.length <= 20 &&
      [...events].every((event) => {
        const name = event.toUpperCase();
        const comes = event === name;
        if (!names.includes(name) || here.has(name) === comes) return false;
        return comes ? here.add(name) : here.delete(name);
      })
    );
  }

  // ---- the pages ------------------------------------------------------------------------------------------

  function sayPages(state, t) {
    const { events, size } = state;
    const steps = run(state);
    const pages = ROWS / size;
    if (!t) return `A memory of ${plural(pages, "page")}, ${inWords(size)} token${size > 1 ? "s" : ""} each. Press a text, and it comes, or leaves.`;
    const [before, now] = [steps[t - 1], steps[t]];
    const [event, name] = [events[t - 1], events[t - 1].toUpperCase()];
    const free = pages - used(now).size;
    const room = free ? `${free} ${free === 1 ? "is" : "are"} left` : "none is left";
    if (event === name && now.waiting.includes(name)) return `${name} finds too few free pages: ${room}. It <b>waits</b>.`;
    if (event === name) {
      const table = now.tables.get(name);
      const shared = table.filter((page) => used(before).has(page)).length;
      const read = words[name].length - shared * size;
      return shared
        ? `${name} shares <b>${plural(shared, "page")}</b> of its beginning, and takes ${table.length - shared}. The model reads ${read} tokens instead of ${words[name].length}.`
        : `${name} takes ${plural(table.length, "page")}. The model reads all ${words[name].length} tokens.`;
    }
    const table = before.tables.get(name);
    if (!table) return `${name} waits no longer.`;
    const left = names.filter((other) => other !== name && now.tables.has(other) && table.some((page) => before.tables.get(other)?.includes(page)));
    const stay = table.filter((page) => left.some((other) => before.tables.get(other).includes(page))).length;
    const came = names.filter((other) => now.tables.has(other) && !before.tables.has(other));
    return [
      stay ? `${name} leaves. ${capital(inWords(stay))} of its pages ${stay === 1 ? "stays" : "stay"}, for ${listed(left)}. The others are <b>free</b>` : `${name} leaves. All its pages are <b>free</b>`,
      came.length ? `, and ${listed(came)} comes in.` : ".",
    ].join("");
  }

  function drawPages(svg, state, t, { width, narrow, hand }) {
    const { size, events } = state;
    const steps = run(state);
    const at = Math.ceil(t);
    const [before, now] = [steps[Math.max(0, at - 1)], steps[at]];
    const share = at ? 1 - (at - t) : 1;
    const inRow = narrow ? 4 : 8;
    const [slot, high] = [width / inRow, narrow ? 32 : 48];
    const fresh = [...used(now)].filter((page) => !used(before).has(page) || newUser(page));
    range(ROWS / size).forEach(page);
    const below = (ROWS / inRow) * high + 24;
    names.forEach(row);

    /** Whether a page went from one text to another. */
    function newUser(page) {
      return !usersOf(page, before).some((name) => now.tables.has(name));
    }

    function page(number) {
      const place = number * size;
      const [x, y] = [(place % inRow) * slot, Math.floor(place / inRow) * high];
      const users = usersOf(number, now);
      const order = fresh.indexOf(number);
      const arrived = order < 0 ? 1 : within(share * (fresh.length + 1) - order, 0, 1);
      const frame = (look) => box(x + 2, y + 2, size * slot - 4, high - 4, { rx: 5, ...look });
      svg.append(frame(empty));
      svg.append(text(x + 7, y + (narrow ? 13 : 17), number, "least quiet"));
      if (!users.length || !arrived) return;
      const hue = order < 0 ? "kept" : "now";
      const held = words[users[0]];
      const from = now.tables.get(users[0]).indexOf(number) * size;
      const marks = range(size).map((k) => {
        const left = x + k * slot;
        if (from + k >= held.length) return box(left + 5, y + (narrow ? 15 : 22), slot - 11, high - (narrow ? 19 : 28), { rx: 3, ...hatched });
        return text(left + slot / 2, y + high - (narrow ? 6 : 9), shown(held[from + k]), `${narrow ? "least" : "small"} middle`);
      });
      const look = { fill: `${hue}-soft`, stroke: hue, "stroke-width": users.length > 1 ? 3 : 1.4 };
      const named = text(x + size * slot - 8, y + (narrow ? 14 : 18), users.join(" "), `least bold end ${hue}`);
      svg.append(group({ opacity: arrived }, frame(look), text(x + 7, y + (narrow ? 13 : 17), number, "least quiet"), marks, named));
    }

    /** A text: a button, its words, and its table of pages. */
    function row(name, line) {
      const y = below + line * (narrow ? 58 : 52);
      const isNow = at > 0 && events[at - 1].toUpperCase() === name;
      const table = now.tables.get(name) ?? [];
      const isWaiting = now.waiting.includes(name);
      const does = () => {
        const next = `${events.slice(0, at)}${isHere(now, name) ? name.toLowerCase() : name}`;
        hand.set({ events: next });
        hand.show(next.length - 1);
        hand.play();
      };
      const here = isHere(now, name);
      const button = group(
        {},
        box(0, y, 46, 48, { fill: "ground", "fill-opacity": 0 }),
        box(2, y + 7, 34, 34, { class: "ring", rx: 7, fill: isNow ? "now" : "ground", stroke: isNow ? "now" : here ? "kept" : "edge", "stroke-width": 1.8 }),
        text(19, y + 30, name, `bold middle ${isNow ? "ground" : ""}`),
      );
      svg.append(press(button, { key: name, group: "texts", label: `${name}, ${words[name].slice(1).join(" ")}`, pressed: here, does }));
      const spoken = words[name].slice(1).join(" ").replaceAll(" .", ".");
      svg.append(text(48, y + 15, narrow && spoken.length > 33 ? `${spoken.slice(0, 32).replace(/ \S*$/, "")} …` : spoken, `${narrow ? "least" : "small"} ${here ? "" : "quiet"}`));
      if (isWaiting) {
        svg.append(box(48, y + 25, 150, 16, { rx: 5, ...hatched }), text(206, y + 38, "waits", "least quiet"));
        return;
      }
      const each = Math.min(narrow ? 18 : 30, (width - 52) / Math.max(1, table.length));
      table.forEach((number, i) => {
        const shared = usersOf(number, now).length > 1;
        svg.append(box(48 + i * each, y + 22, each - 3, 22, { rx: 4, fill: "none", stroke: "kept", "stroke-width": shared ? 2.6 : 1.2 }));
        svg.append(text(48 + i * each + (each - 3) / 2, y + 38, number, "least middle"));
      });
    }
  }

  // ---- the keys -------------------------------------------------------------------------------------------

  function sayKeys(state, t) {
    if (!t) return "Both texts have the same tokens but one. How far are their keys apart, token by token?";
    const other = layers[1][t - 1];
    const word = quoted(words.A[t - 1]);
    const shared = first - (first % state.size);
    if (t - 1 < shared) return `${word}: the same token behind the same tokens, with the same keys. Its page can be shared.`;
    if (t - 1 < first) return `${word} has the same keys, too. But its page also holds ${quoted(words.A[first])}, so it is not shared.`;
    if (t - 1 === first) return `${word} and ${quoted(words.B[t - 1])} are different tokens, with different keys in both layers.`;
    if (other < 0.005) return `${word}: the same token at the same place. In the second layer its keys are nearly the same, but not quite.`;
    return `${word}: the same token at the same place. But it has read ${quoted(words.A[first])} or ${quoted(words.B[first])}: in the second layer its keys are <b>${two(other)}</b> apart.`;
  }

  function drawKeys(svg, state, t, { width, narrow }) {
    const [top, high] = narrow ? [34, 36] : [30, 30];
    const bars = narrow ? 118 : 190;
    const wide = (width - bars) / 2 - 46;
    const { size } = state;
    ["first layer", "second layer"].forEach((layer, l) => svg.append(text(bars + l * (wide + 46), 16, layer, `${narrow ? "least" : "small"} quiet`)));
    const shared = first - (first % size);
    svg.append(box(0, top, bars - 16, shared * high, { rx: 6, fill: "kept-soft", stroke: "kept", "stroke-width": 1.4 }));
    words.A.forEach((word, place) => {
      const y = top + place * high;
      const isNow = place === Math.ceil(t) - 1;
      const said = word === words.B[place] ? word : `${word} / ${words.B[place]}`;
      svg.append(text(10, y + high / 2 + 5, said, `${narrow ? "least" : "small"} ${isNow ? "now bold" : ""}`));
      const grown = within(t - place, 0, 1);
      layers.forEach((layer, l) => {
        const x = bars + l * (wide + 46);
        const long = (layer[place] / furthest) * wide * grown;
        svg.append(box(x, y + high / 2 - 7, Math.max(long, 1.5), 14, { rx: 2, fill: isNow ? "now" : "ink" }));
        if (grown === 1 && layer[place] > 0.005) svg.append(text(x + long + 6, y + high / 2 + 5, two(layer[place]), "least"));
      });
    });
    svg.append(text(bars - 24, top + shared * high - 8, narrow ? "" : "shared", "least kept end"));
  }
});
