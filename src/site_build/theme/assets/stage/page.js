// Binds the stage of a page to its text: a section that is read brings its state, words can be swapped, numbers pressed
// and handles dragged, and a task says when it is done. What moves is drawn by stage.js from what the scene says.

import { calm, make } from "../dom.js";
import { Stage, clamp, ease, holds, mix } from "./stage.js";

const box = document.querySelector(".stage");
const { scene: name, numbers, tasks } = JSON.parse(box.querySelector("script").textContent);
const { default: Scene } = await import(`./scenes/${name}.js`);
const scene = new Scene(numbers);
const sections = [...document.querySelectorAll("[data-state]")].filter((part) => !part.matches("figure"));
const drawing = box.appendChild(make("div", { className: "stage-drawing" }));
const again = make("button", { type: "button" }, "As printed");
const tools = box.appendChild(make("div", { className: "stage-tools", hidden: true }, again));
const live = box.appendChild(make("p", { className: "stage-live", role: "status" }));
const menu = document.body.appendChild(make("div", { className: "stage-menu", popover: "auto", role: "menu" }));
const outputs = [...document.querySelectorAll("[data-stage]")];
const asked = [...document.querySelectorAll(".stage-task")];

const states = sections.map((section) => section.dataset.state);
const stage = new Stage(drawing, (state, width, height) => scene.layout(state, width, height), states);
stage.svg.role = "group";
stage.svg.ariaLabel = "The drawing, which follows the text";

// ---- what follows the drawing -------------------------------------------------------------------------------------
let telling;
function follow(aloud = true) {
  tools.hidden = !scene.changed;
  for (const output of outputs) {
    const lit = scene.lit(output.dataset.stage);
    for (const cell of cellsOf(output)) cell.classList.toggle("lit", String(placeOf(cell, output)) === String(lit));
  }
  asked.forEach((task, k) => task.classList.toggle("done", holds(scene, tasks[k])));
  if (!aloud) return;
  clearTimeout(telling);
  telling = setTimeout(() => (live.textContent = scene.told(stage.state)), 300);
}

/** Change the data, let the drawing run there, and put the focus on a mark. */
function change(act) {
  const focus = act();
  stage.change();
  follow();
  if (typeof focus === "string") stage.focus(focus);
}

let state;
stage.ondraw = () => {
  if (Number.isInteger(stage.at) && Object.keys(stage.marks).length) box.dataset.shows = stage.state; // where it rests, drawn
  if (stage.state === state) return;
  state = stage.state;
  scene.enter?.(state);
  follow(false);
};

// ---- scrolling ------------------------------------------------------------------------------------------------------
let [target, running, held] = [0, false];
function measure() {
  if (held) return; // the drawing stands still under the hand
  const edge = box.getBoundingClientRect();
  const above = edge.width > innerWidth * 0.9; // the stage stands above the text
  const [line, span] = above ? [mix(edge.bottom, innerHeight, 0.7), (innerHeight - edge.bottom) / 2] : [innerHeight * 0.7, innerHeight * 0.36];
  target = sections.slice(1).reduce((past, section) => past + ease(clamp((line - section.getBoundingClientRect().top) / span)), 0);
  if (calm.matches) target = Math.round(target);
  if (running) return;
  running = true;
  requestAnimationFrame(run);
}

function run() {
  const gap = target - stage.at;
  running = Math.abs(gap) > 0.005 && !calm.matches;
  stage.go(running ? stage.at + gap * 0.22 : target); // a wheel jumps, the drawing does not
  if (running) requestAnimationFrame(run);
}
addEventListener("scroll", measure, { passive: true });
new ResizeObserver(measure).observe(document.querySelector("article")); // fonts come, folds open

// ---- a hand, a finger and keys ----------------------------------------------------------------------------------------
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function press(what, element) {
  const [kind, place] = what.split(" ");
  if (kind === "word") openMenu(Number(place), element);
  else change(() => scene.press(what));
}

stage.svg.addEventListener("pointerdown", (event) => {
  const handle = event.target.closest("[data-hold]");
  if (!handle || event.button) return;
  held = handle.dataset.hold;
  // Between two states, what is drawn is a mixture of both, in which no place says what it is: it goes to the nearer one.
  stage.go((target = Math.round(stage.at)));
  stage.svg.setPointerCapture(event.pointerId);
  stage.svg.classList.add("holds");
  handle.focus({ preventScroll: true });
  event.preventDefault();
  if (handle.matches("rect")) dragTo(event); // a line goes to where it is pressed
});
stage.svg.addEventListener("pointermove", (event) => held && dragTo(event));
function dragTo({ clientX, clientY }) {
  const edge = stage.svg.getBoundingClientRect();
  scene.drag(held, (clientX - edge.left) / stage.scale, (clientY - edge.top) / stage.scale);
  stage.settle();
  follow();
}
for (const end of ["pointerup", "pointercancel"])
  stage.svg.addEventListener(end, () => {
    held = undefined;
    stage.svg.classList.remove("holds");
    measure();
  });
// A finger on a handle moves the handle, and not the page.
stage.svg.addEventListener("touchstart", (event) => event.target.closest("[data-hold]") && event.preventDefault(), { passive: false });
stage.svg.addEventListener("click", ({ target: part }) => {
  const pressed = part.closest("[data-press]");
  if (pressed) press(pressed.dataset.press, pressed);
});
stage.svg.addEventListener("keydown", (event) => {
  const { press: what, hold } = event.target.dataset;
  const way = WAYS[event.key];
  if (hold && way) {
    const by = event.shiftKey ? 5 : 1;
    scene.nudge(hold, way[0] * by, way[1] * by);
    stage.settle();
    follow();
  } else if (what && !/^(word|follow|set)/.test(what) && way) change(() => scene.step(stage.state, ...way));
  else if (what && (event.key === "Enter" || event.key === " ")) press(what, event.target);
  else return;
  event.preventDefault();
});
again.addEventListener("click", () => change(() => scene.reset()));

// ---- a number of an output is a number of the drawing -------------------------------------------------------------------
function cellsOf(output) {
  return output.querySelectorAll(".printed-matrix i");
}

function placeOf(cell, output) {
  const row = cell.parentNode;
  const inRow = [...row.querySelectorAll("i")].indexOf(cell);
  return output.querySelector(".vector") ? [inRow] : [[...row.parentNode.children].indexOf(row), inRow];
}

for (const output of outputs)
  output.addEventListener("click", ({ target: cell }) => {
    if (cell.matches("i")) change(() => void scene.pressed(output.dataset.stage, placeOf(cell, output)));
  });

// ---- words that are swapped ---------------------------------------------------------------------------------------------
let opener;
function openMenu(place, element) {
  opener = element;
  const edge = element.getBoundingClientRect();
  const { words, now } = scene.choices(place);
  const choices = words.map((word) => {
    const button = make("button", { type: "button", role: "menuitemradio", ariaChecked: word === now }, word);
    button.addEventListener("click", () => {
      menu.hidePopover();
      opener.focus({ preventScroll: true });
      change(() => void scene.swap(place, word));
    });
    return button;
  });
  menu.replaceChildren(...choices);
  menu.style.left = `${clamp(edge.left - 12, 8, innerWidth - 180)}px`;
  menu.showPopover();
  menu.style.top = `${clamp(edge.bottom + 6, 8, innerHeight - menu.offsetHeight - 8)}px`;
  (choices.find((button) => button.ariaChecked === "true") ?? choices[0]).focus();
}
menu.addEventListener("keydown", (event) => {
  const [all, way] = [[...menu.children], WAYS[event.key]];
  if (event.key === "Escape") opener.focus({ preventScroll: true });
  if (!way) return;
  const step = way[0] + way[1];
  all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
  event.preventDefault();
});

// A scene that goes on by itself says so.
scene.redraw = () => {
  stage.settle();
  follow();
};
// What a scene draws further down is fetched when somebody goes there.
[scene.isLive, scene.change] = [true, change];
let fetched; // once, whatever comes first
const later = () => (fetched ??= scene.later().then(() => {
  stage.draw();
  follow();
}));
if (scene.later && (scrollY || location.hash)) later();
else if (scene.later) for (const sign of ["scroll", "pointermove", "keydown"]) addEventListener(sign, later, { once: true, passive: true });
measure();
stage.go(target);
follow(false);
box.classList.add("live");
