// What a reader has read and guessed, where they were, and whether they read what is for makers: kept in
// this browser alone. A page is read once its end was in sight.

export const root = new URL("../../", import.meta.url);
const KEY = `${root.pathname}.progress`; // projects of one owner may share a host, and so its storage
const pathOf = ({ pathname }) => pathname.slice(root.pathname.length);
export const here = pathOf(location);
const course = document.querySelector(".page-tools [data-needs='progress/progress']");

/** What a use of the storage returns; nothing where that is refused, or what is kept cannot be read. */
const storage = (use) => {
  try {
    return use(localStorage);
  } catch {
    return null;
  }
};

const isTable = (value) => value?.constructor === Object;
const isPages = (value) => Array.isArray(value) && value.every((page) => typeof page === "string");
/** Whether an address is one of this site, and so neither another's nor a script. */
const isOurs = (href) => new URL(href, root).href.startsWith(root.href);
const isPlace = ({ href, title }) => typeof title === "string" && isOurs(href);
const isDue = ({ page, day, after }) => isOurs(page) && Number.isInteger(day) && Number.isInteger(after);
const FORMS = {
  read: isPages,
  made: isPages,
  guesses: isTable,
  built: isTable,
  again: (value) => isTable(value) && Object.values(value).every(isDue),
  last: isPlace,
  makers: (value) => typeof value === "boolean",
};

/** What is kept. A part that does not have its form is forgotten, and all if it is no JSON. */
export const recall = () => {
  const isSound = ([name, value]) => storage(() => FORMS[name](value));
  const kept = storage((kept) => Object.entries(JSON.parse(kept.getItem(KEY)))) ?? [];
  return { read: [], ...Object.fromEntries(kept.filter(isSound)) };
};
export const keep = (news) =>
  storage((kept) => kept.setItem(KEY, JSON.stringify({ ...recall(), ...news })));

export const mark = () => {
  const { read, made = [] } = recall();
  for (const link of document.querySelectorAll(".md-nav--primary a.md-nav__link")) {
    link.classList.toggle("read", !link.hash && read.includes(pathOf(link)));
    link.classList.toggle("made", !link.hash && made.includes(pathOf(link)));
  }
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

// The reader presses an answer before the page tells. Nothing is said of right or wrong, until the lesson
// answers: there the guess stands beside what is right.
const told = [...document.querySelectorAll(".guessed b")];
const show = (guess) => {
  const at = answers.findIndex(({ textContent }) => textContent === guess); // -1: the page had others then
  answers.forEach((button, i) => (button.ariaPressed = i === at));
  told.forEach((line, i) => line.classList.toggle("on", i === at + 1));
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
    const said = document.querySelector(".guess [role]");
    said.textContent = said.textContent.replace("Press one", "Noted");
  });
  return button;
});
show(recall().guesses?.[here]);
