// Every printed matrix is also a picture: in the text itself, the place of each number is coloured
// by its value. No text is added and nothing moves, so the picture cannot disagree with the digits.

import { letRead } from "./readout.js";

const PRINTED = ".language-output samp, .language-pycon .go";
const TENSOR = /(?<=\b(?:tensor|array)\()\[[-+.\w\s,[\]]*\]/g;
const MATRIX = /\[[^[\]]+\](?:,\s*\[[^[\]]+\])*/g;
const ROW = /\[[^[\]]+\]/g;
// With the sign before a number and the sign after it, cells lie side by side.
const CELL = /[[\s]\s*[^\s,[\]]+ *[,\]]/g;
const NUMBER = /^(-?(\d+\.?\d*(e[-+]\d+)?|inf|nan)|True|False)$/;

// Each block is drawn when it comes near the screen.
const nearby = new IntersectionObserver(
  (entries) => entries.forEach((entry) => entry.isIntersecting && draw(entry.target)),
  { rootMargin: "50%" },
);
for (const printed of document.querySelectorAll(PRINTED)) nearby.observe(printed);
addEventListener("beforeprint", () => document.querySelectorAll(PRINTED).forEach(draw));

function draw(printed) {
  nearby.unobserve(printed);
  if (printed.querySelector(".printed-matrix")) return;
  const { rows, columns, tensors, hidden } = printed.closest(".highlight").dataset;
  const names = tensors?.split(" ") ?? [];
  const masked = hidden && Number(hidden);
  const drawing = (text) =>
    drawTensor(text, { name: names.shift(), rows: rows?.split(" "), columns: columns?.split(" "), masked });
  const panels = [...printed.querySelectorAll("span:not(:has(*))")];
  for (const text of panels.length ? panels : [printed]) {
    const parts = split(text.textContent, TENSOR, drawing);
    if (parts.length > 1) text.replaceChildren(...parts);
    const wrong = text.parentNode.dataset.wrong?.split(" ") ?? [];
    for (const number of wrong) text.querySelectorAll(".printed-cell")[number]?.classList.add("wrong");
  }
}

/** Makes something of what a pattern finds in a text, and keeps the text between. */
function split(text, pattern, make) {
  let end = 0;
  const parts = Array.from(text.matchAll(pattern), ({ 0: found, index }) => {
    const between = text.slice(end, index);
    end = index + found.length;
    return [between, make(found, text.slice(0, index))];
  });
  return [...parts.flat(2), text.slice(end)];
}

function drawTensor(text, names) {
  const numbers = text.split(/[\s,[\]]+/).filter(Boolean);
  if (!numbers.every((number) => NUMBER.test(number))) return text; // shortened, or complex
  const scale = scaleOf(numbers, names.masked);
  const width = Math.max(...numbers.map((number) => number.length));
  const drawRow = (row) => span("", split(row, CELL, (cell) => drawCell(cell, width, scale, names.masked)));
  return split(text, MATRIX, (rows, before) => {
    const matrix = span("printed-matrix", split(rows, ROW, drawRow));
    letRead(matrix, before, names, scale.meaning);
    return matrix;
  });
}

/** The numbers without a colour and with the full one, how colours grow between them, and what
    they mean: as in site_build/inside/colours.py. */
function scaleOf(numbers, masked) {
  if (/^[TF]/.test(numbers[0])) return { low: 0, full: 1, power: 1, meaning: "True is filled" };
  const values = numbers.map(Number).filter((value) => Number.isFinite(value) && value !== masked);
  const least = Math.min(...values);
  const full = Math.max(0, ...values.map(Math.abs));
  if (least < 0) return { low: 0, full, power: 1, meaning: `colours from -${full} to ${full}` };
  const range = (full - least) / full;
  if (least > 0 && range > 0.02 && range < 0.2)
    return { low: least, full, power: 1, meaning: `numbers close together: colours from ${least} to ${full}` };
  if (full > 1) return { low: 0, full, power: 1, meaning: `colours from 0 to ${full}` };
  return { low: 0, full: 1, power: 0.5, meaning: "colours from 0 to 1" };
}

function drawCell(text, width, { low, full, power }, masked) {
  const indent = Math.max(0, text.length - width - 2); // of a row that goes on in another line
  const cell = span("printed-cell", [text.slice(indent)]);
  const value = valueOf(text);
  const share = (value - low) / (full - low);
  if (!Number.isFinite(share) || value === masked) cell.classList.add("hidden");
  else cell.style.setProperty("--share", Math.abs(share) ** power);
  if (share < 0) cell.classList.add("minus");
  return [text.slice(0, indent), cell];
}

function valueOf(text) {
  const number = text.match(/[^\s,[\]]+/)[0];
  return { True: 1 }[number] ?? Number(number); // False and inf are no numbers: NaN
}

function span(name, children) {
  const element = document.createElement("span");
  if (name) element.className = name;
  element.append(...children);
  return element;
}
