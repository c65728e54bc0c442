// The course's language model in the reader's browser: it reads, and it learns, forward and backward by hand. It
// computes what src/tiny_lm computes with torch; tests/tiny_lm hold the two equal, in values and in slopes.
//
// All arithmetic here is what IEEE 754 prescribes to the last bit, so that a training from the same start can end at
// the same numbers in two browsers: tests/engines.py compares three. So there is no Math.exp and no power, whose
// last digit is left to the browser.
//
// The words of a batch stand one after the other, without pads: text s has the rows from starts[s] up to
// starts[s + 1]. Tables are flat, row by row. `dx` is how much the loss grows when `x` does, for each
// number of x. A function that goes backward ADDS to it, since what is used twice gets both.

import { randomNumbers } from "./random.js";
import recipe from "./recipe.js"; // the constants of src/tiny_lm/recipe.py

const { width: WIDTH, hidden: HIDDEN, eps: EPS, beta1: BETA1, beta2: BETA2, decay: DECAY } = recipe;
const PROJECTIONS = ["q", "k", "v"];

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
export function linear(y, x, W, rows, inputs) {
  addProduct(y, x, inputs, 1, W, 1, inputs, rows, inputs, W.length / inputs);
}

/** dx += dy W and dW += dyᵀ x: the slope of an entry of W is what came in there times what is wanted there. */
function linearBack(dx, dW, dy, x, W, rows, inputs) {
  const outputs = W.length / inputs;
  addProduct(dx, dy, outputs, 1, W, inputs, 1, rows, outputs, inputs);
  addProduct(dW, dy, 1, outputs, x, inputs, 1, outputs, rows, inputs);
}

/** y = gain x / size, with size² = mean(x²) + EPS */
export function norm(y, sizes, x, gain, rows) {
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

/** The powers e^(-n/16): from one to the next by the 16th root of e, which is four square roots. */
const POWERS = new Float64Array(16 * 740).fill(1);
const ROOT = Math.sqrt(Math.sqrt(Math.sqrt(Math.sqrt(Math.E))));
for (let n = 1; n < POWERS.length; n++) POWERS[n] = n % 16 ? POWERS[n - 1] / ROOT : POWERS[n - 16] / Math.E;

/** exp(x) for x up to 0: the nearest of these powers, times the series of what is left, at most 1/32. */
function exp(x) {
  const n = Math.round(-16 * x);
  if (n >= POWERS.length) return 0;
  const r = x + n / 16;
  return POWERS[n] * (1 + r * (1 + r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r / 5040)))))));
}

/** shareᵢ = exp(scoreᵢ) / Σ exp(score), in place, of `count` numbers from `at` on; returns log Σ exp(score). */
export function softmax(scores, at, count) {
  let most = -Infinity;
  for (let i = at; i < at + count; i++) if (scores[i] > most) most = scores[i];
  let total = 0;
  for (let i = at; i < at + count; i++) total += scores[i] = exp(scores[i] - most);
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

/** The learned parts, as torch names and orders them. */
export function shapesOf(words, length, layers = recipe.layers) {
  const block = (n) => [
    [`blocks.${n}.norm1`, WIDTH],
    ...[...PROJECTIONS, "out"].map((part) => [`blocks.${n}.attention.${part}_proj`, WIDTH, WIDTH]),
    [`blocks.${n}.norm2`, WIDTH],
    [`blocks.${n}.up`, HIDDEN, WIDTH],
    [`blocks.${n}.down`, WIDTH, HIDDEN],
  ];
  const blocks = Array.from({ length: layers }, (_, n) => block(n));
  return [["embedding", words, WIDTH], ["position", length, WIDTH], ...blocks.flat(), ["norm", WIDTH]];
}

export class Model {
  /**
   * @param words The words that it knows.
   * @param length How many words a text may have, the start token among them.
   * @param has How many `layers` it has, and how many `heads` each of them; what is `without`, the ends of the names
   *   of parts, stays at 0 while the others learn.
   */
  constructor(words, length, { layers = recipe.layers, heads = recipe.heads, without = [] } = {}) {
    this.shapes = shapesOf(words.length, length, layers);
    const sizes = this.shapes.map(([, ...shape]) => shape.reduce((a, b) => a * b));
    const all = () => new Float64Array(sizes.reduce((a, b) => a + b));
    const parts = (numbers) => {
      let end = 0;
      return Object.fromEntries(this.shapes.map(([name], i) => [name, numbers.subarray(end, (end += sizes[i]))]));
    };
    Object.assign(this, { words, length, layers, heads, numbers: all(), slopes: all(), mean: all(), square: all(), room: 0 });
    this.w = parts(this.numbers);
    this.dw = parts(this.slopes);
    this.off = this.shapes.map(([name]) => name).filter((name) => without.some((end) => name.endsWith(end)));
  }

  /** Give each matrix random numbers from -0.5 to 0.5, each norm ones, and what is left out zeros. */
  start(seed) {
    const random = randomNumbers(seed);
    for (const [name, , columns] of this.shapes)
      for (let i = 0; i < this.w[name].length; i++) this.w[name][i] = columns ? random() - 0.5 : 1;
    for (const name of this.off) this.w[name].fill(0);
    this.mean.fill(0);
    this.square.fill(0);
    [this.left1, this.left2] = [1, 1];
    return this;
  }

  /** Take texts, lists of the numbers of words: all words but the last are read, all but the first are guessed. */
  take(texts) {
    this.makeRoom(texts.reduce((sum, text) => sum + text.length - 1, 0), texts.length);
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

  /** Tables for so many words in so many texts; larger ones are kept. */
  makeRoom(rows, texts) {
    if (rows <= this.room && texts < this.starts.length) return;
    this.room = Math.max(rows, this.room);
    const table = (columns) => new Float64Array(this.room * columns);
    const projected = () => Object.fromEntries(PROJECTIONS.map((part) => [part, table(WIDTH)]));
    this.blocks = Array.from({ length: this.layers }, () => ({
      x: table(WIDTH), size1: table(1), normed1: table(WIDTH), ...projected(), weights: table(this.heads * this.length),
      context: table(WIDTH), middle: table(WIDTH), size2: table(1), normed2: table(WIDTH), hidden: table(HIDDEN),
    }));
    this.last = { x: table(WIDTH), size: table(1), normed: table(WIDTH), shares: table(this.words.length) };
    this.d = { x: table(WIDTH), normed: table(WIDTH), ...projected(), context: table(WIDTH), hidden: table(HIDDEN) };
    this.dWeights = new Float64Array(this.length); // of one word in one head
    this.ids = new Int32Array(this.room);
    this.targets = new Int32Array(this.room);
    this.starts = new Int32Array(Math.max(texts, 64) + 1);
  }

  /** Guess, and return the mean loss of a guess. */
  forward() {
    const { rows, last } = this;
    this.compute();
    for (let i = 0; i < rows * this.words.length; i++) last.shares[i] = 0;
    linear(last.shares, last.normed, this.w.embedding, rows, WIDTH);
    return crossEntropy(last.shares, this.targets, rows, this.words.length);
  }

  /**
   * Compute the vectors of all words, up to the last norm.
   *
   * @param changes What `read` may change: `off`, `patch`.
   */
  compute({ off = new Set(), patch } = {}) {
    const { w, rows, last, blocks } = this;
    this.embed(blocks[0]?.x ?? last.x);
    blocks.forEach((block, n) => {
      const [own, after] = [(name) => w[`blocks.${n}.${name}`], blocks[n + 1]?.x ?? last.x];
      if (patch?.layer === n) block.x.set(patch.x, patch.place * WIDTH);
      norm(block.normed1, block.size1, block.x, own("norm1"), rows);
      for (const part of PROJECTIONS) {
        block[part].fill(0);
        linear(block[part], block.normed1, own(`attention.${part}_proj`), rows, WIDTH);
      }
      this.attend(block, (head) => off.has(`${n}.${head}`));
      const keep = (to, x) => (off.has(`${n}.plus`) ? to.fill(0) : to.set(x));
      keep(block.middle, block.x);
      linear(block.middle, block.context, own("attention.out_proj"), rows, WIDTH);
      keep(after, block.middle);
      norm(block.normed2, block.size2, block.middle, own("norm2"), rows);
      block.hidden.fill(0);
      linear(block.hidden, block.normed2, own("up"), rows, WIDTH);
      relu(block.hidden, rows * HIDDEN);
      if (!off.has(`${n}.mlp`)) linear(after, block.hidden, own("down"), rows, HIDDEN);
    });
    norm(last.normed, last.size, last.x, w.norm, rows);
  }

  /** After `forward`: how the loss changes with each number of the model, in `slopes`. The model, from its end. */
  backward() {
    const { w, dw, rows, last, blocks, d } = this;
    this.slopes.fill(0);
    crossEntropyBack(last.shares, this.targets, rows, this.words.length);
    d.normed.fill(0);
    linearBack(d.normed, dw.embedding, last.shares, last.normed, w.embedding, rows, WIDTH);
    d.x.fill(0);
    normBack(d.x, dw.norm, d.normed, last.size, last.x, w.norm, rows);
    for (let n = blocks.length - 1; n >= 0; n--) {
      const block = blocks[n];
      // x + note(x): what is wanted of the sum is wanted of x, and comes back through the note as well.
      const through = (dInput, name, dOutput, input, inputs) =>
        linearBack(dInput, dw[`blocks.${n}.${name}`], dOutput, input, w[`blocks.${n}.${name}`], rows, inputs);
      const throughNorm = (name, sizes, x) =>
        normBack(d.x, dw[`blocks.${n}.${name}`], d.normed, sizes, x, w[`blocks.${n}.${name}`], rows);
      d.hidden.fill(0);
      through(d.hidden, "down", d.x, block.hidden, HIDDEN);
      reluBack(d.hidden, block.hidden, rows * HIDDEN);
      d.normed.fill(0);
      through(d.normed, "up", d.hidden, block.normed2, WIDTH);
      throughNorm("norm2", block.size2, block.middle);
      d.context.fill(0);
      through(d.context, "attention.out_proj", d.x, block.context, WIDTH);
      this.attendBack(block);
      d.normed.fill(0);
      for (const part of PROJECTIONS) through(d.normed, `attention.${part}_proj`, d[part], block.normed1, WIDTH);
      throughNorm("norm1", block.size1, block.x);
    }
    this.embedBack(d.x);
    for (const name of this.off) dw[name].fill(0);
  }

  /** x = embedding[word] + position[place] */
  embed(x) {
    const { embedding, position } = this.w;
    for (let s = 0; s < this.texts; s++)
      for (let n = this.starts[s]; n < this.starts[s + 1]; n++) {
        const to = n * WIDTH, word = this.ids[n] * WIDTH, place = (n - this.starts[s]) * WIDTH;
        for (let e = 0; e < WIDTH; e++) x[to + e] = embedding[word + e] + position[place + e];
      }
  }

  /** dembedding[word] += dx and dposition[place] += dx */
  embedBack(dx) {
    const { embedding, position } = this.dw;
    for (let s = 0; s < this.texts; s++)
      for (let n = this.starts[s]; n < this.starts[s + 1]; n++) {
        const from = n * WIDTH, word = this.ids[n] * WIDTH, place = (n - this.starts[s]) * WIDTH;
        for (let e = 0; e < WIDTH; e++) {
          embedding[word + e] += dx[from + e];
          position[place + e] += dx[from + e];
        }
      }
  }

  /** Visit each word in each head: its row of weights, its first number in a table of this head, that of the first word. */
  eachQuery(visit) {
    const { heads, starts, length } = this;
    const dim = WIDTH / heads;
    for (let s = 0; s < this.texts; s++)
      for (let i = starts[s]; i < starts[s + 1]; i++)
        for (let head = 0; head < heads; head++)
          visit((i * heads + head) * length, i * WIDTH + head * dim, starts[s] * WIDTH + head * dim, i + 1 - starts[s], dim, head);
  }

  /** scoreⱼ = query · keyⱼ / root(dim), weights = softmax(scores), context = Σ weightⱼ valueⱼ; no word sees a later one */
  attend({ q, k, v, weights, context }, isOff) {
    context.fill(0);
    this.eachQuery((row, own, first, seen, dim, head) => {
      const root = Math.sqrt(dim);
      for (let j = 0, key = first; j < seen; j++, key += WIDTH) {
        let dot = 0;
        for (let e = 0; e < dim; e++) dot += q[own + e] * k[key + e];
        weights[row + j] = dot / root;
      }
      softmax(weights, row, seen);
      if (isOff(head)) return;
      for (let j = 0, value = first; j < seen; j++, value += WIDTH) {
        const weight = weights[row + j];
        for (let e = 0; e < dim; e++) context[own + e] += weight * v[value + e];
      }
    });
  }

  /**
   * dvalueⱼ += weightⱼ dcontext and dweightⱼ = dcontext · valueⱼ: would it help to take more from this word?
   * Then softmaxBack, and dquery += dscoreⱼ keyⱼ / root, dkeyⱼ += dscoreⱼ query / root.
   */
  attendBack({ q, k, v, weights }) {
    const { dWeights, d } = this;
    for (const part of PROJECTIONS) d[part].fill(0);
    this.eachQuery((row, own, first, seen, dim) => {
      const root = Math.sqrt(dim);
      for (let j = 0, value = first; j < seen; j++, value += WIDTH) {
        const weight = weights[row + j];
        let slope = 0;
        for (let e = 0; e < dim; e++) {
          slope += d.context[own + e] * v[value + e];
          d.v[value + e] += weight * d.context[own + e];
        }
        dWeights[j] = slope;
      }
      softmaxBack(dWeights, weights, row, seen);
      for (let j = 0, key = first; j < seen; j++, key += WIDTH) {
        const slope = dWeights[j] / root;
        for (let e = 0; e < dim; e++) {
          d.q[own + e] += slope * k[key + e];
          d.k[key + e] += slope * q[own + e];
        }
      }
    });
  }

  /** AdamW: each number goes against its slope, in steps of about the same size for all. */
  step(rate) {
    const { numbers, slopes, mean, square } = this;
    this.left1 *= BETA1;
    this.left2 *= BETA2;
    const whole1 = 1 - this.left1, whole2 = 1 - this.left2;
    for (let i = 0; i < numbers.length; i++) {
      mean[i] = BETA1 * mean[i] + (1 - BETA1) * slopes[i];
      square[i] = BETA2 * square[i] + (1 - BETA2) * slopes[i] * slopes[i];
      const direction = mean[i] / whole1 / (Math.sqrt(square[i] / whole2) + 1e-8);
      numbers[i] -= rate * (DECAY * numbers[i] + direction);
    }
  }

  /** Learn from texts, when a share `done` of a training is over, and return the loss before. */
  learn(texts, done) {
    const loss = this.take(texts).forward();
    this.backward();
    this.step(rateAt(done));
    return loss;
  }
}

/** The size of a step: a tenth of the training up, the rest down. */
const rateAt = (done) => recipe.rate * Math.min(1, 10 * done + 0.01, 1.25 * (1 - done));
