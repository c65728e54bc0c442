// The toy plays itself once a visit: one word changes, and "bank" goes from the water to the money.

const [AT, WORD] = [4, "rich"];
const [BEGIN, END] = [1500, 4000]; // milliseconds
const STOP = ["pointerdown", "keydown", "wheel"];

/** Play, until the reader does anything at all. */
export function play(toy) {
  if (wasSeen()) return;
  const { words } = toy.state;
  toy.isPlaying = true;
  toy.show({}, "Watch one word change");
  const begin = setTimeout(() => toy.show({ words: words.with(AT, WORD) }, `${words[AT]} → ${WORD}`), BEGIN);
  const end = setTimeout(stop, END);
  for (const kind of STOP) addEventListener(kind, stop, { capture: true, passive: true });

  function stop() {
    clearTimeout(begin);
    clearTimeout(end);
    toy.isPlaying = false;
    for (const kind of STOP) removeEventListener(kind, stop, true);
    if (!toy.isTouched) toy.show({}, "Your turn: tap a word");
  }
}

/** A visitor who comes back to the page finds it quiet. */
function wasSeen() {
  try {
    const seen = sessionStorage.getItem("toy-film");
    sessionStorage.setItem("toy-film", "1");
    return seen;
  } catch {
    return false; // no storage: it plays at each visit
  }
}
