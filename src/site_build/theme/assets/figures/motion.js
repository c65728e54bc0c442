// Plays a figure once, when it is seen, and lets the reader move it by hand. What is drawn is
// complete: a step of the slider only hides what comes later.

const PACE = 700; // milliseconds from one part to the next
const calm = matchMedia("(prefers-reduced-motion: reduce)");

for (const controls of document.querySelectorAll(".figure-motion")) {
  const [button, slider, place] = ["button", "input", "span"].map((tag) => controls.querySelector(tag));
  const parts = controls.parentNode.querySelectorAll("[data-at]");
  const cards = controls.parentNode.querySelectorAll("[data-way]");
  const names = slider.dataset.names.split("|");
  let timer;

  const show = () => {
    for (const part of parts) part.classList.toggle("later", part.dataset.at > +slider.value);
    for (const card of cards) card.style.transform = card.dataset.way.split("|")[slider.value];
    place.textContent = slider.ariaValueText = names[slider.value - 1] ?? "";
  };
  const stop = () => {
    timer = clearInterval(timer);
    button.textContent = "Play";
  };
  const play = () => {
    slider.value = 0;
    show();
    button.textContent = "Stop";
    timer = setInterval(() => {
      slider.stepUp();
      show();
      if (slider.value === slider.max) stop();
    }, PACE);
  };
  button.onclick = () => (timer ? stop() : play());
  slider.oninput = () => {
    stop();
    show();
  };
  show();
  controls.style.visibility = "visible";
  if (calm.matches) continue;
  const seen = new IntersectionObserver(
    ([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      seen.disconnect();
      if (!timer && slider.value === slider.max) play();
    },
    { threshold: 0.9 },
  );
  seen.observe(controls.parentNode.querySelector(".figure-panels"));
}
