// The picture: who asks, an arc and a bar for each word, and what the word becomes.

import { keep, make, option } from "./dom.js";
import { short } from "./math.js";

const THICK = 22; // pixels of the thickest arc
const SVG = "http://www.w3.org/2000/svg";

/** Make the arcs, the words, of which one asks, and the bars below them. */
export function makeLinks(ask, pick) {
  const arcs = document.createElementNS(SVG, "svg");
  arcs.setAttribute("preserveAspectRatio", "none");
  arcs.ariaHidden = true;
  const words = make("div", { className: "lab-words", role: "radiogroup", "aria-label": "Who asks?" });
  const bars = make("div", { className: "lab-bars", ariaHidden: true });
  const drawing = make("div", { className: "lab-drawing" }, arcs, words, bars);

  const draw = ({ names, query, values, shares, at }) => {
    drawing.style.setProperty("--count", names.length);
    arcs.setAttribute("viewBox", `0 0 ${100 * names.length} 100`);
    keep(arcs, names.length, () => document.createElementNS(SVG, "path")).forEach((path, j) => {
      path.setAttribute("d", arc(query, j, names.length));
      path.style.strokeWidth = `${THICK * shares[j]}px`;
      path.style.strokeOpacity = 0.45 + 0.45 * shares[j];
      path.classList.toggle("minus", values[j] < 0);
      path.classList.toggle("at", j === at);
    });
    keep(words, names.length, (i) => option("radio", "lab-query", "", () => ask(i))).forEach((label, i) => {
      label.control.checked = i === query;
      label.control.ariaLabel = `${names[i]}, word ${i + 1}, asks`;
      label.lastChild.textContent = names[i];
    });
    const makeBar = (j) =>
      make("div", { onclick: () => pick(j) }, make("i"), make("b"));
    keep(bars, names.length, makeBar).forEach((bar, j) => {
      bar.firstChild.style.height = `${4 * shares[j]}rem`;
      bar.classList.toggle("minus", values[j] < 0);
      bar.classList.toggle("at", j === at);
      bar.lastChild.textContent = short(values[j]);
    });
  };
  return { element: drawing, draw };
}

/** The way of an arc, in a place that is 100 high and 100 wide for each word. */
function arc(from, to, count) {
  const [start, end] = [100 * from + 50, 100 * to + 50];
  if (from === to) return `M${start - 14},100C${start - 24},52 ${start + 24},52 ${start + 14},100`;
  const high = 100 - 124 * (0.25 + (0.75 * Math.abs(to - from)) / (count - 1));
  return `M${start},100C${start},${high} ${end},${high} ${end},100`;
}

/** Make a line for each component: the words' values on it, and the context among them. */
export function makeStrips() {
  const heading = make("p");
  const lines = make("div");
  const strips = make("div", { className: "lab-strips", ariaHidden: true }, heading, lines);
  const draw = ({ name, columns, values, weights, context, own }) => {
    heading.textContent = own
      ? `What becomes of ${name}: from ○ to ●, where its words pull it`
      : `What ${name} takes with it: ●, where its words pull it`;
    const numbers = [...values.flat(), ...context].filter(Number.isFinite);
    const [low, high] = [Math.min(0, ...numbers), Math.max(0, ...numbers)];
    const place = (x) => `${Number.isFinite(x) ? (100 * (x - low)) / (high - low || 1) : 0}%`;
    const makeStrip = () =>
      make("div", {}, make("span"), make("div", { className: "lab-line" }), make("b"));
    keep(lines, columns.length, makeStrip).forEach(({ children: [part, line, number] }, e) => {
      part.textContent = columns[e];
      const dots = keep(line, values.length + 2, () => make("i"));
      values.forEach((row, j) => {
        dots[j].style.left = place(row[e]);
        dots[j].style.setProperty("--share", Math.min(1, Math.abs(weights[j]) || 0));
      });
      const [before, after] = dots.slice(-2);
      before.className = "before";
      before.hidden = !own;
      before.style.left = place(own?.[e] ?? 0);
      after.className = "after";
      after.style.left = place(context[e]);
      number.textContent = own ? `${short(own[e])} → ${short(context[e])}` : short(context[e]);
    });
  };
  return { element: strips, draw };
}
