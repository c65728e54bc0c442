// Loads the model and reads two sentences with it, in a thread of its own. A file is kept by the browser, and is taken
// only if its bytes are those that the site was built with.

import { Model, cosine } from "./model.js";

const LONGEST = 40; // pieces: more cannot be drawn
let model, run, known, done;

async function bytesOf(name) {
  const { bytes, sha256 } = known.files[name];
  const address = new URL(name, import.meta.url);
  const key = `${address}?${sha256}`;
  const store = await globalThis.caches?.open("minilm").catch(() => undefined); // refused in a private window
  const kept = await store?.match(key);
  const answer = kept ?? (await fetch(address));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  const parts = [];
  for (const reader = answer.body.getReader(); ; ) {
    const { value, done: isEnd } = await reader.read();
    if (isEnd) break;
    parts.push(value);
    done += value.length;
    postMessage({ done });
  }
  const data = await new Blob(parts).arrayBuffer();
  if (!globalThis.crypto.subtle) throw new Error("The model is checked before it is used, which this browser does over https alone.");
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  if (data.byteLength !== bytes || digest.reduce((text, byte) => text + byte.toString(16).padStart(2, "0"), "") !== sha256) {
    await store?.delete(key);
    throw new Error(`${name} has come with other bytes than it should, and was not used. Press again.`);
  }
  if (!kept) await store?.put(key, new Response(data)).catch(() => undefined); // it may be full
  return data;
}

async function loaded() {
  done = 0;
  const [layers, vocabulary, words] = await Promise.all(["layers.bin", "vocab.txt", "words.bin"].map(bytesOf));
  const made = new Model(known.sizes, layers, new TextDecoder().decode(vocabulary));
  made.take("words.bin", words);
  return made;
}

/** Read tokens, once the rows of all of them are there. */
async function read(tokens, ...how) {
  for (const token of tokens) {
    const shard = model.shardOf(model.number.get(token));
    if (!model.shards[shard]) model.take(shard, await bytesOf(shard));
  }
  return model.read(tokens, ...how);
}

async function answer({ run: mine, texts, word, senses }) {
  model ??= await loaded();
  const { dim, layers, heads } = model.sizes;
  const poles = [];
  for (const names of senses) {
    const list = names.split(/[\s,]+/).filter(Boolean);
    if (!list.length) throw new Error("Give at least one word for each sense.");
    const pole = new Float64Array(dim);
    for (const name of list) {
      const { vectors } = await read(model.tokens(name));
      for (let e = 0; e < dim; e++) pole[e] += vectors.at(-1)[dim + e] / list.length;
    }
    poles.push(pole);
  }
  const piece = model.tokens(word)[1];
  const sense = (vector) => cosine(vector, poles[0]) - cosine(vector, poles[1]);
  const senseAt = (vectors, place) => vectors.map((x) => sense(x.subarray(place * dim, (place + 1) * dim)));
  const tokens = texts.map((text) => model.tokens(text));
  const at = tokens.map((list) => list.lastIndexOf(piece));
  at.forEach((place, s) => {
    if (place < 1) throw new Error(`“${word}” is not in “${texts[s]}”.`);
    if (tokens[s].length > LONGEST) throw new Error(`“${texts[s].slice(0, 30)} …” is too long: ${tokens[s].length} pieces, and ${LONGEST} can be drawn.`);
  });
  if (String(tokens[0]) === String(tokens[1])) throw new Error("Change one word in the second sentence.");
  const whole = [await read(tokens[0]), await read(tokens[1])];
  const paths = whole.map(({ vectors }, s) => senseAt(vectors, at[s]));
  const looks = whole.map(({ weights }, s) =>
    weights.map((rows) => Array.from({ length: heads }, (_, head) => [...rows.subarray((head * tokens[s].length + at[s]) * tokens[s].length).subarray(0, tokens[s].length)])));
  const same = tokens[0].length === tokens[1].length ? tokens[0].map((token, k) => k).filter((k) => k && k < tokens[0].length - 1 && k !== at[0] && tokens[0][k] === tokens[1][k]) : [];
  const others = same.map((k) => whole.map(({ vectors }) => senseAt(vectors, k)));
  const rest = same.length ? paths[0].map((_, k) => Math.abs(others.reduce((total, [one, other]) => total + one[k] - other[k], 0) / same.length)) : undefined;
  postMessage({ run: mine, pair: { word: piece, senses, tokens, at, paths, rest, looks } });
  for (let layer = 0; layer < layers; layer++)
    for (let head = 0; head < heads; head++) {
      await new Promise((resolve) => setTimeout(resolve)); // something else may be asked meanwhile
      if (mine !== run) return;
      const without = whole.map((before, s) => senseAt(model.read(tokens[s], [layer, head], before).vectors, at[s]));
      postMessage({ run: mine, layer, head, without });
    }
}

onmessage = async ({ data }) => {
  ({ run } = data);
  known ??= data.known;
  try {
    await answer(data);
  } catch (error) {
    postMessage({ run: data.run, error: error.message });
  }
};
