// Vectors in a plane that are dragged, with the pointer or the arrow keys, and what follows from
// them. The numbers that a page starts with were printed and compared; this repeats their arithmetic.

// As the build has them (site_build.figures.drag).
const THICK = 14;
const BEYOND = 30;
const STEP = 0.1;
const SVG = "http://www.w3.org/2000/svg";
const dot = (a, b) => a[0] * b[0] + a[1] * b[1];
const angle = (a, b) =>
  (Math.acos(Math.min(1, Math.max(-1, dot(a, b) / Math.hypot(...a) / Math.hypot(...b)))) * 180) / Math.PI;
const write = (x) => (Number.isFinite(x) ? (x.toFixed(2) * 1 === 0 ? 0 : x).toFixed(2).replace("-", "−") : "–");

// Each takes the rows, changes those that follow, and returns the numbers.
const follow = {
  place: (rows, at) => rows[at],
  dot: ([a, b]) => [dot(a, b), Math.hypot(...a), Math.hypot(...b), angle(a, b)],
  turn: ([a, b]) => [dot(a, b), angle(a, b)],
  mix(rows, at) {
    const values = rows.slice(0, at);
    const powers = values.map((key) => Math.exp(dot(key, rows[at])));
    const total = powers.reduce((sum, power) => sum + power);
    const shares = powers.map((power) => power / total);
    rows[at + 1] = [0, 1].map((e) => shares.reduce((sum, share, j) => sum + share * values[j][e], 0));
    return shares;
  },
};

for (const live of document.querySelectorAll(".figure-live")) {
  const panels = live.parentNode.querySelector(".figure-panels");
  const svg = panels.querySelector("svg");
  const groups = [...svg.querySelectorAll("[data-row]")];
  const start = groups.map((group) => group.dataset.row.split(" ").map(Number));
  let rows = structuredClone(start);
  const { does } = live.dataset;
  const at = groups.findIndex((group) => "drag" in group.dataset);
  const scale = +svg.dataset.scale;
  const [left, right, low, high] = svg.dataset.ends.split(" ").map(Number);
  const titles = svg.dataset.axes.split("|");
  const numbers = live.querySelectorAll("b");
  const handles = new Map();
  const place = ([x, y]) => [x * scale, -y * scale];
  const beside = groups.map((group, i) => {
    const label = group.querySelector(".asks");
    return place(start[i]).map((from, e) => label?.getAttribute("xy"[e]) - from);
  });

  const show = () => {
    const shown = follow[does](rows, at);
    numbers.forEach((number, i) => (number.textContent = write(shown[i])));
    groups.forEach((group, i) => {
      const [x, y] = place(rows[i]);
      const arrow = group.querySelector(".arrow");
      const pull = group.querySelector(".pull");
      group.dataset.row = rows[i].join(" ");
      if (arrow) arrow.setAttribute("d", arrowTo(x, y));
      if (pull) {
        pull.setAttribute("d", `M${x},${y}L${place(rows[at + 1])}`);
        pull.style.strokeWidth = shown[i] * THICK;
      }
      const dial = group.querySelector(".origin");
      if (dial) put(dial, "c", x, y);
      const label = group.querySelector(".asks");
      if (label) {
        const far = BEYOND / (Math.hypot(x, y) || 1);
        if (does === "mix") put(label, "", x + beside[i][0], y + beside[i][1]);
        else put(label, "", x * (1 + far), y * (1 + far) + 5);
      }
      const handle = handles.get(i);
      if (!handle) return;
      put(handle, "c", x, y);
      handle.ariaValueNow = rows[i][0];
      handle.ariaValueText = titles.map((title, e) => `${title} ${write(rows[i][e])}`).join(", ");
    });
  };

  const move = (i, x, y) => {
    const near = (to, from, end) => Math.round(Math.min(end, Math.max(from, to)) / STEP) * STEP;
    rows[i] = [near(x, left, right), near(y, low, high)].map((to) => +to.toFixed(1));
    show();
  };

  groups.forEach((group, i) => {
    if (!("drag" in group.dataset)) return;
    const handle = document.createElementNS(SVG, "circle");
    for (const [name, value] of Object.entries({
      class: "handle", r: 13, tabindex: 0, role: "slider",
      "aria-label": group.dataset.drag, "aria-valuemin": left, "aria-valuemax": right,
    }))
      handle.setAttribute(name, value);
    handle.onpointerdown = (event) => handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const to = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      move(i, to.x / scale, -to.y / scale);
    };
    handle.onkeydown = (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[event.key];
      if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      move(i, ...rows[i].map((now, e) => now + way[e] * STEP));
    };
    svg.append(handle);
    handles.set(i, handle);
    panels.role = "group"; // a picture would hide its handles
  });

  const [how] = live.children;
  const slider = how.querySelector("input");
  if (slider)
    slider.oninput = () => {
      const [c, s] = [Math.cos(slider.value), Math.sin(slider.value)];
      rows = start.map(([x, y]) => [c * x - s * y, s * x + c * y]);
      show();
    };
  how.style.visibility = "visible";
  if (handles.size) show();
}

function put(mark, name, x, y) {
  mark.setAttribute(`${name}x`, x);
  mark.setAttribute(`${name}y`, y);
}

/** An arrow from the origin, as the build draws it. */
function arrowTo(x, y) {
  const length = Math.hypot(x, y);
  if (!length) return "";
  const head = Math.min(9, length / 2);
  const [run, rise] = [(x / length) * head, (y / length) * head];
  const [neckX, neckY] = [x - run, y - rise];
  return `M0,0L${neckX},${neckY}M${x},${y}L${neckX + rise * 0.45},${neckY - run * 0.45}L${neckX - rise * 0.45},${neckY + run * 0.45}Z`;
}
