// Loads the model and reads two sentences with it, in a thread of its own. A file is kept by the browser, and is taken
// only if its bytes are those that the site was built with.

import { Model, cosine, wordsOf } from "./model.js";

const LONGEST = 40; // pieces: more cannot be drawn
let model, run, known, done, due; // bytes that have come, of how many

async function bytesOf(name) {
  const { bytes, sha256 } = known.files[name];
  const address = new URL(name, import.meta.url);
  const key = `${address}?${sha256}`;
  const store = await globalThis.caches?.open("minilm").catch(() => undefined); // refused in a private window
  const kept = await store?.match(key);
  due += bytes;
  const answer = kept ?? (await fetch(address));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  const parts = [];
  for (const reader = answer.body.getReader(); ; ) {
    const { value, done: isEnd } = await reader.read();
    if (isEnd) break;
    parts.push(value);
    done += value.length;
    postMessage({ done, due });
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
  [done, due] = [0, 0];
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

/** Refuse what cannot be read, in the order in which it is asked for. */
function refuse(texts, word, senses) {
  if (!texts.every((text) => wordsOf(text).length)) throw new Error("Type a sentence in each of the first two fields.");
  if (texts[0].trim() === texts[1].trim()) throw new Error("Change one word in the second sentence.");
  const tokens = texts.map((text) => model.tokens(text));
  if (String(tokens[0]) === String(tokens[1])) throw new Error("To the model, both sentences are the same: it reads no capitals and no accents, and does not know every sign.");
  tokens.forEach(({ length }, s) => {
    if (length > LONGEST) throw new Error(`“${texts[s].slice(0, 30)} …” is too long: ${length} pieces, and ${LONGEST} can be drawn.`);
  });
  if (wordsOf(word).length !== 1) throw new Error("Give one word to follow.");
  if (!senses.every((names) => names.length)) throw new Error("Give at least one word for each sense.");
  for (const name of [word, ...senses.flat()])
    if (model.tokens(name).includes("[UNK]")) throw new Error(`The model does not know “${name}”.`);
  return tokens;
}

/** The last place of a word of these pieces. */
const lastOf = (pieces, tokens) =>
  tokens.findLastIndex((_, k) => !tokens[k + pieces.length]?.startsWith("##") && pieces.every((piece, more) => tokens[k + more] === piece));

async function answer({ run: mine, texts, word, names }) {
  model ??= await loaded();
  const { dim, layers, heads } = model.sizes;
  const senses = names.map((list) => list.split(/[\s,]+/).filter(Boolean));
  const tokens = refuse(texts, word, senses);
  const pieces = model.pieces(wordsOf(word)[0]);
  const at = tokens.map((list, s) => {
    const place = lastOf(pieces, list);
    if (place < 0) throw new Error(`“${word}” is not in “${texts[s]}”.`);
    return place;
  });
  const poles = [];
  for (const list of senses) {
    const pole = new Float64Array(dim);
    for (const name of list) {
      const all = model.tokens(name);
      const last = (await read(all)).vectors.at(-1);
      const count = list.length * (all.length - 2);
      for (let e = dim; e < last.length - dim; e++) pole[e % dim] += last[e] / count; // without the marks
    }
    poles.push(pole);
  }
  const sense = (vector) => cosine(vector, poles[0]) - cosine(vector, poles[1]);
  /** Of each token, its sense before the first layer and after each. */
  const sensesIn = ({ vectors }) => Array.from({ length: vectors[0].length / dim }, (_, k) => vectors.map((x) => sense(x.subarray(k * dim, (k + 1) * dim))));
  const whole = [await read(tokens[0]), await read(tokens[1])];
  run = mine; // what was read before is measured no more
  postMessage({ run, read: { senses: names, tokens, at, paths: whole.map(sensesIn), weights: whole.map(({ weights }) => weights) } });
  for (let layer = 0; layer < layers; layer++)
    for (let head = 0; head < heads; head++) {
      await new Promise((resolve) => setTimeout(resolve)); // something else may be asked meanwhile
      if (mine !== run) return;
      const without = whole.map((before, s) => sensesIn(model.read(tokens[s], [layer, head], before)));
      postMessage({ run, layer, head, without });
    }
}

onmessage = async ({ data }) => {
  known ??= data.known;
  try {
    await answer(data);
  } catch (error) {
    postMessage({ run: data.run, error: error.message });
  }
};
