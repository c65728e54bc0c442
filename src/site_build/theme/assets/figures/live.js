// Vectors in a plane that are dragged, with a finger, the mouse or the arrow keys, and what follows
// from them. The numbers that a page starts with were printed and compared; this repeats their arithmetic.

const STEP = 0.1;
const LEAP = 5; // steps at once, with the Shift key or by page
const ENOUGH = 0.9; // of a component, to say that this is the next word
const WAYS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowDown: [0, -1],
  ArrowUp: [0, 1],
  PageDown: [0, -LEAP],
  PageUp: [0, LEAP],
  Home: [-Infinity, 0], // to the edge of the plane
  End: [Infinity, 0],
};
const dot = (a, b) => a[0] * b[0] + a[1] * b[1];
const write = (x) => (isNaN(x) ? "–" : x.toFixed(2).replace(/^-(0.00)?/, (_, zero) => zero ?? "−"));
const percent = (x) => (isNaN(x) ? "–" : `${Math.round(100 * x)} %`);
const rowsOf = (text = "") => text.split("|").map((row) => row.split(" ").map(Number));

// Each takes the figure, changes the rows that follow, and returns the numbers and what they mean.
const follow = {
  next({ rows, at, goals, says }) {
    const shares = rows[at].map((x) => x / (rows[at][0] + rows[at][1]));
    const reached = goals.findIndex((goal) => shares[+(rows[goal][0] < rows[goal][1])] > ENOUGH);
    return [shares, says.at(reached), rows, goals[reached]];
  },
  mix({ rows, at, names }) {
    const values = rows.slice(0, at);
    const powers = values.map((key) => Math.exp(dot(key, rows[at])));
    const total = powers.reduce((sum, power) => sum + power);
    const shares = powers.map((power) => power / total);
    rows[at + 1] = [0, 1].map((e) => shares.reduce((sum, share, j) => sum + share * values[j][e], 0));
    const most = Math.max(...shares);
    const first = names.filter((_, i) => most - shares[i] < 0.005).map((name) => `“${name}”`);
    return [shares, `Most comes from ${first.join(" and ")}: ${write(most)}${first[1] ? " each" : ""}.`];
  },
};

for (const live of document.querySelectorAll("[data-needs='figures/live']")) {
  const panels = live.parentNode.querySelector(".figure-panels");
  const svg = panels.querySelector("svg");
  const groups = [...svg.querySelectorAll("[data-row]")];
  const { does, says } = live.dataset;
  const numbers = [...live.querySelectorAll("b")];
  const start = groups.map((group) => rowsOf(group.dataset.row)[0]);
  const figure = {
    at: groups.findIndex((group) => group.dataset.drag),
    goals: groups.flatMap((group, i) => ("goal" in group.dataset ? i : [])),
    says: (says ?? "").split("|"),
    names: numbers.map((number) => number.previousSibling.textContent.trim()),
  };
  const scale = +svg.dataset.scale;
  const [[left, right, low, high]] = rowsOf(svg.dataset.ends);
  const titles = svg.dataset.axes?.split("|");
  const handles = new Map();
  const place = ([x, y]) => [x * scale, -y * scale];
  const output = live.querySelector("output");
  const printed = numbers.map((number) => number.textContent);

  const show = () => {
    const [shown, means, rows = figure.rows, reached] = follow[does](figure);
    numbers.forEach((number, i) => {
      number.textContent = (does === "next" ? percent : write)(shown[i]);
      number.parentNode.style.setProperty("--share", shown[i]);
    });
    output.textContent = means ?? "";
    const labels = [];
    groups.forEach((group, i) => {
      group.dataset.row = rows[i].join(" ");
      group.classList.toggle("reached", i === reached);
      const arrow = group.querySelector(".arrow");
      if (arrow && handles.has(i)) arrow.setAttribute("d", arrowTo(...place(rows[i])));
      const [x, y] = place(rows[i]);
      const pull = group.querySelector(".pull");
      if (pull) {
        pull.setAttribute("d", `M${x},${y}L${place(rows[figure.at + 1])}`);
        pull.style.setProperty("--weight", shown[i]);
      }
      const mark = group.querySelector(".origin");
      if (mark) put(mark, "c", x, y);
      const label = group.querySelector(".asks");
      if (label) labels.push([label, x, y]);
      const handle = handles.get(i);
      if (!handle) return;
      put(handle, "c", x, y);
      handle.ariaValueNow = rows[i][0];
      handle.ariaValueText = titles.map((title, e) => `${title} ${write(rows[i][e])}`).join(", ");
    });
    placeLabels(svg, labels);
  };

  const move = (i, x, y) => {
    const near = (to, from, end) => +Math.min(end, Math.max(from, to)).toFixed(1);
    figure.rows[i] = [near(x, left, right), near(y, low, high)];
    show();
  };

  groups.forEach((group, i) => {
    if (!group.dataset.drag) return;
    svg.insertAdjacentHTML("beforeend", `<circle class=handle r=15 tabindex=0 role=slider aria-valuemin=${left} aria-valuemax=${right} />`);
    const handle = svg.lastElementChild;
    handle.ariaLabel = group.dataset.drag;
    // A circle's `touch-action` is ignored: without this, a finger that drags it scrolls the page.
    handle.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    handle.onmousedown = (event) => event.preventDefault(); // no text is selected
    handle.onpointerdown = (event) => {
      handle.setPointerCapture(event.pointerId);
      handle.focus({ preventScroll: true });
    };
    handle.onpointermove = (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const to = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      move(i, to.x / scale, -to.y / scale);
    };
    handle.onkeydown = (event) => {
      const way = WAYS[event.key];
      if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const far = event.shiftKey ? LEAP * STEP : STEP;
      move(i, ...figure.rows[i].map((now, e) => now + way[e] * far));
    };
    handles.set(i, handle);
    panels.role = "group"; // a picture would hide its handles
  });

  const begin = () => {
    figure.rows = structuredClone(start);
    show();
    numbers.forEach((number, i) => (number.textContent = printed[i]));
    output.textContent = "";
  };
  const [how] = live.children;
  how.querySelector("button").onclick = begin;
  begin();
  how.style.visibility = "visible";
}

function put(mark, name, x, y) {
  mark.setAttribute(`${name}x`, x);
  mark.setAttribute(`${name}y`, y);
}

/** Puts each label beside its point, where it covers least of what is written and drawn. */
function placeLabels(svg, labels) {
  const { x: left, y: top, width: wide, height: high } = svg.viewBox.baseVal;
  const moving = new Set(labels.map(([label]) => label));
  const taken = [...svg.querySelectorAll("text, .dot, .origin, .handle")]
    .filter((mark) => !moving.has(mark))
    .map((mark) => mark.getBBox());
  for (const line of svg.querySelectorAll(".pull, .arrow, .rule"))
    for (let part = 0; part < 1; part += 0.02) {
      const { x, y } = line.getPointAtLength(part * line.getTotalLength());
      taken.push({ x: x - 3, y: y - 3, width: 6, height: 6 });
    }
  const shared = (a, b) =>
    Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
    Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));
  for (const [label, x, y] of labels) {
    const { width, height } = label.getBBox();
    const length = Math.hypot(x, y) || 1;
    const ways = [[x / length, y / length]];
    for (const down of [0, -1, 1]) for (const right of [1, -1, 0]) if (right || down) ways.push([right, down]);
    let best;
    for (const gap of [18, 30, 44])
      for (const [right, down] of ways) {
        const box = { width, height };
        box.x = x + right * (width / 2 + gap) - width / 2;
        box.y = y + down * (height / 2 + gap) - height / 2;
        const inside = shared(box, { x: left, y: top, width: wide, height: high });
        const cost = taken.reduce((sum, other) => sum + shared(box, other), width * height - inside);
        if (!best || cost < best.cost - 0.5) best = { box, cost };
      }
    taken.push(best.box);
    label.style.textAnchor = "middle";
    put(label, "", best.box.x + width / 2, best.box.y + height * 0.78);
  }
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
