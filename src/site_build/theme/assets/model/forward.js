// The language model of the course, in the reader's browser: what src/attention_story/model.py
// computes, in 64 bits. tests/site_build/model_explorer holds the two equal on every story.

const EPS = 1e-6; // of the norms
const HEADS = 2;

/** Fetch the trained numbers. */
export async function load() {
  const answer = await fetch(new URL("numbers.json", import.meta.url));
  if (!answer.ok) throw new Error(`numbers.json: ${answer.status}`);
  return unpack(await answer.json());
}

/** Make a model of a file of numbers: `words`, and one array for each parameter, row by row. */
export function unpack({ words, sizes, numbers }) {
  const planes = Uint8Array.from(atob(numbers), (letter) => letter.charCodeAt(0)); // all first bytes, all second ones
  const bytes = planes.map((_, i) => planes[((i % 4) * planes.length) / 4 + (i >> 2)]);
  const all = Float64Array.from(new Float32Array(bytes.buffer));
  const model = { words };
  let end = 0;
  for (const [name, shape] of Object.entries(sizes))
    model[name.replace(".weight", "")] = all.slice(end, (end += shape.reduce((a, b) => a * b)));
  return { ...model, width: sizes["embedding.weight"][1], length: sizes["position.weight"][0] };
}

/** The product of a matrix, row by row, and a vector. */
function times(matrix, x) {
  const product = new Float64Array(matrix.length / x.length);
  for (let i = 0, at = 0; i < product.length; i++)
    for (let e = 0; e < x.length; e++) product[i] += matrix[at++] * x[e];
  return product;
}

const plus = (a, b) => a.map((number, e) => number + b[e]);
const row = (matrix, i, width) => matrix.subarray(i * width, (i + 1) * width);

function norm(x, gain) {
  const size = Math.sqrt(x.reduce((sum, number) => sum + number * number, 0) / x.length + EPS);
  return x.map((number, e) => (number / size) * gain[e]);
}

export function softmax(scores, temperature = 1) {
  const most = Math.max(...scores);
  const powers = Array.from(scores, (score) => Math.exp((score - most) / temperature));
  const total = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / total);
}

/** What the model would say if it stopped at a vector: a number for each word. */
export const unembed = (model, x) => times(model.embedding, norm(x, model.norm));

/**
 * One head: query, key and value of each word, its scores and weights over those before it and itself,
 * its context vector, and the `note` that is added to the word. What is off adds nothing.
 */
function attend([query, key, value], out, isOff) {
  const dim = query[0].length;
  const dot = (a, b) => a.reduce((sum, number, e) => sum + number * b[e], 0);
  const scores = query.map((asks, i) => key.slice(0, i + 1).map((answers) => dot(asks, answers) / Math.sqrt(dim)));
  const weights = scores.map((row) => softmax(row));
  const context = weights.map((shares) =>
    shares.reduce((sum, share, j) => plus(sum, value[j].map((number) => share * number)), new Float64Array(dim)),
  );
  const note = context.map((each) => times(out, isOff ? new Float64Array(dim) : each));
  return { query, key, value, scores, weights, context, note };
}

/** The columns of a square matrix that read one head. */
function columns(matrix, head, width) {
  const dim = width / HEADS;
  return matrix.filter((_, at) => Math.floor((at % width) / dim) === head);
}

/**
 * Read words.
 *
 * @param ids Their numbers, the start token first.
 * @param off What is switched off: "0.1" is layer 0, head 1; "0.mlp" its other half.
 * @param patch The vector `x` that is put at a `place` before a `layer`.
 * @returns `word` and `place`, which a stream begins with; `streams[n]`: a vector for each word before
 *   layer n, the last ones behind all layers; and what each layer computes: its `heads`, the words `mid`
 *   way, with the notes of the heads, the neurons of its MLP, `hidden`, and the `note` of the MLP.
 */
export function read(model, ids, { off = new Set(), patch } = {}) {
  const { width } = model;
  const word = ids.map((id) => row(model.embedding, id, width));
  const place = ids.map((_, at) => row(model.position, at, width));
  let x = word.map((each, at) => plus(each, place[at]));
  const streams = [];
  const layers = [];
  for (let layer = 0; `blocks.${layer}.up` in model; layer++) {
    if (patch?.layer === layer) x = x.with(patch.place, patch.x);
    streams.push(x);
    const own = (name) => model[`blocks.${layer}.${name}`];
    const normed = x.map((each) => norm(each, own("norm1")));
    const all = ["q", "k", "v"].map((name) => normed.map((each) => times(own(`attention.${name}_proj`), each)));
    const heads = Array.from({ length: HEADS }, (_, head) => {
      const part = (vectors) => vectors.map((each) => row(each, head, width / HEADS));
      return attend(all.map(part), columns(own("attention.out_proj"), head, width), off.has(`${layer}.${head}`));
    });
    const mid = x.map((each, i) => heads.reduce((sum, head) => plus(sum, head.note[i]), each));
    const hidden = mid.map((each) => times(own("up"), norm(each, own("norm2"))).map((number) => Math.max(0, number)));
    const note = hidden.map((each) => (off.has(`${layer}.mlp`) ? new Float64Array(width) : times(own("down"), each)));
    layers.push({ heads, mid, hidden, note });
    x = mid.map((each, i) => plus(each, note[i]));
  }
  return { word, place, streams: [...streams, x], layers };
}
