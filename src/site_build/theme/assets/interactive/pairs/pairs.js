// Which pairs a rule allows, and which blocks of the table have to be computed for them.
import { figure, hold } from "../hand.js";
import { box, empty, group, hatched, line, mark, path, range, round, sum, text, within } from "../marks.js";
import { allows, blocks } from "./blocks.js";

const RULES = { back: "back only", window: "window", sentences: "sentences", "window sentences": "both" };
const SAID = {
  back: () => "Back only",
  window: ({ window }) => `A window of ${window}`,
  sentences: () => "Back only, in its own sentence",
  "window sentences": ({ window }) => `A window of ${window} in its own sentence`,
};

export default figure("pairs", ({ row }) => {
  const words = row.columns;
  const cutsAtFirst = range(words.length).filter((at) => at && row.values[at] !== row.values[at - 1]);
  const full = (state) => ({ ...state, cuts: [state.first, state.second] });
  const counted = (state) => {
    const table = blocks(words.length, state.size, full(state));
    const touched = table.flat().filter((count) => count);
    return { table, pairs: sum(touched), touched: touched.length, all: table.length ** 2 };
  };

  return {
    defaults: { rule: "back", window: 4, size: 2, first: cutsAtFirst[0], second: cutsAtFirst[1] },
    height: { wide: 352, narrow: 410 },
    choices: [
      { name: "rule", label: "Rule", options: Object.entries(RULES) },
      { name: "size", label: "Blocks of", options: [[1, "1"], [2, "2"], [4, "4"]] },
      { name: "window", label: "Window", range: [1, 16, 1], format: (window) => `${window} tokens`, when: ({ rule }) => rule.includes("window") },
    ],
    fix(state) {
      state.first = within(state.first, 1, words.length - 2);
      state.second = within(state.second, state.first + 1, words.length - 1);
    },
    save(state, given) {
      if (state.first !== cutsAtFirst[0] || state.second !== cutsAtFirst[1]) given.set("cuts", `${state.first}.${state.second}`);
    },
    load(state, given) {
      const [first, second] = (given.get("cuts") ?? "").split(".").map(Number);
      if (first && second) Object.assign(state, { first, second });
    },
    draw,
    say(state) {
      const { pairs, touched, all } = counted(state);
      const hidden = touched * state.size ** 2 - pairs;
      const also = hidden ? `, with ${hidden} hidden pairs` : "";
      return `${SAID[state.rule](state)}: ${pairs} pairs are allowed. They lie in <b>${touched} of ${all}</b> blocks${also}.`;
    },
    bet: {
      shows: { rule: "window", window: 4, size: 2 },
      truth: (state) => String(counted(state).touched),
      answer: (state, right) =>
        right ? "Two blocks in each row touch the diagonal or lie beside it, and most rows have a third." : `Count the violet blocks: ${counted(state).touched}.`,
    },
  };

  function draw(svg, state, _, { width, narrow, hand }) {
    const { table, pairs, touched, all } = counted(state);
    const [left, top, cell] = narrow ? [62, 52, 14.8] : [70, 52, 18];
    const long = cell * words.length;
    const at = (place) => place * cell;
    words.forEach((word, place) => svg.append(text(left - 7, top + at(place + 0.5) + 5, word, "least end")));
    table.forEach((counts, down) =>
      counts.forEach((count, across) => {
        const wide = at(state.size) - 2;
        const place = [left + at(across * state.size) + 1, top + at(down * state.size) + 1, wide, wide];
        const look = count ? { fill: "now-soft", stroke: "now", "stroke-width": 1.5 } : { ...empty, opacity: 0.7 };
        svg.append(box(...place, { rx: Math.min(4, wide / 4), ...look }));
      }),
    );
    svg.append(dots(), ...(state.rule.includes("sentences") ? cuts() : [text(left + long / 2, top - 12, "keys: the same tokens", "least quiet middle")]));
    consequence(...(narrow ? [0, top + long + 34, width] : [left + long + 40, top + 40, width - left - long - 44]));

    /** A dot for each pair that is allowed, and hatching where a block computes in vain. */
    function dots() {
      const [radius, marks] = [round(cell * 0.2), []];
      let allowed = "";
      words.forEach((_, i) =>
        words.forEach((_, j) => {
          const [x, y] = [round(left + at(j + 0.5)), round(top + at(i + 0.5))];
          if (allows(full(state), i, j)) allowed += `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`;
          else if (table[Math.floor(i / state.size)][Math.floor(j / state.size)])
            marks.push(box(x - cell / 2 + 2, y - cell / 2 + 2, cell - 4, cell - 4, { fill: "hatched" }));
        }),
      );
      return group({}, marks, path(allowed, { fill: "ink" }));
    }

    /** The ends of the sentences, which the reader holds. */
    function cuts() {
      const grips = ["first", "second"].map((name, which) => {
        const place = state[name];
        const x = left + at(place);
        const move = (to) => {
          const [least, most] = which ? [state.first + 1, words.length - 1] : [1, state.second - 1];
          hand.set({ [name]: within(to, least, most) });
        };
        const grip = group(
          {},
          box(x - 23, top - 50, 46, 48, { fill: "none", "pointer-events": "all" }),
          mark("circle", { class: "ring", cx: x, cy: top - 24, r: 10, fill: "now", stroke: "ground", "stroke-width": 2 }),
          line(x, top - 14, x, top + long, { stroke: "now", "stroke-width": 1.5 }),
        );
        return hold(grip, {
          key: name,
          label: `Sentence ${which + 2} begins`,
          now: place + 1,
          min: 2,
          max: words.length,
          words: `at “${words[place]}”, token ${place + 1}`,
          move: (x) => move(Math.round((x - left) / cell)),
          step: (by) => move(place + by),
        });
      });
      return grips;
    }

    /** Lengths are pairs, and so time. */
    function consequence(from, top, wide) {
      const unit = wide / words.length ** 2;
      const computed = touched * state.size ** 2;
      const gap = narrow ? 42 : 58;
      const rows = [
        [`whole table: ${words.length ** 2} pairs`, [[words.length ** 2, empty]]],
        [`${touched} of ${all} blocks: ${computed} pairs`, [[pairs, { fill: "now" }], [computed - pairs, hatched]]],
      ];
      rows.forEach(([name, parts], row) => {
        const y = top + row * gap;
        svg.append(text(from, y - 7, name, row ? "small bold" : "small"));
        let x = from;
        for (const [count, look] of parts) {
          svg.append(box(x, y, Math.max(0, count * unit - 1), 18, { rx: 3, ...look }));
          x += count * unit;
        }
      });
      if (narrow) return;
      const y = top + 2 * gap + 16;
      svg.append(mark("circle", { cx: from + 6, cy: y - 5, r: 4, fill: "ink" }), text(from + 20, y, `allowed: ${pairs}`, "small"));
      svg.append(box(from, y + 14, 13, 13, { rx: 2, ...hatched }), text(from + 20, y + 25, `hidden, but computed: ${computed - pairs}`, "small"));
    }
  }
});
