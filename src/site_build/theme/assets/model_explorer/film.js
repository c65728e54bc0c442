// The film: the drawing appears from the top down, and what stands at each part is said. It needs nothing
// but what is drawn already, by the build or by whole.js. What is below the window waits for the reader.

const WAIT = 900; // so that question and answer have been read
const [WORDS, BLOCK, THEN, ANSWER] = [1800, 2800, 2000, 1200]; // milliseconds

/** Play it once the first part of the drawing is in view. */
export function whenSeen(drawing) {
  const seen = new IntersectionObserver(
    ([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      seen.disconnect();
      play(drawing, WAIT);
    },
    { threshold: 1 },
  );
  seen.observe(drawing.querySelector(".whole-part"));
}

/** The scenes: how long each lasts, the element at whose end it ends, and what is said. */
function scenesOf(stage) {
  const [, vectors, ...rest] = stage.children;
  const answer = rest.pop();
  const told = (part, kind) => part.querySelector(kind).textContent;
  const blocks = rest.flatMap((block) => {
    const [, lanes, , so] = block.children;
    const lens = told(so, "p");
    return [
      [BLOCK, lanes, `${told(block, "b")}: ${told(block, "small")}.`],
      [THEN, block, `Then each word works alone on what it has. ${lens[0].toUpperCase()}${lens.slice(1)}.`],
    ];
  });
  return [[WORDS, vectors, `How does it know? ${told(vectors, "b")}, and a stream runs down.`], ...blocks, [ANSWER, answer, `${told(answer, "b")}.`]];
}

/** Play it from the beginning; any press in the drawing ends it. */
export function play(drawing, wait = 0) {
  const stage = drawing.querySelector(".whole-stage");
  const told = drawing.querySelector(".whole-told");
  const before = told.textContent;
  const edge = (element) => element.getBoundingClientRect().bottom - stage.getBoundingClientRect().top;
  let last = performance.now();
  let began = last + wait;
  let frame, scenes;
  const step = (now) => {
    scenes ??= scenesOf(stage); // by now it is closed
    let left = now - began;
    let k = 0;
    while (k < scenes.length - 1 && left > scenes[k][0]) left -= scenes[k++][0];
    const [lasts, element, text] = scenes[k];
    if (left > lasts) return stop();
    const from = edge(k ? scenes[k - 1][1] : stage.firstElementChild);
    const part = Math.min(1, Math.max(0, left / lasts / 0.7));
    const front = from + (edge(element) - from) * part;
    if (front > innerHeight - stage.getBoundingClientRect().top) began += now - last;
    last = now;
    stage.style.setProperty("--front", `${front}px`);
    if (left > 0 && told.textContent !== text) told.textContent = text;
    frame = requestAnimationFrame(step);
  };
  function stop() {
    cancelAnimationFrame(frame);
    for (const kind of ["pointerdown", "keydown"]) drawing.removeEventListener(kind, stop);
    drawing.classList.remove("playing");
    stage.style.removeProperty("--front");
    told.textContent = before;
  }
  for (const kind of ["pointerdown", "keydown"]) drawing.addEventListener(kind, stop, { passive: true });
  drawing.classList.add("playing");
  frame = requestAnimationFrame(step);
}
