// A query that meets keys: the reader chooses which word asks, and how much one of them describes. The
// numbers that a page starts with were printed and compared; this repeats their arithmetic.

// What a plug and its ribbon look like at each stop of the slider comes from the build.
const write = (x) => +x.toFixed(1);

for (const live of document.querySelectorAll("[data-needs='keys/keys']")) {
  const svg = live.parentNode.querySelector("svg");
  const groups = [...svg.querySelectorAll("[data-row]")];
  const start = groups.map((group) => group.dataset.row.split(" ").map(Number));
  const [word, number] = svg.querySelectorAll("text.asks");
  const buttons = [...live.querySelectorAll("button")];
  const slider = live.querySelector("input");
  const holds = live.querySelectorAll("b");
  const output = live.querySelector("output");
  const names = buttons.map((button) => button.textContent);
  const printed = groups.map((group) => group.lastChild.textContent);

  const show = () => {
    const asks = buttons.findIndex((button) => button.ariaPressed === "true");
    const rows = start.map(([query, key, ...value], i) => [query, i == live.dataset.slides ? +slider.value : key, ...value]);
    const query = rows[asks][0];
    const powers = rows.map(([, key]) => Math.exp(query * key));
    const total = powers.reduce((sum, power) => sum + power);
    const shares = powers.map((power) => power / total);
    word.textContent = names[asks];
    number.textContent = write(query);
    groups.forEach((group, i) => {
      const [ribbon, plug, key, , share] = group.children;
      for (const mark of [ribbon, plug])
        if (mark.dataset.ways) mark.setAttribute("d", mark.dataset.ways.split("|")[slider.value / slider.step]);
      ribbon.style.setProperty("--weight", shares[i]);
      key.textContent = write(rows[i][1]);
      share.textContent = shares[i].toFixed(2);
    });
    const sums = [2, 3].map((column) => shares.reduce((sum, share, j) => sum + share * rows[j][column], 0));
    holds.forEach((part, e) => {
      const share = sums[e] / (sums[0] + sums[1]);
      part.textContent = `${Math.round(100 * share)} %`;
      part.parentNode.style.setProperty("--share", share);
    });
    const most = Math.max(...shares);
    const first = [...new Set(names.filter((_, i) => most - shares[i] < 0.005))].map((name) => `“${name}”`);
    output.textContent =
      most - Math.min(...shares) < 0.005
        ? `“${names[asks]}” finds no word better than another: all shares are equal.`
        : `“${names[asks]}” takes most from ${first.join(" and ")}.`;
  };

  for (const button of buttons)
    button.onclick = () => {
      for (const other of buttons) other.ariaPressed = other === button;
      show();
    };
  slider.oninput = show;
  // As it was printed, until something is changed.
  show();
  groups.forEach((group, i) => (group.lastChild.textContent = printed[i]));
  output.textContent = "";
  live.firstElementChild.style.visibility = "visible";
}
