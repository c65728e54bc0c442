// Lets the reader play a figure and move it by hand. It rests complete, and moves when it is asked to.

const PACE = 900; // milliseconds from one part to the next

for (const controls of document.querySelectorAll(".figure-motion")) {
  const [button, slider, place] = ["button", "input", "span"].map((tag) => controls.querySelector(tag));
  const stage = controls.parentNode;
  const parts = stage.querySelectorAll("[data-at]");
  const names = slider.dataset.names.split("|");
  let timer;

  const show = () => {
    for (const part of parts) part.classList.toggle("later", part.dataset.at > +slider.value);
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
