// What a transformer costs: the functions of docs/guides/what-attention-costs.md, for the reader's
// own sizes. tests/site_build/test_calculator.py holds the two equal.

// Each size: its name, its label, the value at the start, and, unless it is a whole number from 1 on,
// the smallest value and the step.
const SIZES = [
  ["layers", "layers", 32],
  ["embed_dim", "embed_dim", 4096],
  ["heads", "query heads", 32],
  ["kv_heads", "key and value heads", 8],
  ["head_dim", "head_dim", 128],
  ["hidden_dim", "feed-forward size", 14336],
  ["words", "words it knows", 128256],
  ["tied", "one table for words in and out"],
  ["bytes_weights", "bytes of a weight", 2, 0.125, 0.125],
  ["bytes_cache", "bytes of a number in the cache", 2, 0.125, 0.125],
  ["window", "window (0: none)", 0, 0, 1],
  ["latent", "latent (0: none)", 0, 0, 1],
  ["rotated", "rotated part beside it", 0, 0, 1],
  ["query_latent", "latent of the queries", 0, 0, 1],
  ["experts", "experts in a layer", 1],
  ["chosen", "experts for a word", 1],
  ["n", "words in the text", 8192],
  ["batch", "texts at once", 1],
];

// Operations in a second, in 10^12; terabytes in a second; gigabytes of memory.
const DEVICES = {
  H100: [989, 3.35, 80],
  H200: [989, 4.8, 141],
  B200: [2250, 7.67, 180],
  Trainium2: [667, 3, 103],
  "TPU v5e": [197, 0.819, 16],
};
const RATES = [
  ["peak", "10¹² operations a second"],
  ["bandwidth", "terabytes a second"],
  ["memory", "gigabytes of memory"],
];

const exactly = (number) => Math.round(number).toLocaleString("en");
const gigabytes = (bytes) => `${(bytes / 1e9).toFixed(1)} GB`;
const milliseconds = (seconds) => `${(1e3 * seconds).toFixed(2)} ms`;

// Which experts several words choose together is not known, so the time to fetch them is no bound.
const bound = (unsure, side) => `${unsure ? "about" : side} `;

// Each result: its name, and how it is written.
const RESULTS = [
  ["parameters", (cost) => exactly(cost.parameters)],
  ["of these in attention", (cost) => `${((100 * cost.projections) / cost.parameters).toFixed(1)} %`],
  ["their bytes", (cost) => gigabytes(cost.kept)],
  ["cache for one word", (cost) => `${exactly(cost.cache)} bytes`],
  ["cache for all texts", (cost) => gigabytes(cost.caches)],
  ["operations to write a word", (cost) => exactly(cost.matrices + cost.attention)],
  ["of these attention to the text", (cost) => `${((100 * cost.attention) / (cost.matrices + cost.attention)).toFixed(1)} %`],
  ["operations for each byte read", (cost) => cost.per_byte.toFixed(1)],
  ["a word takes", (cost) => bound(cost.word_unsure, "at least") + milliseconds(cost.word)],
  ["words a second", (cost) => bound(cost.word_unsure, "at most") + (cost.batch / cost.word).toFixed(1)],
  ["a prompt takes", (cost) => (cost.prompt ? bound(cost.prompt_unsure, "at least") + milliseconds(cost.prompt) : "\u2013")],
  ["fits", (cost) => (cost.fits ? "yes" : "no")],
  ["writing is bound by", (cost) => cost.bound_by],
];

export function count(sizes) {
  const { layers, embed_dim, heads, kv_heads, head_dim, hidden_dim, words, tied } = sizes;
  const { latent, rotated, query_latent, experts, chosen, bytes_weights, bytes_cache, window, n, batch } = sizes;
  const [peak, bandwidth, memory] = [1e12 * sizes.peak, 1e12 * sizes.bandwidth, 1e9 * sizes.memory];
  const [table, width, query] = [words * embed_dim, heads * head_dim, heads * (head_dim + (latent && rotated))];
  const make_query = latent && query_latent ? query_latent * (embed_dim + query) : embed_dim * query;
  const keep = latent ? embed_dim * (latent + rotated) + latent * 2 * width : embed_dim * 2 * kv_heads * head_dim;
  const projections = layers * (make_query + keep + width * embed_dim);
  const expert = layers * 3 * embed_dim * hidden_dim;
  const router = experts > 1 ? layers * embed_dim * experts : 0;
  const norms = (2 * layers + 1) * embed_dim + (latent && layers * (latent + query_latent));
  const parameters = (tied ? 1 : 2) * table + projections + router + experts * expert + norms;
  const others = table + projections + router;
  const matrices = 2 * (others + chosen * expert);
  // A latent is absorbed to write, and unpacked to read the prompt.
  const write = latent ? 4 * latent + 2 * rotated : 4 * head_dim;
  const read = 4 * head_dim + (latent && 2 * rotated);
  const seen = window ? Math.min(n, window) : n;
  const attention = layers * heads * write * seen;
  const cache = layers * (latent ? latent + rotated : 2 * kv_heads * head_dim) * bytes_cache;
  const [kept, caches] = [parameters * bytes_weights, batch * cache * seen];
  const fetch = (words) => (others + experts * (1 - (1 - chosen / experts) ** words) * expert) * bytes_weights;
  const by_memory = (fetch(batch) + caches) / bandwidth;
  const by_work = peak ? (batch * (matrices + attention)) / peak : 0;
  const pairs = (seen * (seen + 1)) / 2 + (n - seen) * seen;
  const prompt_by_work = peak && (n * (matrices - 2 * table) + 2 * table + layers * heads * read * pairs) / peak;
  const prompt_by_memory = fetch(n) / bandwidth;
  return {
    projections,
    parameters,
    matrices,
    attention,
    cache,
    kept,
    caches,
    batch,
    per_byte: (batch * (matrices + attention)) / (fetch(batch) + caches),
    word: Math.max(by_memory, by_work),
    prompt: peak && Math.max(prompt_by_work, prompt_by_memory),
    word_unsure: experts > 1 && batch > 1 && by_memory > by_work,
    prompt_unsure: experts > 1 && n > 1 && prompt_by_memory > prompt_by_work,
    fits: kept + caches <= memory,
    bound_by: by_work > by_memory ? "work" : "memory",
  };
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const field = (label, input) => element("label", {}, `${label} `, input);
const number = (name, value, min, step) => element("input", { name, value, type: "number", min, step, required: true, inputMode: "decimal" });

class Calculator extends HTMLElement {
  connectedCallback() {
    const sizes = SIZES.map(([name, label, value, min = 1, step = 1]) =>
      field(label, value === undefined ? element("input", { name, type: "checkbox" }) : number(name, value, min, step)),
    );
    this.device = element("select", {}, ...Object.keys(DEVICES).map((name) => element("option", {}, name)), element("option", { hidden: true }, "another"));
    this.rates = RATES.map(([name]) => number(name, "", 0.001, "any"));
    this.rates[0].required = false; // not every maker names a peak
    const rates = RATES.map(([, label], i) => field(label, this.rates[i]));
    this.form = element("form", { ariaLabel: "What to count with" }, ...sizes, field("device", this.device), ...rates);
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", ({ target }) => {
      if (target === this.device) this.fill();
      else if (this.rates.includes(target)) this.device.value = "another";
      this.show();
    });
    this.values = RESULTS.map(() => element("output"));
    const results = RESULTS.flatMap(([name], i) => [
      element("dt", {}, name),
      element("dd", {}, this.values[i]),
    ]);
    this.append(this.form, element("dl", {}, ...results));
    this.fill();
    this.show();
  }

  fill() {
    DEVICES[this.device.value].forEach((rate, i) => (this.rates[i].value = rate));
  }

  show() {
    const inputs = [...this.form.elements].filter((input) => input.name);
    const sizes = Object.fromEntries(inputs.map((input) => [input.name, input.type === "checkbox" ? input.checked : input.valueAsNumber]));
    sizes.peak ||= 0; // an empty field is no number
    // A field that is empty or holds no size has no cost, nor has a word with more experts than there are.
    const possible = this.form.checkValidity() && Object.values(sizes).every(isFinite) && sizes.chosen <= sizes.experts;
    const cost = possible && count(sizes);
    RESULTS.forEach(([, written], i) => (this.values[i].value = cost ? written(cost) : "\u2013"));
  }
}

customElements.define("attention-calculator", Calculator);
