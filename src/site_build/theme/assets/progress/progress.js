// What a reader has read and guessed, where they were, and whether they read what is for makers: kept in
// this browser alone. A page is read once its end was in sight.

import { KEY, here, keep, pathOf, recall, root, storage } from "./kept.js";

const course = document.querySelector(".page-tools [data-needs='progress/progress']");

const mark = () => {
  const { read } = recall();
  for (const link of document.querySelectorAll(".md-nav--primary a.md-nav__link"))
    link.classList.toggle("read", !link.hash && read.includes(pathOf(link)));
};
mark();

if (course) {
  const end = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    keep({ read: [...new Set([...recall().read, here])] });
    mark();
  });
  end.observe(document.querySelector(".turn"));
  addEventListener("pagehide", () => {
    const passed = [...document.querySelectorAll("article :is(h2, h3)[id]")].filter(
      (heading) => heading.checkVisibility() && heading.getBoundingClientRect().top < innerHeight / 2,
    );
    const title = document.querySelector("h1").firstChild.textContent;
    keep({ last: { href: passed.length ? `${here}#${passed.at(-1).id}` : here, title } });
  });
}

const lanes = document.querySelector(".lanes");
if (lanes) {
  const fold = document.querySelector("details.abstract");
  const open = (makers) => {
    lanes.ariaChecked = makers;
    fold.open = makers;
  };
  if (recall().makers) open(true);
  lanes.addEventListener("click", () => {
    const makers = lanes.ariaChecked !== "true";
    keep({ makers });
    open(makers);
  });
}

// At the door, the way to step 1 becomes the way back.
const door = document.querySelector("a[data-needs='progress/progress']");
const { last } = recall();
if (door && last) {
  door.href = new URL(last.href, root);
  door.textContent = `Go on: ${last.title}`;
}

const forget = document.querySelector("p[data-needs='progress/progress']");
if (forget) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Forget it" });
  const said = Object.assign(document.createElement("span"), { role: "status" });
  button.addEventListener("click", () => {
    storage((kept) => kept.removeItem(KEY));
    mark();
    said.textContent = " Forgotten.";
  });
  forget.append(" ", button, said);
}
