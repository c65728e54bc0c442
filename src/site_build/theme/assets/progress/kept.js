// What this browser keeps of the reader's way through the course, and nobody else sees.
export const KEY = "attention-steps-progress";

export const root = new URL(JSON.parse(document.querySelector("#__config").textContent).base + "/", location);
/** The address of a page, relative to the site's. */
export const pathOf = ({ pathname }) => pathname.slice(root.pathname.length);
export const here = pathOf(location);

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
