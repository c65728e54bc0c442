// What this browser keeps of the reader's way through the course, and nobody else sees.
export const KEY = "attention-steps-progress";

/** Where storage is refused, nothing is kept, and nothing else is lost. */
export const storage = (use) => {
  try {
    return use(localStorage);
  } catch {
    return null;
  }
};

export const recall = () => ({ read: [], ...JSON.parse(storage((kept) => kept.getItem(KEY)) ?? "{}") });
export const keep = (news) => storage((kept) => kept.setItem(KEY, JSON.stringify({ ...recall(), ...news })));
