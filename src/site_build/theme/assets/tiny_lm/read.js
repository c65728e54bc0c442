// The model that reads a text, with what it computes on the way, as the drawings show it.

import { Model, linear, norm, softmax as toShares } from "./model.js";
import recipe from "./recipe.js";

const { width: WIDTH, hidden: HIDDEN } = recipe;

/** Fetch the model of the course, with the numbers that it learned. */
export async function load() {
  const answer = await fetch(new URL("numbers.json", import.meta.url));
  if (!answer.ok) throw new Error(`numbers.json: ${answer.status}`);
  const { words, length, numbers } = await answer.json();
  const planes = Uint8Array.from(atob(numbers), (letter) => letter.charCodeAt(0)); // all first bytes, all second ones
  const bytes = planes.map((_, i) => planes[((i % 4) * planes.length) / 4 + (i >> 2)]);
  return modelOf(words, length, new Float32Array(bytes.buffer));
}

/** Make a model of its numbers. */
export function modelOf(words, length, numbers) {
  const model = new Model(words, length);
  model.numbers.set(numbers);
  return model;
}

export function softmax(scores, temperature = 1) {
  const shares = Float64Array.from(scores, (score) => score / temperature);
  toShares(shares, 0, shares.length);
  return shares;
}

/** What the model would say if it stopped at a vector: a number for each word. */
export function unembed({ w, words }, x) {
  const [normed, logits] = [new Float64Array(WIDTH), new Float64Array(words.length)];
  norm(normed, new Float64Array(1), x, w.norm, 1);
  linear(logits, normed, w.embedding, 1, WIDTH);
  return logits;
}

/** The rows of a table, or their columns from one on. */
const rowsOf = (table, rows, wide, from = 0, count = wide) =>
  Array.from({ length: rows }, (_, i) => table.slice(i * wide + from, i * wide + from + count));

/** What a matrix, of which `inputs` columns from one on are taken, makes of a vector. */
function times(matrix, x, inputs, from = 0) {
  const rows = rowsOf(matrix, matrix.length / inputs, inputs, from, x.length);
  return Float64Array.from(rows, (row) => row.reduce((sum, number, e) => sum + number * x[e], 0));
}

/**
 * Read words.
 *
 * @param ids Their numbers, the start token first.
 * @param changes What is switched `off`: "0.1" is layer 0, head 1; "0.mlp" its other half; with "0.plus", each half
 *   replaces its input. And a `patch`: the vector `x` that is put at a `place` before a `layer`.
 * @returns `streams[n]`: a vector for each word before layer n, the last ones behind all layers; and what each layer
 *   computes: its `heads`, the words `mid` way, with the notes of the heads, the neurons of its MLP, `hidden`, and the
 *   `note` of the MLP. A head has, for each word, its weights over those before it and itself, and the `note` that is
 *   added to the word. What is off adds nothing.
 */
export function read(model, ids, { off = new Set(), patch } = {}) {
  const { w, heads: count, length } = model.take([[...ids, 0]]);
  model.compute({ off, patch });
  const [rows, dim] = [ids.length, WIDTH / count];
  const vectors = (table, from, wide) => rowsOf(table, rows, WIDTH, from, wide);
  const layers = model.blocks.map((block, l) => {
    const own = (name) => w[`blocks.${l}.${name}`];
    const heads = Array.from({ length: count }, (_, h) => {
      const value = vectors(block.v, h * dim, dim);
      const weights = value.map((_, i) => block.weights.slice((i * count + h) * length, (i * count + h) * length + i + 1));
      const context = weights.map((shares) => Float64Array.from({ length: dim }, (_, e) => shares.reduce((sum, share, j) => sum + share * value[j][e], 0)));
      const note = context.map((each) => (off.has(`${l}.${h}`) ? new Float64Array(WIDTH) : times(own("attention.out_proj"), each, WIDTH, h * dim)));
      return { weights, note };
    });
    const hidden = rowsOf(block.hidden, rows, HIDDEN);
    const note = hidden.map((each) => (off.has(`${l}.mlp`) ? new Float64Array(WIDTH) : times(own("down"), each, HIDDEN)));
    return { heads, mid: vectors(block.middle), hidden, note };
  });
  const streams = [...model.blocks.map(({ x }) => vectors(x)), vectors(model.last.x)];
  return { streams, layers };
}
