// Lets the reader play a figure and move it by hand. What is drawn is complete: a step of the slider
// only hides what comes later. A figure that is not seen yet waits, and plays once when it is.

const PACE = 900; // milliseconds from one part to the next
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
  const rewind = () => {
    slider.value = 0;
    show();
  };
  const play = () => {
    rewind();
    button.textContent = "Stop";
    timer = setInterval(() => {
      slider.stepUp();
      show();
      if (slider.value === slider.max) stop();
    }, PACE);
  };
  show();
  controls.style.visibility = "visible";

  // Whoever saw it complete does not see it erased: it waits only out of sight.
  let waits = false;
  const sight = new IntersectionObserver(
    ([{ isIntersecting, boundingClientRect: box }]) => {
      if (waits && isIntersecting) play();
      if (waits ? isIntersecting : box.top < innerHeight && box.bottom > 0) return sight.disconnect();
      waits = true;
      rewind();
    },
    { rootMargin: "0% 0% -25%" },
  );
  button.onclick = () => {
    sight.disconnect();
    timer ? stop() : play();
  };
  slider.oninput = () => {
    sight.disconnect();
    stop();
    show();
  };
  if (!calm.matches) sight.observe(controls.parentNode.querySelector(".figure-panels"));
}
