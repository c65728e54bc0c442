// What a transformer costs: the functions of docs/guides/what-attention-costs.md, for the reader's
// own sizes. tests/site_build/test_calculator.py holds the two equal.

const SIZES = [
  ["layers", "layers", 32],
  ["embed_dim", "embed_dim", 4096],
  ["heads", "query heads", 32],
  ["kv_heads", "key and value heads", 8],
  ["head_dim", "head_dim", 128],
  ["hidden_dim", "feed-forward size", 14336],
  ["words", "words it knows", 128256],
  ["n", "words in the text", 8192],
  ["batch", "texts at once", 1],
];

const exactly = (number) => Math.round(number).toLocaleString("en");
const gigabytes = (bytes) => `${(bytes / 1e9).toFixed(1)} GB`;

// Each result: its name, and how it is written.
const RESULTS = [
  ["parameters", (cost) => exactly(cost.parameters)],
  ["of these in attention", (cost) => `${((100 * cost.projections) / cost.parameters).toFixed(1)} %`],
  ["their bytes, in bfloat16", (cost) => gigabytes(2 * cost.parameters)],
  ["cache for one word", (cost) => `${exactly(cost.cache)} bytes`],
  ["cache for all texts", (cost) => gigabytes(cost.all_caches)],
  ["operations to write a word", (cost) => exactly(cost.matrices + cost.attention)],
  ["of these attention to the text", (cost) => `${((100 * cost.attention) / (cost.matrices + cost.attention)).toFixed(1)} %`],
  ["operations for each byte read", (cost) => cost.per_byte.toFixed(1)],
];

export function count({ layers, embed_dim, heads, kv_heads, head_dim, hidden_dim, words, n, batch }) {
  const projections = layers * 2 * embed_dim * head_dim * (heads + kv_heads);
  const forward = layers * 3 * embed_dim * hidden_dim;
  const table = words * embed_dim;
  const matrices = 2 * (table + projections + forward);
  const attention = 4 * layers * heads * head_dim * n;
  const cache = 2 * layers * kv_heads * head_dim * 2;
  return {
    projections,
    parameters: 2 * table + projections + forward + (2 * layers + 1) * embed_dim,
    matrices,
    attention,
    cache,
    all_caches: cache * n * batch,
    per_byte: (batch * (matrices + attention)) / (matrices + batch * cache * n),
  };
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

class Calculator extends HTMLElement {
  connectedCallback() {
    const fields = SIZES.map(([name, label, value]) =>
      element("label", {}, `${label} `, element("input", { name, value, type: "number", min: 1, step: 1, inputMode: "numeric" })),
    );
    this.form = element("form", { ariaLabel: "Sizes of the model" }, ...fields);
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.show());
    this.values = RESULTS.map(() => element("output"));
    const results = RESULTS.flatMap(([name], i) => [
      element("dt", {}, name),
      element("dd", {}, this.values[i]),
    ]);
    this.append(this.form, element("dl", {}, ...results));
    this.show();
  }

  show() {
    const sizes = Object.fromEntries([...this.form.elements].map((field) => [field.name, field.valueAsNumber]));
    // A field that is empty or holds no whole number from 1 on has no cost.
    const cost = this.form.checkValidity() && Object.values(sizes).every(Number.isFinite) && count(sizes);
    RESULTS.forEach(([, written], i) => (this.values[i].value = cost ? written(cost) : "\u2013"));
  }
}

customElements.define("attention-calculator", Calculator);
