// The widths become shares, plain ones or by exponentials.

import { attend, mix, two } from "../attention.js";
import { choice } from "./controls.js";
import { arcs } from "../drawing.js";
import lesson from "../lesson.js";

function share(vectors, asks, { way }) {
  const soft = attend(vectors[asks], vectors, vectors);
  if (way === "exponential") return soft;
  const sum = soft.scores.reduce((a, b) => a + b);
  const shares = soft.scores.map((score) => score / sum);
  return { ...soft, shares, context: mix(shares, vectors), isPlain: true };
}

export default {
  ...lesson,
  settings: { way: "plain" },
  controls: [choice("way", "shares:", [["plain", "plain"], ["exponential", "exponential"]])],
  heads: [{ name: "", attend: share }],
  layers: [arcs],
  below: ({ shares }, j) => two(shares[j]),
  verdict: (_, { shares }) => {
    const without = shares.filter((share) => share === 0).length;
    if (!without) return "Every word has a share.";
    return without === 1 ? "One word has no share." : `${without} words have no share.`;
  },
};
