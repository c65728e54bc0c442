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
  ["a word takes at least", (cost) => milliseconds(cost.word)],
  ["words a second, at most", (cost) => (cost.batch / cost.word).toFixed(1)],
  ["a prompt takes at least", (cost) => (cost.prompt ? milliseconds(cost.prompt) : "\u2013")],
  ["fits", (cost) => (cost.fits ? "yes" : "no")],
  ["writing is bound by", (cost) => cost.bound_by],
];

export function count(sizes) {
  const { layers, embed_dim, heads, kv_heads, head_dim, hidden_dim, words, tied } = sizes;
  const { bytes_weights, bytes_cache, window, latent, n, batch, peak, bandwidth, memory } = sizes;
  const projections = layers * 2 * embed_dim * head_dim * (heads + kv_heads);
  const forward = layers * 3 * embed_dim * hidden_dim;
  const table = words * embed_dim;
  const parameters = (tied ? 1 : 2) * table + projections + forward + (2 * layers + 1) * embed_dim;
  const matrices = 2 * (table + projections + forward);
  const one = 4 * layers * heads * (latent || head_dim);
  const seen = window ? Math.min(n, window) : n;
  const attention = one * seen;
  const cache = layers * (latent || 2 * kv_heads * head_dim) * bytes_cache;
  const [read, kept, caches] = [(matrices / 2) * bytes_weights, parameters * bytes_weights, batch * cache * seen];
  const by_memory = (read + caches) / (1e12 * bandwidth);
  const by_work = peak ? (batch * (matrices + attention)) / (1e12 * peak) : 0;
  const pairs = (seen * (seen + 1)) / 2 + (n - seen) * seen;
  const prompt = n * (matrices - 2 * table) + 2 * table + one * pairs;
  return {
    projections,
    parameters,
    matrices,
    attention,
    cache,
    kept,
    caches,
    batch,
    per_byte: (batch * (matrices + attention)) / (read + caches),
    word: Math.max(by_memory, by_work),
    prompt: peak && Math.max(prompt / (1e12 * peak), read / (1e12 * bandwidth)),
    fits: kept + caches <= 1e9 * memory,
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
    // A field that is empty or holds no size has no cost.
    const cost = this.form.checkValidity() && Object.values(sizes).every(isFinite) && count(sizes);
    RESULTS.forEach(([, written], i) => (this.values[i].value = cost ? written(cost) : "\u2013"));
  }
}

customElements.define("attention-calculator", Calculator);
