// The reader presses an answer before the page tells. Nothing is said of right or wrong, until the lesson
// answers: there the guess stands beside what is right.
import { here, keep, recall } from "../progress/kept.js";

const box = document.querySelector(".guess");
const told = [...document.querySelectorAll(".guessed b")];

const show = (guess) => {
  if (!told.some(({ dataset }) => dataset.guess === guess)) return; // the page had other answers then
  for (const button of buttons) button.ariaPressed = button.textContent === guess;
  for (const line of told) line.classList.toggle("on", line.dataset.guess === guess);
};

const buttons = [...box.querySelectorAll("li")].map((item) => {
  const button = Object.assign(document.createElement("button"), { type: "button", ariaPressed: false });
  button.append(...item.childNodes);
  item.append(button);
  button.addEventListener("click", () => {
    const guess = button.textContent;
    show(guess);
    keep({ guesses: { ...recall().guesses, [here]: guess } });
    box.querySelector(".guess-said").textContent = "Noted. The page answers further down.";
  });
  return button;
});
show(recall().guesses?.[here]);
