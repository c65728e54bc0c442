// Inside the plus: what the word was, what each head adds, and what it is then.
import { bars } from "../picture.js";
import { percent, quoted } from "../say.js";
import { label, row } from "./rows.js";

const LINE = 44;

export function rows(whole, part) {
  const { drawn, frame: f, model } = whole;
  const layer = Number(part[0]);
  const { at, words, so } = drawn;
  const { heads, mid } = drawn.now.layers[layer];
  const said = ({ word, share }) => `${quoted(word)}, ${percent(share)}`;
  const lines = [
    ["before", drawn.now.streams[layer][at]],
    ...heads.map(({ note }, h) => [`+ head ${layer}.${h}`, note[at]]),
    ["= after", mid[at]],
  ];
  const most = Math.max(...lines.flatMap(([, x]) => Array.from(x, Math.abs)));
  const wide = Math.min(256, f.W * 0.55);
  const middle = Math.min(f.W - wide / 2 - 4, Math.max(f.x(at), f.W * 0.35 + wide / 2));
  const content = lines.map(([name, x], k) => {
    const y = LINE / 2 + k * LINE;
    const sum = k === lines.length - 1 ? `<path class="axis" d="M${(middle - wide / 2 - 90).toFixed(1)} ${y - LINE / 2}h${wide + 90}"/>` : "";
    return sum + bars(x, middle, y, wide, 20, most) + label(middle - wide / 2 - 8, y + 4, name, "end");
  });
  const text = `<b>The plus</b>: ${quoted(words[at])} keeps what it was, and what the heads bring is added. Read before, the answer would be ${said(so[2 * layer])}; after it, ${said(so[2 * layer + 1])}.`;
  return row(whole, "plus", text, LINE * lines.length, content.join(""));
}
