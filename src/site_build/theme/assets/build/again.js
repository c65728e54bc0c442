// What was done with each function, and which went wrong, as a guess may: these come back after one day,
// and then, as long as they go well, after three, seven and twenty-one. Kept in this browser alone.
import { here, keep, mark, recall } from "../progress/kept.js";

const DAYS = [1, 3, 7, 21];
const LEVELS = ["predicted", "found", "ordered", "repaired", "built"];
const today = () => Math.floor(Date.now() / 864e5);

/** Something went wrong with a function. */
export function missed(name) {
  const { again = {} } = recall();
  keep({ again: { ...again, [name]: { page: here, day: today(), after: DAYS[0] } } });
}

/** Something was done; it is kept if it is more than before. If it is due and went well, it can wait longer. */
export function remember(name, what, erred) {
  const { built = {}, made = [], again = {} } = recall();
  const { [name]: due, ...others } = again;
  const next = DAYS[DAYS.indexOf(due?.after) + 1];
  if (LEVELS.indexOf(what) > LEVELS.indexOf(built[name])) built[name] = what;
  const waits = !due || erred || today() < due.day + due.after;
  const kept = waits ? again : next ? { ...others, [name]: { ...due, day: today(), after: next } } : others;
  keep({ built, again: kept, made: what === "built" ? [...new Set([...made, here])] : made });
  mark();
}

/** A guess on this page was pressed. The first one counts, and the next one when it has come back. */
export function guessed(right, before) {
  const { [here]: back } = recall().again ?? {};
  if (back ? today() < back.day + back.after : before) return;
  if (right) remember(here);
  else missed(here);
}

/** What comes back today, what waits longest first. A guess has its page for a name. */
export const due = () =>
  Object.entries(recall().again ?? {})
    .map(([name, { page, day, after }]) => ({ name, page, late: today() - day - after }))
    .filter(({ late }) => late >= 0)
    .sort((a, b) => b.late - a.late);
