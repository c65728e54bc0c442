// The toy plays itself once a visit: "rich" pulls "bank" half of the way, "banker" all of it.

const SCENES = [
  [900, 4, "rich"],
  [2300, 1, "banker"],
];
const END = 3800;
const SEEN = "toy-film"; // so that a visitor who comes back to the page finds it quiet

/** Play, until the reader does anything at all. */
export function play(toy) {
  toy.isPlaying = true;
  const timers = SCENES.map(([after, at, word]) =>
    setTimeout(() => {
      toy.hint = `${toy.state.words[at]} → ${word}`;
      toy.show({ words: toy.state.words.with(at, word), open: at });
    }, after),
  );
  const stop = () => {
    timers.forEach(clearTimeout);
    toy.isPlaying = false;
    for (const kind of ["pointerdown", "keydown", "wheel"]) removeEventListener(kind, stop, true);
    if (!toy.isTouched) toy.show({}, "Your turn: tap a word");
    remember();
  };
  timers.push(setTimeout(stop, END));
  for (const kind of ["pointerdown", "keydown", "wheel"]) addEventListener(kind, stop, { capture: true, passive: true });
}

export function wasSeen() {
  try {
    return sessionStorage.getItem(SEEN) === "1";
  } catch {
    return false; // no storage: it plays at each visit
  }
}

function remember() {
  try {
    sessionStorage.setItem(SEEN, "1");
  } catch {
    // see above
  }
}
