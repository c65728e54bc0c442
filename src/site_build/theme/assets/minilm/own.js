// The reader's own sentences: a form, and a worker that reads them once it is sent. Nothing is fetched before.

import { make } from "../dom.js";
import { following, sharedBy, wordAt } from "./follow.js";
import { known, senses } from "./files.js";

const FIRST = { sentence: "the green plant was old", other: "the nuclear plant was old", word: "plant" }; // all common words
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
  const told = make("p", { role: "status" }, `It comes once, from this site, and your browser keeps it. A rarer word brings the other words, ${megabytes(known.files["more.bin"].bytes)} MB. Your sentences stay on your device.`);
  const refused = make("p", { role: "alert" });
  form.append(button, refused, told);
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

  let worker;
  let last = 0; // what was asked last
  let shown; // what was read last, with the word that is followed
  const link = () => {
    const { values, at } = shown;
    history.replaceState(null, "", `#${new URLSearchParams({ ...values, at: at[0], head: scene.head.join(".") })}`);
  };
  scene.chosen = () => scene.pair.isOwn && link(); // a head
  const follow = (place) => {
    shown.at = place;
    shown.values.word = wordAt(place[0], shown.read.tokens[0]);
    scene.show((shown.pair = following(shown)));
  };
  scene.follow = (k) => {
    follow(shown.same.find(([place]) => place === k));
    fields.word.value = shown.values.word;
    link();
  };
  const hear = ({ data }) => {
    if (data.due) button.textContent = `Loading: ${megabytes(data.done)} of ${megabytes(data.due)} MB`;
    else if (data.error) refuse(data.error);
    else if (data.read) {
      const same = sharedBy(data.read.tokens);
      const without = Array.from({ length: known.sizes.layers }, () => []);
      shown = { run: data.run, read: data.read, same, without, counted: 0, values: last.values };
      ready();
      const head = asked.get("head")?.match(/^([0-5])\.(\d|1[01])$/);
      const place = same.find(([k]) => String(k) === asked.get("at"));
      change(() => {
        if (head) scene.head = [Number(head[1]), Number(head[2])];
        follow(place ?? data.read.at);
      });
      asked.delete("head");
      asked.delete("at");
      link();
      count();
    } else if (data.run === shown.run) {
      shown.without[data.layer][data.head] = data.without;
      shown.pair.without[data.layer][data.head] = shown.at.map((k, s) => data.without[s][k]);
      shown.counted += 1;
      count();
      if (data.head === 11) change(() => {});
    }
  };
  const count = () => {
    const { counted, at, pair } = shown;
    const pieces = pair.tokens[0][at[0] + 1].startsWith("##") ? `The model reads “${pair.word}” in pieces, of which the first is followed. ` : "";
    const moved = at[0] === at[1] ? "" : `“${pair.word}” has another place in the second sentence, so its two paths do not begin as the same numbers. `;
    const done = counted < 72 ? `Each head is switched off in turn: ${counted} of 72.` : "All 72 heads have been switched off in turn. The address of this page is a link to what you see.";
    told.textContent = `${pieces}${moved}Press another word in the drawing to follow that. ${done}`;
  };
  const ready = () => ([button.textContent, button.disabled] = ["Read", false]);
  const refuse = (error) => {
    refused.textContent = error;
    ready();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!worker) {
      worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
      worker.onmessage = hear;
      worker.onerror = (problem) => {
        problem.preventDefault();
        refuse(problem.message || "The model could not be loaded.");
      };
    }
    const values = Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
    last = { run: (last.run ?? 0) + 1, values };
    button.disabled = true;
    refused.textContent = "";
    worker.postMessage({ run: last.run, known, texts: [values.sentence, values.other], word: values.word, names: [values.one, values.two] });
  });
}
