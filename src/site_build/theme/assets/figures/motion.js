// Lets the reader play a figure and move it by hand. It begins before its first part, below a mark that
// plays it: no one meets its end first, it moves when it is looked at, and never unasked.

const PACE = 900; // milliseconds from one part to the next

for (const controls of document.querySelectorAll(".figure-motion")) {
  const [button, slider, place] = ["button", "input", "span"].map((tag) => controls.querySelector(tag));
  const stage = controls.parentNode;
  const parts = stage.querySelectorAll("[data-at]");
  const cards = stage.querySelectorAll("[data-way]");
  const names = slider.dataset.names.split("|");
  let timer;

  const show = () => {
    stage.classList.toggle("unplayed", slider.value === "0");
    for (const part of parts) part.classList.toggle("later", part.dataset.at > +slider.value);
    for (const card of cards) card.style.transform = card.dataset.way.split("|")[slider.value];
    place.textContent = slider.ariaValueText = names[slider.value - 1] ?? "";
  };
  const stop = () => {
    timer = clearInterval(timer);
    button.textContent = "Play";
  };
  const step = () => {
    slider.stepUp();
    show();
    if (slider.value === slider.max) stop();
  };
  button.onclick = () => {
    if (timer) return stop();
    if (slider.value === slider.max) slider.value = 0;
    button.textContent = "Stop";
    timer = setInterval(step, PACE);
    step();
  };
  slider.oninput = () => {
    stop();
    show();
  };
  show();
  controls.style.visibility = "visible";
}
