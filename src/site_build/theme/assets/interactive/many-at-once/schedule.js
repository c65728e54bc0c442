/**
 * Share out places to texts, as `schedule` on the page does: for each step, the text that has each place, or
 * null, and how many rows of the text the step reads.
 *
 * @param texts What there is to do: of each text how many rows to read, and how many words to write.
 * @param options When each text `arrives`, in steps from 0 on; how many `places` there are; whether a free place
 *   takes a text at once (`refill`) or waits until all are free; and the `most` rows of a text that a step reads.
 */
export function schedule(texts, { arrives, places, refill, most = Infinity }) {
  const unread = texts.map(([rows]) => rows);
  const unwritten = texts.map(([, words]) => words);
  const queue = [...texts.keys()].sort((a, b) => arrives[a] - arrives[b]);
  const now = Array(places).fill(null);
  const steps = [];
  while (unwritten.some(Boolean)) {
    if (refill || now.every((text) => text === null))
      for (const [place, text] of now.entries())
        if (text === null && queue.length && arrives[queue[0]] <= steps.length) now[place] = queue.shift();
    const rows = now.map((text) => (text === null ? 0 : Math.min(unread[text], most)));
    steps.push(now.map((text, place) => [text, rows[place]]));
    for (const [place, text] of now.entries()) {
      if (text === null) continue;
      unread[text] -= rows[place];
      if (unread[text] === 0) {
        unread[text] = 1; // a word is written, and read in the next step
        unwritten[text]--;
      }
      if (unwritten[text] === 0) now[place] = null;
    }
  }
  return steps;
}
