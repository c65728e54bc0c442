// The encoder of src/minilm in the browser: it reads a text, every weight is kept, and a head can be switched off.
// It computes what torch computes from the same numbers; tests/site_build/test_own_sentence.py hold the two equal.

const EPS = 1e-12;

export class Model {
  /** @param sizes as `Sizes` in src/minilm/model.py, with the number of `common` words */
  constructor(sizes, layers, vocabulary) {
    const { dim, hidden, places } = sizes;
    Object.assign(this, { sizes, shards: {} });
    this.number = new Map(vocabulary.split("\n").map((piece, id) => [piece, id]));
    let at = 0;
    const floats = (count) => new Float32Array(layers, (at += 4 * count) - 4 * count, count);
    const matrix = (rows, columns) => {
      const whole = new Int8Array(layers, (at += rows * columns) - rows * columns, rows * columns);
      const scale = floats(rows);
      const found = new Float32Array(whole.length); // a map would take twenty times as long
      for (let row = 0, i = 0; row < rows; row++) for (const end = i + columns; i < end; i++) found[i] = whole[i] * scale[row];
      return found;
    };
    const norm = () => ({ weight: floats(dim), bias: floats(dim) });
    const linear = (rows, columns) => ({ weight: matrix(rows, columns), bias: floats(rows) });
    Object.assign(this, { norm: norm(), kind: floats(dim), place: matrix(places, dim) });
    this.blocks = Array.from({ length: sizes.layers }, () => {
      const [query, key, value, out] = [0, 1, 2, 3].map(() => linear(dim, dim));
      return { query, key, value, out, norm1: norm(), up: linear(hidden, dim), down: linear(dim, hidden), norm2: norm() };
    });
  }

  /** Take the rows of some words: whole numbers, and then a scale for each. */
  take(name, rows) {
    const count = rows.byteLength / (this.sizes.dim + 4);
    this.shards[name] = { whole: new Int8Array(rows, 0, count * this.sizes.dim), scale: new Float32Array(rows, count * this.sizes.dim) };
  }

  /** The file in which the row of a word is. */
  shardOf(id) {
    return id < this.sizes.common ? "words.bin" : "more.bin";
  }

  /** The pieces of a text, between the marks of its beginning and its end. */
  tokens(text) {
    return ["[CLS]", ...wordsOf(text).flatMap((word) => this.pieces(word)), "[SEP]"];
  }

  pieces(word) {
    const [letters, found] = [[...word], []];
    for (let start = 0; start < letters.length; ) {
      let end = letters.length, piece;
      while (end > start && !this.number.has((piece = (start ? "##" : "") + letters.slice(start, end).join("")))) end--;
      if (end === start || letters.length > 100) return ["[UNK]"];
      found.push(piece);
      start = end;
    }
    return found;
  }

  /**
   * Read a text. `off` is the layer and the head that adds nothing, and `before` what the whole model has read: its
   * layers up to this one are used again.
   *
   * @returns `vectors`, before the first layer and after each, and the `weights` of each layer, head by head and row by row
   */
  read(tokens, off, before) {
    const first = before ? off[0] : 0;
    const vectors = before ? before.vectors.slice(0, first + 1) : [this.embed(tokens)];
    const weights = before ? before.weights.slice(0, first) : [];
    for (let layer = first; layer < this.sizes.layers; layer++) {
      const [x, shares] = this.through(this.blocks[layer], vectors[layer], tokens.length, off?.[0] === layer ? off[1] : -1);
      vectors.push(x);
      weights.push(shares);
    }
    return { vectors, weights };
  }

  embed(tokens) {
    const { dim, common } = this.sizes;
    const x = new Float32Array(tokens.length * dim);
    tokens.forEach((token, place) => {
      const id = this.number.get(token), { whole, scale } = this.shards[this.shardOf(id)];
      const row = id < common ? id : id - common;
      for (let e = 0; e < dim; e++) x[place * dim + e] = whole[row * dim + e] * scale[row] + this.place[place * dim + e] + this.kind[e];
    });
    return normed(x, this.norm);
  }

  through(block, x, count, off) {
    const { dim, heads } = this.sizes, wide = dim / heads;
    const [query, key, value] = [block.query, block.key, block.value].map((part) => times(x, count, part));
    const context = new Float32Array(x.length), shares = new Float32Array(heads * count * count);
    for (let head = 0; head < heads; head++)
      for (let i = 0; i < count; i++) {
        const row = shares.subarray((head * count + i) * count, (head * count + i + 1) * count);
        for (let j = 0; j < count; j++) {
          let dot = 0;
          for (let e = head * wide; e < (head + 1) * wide; e++) dot += query[i * dim + e] * key[j * dim + e];
          row[j] = dot / Math.sqrt(wide);
        }
        softmax(row);
        if (head === off) continue;
        for (let j = 0; j < count; j++)
          for (let e = head * wide; e < (head + 1) * wide; e++) context[i * dim + e] += row[j] * value[j * dim + e];
      }
    const heard = normed(sum(times(context, count, block.out), x), block.norm1);
    const hidden = times(heard, count, block.up).map(gelu);
    return [normed(sum(times(hidden, count, block.down), heard), block.norm2), shares];
  }
}

/** Lower case, no accents, split at spaces and at each mark. */
export const wordsOf = (text) =>
  text.replace(/(?![\t\n\r])[\p{C}\uFFFD]/gu, "").replace(/[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF]/gu, " $& ")
    .normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase().match(/[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu) ?? [];

/** x Wᵀ + b; four rows of x share each number of W that is read. */
function times(x, count, { weight, bias }) {
  const outputs = bias.length, inputs = weight.length / outputs, y = new Float32Array(count * outputs);
  for (let t = 0; t < count; t += 4) {
    const [a, b, c, d] = [0, 1, 2, 3].map((more) => Math.min(t + more, count - 1) * inputs); // a last row is computed again
    for (let o = 0; o < outputs; o++) {
      let [p, q, r, s] = [bias[o], bias[o], bias[o], bias[o]];
      for (let i = 0, w = o * inputs; i < inputs; i++, w++) {
        p += weight[w] * x[a + i]; q += weight[w] * x[b + i]; r += weight[w] * x[c + i]; s += weight[w] * x[d + i];
      }
      y[(a / inputs) * outputs + o] = p; y[(b / inputs) * outputs + o] = q;
      y[(c / inputs) * outputs + o] = r; y[(d / inputs) * outputs + o] = s;
    }
  }
  return y;
}

function softmax(row) {
  const most = Math.max(...row);
  let total = 0;
  for (let j = 0; j < row.length; j++) total += row[j] = Math.exp(row[j] - most);
  for (let j = 0; j < row.length; j++) row[j] /= total;
}

const sum = (x, y) => x.map((number, i) => number + y[i]);

/** Each row with mean 0 and variance 1, and then scaled and moved, in place. */
function normed(x, { weight, bias }) {
  const dim = weight.length;
  for (let at = 0; at < x.length; at += dim) {
    const row = x.subarray(at, at + dim);
    const mean = row.reduce((total, number) => total + number, 0) / dim;
    const size = Math.sqrt(row.reduce((total, number) => total + (number - mean) ** 2, 0) / dim + EPS);
    for (let e = 0; e < dim; e++) row[e] = ((row[e] - mean) / size) * weight[e] + bias[e];
  }
  return x;
}

/** x times the share of a normal distribution below it; erf to 1.5e-7 (Abramowitz and Stegun, 7.1.26). */
function gelu(x) {
  const z = Math.abs(x) / Math.SQRT2, t = 1 / (1 + 0.3275911 * z);
  const erf = 1 - ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t * Math.exp(-z * z);
  return (x * (1 + Math.sign(x) * erf)) / 2;
}

export function cosine(a, b) {
  let [ab, aa, bb] = [0, 0, 0];
  for (let e = 0; e < a.length; e++) [ab, aa, bb] = [ab + a[e] * b[e], aa + a[e] * a[e], bb + b[e] * b[e]];
  return ab / Math.sqrt(aa * bb);
}
