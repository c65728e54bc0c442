// Inside an MLP: its 32 neurons for the word that asks, and what the strongest of them write.
import { named, quoted } from "../say.js";
import { label, row } from "./rows.js";

const TALL = 80;
const TOLD = 5;

/** How much a vector speaks for each word, against the mean of all words, if the last norm is left out. */
function effect({ w: { embedding, norm }, words }, x) {
  const all = words.map((_, i) => x.reduce((sum, number, e) => sum + number * norm[e] * embedding[i * x.length + e], 0));
  const mean = all.reduce((a, b) => a + b) / all.length;
  return all.map((number) => number - mean);
}

export function rows(whole, part) {
  const { drawn, frame: f, model } = whole;
  const layer = Number(part[0]);
  const { at, words, other, follow } = drawn;
  const fires = drawn.now.layers[layer].hidden[at];
  const twin = drawn.twin.layers[layer].hidden[at];
  const most = Math.max(0.1, ...fires, ...twin);
  const step = (f.W - 8) / fires.length;
  const columns = Array.from(fires, (fire, n) => {
    const [x, high, before] = [4 + n * step, (TALL * fire) / most, (TALL * twin[n]) / most];
    const differs = Math.abs(fire - twin[n]) > 0.5 ? " core" : "";
    const dashed = other && before > 0.5 ? `<rect class="twin" x="${(x + 1).toFixed(1)}" y="${(TALL + 4 - before).toFixed(1)}" width="${(step - 2).toFixed(1)}" height="${before.toFixed(1)}"/>` : "";
    const name = f.isNarrow && n % 4 ? "" : label(x + step / 2, TALL + 18, n);
    return `<rect class="bar${differs}" data-neuron="${n}" x="${(x + 1).toFixed(1)}" y="${(TALL + 4 - high).toFixed(1)}" width="${(step - 2).toFixed(1)}" height="${Math.max(0.5, high).toFixed(1)}"/>${dashed}${name}`;
  });
  const down = model.w[`blocks.${layer}.down`];
  const told = [...fires.keys()]
    .filter((n) => fires[n] > 0.02)
    .sort((p, q) => Math.abs(fires[q] - twin[q]) - Math.abs(fires[p] - twin[p]) || fires[q] - fires[p])
    .slice(0, TOLD);
  const lines = told.map((n, k) => {
    const pushes = effect(model, Float64Array.from({ length: down.length / fires.length }, (_, e) => down[e * fires.length + n]));
    const order = [...pushes.keys()].sort((p, q) => pushes[q] - pushes[p]).map((i) => named(model.words[i]));
    const less = f.isNarrow ? "" : `, less for ${order.slice(-3).reverse().join(", ")}`;
    return label(4, 16 + 22 * k, `<tspan>neuron ${n}</tspan>: more for ${order.slice(0, 3).join(", ")}${less}`, "start");
  });
  const dashed = other ? ` Dashed: with ${quoted(other)} in place of ${quoted(words[follow])}.` : "";
  return (
    row(whole, "neurons", `<b>Neurons</b> of ${quoted(words[at])}: ${fires.filter((fire) => fire > 0).length} of ${fires.length} fire.${dashed}`, TALL + 24, columns.join("")) +
    row(whole, "writes", "<b>What they write</b>, if the last norm is left out:", 22 * TOLD + 4, lines.join(""))
  );
}
