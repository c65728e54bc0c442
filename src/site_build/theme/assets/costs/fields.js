// All sizes of a model and the rates of a device, as fields that the reader may change.
const RATES = [
  ["peak", "TFLOPs a second", 1e12],
  ["bandwidth", "terabytes a second", 1e12],
  ["memory", "gigabytes of memory", 1e9],
];
const SWITCHES = ["tied", "biased"];
const CHOSEN_ABOVE = ["cache_bytes", "peak", "bandwidth", "memory"];
const FROM_ONE = ["layers", "embed_dim", "heads", "kv_heads", "head_dim", "hidden_dim", "vocab"];

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/**
 * The fields.
 *
 * @param scene The drawing: what is typed is its `own`, `sizes` are all of its sizes and rates.
 */
export function fieldsFor(scene) {
  document.head.append(element("link", { rel: "stylesheet", href: new URL("fields.css", import.meta.url) }));
  const inputs = new Map();
  const field = (name, label, properties, unit = 1) => {
    const input = element("input", { name, ...properties });
    inputs.set(input, unit);
    return element("label", {}, element("span", {}, label), input);
  };
  const number = { type: "number", required: true, inputMode: "decimal" };
  const sizes = Object.keys(scene.sizes)
    .filter((name) => !CHOSEN_ABOVE.includes(name))
    .map((name) => {
      if (SWITCHES.includes(name)) return field(name, name, { type: "checkbox" });
      const step = name.endsWith("bytes") ? "any" : 1;
      return field(name, name, { ...number, step, min: step === "any" ? 0.125 : Number(FROM_ONE.includes(name)) });
    });
  const rates = RATES.map(([name, label, unit]) => field(name, label, { ...number, min: 0.001, step: "any" }, unit));
  const wrong = element("output");
  const form = element("form", { ariaLabel: "Other sizes" }, ...sizes, ...rates, wrong);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => {
    wrong.value = mistake(form);
    if (wrong.value) return;
    const value = target.type === "checkbox" ? Number(target.checked) : target.valueAsNumber * inputs.get(target);
    scene.change(() => void (scene.own = { ...scene.own, [target.name]: value }));
  });
  const show = () => {
    const all = scene.sizes;
    for (const [input, unit] of inputs) {
      if (input === document.activeElement) continue; // the reader is typing there
      if (input.type === "checkbox") input.checked = Boolean(all[input.name]);
      else input.value = all[input.name] / unit;
    }
    wrong.value = mistake(form);
  };
  scene.fill = show;
  show();
  return form;
}

/** What is wrong with the sizes, or nothing. */
function mistake(form) {
  const bad = [...form.elements].find((input) => input.willValidate && !input.checkValidity());
  if (bad) return `${bad.name}: ${bad.validationMessage}`;
  const { chosen, experts, windowed, dense_layers, layers } = form.elements;
  const most = [[chosen, experts], [windowed, layers], [dense_layers, layers]];
  const over = most.find(([few, all]) => few.valueAsNumber > all.valueAsNumber);
  return over ? `${over[0].name} cannot be more than ${over[1].name}` : "";
}
