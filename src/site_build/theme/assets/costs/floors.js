// What a model holds, fetches and computes: the functions of docs/guides/what-attention-costs.md, by their names.
// A test holds them equal to the page.

/** Parameters of attention in one layer. */
function attentionOf(m) {
  const width = m.heads * m.head_dim;
  if (!m.latent) return 2 * m.embed_dim * (width + m.kv_heads * m.head_dim);
  const query = width + m.heads * m.rotated;
  const made = m.query_latent * (m.embed_dim + query) || m.embed_dim * query;
  const latents = m.embed_dim * (m.latent + m.rotated) + m.latent * 2 * width;
  return made + latents + width * m.embed_dim;
}

export function parameters(m) {
  const network = 3 * m.embed_dim * m.hidden_dim;
  const mixed = m.experts ? m.layers - m.dense_layers : 0;
  const dense = m.experts ? 3 * m.embed_dim * m.dense_dim : network;
  const latents = m.latent && m.latent + m.query_latent;
  const norms = (2 * m.layers + 1) * m.embed_dim + m.layers * (latents + m.normed);
  const biases =
    m.layers * ((m.heads + 2 * m.kv_heads) * m.head_dim + m.embed_dim + m.heads) +
    mixed * m.experts * (2 * m.hidden_dim + m.embed_dim + 1);
  return {
    embedding: (1 - m.tied) * m.vocab * m.embed_dim,
    unembedding: m.vocab * m.embed_dim,
    attention: m.layers * attentionOf(m),
    "feed-forward": (m.layers - mixed) * dense + mixed * m.shared * network,
    experts: mixed * m.experts * network,
    router: mixed * m.experts * m.embed_dim,
    "norms, biases": norms + m.biased * biases,
  };
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Bytes of all parameters. */
export function stored(m) {
  const counts = parameters(m);
  return (sum(Object.values(counts)) - counts.experts) * m.weight_bytes + counts.experts * m.expert_bytes;
}

/** Tokens that a new one attends to, over all layers. */
const seen = (m, n) => (m.layers - m.windowed) * n + m.windowed * Math.min(n, m.window);

/** The matrices that each token multiplies, but for its experts. */
const shared = (counts) => counts.unembedding + counts.attention + counts["feed-forward"] + counts.router;

/** FLOPs for one token, with n to attend to: matrices, attention. */
export function work(m, n) {
  const counts = parameters(m);
  const used = shared(counts) + (m.experts && (counts.experts / m.experts) * m.chosen);
  const pair = m.latent ? 4 * m.latent + 2 * m.rotated : 4 * m.head_dim;
  return [2 * used, m.heads * pair * seen(m, n)];
}

/** Bytes of the KV cache of one sequence. */
export function cache(m, n) {
  const numbers = m.latent ? m.latent + m.rotated : 2 * m.kv_heads * m.head_dim;
  return seen(m, n) * numbers * m.cache_bytes;
}

/** Experts that several tokens choose, on average. */
export const touched = (m, tokens) => m.experts && m.experts * (1 - (1 - m.chosen / m.experts) ** tokens);

/** Pairs of tokens in a prompt, under a causal mask. */
function pairs(n, window) {
  const near = Math.min(n, window);
  return (near * (near + 1)) / 2 + (n - near) * near;
}

/** Seconds to fetch and to compute: a decode step, and a prefill. */
export function floors(m, n, batch, device, count = 1) {
  const [peak, bandwidth] = device.map((rate) => count * rate);
  const counts = parameters(m);
  const weights = shared(counts) * m.weight_bytes;
  const expert = m.experts && (counts.experts / m.experts) * m.expert_bytes;
  const [matrices, attention] = work(m, n);
  const table = 2 * counts.unembedding; // multiplied for the last token alone
  // A latent is absorbed to decode, and unpacked to prefill.
  const pair = 4 * m.head_dim + (m.latent && 2 * m.rotated);
  const triangle = (m.layers - m.windowed) * pairs(n, n) + m.windowed * pairs(n, m.window);
  return {
    weights: weights / bandwidth,
    experts: (touched(m, batch) * expert) / bandwidth,
    fewest_experts: (m.chosen * expert) / bandwidth,
    caches: (batch * cache(m, n)) / bandwidth,
    prompt_weights: (weights + touched(m, n) * expert) / bandwidth,
    matrices: (batch * matrices) / peak,
    attention: (batch * attention) / peak,
    prompt_matrices: (n * (matrices - table) + table) / peak,
    prompt_attention: (m.heads * pair * triangle) / peak,
  };
}

/** Numbers that a dense layer keeps of each token for backward. */
export const activations = (m) =>
  4 * (m.embed_dim + m.hidden_dim) + 2 * m.head_dim * (m.heads + m.kv_heads);

/** Bytes to train on the tokens of one step. */
export function training(m, tokens) {
  const total = sum(Object.values(parameters(m)));
  const [layer, comesIn] = [activations(m), m.embed_dim].map((numbers) => 2 * tokens * numbers);
  return {
    weights: 2 * total,
    gradients: 2 * total,
    AdamW: 12 * total,
    activations: m.layers * layer,
    recomputed: m.layers * comesIn + layer,
    logits: 4 * tokens * m.vocab,
  };
}

export const fetched = (cost) => cost.weights + cost.experts + cost.caches;
export const computed = (cost) => cost.matrices + cost.attention;
export const aToken = (cost) => Math.max(fetched(cost), computed(cost));
export const aPrompt = (cost) => Math.max(cost.prompt_weights, cost.prompt_matrices + cost.prompt_attention);
