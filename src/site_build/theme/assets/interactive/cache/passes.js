// What is computed when a text is written, pass by pass. The page has this function in Python, and
// tests/site_build/interactive/test_cache.py holds them equal.

/** For each pass: how many words there are, and how many keys and values of them were kept. */
export function passes({ words, prompt, cache, lost }) {
  const all = [];
  let kept = 0;
  for (let now = prompt; now <= words; now++) {
    if (!cache || kept === lost) kept = 0;
    all.push({ now, kept });
    kept = now;
  }
  return all;
}

/** How many keys and values are computed in all. */
export const computed = (all) => all.reduce((sum, { now, kept }) => sum + now - kept, 0);
