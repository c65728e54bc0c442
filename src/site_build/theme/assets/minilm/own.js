// The reader's own sentences: a form, and a worker that reads them once it is sent. Nothing is fetched before.

import { make } from "../dom.js";
import { known, senses } from "./files.js";

const FIRST = { sentence: "the early spring did not last", other: "the steel spring did not last", word: "spring" };
const LABELS = { sentence: "Your sentence", other: "The same, with one word changed", word: "The word to follow", one: "Words for one sense", two: "Words for the other" };
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** Put the form into a box; `scene` shows what is read, and `change` draws it anew. */
export function bind(box, scene, change) {
  if (!known) {
    box.append(make("p", {}, "This copy of the site was built without the numbers of the model, which your own sentences need. The three pairs above are here."));
    return;
  }
  document.head.append(make("link", { rel: "stylesheet", href: new URL("own.css", import.meta.url) }));
  const size = ["layers.bin", "vocab.txt", "words.bin"].reduce((sum, name) => sum + known.files[name].bytes, 0);
  const fields = {};
  const form = make("form", { className: "own-form" });
  for (const name in LABELS) {
    fields[name] = make("input", { name, maxLength: name.length > 4 ? 200 : 60, autocomplete: "off", required: true });
    form.append(make("label", {}, LABELS[name], fields[name]));
  }
  const button = make("button", { type: "submit" }, `Load the model (${megabytes(size)} MB) and read`);
  const told = make("p", { role: "status" }, "It comes once, from this site, and your browser keeps it. Your sentences stay on your device.");
  form.append(button, told);
  box.append(form);

  const asked = new URLSearchParams(location.hash.slice(1));
  const fill = (values) => {
    for (const name in values) fields[name].value = values[name];
    const found = senses[fields.word.value.trim().toLowerCase()];
    if (found && !values.one) [fields.one.value, fields.two.value] = found;
  };
  fill(FIRST);
  if (asked.has("sentence")) {
    fill(Object.fromEntries([...asked].filter(([name]) => fields[name])));
    form.scrollIntoView({ block: "center" });
    told.textContent = "Somebody has sent you these sentences. Press to read them.";
  }
  fields.word.addEventListener("change", () => fill({ word: fields.word.value }));

  let [worker, run, pair, counted] = [undefined, 0, undefined, 0];
  const link = () => {
    const values = Object.entries(fields).map(([name, { value }]) => [name, value]);
    history.replaceState(null, "", `#${new URLSearchParams([...values, ["head", scene.head.join(".")]])}`);
  };
  scene.chosen = () => scene.pair.isOwn && link(); // a head
  const hear = ({ data }) => {
    if (data.done) button.textContent = `Loading: ${megabytes(Math.min(data.done, size))} of ${megabytes(size)} MB`;
    if (data.run !== run) return;
    if (data.error) fail(data.error);
    else if (data.pair) {
      pair = { ...data.pair, without: Array.from({ length: known.sizes.layers }, () => []) };
      [button.textContent, button.disabled, counted] = ["Read", false, 0];
      const head = asked.get("head")?.match(/^([0-5])\.(\d|1[01])$/);
      change(() => {
        scene.show(pair);
        if (head) scene.head = [Number(head[1]), Number(head[2])];
      });
      link();
    } else {
      pair.without[data.layer][data.head] = data.without;
      counted += 1;
      told.textContent = counted < 72 ? `Each head is switched off in turn: ${counted} of 72.` : "All 72 heads have been switched off in turn. The address of this page is a link to what you see.";
      if (data.head === 11) change(() => {});
    }
  };
  const fail = (error) => {
    told.textContent = error;
    [button.textContent, button.disabled] = ["Read", false];
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!worker) {
      worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
      worker.onmessage = hear;
      worker.onerror = (problem) => {
        problem.preventDefault();
        fail(problem.message || "The model could not be loaded.");
      };
    }
    run += 1;
    button.disabled = true;
    const { sentence, other, word, one, two } = fields;
    worker.postMessage({ run, known, texts: [sentence.value, other.value], word: word.value, senses: [one.value, two.value] });
  });
}
