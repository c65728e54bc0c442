// What every part of a page that moves needs of the browser.

/** Whether the reader prefers no motion, in `matches`. */
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Make an element with properties or attributes, and children. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  element.append(...children.flat());
  return element;
}
