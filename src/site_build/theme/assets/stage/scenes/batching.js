// Six requests and three places: which request has each place in each step, which places stay empty, and how many rows the
// step reads.

import { INK, SOFT, words } from "../marks.js";
import { DONE, EMPTY, NOW, Run } from "../run.js";
import { range, sum } from "../stage.js";

const [PLACES, PIECE] = [3, 4];

/**
 * Give the places to requests, as the loop of the page does.
 *
 * @param requests of each, how many tokens it reads and how many it writes
 * @param refill whether a free place takes a request at once, or waits until all are free
 * @param most rows of a request that a step reads
 * @returns for each step and place, the request or null, how many of its rows are read, and whether a token is written
 */
export function schedule(requests, refill, most) {
  const [unread, unwritten, steps] = [requests.map(([reads]) => reads), requests.map(([, writes]) => writes), []];
  const queue = range(requests.length);
  let now = range(PLACES).map(() => null);
  while (unwritten.some(Boolean)) {
    if (refill || now.every((one) => one === null)) now = now.map((one) => one ?? queue.shift() ?? null);
    const step = now.map((one) => {
      if (one === null) return { one, rows: 0, writes: false };
      const rows = Math.min(unread[one], most);
      unread[one] -= rows;
      return { one, rows, writes: unread[one] === 0 };
    });
    for (const { one, writes } of step) if (writes) [unread[one], unwritten[one]] = [1, unwritten[one] - 1]; // which is read next
    now = now.map((one) => (unwritten[one] ? one : null));
    steps.push(step);
  }
  return steps;
}

export default class Batching extends Run {
  switches = [
    { name: "refill", options: [[false, "fixed batches"], [true, "continuous"]] },
    { name: "most", options: [[Infinity, "whole prompts"], [PIECE, "chunked"]] },
  ];

  /** @param numbers the outputs of the page: what each request reads and writes, and how many steps it all takes */
  constructor({ lengths }) {
    super({ refill: false, most: Infinity });
    const [reads, writes] = lengths.values;
    Object.assign(this, { lengths, requests: reads.map((count, one) => [count, writes[one]]) });
  }

  get tensors() {
    const counts = this.switches[0].options.map(([refill]) => this.switches[1].options.map(([most]) => schedule(this.requests, refill, most).length));
    return { lengths: this.lengths.values, counts };
  }

  get steps() {
    return schedule(this.requests, this.is.refill, this.is.most);
  }

  get last() {
    return this.steps.length - 1;
  }

  get gone() {
    return this.steps.slice(0, this.at + 1);
  }

  nameOf(one) {
    return this.lengths.columns[one];
  }

  /** The requests that have no place in this step or before. */
  get waiting() {
    const came = this.gone.flatMap((step) => step.map(({ one }) => one));
    return this.lengths.columns.filter((_, one) => !came.includes(one));
  }

  get where() {
    const { waiting } = this;
    return `step ${this.at + 1} of ${this.last + 1}${waiting.length ? `, ${waiting.join(", ")} waiting` : ""}`;
  }

  get matters() {
    const all = this.gone.flat();
    const empty = all.filter(({ one }) => one === null).length;
    const written = all.filter(({ writes }) => writes).length;
    return { number: this.at + 1, says: `steps, ${written} tokens`, other: `${empty} of ${all.length} cells empty` };
  }

  told() {
    const { number, says, other } = this.matters;
    return `${this.where}: ${number} ${says}, ${other}. This step reads ${this.rowsOf(this.steps[this.at])} rows.`;
  }

  rowsOf(step) {
    return sum(step.map(({ rows }) => rows));
  }

  run(m, { x, y, w, h, narrow }) {
    const { steps, gone } = this;
    const [font, head] = narrow ? [12, 22] : [15, 34];
    const column = w / Math.max(24, steps.length);
    const row = Math.min((h * 0.56 - head) / PLACES, 84);
    const gap = narrow ? 1.5 : 3;
    m.places = words(x, y + head - 10, font, this.is.most === PIECE ? `prompts in chunks of ${PIECE}: hollow cells only read` : "three places", SOFT, { look: "sans" });
    gone.forEach((step, s) =>
      step.forEach(({ one, writes }, p) => {
        const place = { x: x + column * s, y: y + head + row * p, w: column - gap, h: row - gap };
        const hue = s === this.at ? NOW.fill : SOFT;
        const look = one === null ? EMPTY : writes ? (s === this.at ? NOW : DONE) : { fill: "none", stroke: hue, sw: 2 };
        m[`cell${s}.${p}`] = { as: "rect", ...place, r: 3, ...look };
        if (one === null) return;
        m[`name${s}.${p}`] = words(place.x + place.w / 2, place.y + place.h / 2 + font * 0.36, font, this.nameOf(one), writes && s === this.at ? "var(--paper)" : INK, { anchor: "middle", look: "sans strong" });
      }),
    );
    const top = y + head + row * PLACES + (narrow ? 26 : 44);
    const foot = y + h - (narrow ? 4 : 8);
    const most = this.rowsOf(schedule(this.requests, false, Infinity)[0]);
    const scale = (foot - top - 1.4 * font) / most;
    const counts = gone.map((step) => this.rowsOf(step));
    m.reads = words(x, top - 4, font, "rows that a step reads", SOFT, { look: "sans" });
    counts.forEach((rows, s) => {
      m[`bar${s}`] = { as: "rect", x: x + column * s, y: foot - rows * scale, w: column - gap, h: rows * scale, r: 2, ...(s === this.at ? NOW : DONE) };
      m[`rows${s}`] = words(x + column * s + (column - gap) / 2, foot - rows * scale - 4, font, rows, INK, { anchor: "middle", look: "sans" });
    });
  }
}
