// What a reader has read and guessed, and where they were: kept in this browser alone. A page is read once its
// end was in sight.
import { forget, here, keep, mark, recall, root } from "./kept.js";

const course = document.querySelector(".eye");

if (course) {
  const end = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    keep({ read: [...new Set([...recall().read, here])] });
    mark();
  });
  end.observe(document.querySelector(".next"));
  addEventListener("pagehide", () => {
    const passed = [...document.querySelectorAll("article :is(h2, h3)[id]")].filter(
      (heading) => heading.checkVisibility() && heading.getBoundingClientRect().top < innerHeight / 2,
    );
    const title = document.querySelector("h1").firstChild.textContent;
    keep({ last: { href: passed.length ? `${here}#${passed.at(-1).id}` : here, title } });
  });
}

// At the door, the way to step 1 becomes the way back.
const door = document.querySelector("a[data-needs='progress/progress']");
const { last } = recall();
if (door && last) {
  door.href = new URL(last.href, root);
  door.textContent = `Go on: ${last.title}`;
}

const forgets = document.querySelector("p[data-needs='progress/progress']");
if (forgets) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Forget it" });
  const said = Object.assign(document.createElement("span"), { role: "status" });
  button.addEventListener("click", () => {
    forget();
    mark();
    said.textContent = " Forgotten.";
  });
  forgets.append(" ", button, said);
}

// The reader presses an answer, and is told at once what is right; once more where the lesson comes to it.
const told = [...document.querySelectorAll(".guessed b")];
const show = (guess) => {
  const at = answers.findIndex(({ textContent }) => textContent === guess); // -1: the page had others then
  answers.forEach((button, i) => (button.ariaPressed = i === at));
  told.forEach((line, i) => line.classList.toggle("on", i === at + 1));
  const said = document.querySelector(".guess [role]");
  if (said) said.textContent = at < 0 ? "" : told[at + 1].textContent;
};
const answers = [...document.querySelectorAll(".guess li")].map((item) => {
  const button = Object.assign(document.createElement("button"), { type: "button", ariaPressed: false });
  button.append(...item.childNodes);
  item.append(button);
  button.addEventListener("click", () => {
    const { guesses } = recall();
    const guess = button.textContent;
    const right = told[answers.indexOf(button) + 1]?.textContent.endsWith("right.");
    import("../build/again.js").then(({ guessed }) => guessed(right, guesses?.[here]));
    show(guess);
    keep({ guesses: { ...guesses, [here]: guess } });
  });
  return button;
});
show(recall().guesses?.[here]);
