// The course's language model learns, in the reader's browser: what src/site_build/training_demo/switches.py
// computes with torch, forward and backward by hand. tests/site_build/test_learning.py holds both equal.
//
// The words of a batch stand one after the other, without pads: text s has the rows from starts[s] up to
// starts[s + 1]. Tables are flat, row by row. `dx` is how much the loss grows when `x` does, for each
// number of x. A function that goes backward ADDS to it, since what is used twice gets both.

import { randomNumbers } from "./random.js";

const EPS = 1e-6; // of the norms
const TINY = 1e-9; // keeps a logarithm finite
const [BETA1, BETA2, DECAY] = [0.9, 0.99, 0.01]; // of AdamW
const [WIDTH, HIDDEN] = [16, 32];

/** The switches: what a model can do without. */
export const WHOLE = {
  layers: 2,
  heads: 2,
  mask: true, // a word sees itself and the words before it
  root: true, // scores are divided by the root of the size of a head
  positions: true,
  scores: true, // otherwise each word that is seen gets the same weight
  attention: true,
  mlp: true,
  sum: true, // each half adds its note to what came in; otherwise the note takes its place
};

/** Draw from rows by their probabilities, so many at a time. */
export function drawer(rows, probabilities, seed) {
  const random = randomNumbers(seed);
  let sum = 0;
  const upTo = probabilities.map((probability) => (sum += probability));
  const draw = () => {
    const drawn = random() * sum;
    let [low, high] = [0, rows.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (upTo[middle] < drawn) low = middle + 1;
      else high = middle;
    }
    return rows[low];
  };
  return (count) => Array.from({ length: count }, draw);
}

// ---- each operation, forward and backward ------------------------------------------------------

/**
 * c += a b. The next row of a is `aDown` further on, its next column `aRight`, and so for b: a table is
 * transposed by trading the two. Two rows and four columns at a time; c has a multiple of four columns.
 * No numbers are unpacked from an array here: WebKit would make that array each time, and take six times as long.
 */
function addProduct(c, a, aDown, aRight, b, bDown, bRight, rows, inner, columns) {
  for (let i = 0; i < rows; i += 2) {
    const below = Math.min(i + 1, rows - 1); // a last odd row is computed twice
    for (let j = 0; j < columns; j += 4) {
      const to = i * columns + j, toBelow = below * columns + j;
      let c00 = c[to], c01 = c[to + 1], c02 = c[to + 2], c03 = c[to + 3];
      let c10 = c[toBelow], c11 = c[toBelow + 1], c12 = c[toBelow + 2], c13 = c[toBelow + 3];
      let p = i * aDown, q = below * aDown, r = j * bRight;
      for (let k = 0; k < inner; k++) {
        const a0 = a[p], a1 = a[q];
        const b0 = b[r], b1 = b[r + bRight], b2 = b[r + 2 * bRight], b3 = b[r + 3 * bRight];
        c00 += a0 * b0; c01 += a0 * b1; c02 += a0 * b2; c03 += a0 * b3;
        c10 += a1 * b0; c11 += a1 * b1; c12 += a1 * b2; c13 += a1 * b3;
        p += aRight; q += aRight; r += bDown;
      }
      c[to] = c00; c[to + 1] = c01; c[to + 2] = c02; c[to + 3] = c03;
      c[toBelow] = c10; c[toBelow + 1] = c11; c[toBelow + 2] = c12; c[toBelow + 3] = c13;
    }
  }
}

/** y += x Wᵀ */
function linear(y, x, W, rows, inputs) {
  addProduct(y, x, inputs, 1, W, 1, inputs, rows, inputs, W.length / inputs);
}

/** dx += dy W and dW += dyᵀ x: the slope of an entry of W is what came in there times what is wanted there. */
function linearBack(dx, dW, dy, x, W, rows, inputs) {
  const outputs = W.length / inputs;
  addProduct(dx, dy, outputs, 1, W, inputs, 1, rows, outputs, inputs);
  addProduct(dW, dy, 1, outputs, x, inputs, 1, outputs, rows, inputs);
}

/** y = gain x / size, with size² = mean(x²) + EPS */
function norm(y, sizes, x, gain, rows) {
  for (let n = 0, at = 0; n < rows; n++, at += WIDTH) {
    let squares = 0;
    for (let e = 0; e < WIDTH; e++) squares += x[at + e] * x[at + e];
    const size = (sizes[n] = Math.sqrt(squares / WIDTH + EPS));
    for (let e = 0; e < WIDTH; e++) y[at + e] = (gain[e] * x[at + e]) / size;
  }
}

/**
 * dgain += dy x / size and dx += (gain dy - along x) / size, with along = mean(gain dy x) / size²:
 * to make x longer changes nothing after a norm, so this part of the slope is taken out.
 */
function normBack(dx, dGain, dy, sizes, x, gain, rows) {
  for (let n = 0, at = 0; n < rows; n++, at += WIDTH) {
    const size = sizes[n];
    let along = 0;
    for (let e = 0; e < WIDTH; e++) {
      dGain[e] += (dy[at + e] * x[at + e]) / size;
      along += gain[e] * dy[at + e] * x[at + e];
    }
    along /= WIDTH * size * size;
    for (let e = 0; e < WIDTH; e++) dx[at + e] += (gain[e] * dy[at + e] - along * x[at + e]) / size;
  }
}

/** shareᵢ = exp(scoreᵢ) / Σ exp(score), in place, of `count` numbers from `at` on; returns log Σ exp(score). */
function softmax(scores, at, count) {
  let most = -Infinity;
  for (let i = at; i < at + count; i++) if (scores[i] > most) most = scores[i];
  let total = 0;
  for (let i = at; i < at + count; i++) total += scores[i] = Math.exp(scores[i] - most);
  for (let i = at; i < at + count; i++) scores[i] /= total;
  return most + Math.log(total);
}

/** dscoreⱼ = weightⱼ (dweightⱼ - Σ weight dweight), in place: more for one word is less for the others. */
function softmaxBack(dWeights, weights, at, count) {
  let mean = 0;
  for (let j = 0; j < count; j++) mean += weights[at + j] * dWeights[j];
  for (let j = 0; j < count; j++) dWeights[j] = weights[at + j] * (dWeights[j] - mean);
}

/** y = max(0, y), in place */
function relu(y, count) {
  for (let i = 0; i < count; i++) if (!(y[i] > 0)) y[i] = 0;
}

/** dx = dy where y > 0, or else 0, in place */
function reluBack(dy, y, count) {
  for (let i = 0; i < count; i++) if (y[i] === 0) dy[i] = 0;
}

/** The mean of -log(share of the word that came). The logits become shares. */
function crossEntropy(logits, targets, rows, words) {
  let loss = 0;
  for (let n = 0; n < rows; n++) {
    const logit = logits[n * words + targets[n]];
    loss += softmax(logits, n * words, words) - logit;
  }
  return loss / rows;
}

/** dlogits = (shares - 1 for the word that came) / guesses, in place */
function crossEntropyBack(shares, targets, rows, words) {
  for (let n = 0; n < rows; n++) shares[n * words + targets[n]] -= 1;
  for (let i = 0; i < rows * words; i++) shares[i] /= rows;
}

// ---- the model ---------------------------------------------------------------------------------

/** The learned parts, as torch names and orders them, but for `q_proj`, `k_proj` and `v_proj`, which lie in a row. */
export function shapesOf(words, length, layers) {
  const block = (n) => [
    [`blocks.${n}.norm1`, WIDTH],
    [`blocks.${n}.attention.qkv_proj`, 3 * WIDTH, WIDTH],
    [`blocks.${n}.attention.out_proj`, WIDTH, WIDTH],
    [`blocks.${n}.norm2`, WIDTH],
    [`blocks.${n}.up`, HIDDEN, WIDTH],
    [`blocks.${n}.down`, WIDTH, HIDDEN],
  ];
  const blocks = Array.from({ length: layers }, (_, n) => block(n));
  return [["embedding", words, WIDTH], ["position", length, WIDTH], ...blocks.flat(), ["norm", WIDTH]];
}

export class Model {
  /**
   * @param words How many words it knows.
   * @param length How many words a text may have.
   * @param room How many words a batch may have.
   * @param changed Switches that differ from WHOLE.
   */
  constructor(words, length, room, changed = {}) {
    const has = { ...WHOLE, ...changed };
    this.shapes = shapesOf(words, length, has.layers);
    const sizes = this.shapes.map(([, ...shape]) => shape.reduce((a, b) => a * b));
    const table = (columns) => new Float64Array(room * columns);
    const all = () => new Float64Array(sizes.reduce((a, b) => a + b));
    const parts = (numbers) => {
      let end = 0;
      return Object.fromEntries(this.shapes.map(([name], i) => [name, numbers.subarray(end, (end += sizes[i]))]));
    };
    Object.assign(this, { words, length, has, numbers: all(), slopes: all(), mean: all(), square: all() });
    this.w = parts(this.numbers);
    this.dw = parts(this.slopes);
    this.blocks = Array.from({ length: has.layers }, () => ({
      x: table(WIDTH), size1: table(1), normed1: table(WIDTH), qkv: table(3 * WIDTH), weights: table(has.heads * length),
      context: table(WIDTH), middle: table(WIDTH), size2: table(1), normed2: table(WIDTH), hidden: table(HIDDEN),
    }));
    this.last = { x: table(WIDTH), size: table(1), normed: table(WIDTH), shares: table(words) };
    this.d = { x: table(WIDTH), normed: table(WIDTH), qkv: table(3 * WIDTH), context: table(WIDTH), hidden: table(HIDDEN) };
    this.dWeights = new Float64Array(length); // of one word in one head
    this.ids = new Int32Array(room);
    this.targets = new Int32Array(room);
    this.starts = new Int32Array(room + 1);
  }

  /** Give each matrix random numbers from -0.5 to 0.5, and each norm ones. */
  start(seed) {
    const random = randomNumbers(seed);
    for (const [name, , columns] of this.shapes)
      for (let i = 0; i < this.w[name].length; i++) this.w[name][i] = columns ? random() - 0.5 : 1;
    this.mean.fill(0);
    this.square.fill(0);
    this.steps = 0;
    return this;
  }

  /** Take texts, lists of the numbers of words: all words but the last are read, all but the first are guessed. */
  take(texts) {
    let n = 0;
    texts.forEach((text, s) => {
      this.starts[s] = n;
      for (let i = 0; i + 1 < text.length; i++, n++) {
        this.ids[n] = text[i];
        this.targets[n] = text[i + 1];
      }
    });
    this.starts[texts.length] = n;
    this.texts = texts.length;
    this.rows = n;
    return this;
  }

  /** Guess, and return the mean loss of a guess. */
  forward() {
    const { w, has, rows, last, blocks } = this;
    this.embed(blocks[0]?.x ?? last.x);
    blocks.forEach((block, n) => {
      const [own, after] = [(name) => w[`blocks.${n}.${name}`], blocks[n + 1]?.x ?? last.x];
      const carry = (to, from, isKept) => (isKept ? to.set(from) : to.fill(0));
      carry(block.middle, block.x, has.sum || !has.attention);
      if (has.attention) {
        norm(block.normed1, block.size1, block.x, own("norm1"), rows);
        block.qkv.fill(0);
        linear(block.qkv, block.normed1, own("attention.qkv_proj"), rows, WIDTH);
        this.attend(block);
        linear(block.middle, block.context, own("attention.out_proj"), rows, WIDTH);
      }
      carry(after, block.middle, has.sum || !has.mlp);
      if (has.mlp) {
        norm(block.normed2, block.size2, block.middle, own("norm2"), rows);
        block.hidden.fill(0);
        linear(block.hidden, block.normed2, own("up"), rows, WIDTH);
        relu(block.hidden, rows * HIDDEN);
        linear(after, block.hidden, own("down"), rows, HIDDEN);
      }
    });
    norm(last.normed, last.size, last.x, w.norm, rows);
    last.shares.fill(0);
    linear(last.shares, last.normed, w.embedding, rows, WIDTH);
    return crossEntropy(last.shares, this.targets, rows, this.words);
  }

  /** After `forward`: how the loss changes with each number of the model, in `slopes`. The model, from its end. */
  backward(charge = 0) {
    const { w, dw, has, rows, last, blocks, d } = this;
    this.slopes.fill(0);
    crossEntropyBack(last.shares, this.targets, rows, this.words);
    d.normed.fill(0);
    linearBack(d.normed, dw.embedding, last.shares, last.normed, w.embedding, rows, WIDTH);
    d.x.fill(0);
    normBack(d.x, dw.norm, d.normed, last.size, last.x, w.norm, rows);
    for (let n = blocks.length - 1; n >= 0; n--) {
      const block = blocks[n];
      // x + note(x): what is wanted of the sum is wanted of x, and comes back through the note as well.
      const through = (dNote, name, x, inputs) => {
        dNote.fill(0);
        linearBack(dNote, dw[`blocks.${n}.${name}`], d.x, x, w[`blocks.${n}.${name}`], rows, inputs);
        if (!has.sum) d.x.fill(0);
      };
      const into = (dNote, name, x, normName, sizes, before) => {
        d.normed.fill(0);
        linearBack(d.normed, dw[`blocks.${n}.${name}`], dNote, x, w[`blocks.${n}.${name}`], rows, WIDTH);
        normBack(d.x, dw[`blocks.${n}.${normName}`], d.normed, sizes, before, w[`blocks.${n}.${normName}`], rows);
      };
      if (has.mlp) {
        through(d.hidden, "down", block.hidden, HIDDEN);
        reluBack(d.hidden, block.hidden, rows * HIDDEN);
        into(d.hidden, "up", block.normed2, "norm2", block.size2, block.middle);
      }
      if (has.attention) {
        through(d.context, "attention.out_proj", block.context, WIDTH);
        this.attendBack(block, charge / (rows * has.heads));
        into(d.qkv, "attention.qkv_proj", block.normed1, "norm1", block.size1, block.x);
      }
    }
    this.embedBack(d.x);
  }

  /** x = embedding[word] + position[place] */
  embed(x) {
    const { embedding, position } = this.w;
    for (let s = 0; s < this.texts; s++)
      for (let n = this.starts[s]; n < this.starts[s + 1]; n++) {
        const [to, word, place] = [n * WIDTH, this.ids[n] * WIDTH, (n - this.starts[s]) * WIDTH];
        for (let e = 0; e < WIDTH; e++) x[to + e] = embedding[word + e] + (this.has.positions ? position[place + e] : 0);
      }
  }

  /** dembedding[word] += dx and dposition[place] += dx */
  embedBack(dx) {
    const { embedding, position } = this.dw;
    for (let s = 0; s < this.texts; s++)
      for (let n = this.starts[s]; n < this.starts[s + 1]; n++) {
        const [from, word, place] = [n * WIDTH, this.ids[n] * WIDTH, (n - this.starts[s]) * WIDTH];
        for (let e = 0; e < WIDTH; e++) embedding[word + e] += dx[from + e];
        if (this.has.positions) for (let e = 0; e < WIDTH; e++) position[place + e] += dx[from + e];
      }
  }

  /** Visit each word in each head: its row of weights, its first number in `context`, and those in `qkv`. */
  eachQuery(visit) {
    const { has, starts, length } = this;
    const dim = WIDTH / has.heads;
    for (let s = 0; s < this.texts; s++)
      for (let i = starts[s]; i < starts[s + 1]; i++)
        for (let head = 0; head < has.heads; head++) {
          const seen = (has.mask ? i + 1 : starts[s + 1]) - starts[s];
          const query = 3 * i * WIDTH + head * dim;
          const firstKey = (3 * starts[s] + 1) * WIDTH + head * dim;
          visit((i * has.heads + head) * length, i * WIDTH + head * dim, query, firstKey, seen, dim);
        }
  }

  /** scoreⱼ = query · keyⱼ / root(dim), weights = softmax(scores), context = Σ weightⱼ valueⱼ */
  attend({ qkv, weights, context }) {
    const { has } = this;
    context.fill(0);
    this.eachQuery((row, to, query, firstKey, seen, dim) => {
      const root = has.root ? Math.sqrt(dim) : 1;
      for (let j = 0, key = firstKey; j < seen; j++, key += 3 * WIDTH) {
        let dot = 0;
        if (has.scores) for (let e = 0; e < dim; e++) dot += qkv[query + e] * qkv[key + e];
        weights[row + j] = dot / root;
      }
      softmax(weights, row, seen);
      for (let j = 0, value = firstKey + WIDTH; j < seen; j++, value += 3 * WIDTH) {
        const weight = weights[row + j];
        for (let e = 0; e < dim; e++) context[to + e] += weight * qkv[value + e];
      }
    });
  }

  /**
   * dvalueⱼ += weightⱼ dcontext and dweightⱼ = dcontext · valueⱼ: would it help to take more from this word?
   * Then softmaxBack, and dquery += dscoreⱼ keyⱼ / root, dkeyⱼ += dscoreⱼ query / root.
   * The charge for spreading weights, times their entropy, adds -charge (log weightⱼ + 1) to dweightⱼ.
   */
  attendBack({ qkv, weights }, charge) {
    const { has, dWeights, d } = this;
    const dqkv = d.qkv.fill(0);
    this.eachQuery((row, from, query, firstKey, seen, dim) => {
      const root = has.root ? Math.sqrt(dim) : 1;
      for (let j = 0, value = firstKey + WIDTH; j < seen; j++, value += 3 * WIDTH) {
        const weight = weights[row + j];
        let slope = charge && -charge * (Math.log(weight + TINY) + weight / (weight + TINY));
        for (let e = 0; e < dim; e++) {
          slope += d.context[from + e] * qkv[value + e];
          dqkv[value + e] += weight * d.context[from + e];
        }
        dWeights[j] = slope;
      }
      softmaxBack(dWeights, weights, row, seen);
      if (!has.scores) return;
      for (let j = 0, key = firstKey; j < seen; j++, key += 3 * WIDTH) {
        const slope = dWeights[j] / root;
        for (let e = 0; e < dim; e++) {
          dqkv[query + e] += slope * qkv[key + e];
          dqkv[key + e] += slope * qkv[query + e];
        }
      }
    });
  }

  /** AdamW: each number goes against its slope, in steps of about the same size for all. */
  step(rate) {
    const { numbers, slopes, mean, square } = this;
    this.steps++;
    const [whole1, whole2] = [1 - BETA1 ** this.steps, 1 - BETA2 ** this.steps];
    for (let i = 0; i < numbers.length; i++) {
      mean[i] = BETA1 * mean[i] + (1 - BETA1) * slopes[i];
      square[i] = BETA2 * square[i] + (1 - BETA2) * slopes[i] * slopes[i];
      const direction = mean[i] / whole1 / (Math.sqrt(square[i] / whole2) + 1e-8);
      numbers[i] -= rate * (DECAY * numbers[i] + direction);
    }
  }

  /** Learn from texts, when a share `done` of a training is over, and return the loss before. */
  learn(texts, done, charge) {
    const loss = this.take(texts).forward();
    this.backward(charge * done);
    this.step(rateAt(done));
    return loss;
  }
}

/** The size of a step: a tenth of the training up, the rest down. */
export const rateAt = (done) => 0.015 * Math.min(1, 10 * done + 0.01, 1.25 * (1 - done));
