// The language model of the course, in the reader's browser: what src/attention_story/model.py
// computes, in 64 bits. tests/site_build/test_model.py holds the two equal on every story.

const EPS = 1e-6; // of the norms
const HEADS = 2;

/** Fetch the trained numbers: `words`, and one array for each parameter, row by row. */
export async function load() {
  const answer = await fetch(new URL("numbers.json", import.meta.url));
  if (!answer.ok) throw new Error(`numbers.json: ${answer.status}`);
  const { words, sizes, numbers } = await answer.json();
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

/** One head: weights of each word over those before it and itself, and its context vectors. */
function attend(query, key, value, head) {
  const dim = query[0].length / HEADS;
  const part = (x) => x.subarray(head * dim, (head + 1) * dim);
  const dot = (a, b) => a.reduce((sum, number, e) => sum + number * b[e], 0);
  const weights = query.map((asks, i) =>
    softmax(key.slice(0, i + 1).map((answers) => dot(part(asks), part(answers)) / Math.sqrt(dim))),
  );
  const context = weights.map((shares) =>
    shares.reduce((sum, share, j) => plus(sum, part(value[j]).map((number) => share * number)), new Float64Array(dim)),
  );
  return { weights, context };
}

/**
 * Read words.
 *
 * @param ids Their numbers, the start token first.
 * @param off What is switched off: "0.1" is layer 0, head 1; "0.mlp" its other half.
 * @param patch The vector `x` that is put at a `place` before a `layer`.
 * @returns `streams[n]`: a vector for each word before layer n, the last ones behind all layers; and
 *   `weights[layer][head]`: a row for each word.
 */
export function read(model, ids, { off = new Set(), patch } = {}) {
  const { width } = model;
  let x = ids.map((id, place) => plus(row(model.embedding, id, width), row(model.position, place, width)));
  const streams = [];
  const weights = [];
  for (let layer = 0; `blocks.${layer}.up` in model; layer++) {
    if (patch?.layer === layer) x = x.with(patch.place, patch.x);
    streams.push(x);
    const own = (name) => model[`blocks.${layer}.${name}`];
    const normed = x.map((word) => norm(word, own("norm1")));
    const [query, key, value] = ["q", "k", "v"].map((name) =>
      normed.map((word) => times(own(`attention.${name}_proj`), word)),
    );
    const heads = Array.from({ length: HEADS }, (_, head) => attend(query, key, value, head));
    weights.push(heads.map((head) => head.weights));
    x = x.map((word, i) => {
      const joined = heads.flatMap(({ context }, head) => [...context[i]].map((number) => (off.has(`${layer}.${head}`) ? 0 : number)));
      return plus(word, times(own("attention.out_proj"), joined));
    });
    if (!off.has(`${layer}.mlp`))
      x = x.map((word) => {
        const hidden = times(own("up"), norm(word, own("norm2"))).map((number) => Math.max(0, number));
        return plus(word, times(own("down"), hidden));
      });
  }
  return { streams: [...streams, x], weights };
}
