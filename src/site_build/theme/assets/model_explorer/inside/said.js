// The sentences of a page that speak of an opened part: it names them, and leads back to them.

/** The sentence around a link. */
function sentenceAround(link) {
  const around = link.closest("p, li");
  const range = document.createRange();
  range.setStart(around, 0);
  range.setEndBefore(link);
  const before = range.toString().split(/[.?:] /).at(-1);
  range.selectNodeContents(around);
  range.setStartAfter(link);
  const [after] = /^.*?(?:[.?](?= |$)|$)/.exec(range.toString().replace(/\s+/g, " "));
  return `${before}${link.textContent}${after}`.replace(/\s+/g, " ").replaceAll("<", "&lt;");
}

export function said(part) {
  const links = [...document.querySelectorAll(`a[href="#whole:${part}"]`)].filter((link) => link.checkVisibility());
  const all = links.map((link, n) => `<a href="#${(link.id = `of-${part}-${n}`)}">“${sentenceAround(link).trim()}”</a>`);
  return all.length ? `<div class="whole-row"><p>The page says: ${all.join(" ")}</p></div>` : "";
}
