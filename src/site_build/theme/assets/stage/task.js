// The condition of a task: `scores[bank, muddy] == 0`, as the build has read it.

const HOLDS = { "==": (a, b) => Math.abs(a - b) < 0.005, "<": (a, b) => a < b, ">": (a, b) => a > b };

/** Whether it holds now: the words must be in the sentence, and their number as it shall be. */
export function holds(scene, { name, words, sign, number }) {
  const places = words.map((word) => scene.words.lastIndexOf(word));
  if (places.includes(-1)) return false;
  return HOLDS[sign](places.reduce((tensor, place) => tensor[place], scene.tensors[name]), number);
}
