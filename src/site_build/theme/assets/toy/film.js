// The toy plays itself once a visit: one word changes, and "bank" goes from the water to the money.

import { wasSeen } from "../dom.js";

const [AT, WORD] = [4, "rich"];
const [REST, BEGIN, END] = [500, 1500, 4000]; // milliseconds
const STOP = ["pointerdown", "keydown", "wheel"];
const LISTEN = { capture: true, passive: true };

/** Play it once most of the picture is in view and the reader has come to rest: the way to it is scrolled. */
export function whenSeen(toy) {
  let isInView, resting;
  const rest = () => {
    clearTimeout(resting);
    if (isInView) resting = setTimeout(begin, REST);
  };
  const seen = new IntersectionObserver(
    ([{ intersectionRatio }]) => {
      isInView = intersectionRatio > 0.6;
      rest();
    },
    { threshold: [0.6] },
  );
  seen.observe(toy.querySelector(".toy-stage"));
  for (const kind of STOP) addEventListener(kind, rest, LISTEN);

  function begin() {
    seen.disconnect();
    for (const kind of STOP) removeEventListener(kind, rest, true);
    if (!toy.isTouched && !wasSeen("toy-film")) play(toy);
  }
}

/** Play, until the reader does anything at all. */
function play(toy) {
  const { words } = toy.state;
  toy.isPlaying = true;
  toy.show({}, "Watch one word change");
  const begin = setTimeout(() => toy.show({ words: words.with(AT, WORD) }, `${words[AT]} → ${WORD}`), BEGIN);
  const end = setTimeout(stop, END);
  for (const kind of STOP) addEventListener(kind, stop, LISTEN);

  function stop() {
    clearTimeout(begin);
    clearTimeout(end);
    toy.isPlaying = false;
    for (const kind of STOP) removeEventListener(kind, stop, true);
    if (!toy.isTouched) toy.show({}, "Your turn: tap a word");
  }
}
