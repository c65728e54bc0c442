// What a model holds, fetches and computes on a device, as lengths. The reader drags the length of the sequence.
import { figure, hold } from "../hand.js";
import { box, group, line, mark, other, path, range, said, sum, text, within } from "../marks.js";
import { aPrompt, aToken, cache, computed, fetched, floors, stored, touched, training } from "./floors.js";

const [SHORTEST, LONGEST] = [8, 20]; // sequences, in powers of two
const RATES = ["peak", "bandwidth", "memory"];
const BITS = [[2, "16 bits"], [1, "8"], [0.5, "4"]];

const bytes = (count) =>
  count >= 1e12 ? `${(count / 1e12).toFixed(2)} TB` : `${(count / 1e9).toFixed(count >= 1e11 ? 0 : 1)} GB`;
const time = (seconds) => {
  const [amount, unit] = seconds >= 1 ? [seconds, "s"] : [1e3 * seconds, "ms"];
  return `${amount.toFixed(amount >= 100 ? 0 : amount >= 10 ? 1 : 2)} ${unit}`;
};
const long = ({ length }) => Math.round(2 ** length);
const many = ({ texts }) => 2 ** texts;

/** Tokens of a sequence, short: 64K for 65,536. */
const short = (power) => (power < 10 ? `${2 ** power}` : power < 20 ? `${2 ** (power - 10)}K` : "1M");

/** Rows of printed words and numbers, by their first word. */
const cells = (line) => line.trim().split(/ {2,}/);
const tableOf = (lines) => Object.fromEntries(lines.map(cells).map(([name, ...rest]) => [name, rest.map(Number)]));

/** The sizes of each model, from a table that has a column for each. */
function modelsOf(printed) {
  const [head, ...lines] = printed.split("\n");
  const rows = Object.entries(tableOf(lines));
  const column = (at) => Object.fromEntries(rows.map(([size, each]) => [size, each[at]]));
  return Object.fromEntries(cells(head).map((name, at) => [name, column(at)]));
}

// What is fetched is slate and green, and what is computed is ink: fill, opacity, and the hue of a name on it.
const LOOKS = {
  weights: ["quiet", undefined, "ground"],
  experts: ["quiet", 0.4, "ink"],
  cache: ["kept", undefined, "ground"],
  matrices: ["ink", undefined, "ground"],
  attention: ["ink", 0.3, "ink"],
};

const HELD = { weights: "weights", gradients: "experts", AdamW: "matrices", logits: "attention", activations: "cache" };
const MOST_A_BYTE = 14; // operations, in powers of two

/** A fold, whose fields are fetched when it is opened. */
function foldOf(...what) {
  const fold = Object.assign(document.createElement("details"), { className: "hand-more" });
  const summary = Object.assign(document.createElement("summary"), { textContent: "Other sizes" });
  fold.append(summary);
  fold.addEventListener("toggle", async () => {
    const { fieldsFor } = await import("./fields.js");
    fold.append(fieldsFor(...what));
  }, { once: true });
  return fold;
}

export default figure("costs", (numbers) => {
  const models = modelsOf(numbers.models);
  const devices = tableOf(numbers.devices.split("\n"));
  const ratesOf = ({ device, own }) =>
    Object.fromEntries(RATES.map((rate, at) => [rate, own[rate] ?? devices[device][at]]));
  const modelOf = ({ model, own, bits }) => ({ ...models[model], ...own, cache_bytes: bits });

  /** What a state costs, with sequences of n tokens. */
  function costOf(state, n = long(state)) {
    const [m, rates] = [modelOf(state), ratesOf(state)];
    const cost = floors(m, n, many(state), Object.values(rates), state.count);
    const held = { weights: stored(m), caches: many(state) * cache(m, n) };
    const memory = rates.memory * state.count;
    return { ...cost, held, memory, fits: held.weights + held.caches <= memory };
  }

  // Which experts several tokens choose is not known, nor how fast numbers of fewer bits are multiplied.
  const bound = (state, byWork, tokens) => {
    const m = modelOf(state);
    const unsure = byWork ? Math.min(m.weight_bytes, m.expert_bytes, m.cache_bytes) < 2 : m.experts && tokens > 1;
    return unsure ? "about" : "at least";
  };
  const tokenBound = (state, cost) => bound(state, computed(cost) > fetched(cost), many(state));
  const promptBound = (state, cost) => bound(state, aPrompt(cost) > cost.prompt_weights, long(state));

  const sizes = Object.keys(Object.values(models)[0]);
  const named = (choices) => Object.keys(choices).map((name) => [name, name]);
  return {
    defaults: { model: "Llama 3 8B", device: "H100", count: 1, bits: 2, texts: 0, length: 13, plot: "length", own: {} },
    choices: [
      { name: "model", label: "Model", chips: true, options: named(models) },
      { name: "device", label: "Device", chips: true, options: named(devices) },
      { name: "count", label: "How many", options: [[1, "1"], [4, "4"], [8, "8"], [16, "16"]] },
      { name: "bits", label: "Cache", options: BITS },
      { name: "texts", label: "Sequences at once", range: [0, 9, 1], format: (_, state) => said(many(state)) },
      { name: "plot", label: "Below", options: [["length", "by length"], ["roof", "roofline"], ["training", "training"]] },
    ],
    height: { wide: 550, narrow: 620 },
    draw,
    say,
    fix: (state, changed) => {
      if (["model", "device"].includes(changed)) state.own = {};
    },
    load: (state, given) => {
      state.length = within(Number(given.get("length")) || 13, SHORTEST, LONGEST);
      const own = [...sizes, ...RATES].filter((name) => Number(given.get(name) ?? NaN) >= 0);
      state.own = Object.fromEntries(own.map((name) => [name, Number(given.get(name))]));
    },
    save: (state, given) => {
      if (state.length !== 13) given.set("length", state.length);
      for (const [name, size] of Object.entries(state.own)) given.set(name, size);
    },
    extra: (hand) => foldOf(hand, sizes, (state) => ({ ...modelOf(state), ...ratesOf(state) })),
    bet: {
      shows: { texts: 8 },
      truth: () => "no number",
      answer: (_, right) =>
        `${right ? "" : "No number is enough. "}Each sequence brings a cache: the green grows with “Sequences at once”.`,
    },
  };

  function say(state) {
    const cost = costOf(state);
    if (state.plot === "training") {
      const { recomputed, activations, ...others } = training(modelOf(state), long(state) * many(state));
      const [none, all, less] = [0, activations, recomputed].map((more) => bytes(sum(Object.values(others)) + more));
      if (modelOf(state).experts) return `Training takes <b>${none}</b>, and the activations.`;
      return `Training takes <b>${all}</b>, or ${less} with recomputation.`;
    }
    const about = tokenBound(state, cost);
    const token = `<b>${time(aToken(cost))}</b> a token`;
    if (!cost.fits) return `It does not fit. If it did: ${about} ${token}.`;
    const rate = said(Math.floor(many(state) / aToken(cost)));
    const [bound, most] = about === "about" ? ["About", ""] : ["At least", " at most"];
    const share = Math.round((100 * cost.caches) / fetched(cost));
    const waits =
      computed(cost) > fetched(cost)
        ? "It waits for the arithmetic."
        : `It waits for memory: ${share} % of the bytes are ${many(state) > 1 ? "caches" : "cache"}.`;
    return `${bound} ${token}, ${rate} tokens a second${most}. ${waits}`;
  }

  function draw(svg, state, _, { width, narrow, hand }) {
    const cost = costOf(state);
    const [n, texts, m] = [long(state), many(state), modelOf(state)];
    const small = narrow ? "small" : "";
    const caches = texts > 1 ? `${said(texts)} caches` : "cache";
    const several = state.count > 1 ? `${state.count} × ` : "";
    const theirMemory = `${several}${nameOf(state)}: ${bytes(cost.memory)}`;

    let y = 14;
    toHold();
    const read = `${Math.round(touched(m, texts))} of ${m.experts} experts`;
    const fetches = [
      { width: cost.weights, look: "weights", words: m.experts ? "shared by all" : "weights" },
      { width: cost.experts, look: "experts", words: read, least: cost.fewest_experts },
      { width: cost.caches, look: "cache", words: caches },
    ];
    const operations = (matrices, attention) => [
      { width: matrices, look: "matrices", words: "matrices" },
      { width: attention, look: "attention", words: "attention" },
    ];
    const each = texts > 1 ? ` of ${said(texts)} sequences` : "";
    bars(`A decode step${each}, ${tokenBound(state, cost)}`, [
      ["fetch", fetches],
      ["compute", operations(cost.matrices, cost.attention)],
    ]);
    bars(`A prefill of ${said(n)} tokens, ${promptBound(state, cost)}`, [
      ["fetch", [{ width: cost.prompt_weights, look: "weights", words: "weights" }]],
      ["compute", operations(cost.prompt_matrices, cost.prompt_attention)],
    ]);
    ({ length: byLength, roof: roofline, training: toTrain })[state.plot]();

    /** A part of a bar, with its name where it has room. */
    function part(x, top, wide, high, look, words) {
      const [fill, opacity, ink] = LOOKS[look];
      svg.append(box(x, top, Math.max(wide - 1, 0.7), high, { fill, opacity, rx: 2 }));
      if (words && wide > 7.6 * words.length + 8)
        svg.append(text(x + wide / 2, top + high / 2 + 5, words, `small middle ${ink}`));
    }

    /** What lies in memory, in the frames of the devices. */
    function toHold() {
      const { weights, caches: kept } = cost.held;
      const scale = (width - 2) / Math.max(weights + kept, cost.memory);
      svg.append(text(0, y, `To hold: ${bytes(weights)} of weights, ${bytes(kept)} of cache`, `bold ${small}`));
      const top = y + 14;
      const inside = state.count === 1; // frames would cross the names
      part(1, top, weights * scale, 34, "weights", inside && "weights");
      part(1 + weights * scale, top, kept * scale, 34, "cache", inside && caches);
      const one = (cost.memory / state.count) * scale;
      for (const at of range(state.count))
        svg.append(box(1 + at * one, top - 4, one - 1, 42, { fill: "none", stroke: "ink", "stroke-width": 2, rx: 5 }));
      const more = cost.memory - weights - kept;
      svg.append(text(0, top + 56, theirMemory, "small quiet"));
      if (cost.fits) svg.append(text(width, top + 56, `room for ${bytes(more)}`, "small end"));
      else {
        const end = 1 + cost.memory * scale;
        svg.append(box(end, top, width - end, 34, { fill: "hatched" }));
        svg.append(line(end, top - 9, end, top + 43, { stroke: "wrong", "stroke-width": 3 }));
        svg.append(text(width, top + 56, `${bytes(-more)} too much`, "small end bold wrong"));
      }
      y = top + 88;
    }

    /** Times to one scale: the longer row is what the device waits for. */
    function bars(title, rows) {
      const totals = rows.map(([, parts]) => sum(parts.map((each) => each.width)));
      const left = narrow ? 0 : 78;
      const scale = (width - left - (narrow ? 2 : 74)) / Math.max(...totals);
      svg.append(text(0, y, title, `bold ${small}`));
      y += narrow ? 6 : 10;
      rows.forEach(([name, parts], at) => {
        const longer = totals[at] === Math.max(...totals);
        const look = `small ${longer ? "bold" : "quiet"}`;
        if (narrow) y += 16;
        svg.append(text(narrow ? 0 : left - 10, narrow ? y : y + 18, name, `${look} ${narrow ? "" : "end"}`));
        if (narrow) y += 5;
        let x = left;
        for (const { width: seconds, look, words, least } of parts) {
          if (seconds * scale > 0.2) part(x, y, seconds * scale, 26, look, words);
          if (least && least < seconds) svg.append(line(x + least * scale, y - 3, x + least * scale, y + 29, other));
          x += seconds * scale;
        }
        const ends = narrow ? [width, y - 5, "end"] : [x + 6, y + 18, ""];
        svg.append(text(ends[0], ends[1], time(totals[at]), `small ${ends[2]} ${longer ? "now bold" : "quiet"}`));
        y += narrow ? 30 : 32;
      });
      y += narrow ? 22 : 24;
    }

    /** What a plot is, and beside it how to read it. */
    function head(title, says) {
      svg.append(text(0, y, title, `bold ${small}`), besides(y, 17, says));
    }

    /** Quiet words at the end of a line, or on a phone below it. */
    function besides(line, below, words) {
      return narrow ? text(0, line + below, words, "least quiet") : text(width, line, words, "least quiet end");
    }

    /** The time of a token over the length of the sequence, and the reader's place on it. */
    function byLength() {
      const high = narrow ? 130 : 150;
      head("A token, by the length of the sequence", "areas: fetched, dashed: computed");
      const top = y + (narrow ? 54 : 44);
      const foot = top + high;
      const x = (power) => ((power - SHORTEST) / (LONGEST - SHORTEST)) * (width - 2);
      const at = range(49).map((i) => SHORTEST + i / 4).map((power) => [x(power), costOf(state, 2 ** power)]);
      const steady = cost.weights + cost.experts;
      const most = Math.min(aToken(at.at(-1)[1]), Math.max(6 * steady, 1.35 * aToken(cost)));
      const up = (seconds) => foot - Math.min(1.05, seconds / most) * high;
      const along = (of) => at.map(([place, each]) => `${Math.round(place)} ${Math.round(up(of(each)))}`).join("L");
      const clip = `costs-plot-${narrow ? "narrow" : "wide"}`;
      const flat = (from, to, look) => {
        const [fill, opacity] = LOOKS[look];
        return box(0, up(to), width - 2, up(from) - up(to), { fill, opacity });
      };
      const plot = group(
        { "clip-path": `url(#${clip})` },
        flat(0, cost.weights, "weights"),
        flat(cost.weights, steady, "experts"),
        path(`M0 ${up(steady)}L${along(fetched)}L${width - 2} ${up(steady)}Z`, { fill: "kept" }),
        path(`M${along(computed)}`, other),
      );
      svg.append(mark("clipPath", { id: clip }, box(0, top - 4, width, high + 4)), plot);
      const full = at.find(([, each]) => !each.fits)?.[0];
      if (full !== undefined) {
        for (const look of [{ fill: "ground", opacity: 0.6 }, { fill: "hatched" }])
          plot.append(box(full, top - 4, width - full, high + 4, look));
        svg.append(line(full + 1, top - 4, full + 1, foot, { stroke: "wrong", "stroke-width": 2 }));
        const room = full < width - 94;
        svg.append(text(room ? full + 7 : full - 6, top + 12, "does not fit", `small bold wrong clear ${room ? "" : "end"}`));
      }
      svg.append(line(0, foot, width, foot, { stroke: "edge" }));
      for (let power = SHORTEST; power <= LONGEST; power += narrow ? 4 : 2)
        svg.append(text(within(x(power), 14, width - 16), foot + 32, short(power), "least quiet middle"));
      handle(x, up(aToken(cost)), top, foot);
    }

    /** FLOPs a second, by how many come with a byte: the roof, and the reader's points under it. */
    function roofline() {
      const [peak, bandwidth] = Object.values(ratesOf(state)).map((rate) => rate * state.count);
      const ridge = peak / bandwidth;
      const [top, high] = [y + (narrow ? 56 : 46), narrow ? 118 : 140];
      const foot = top + high;
      const x = (intensity) => within(Math.log2(intensity) / MOST_A_BYTE, 0, 1) * (width - 2);
      const up = (intensity) => foot - (Math.log2(Math.max(1, Math.min(intensity, ridge))) / Math.log2(ridge)) * high;
      const perByte = (work, bytes) => (work * peak) / (bytes * bandwidth);
      const decoding = (cost) => perByte(computed(cost), fetched(cost));
      const dot = (intensity, look) => svg.append(mark("circle", { cx: x(intensity), cy: up(intensity), ...look }));

      head("Speed, by FLOPs for each byte", `the roof turns at ${said(Math.round(ridge))}`);
      svg.append(path(`M0 ${foot}L${x(ridge)} ${top}H${width - 2}`, { stroke: "ink", "stroke-width": 3 }));
      svg.append(line(x(ridge), top, x(ridge), foot, other));
      svg.append(text(width, top - 8, `${said(Math.round(peak / 1e12))} TFLOPs a second, the peak`, "least quiet end"));
      for (let power = 0; power <= MOST_A_BYTE; power += narrow ? 4 : 2)
        svg.append(text(within(x(2 ** power), 8, width - 20), foot + 20, said(2 ** power), "least quiet middle"));

      // The same sequence, once and up to 512 times.
      for (const texts of range(10)) dot(decoding(costOf({ ...state, texts })), { r: 4, fill: "faint" });
      const prompt = perByte(cost.prompt_matrices + cost.prompt_attention, cost.prompt_weights);
      dot(prompt, { r: 7, fill: "ground", stroke: "ink", "stroke-width": 3 });
      svg.append(text(within(x(prompt), 30, width - 32), up(prompt) + 26, "prefill", "small middle clear"));
      const mine = decoding(cost);
      dot(mine, { r: 8, fill: "now", stroke: "ground", "stroke-width": 2 });
      const share = Math.ceil(100 * Math.min(mine / ridge, 1));
      const label = `${mine.toFixed(1)}: ${share} %${narrow ? "" : " of the peak"}`;
      const late = x(mine) > 0.6 * width;
      svg.append(text(x(mine) + (late ? -14 : 14), up(mine) + (late ? 26 : 6), label, `small bold now clear ${late ? "end" : ""}`));
    }

    /** What lies in memory to train on n tokens of each sequence in a step. */
    function toTrain() {
      const tokens = n * texts;
      const { recomputed, activations, ...others } = training(m, tokens);
      const total = sum(Object.values(others));
      const rows = m.experts ? [["", 0]] : [["keep all", activations], ["recompute", recomputed]];
      const scale = (width - 2) / Math.max(total + Math.max(...rows.map(([, each]) => each)), cost.memory);
      head(`To train on ${said(tokens)} tokens a step`, m.experts ? "without activations" : "shared by FSDP");
      y += narrow ? 44 : 34;
      for (const [name, kept] of rows) {
        const whole = total + kept;
        svg.append(text(0, y, `${name} ${bytes(whole)}`.trim(), "small"));
        let x = 1;
        for (const [held, size] of [...Object.entries(others), ["activations", kept]]) {
          part(x, y + 8, size * scale, 30, HELD[held], held);
          x += size * scale;
        }
        const end = 1 + cost.memory * scale;
        svg.append(line(end, y + 3, end, y + 43, whole > cost.memory ? { stroke: "wrong", "stroke-width": 3 } : other));
        y += 70;
      }
      svg.append(text(0, y, `The mark: ${theirMemory}`, "small quiet"));
      svg.append(besides(y, 20, "in order: " + Object.keys(others).join(", ")));
    }

    function handle(x, height, top, foot) {
      const at = x(state.length);
      const label = `${said(n)} tokens: ${time(aToken(cost))}`;
      const wide = label.length * 7.7 + 16;
      const left = within(at - wide / 2, 0, width - wide);
      const knob = group(
        {},
        box(at - 24, top - 30, 48, foot - top + 52, { fill: "ground", opacity: 0 }),
        line(at, top - 6, at, foot, { stroke: "now", "stroke-width": 2 }),
        mark("circle", { cx: at, cy: height, r: 6, fill: "now", stroke: "ground", "stroke-width": 2 }),
        mark("circle", { class: "ring", cx: at, cy: foot, r: 13, fill: "ground", stroke: "now", "stroke-width": 3 }),
        path(`M${at - 4} ${foot - 4}l-4 4l4 4M${at + 4} ${foot - 4}l4 4l-4 4`, { stroke: "now", "stroke-width": 2 }),
        box(left, top - 30, wide, 24, { fill: "now", rx: 12 }),
        text(left + wide / 2, top - 13, label, "small bold middle ground"),
      );
      const put = (power) => hand.set({ length: within(Math.round(power * 8) / 8, SHORTEST, LONGEST) });
      const move = (place) => put(SHORTEST + (place / (width - 2)) * (LONGEST - SHORTEST));
      const step = (by) => put(state.length + by / 2);
      const [min, max] = [2 ** SHORTEST, 2 ** LONGEST];
      const named = { key: "length", label: "Tokens in the sequence", now: n, min, max, words: label };
      svg.append(hold(knob, { ...named, move, step }));
    }
  }

  function nameOf({ device, own }) {
    return RATES.some((rate) => rate in own) ? "another device" : device;
  }
});
