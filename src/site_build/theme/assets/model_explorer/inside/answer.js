// Inside the answer: the share of each word that the model knows.
import { named, percent, quoted } from "../say.js";
import { label, row } from "./rows.js";

const LINE = 22;

export function rows(whole) {
  const { drawn, frame: f, model } = whole;
  const { words, at, answer, answerOfWhole, off, patch } = drawn;
  const isChanged = off.size || patch;
  const columns = f.isNarrow ? 2 : 3;
  const lines = Math.ceil(model.words.length / columns);
  const wide = f.W / columns;
  const order = [...answer.shares.keys()].sort((p, q) => answer.shares[q] - answer.shares[p]);
  const all = order.map((i, k) => {
    const [x, y] = [Math.floor(k / lines) * wide, 16 + (k % lines) * LINE];
    const room = wide - 110;
    const word = model.words[i];
    const hue = ["water", "money"].includes(word) ? ` whole-${word}` : "";
    const share = answer.shares[i];
    const before = isChanged ? `<rect class="twin" x="${(x + 62).toFixed(1)}" y="${y - 11}" width="${(answerOfWhole.shares[i] * room).toFixed(1)}" height="12"/>` : "";
    return `${label(x + 56, y, named(word), "end")}<rect class="bar${hue}" data-share="${share}" x="${(x + 62).toFixed(1)}" y="${y - 11}" width="${Math.max(1, share * room).toFixed(1)}" height="12"/>${before}${label(x + 68 + share * room, y, percent(share), "start")}`;
  });
  const dashed = isChanged ? " Dashed: the whole model." : "";
  return row(whole, "shares", `<b>Each of ${model.words.length} words</b> is compared with the stream of ${quoted(words[at])}. The best fit gets the most.${dashed}`, lines * LINE + 4, all.join(""));
}
