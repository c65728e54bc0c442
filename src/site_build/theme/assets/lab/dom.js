// Elements of the lab. Text becomes text, whatever stands in it.

/** Make an element. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const area = (className, ...children) => make("div", { className }, ...children);

export const group = (className, legend, ...children) =>
  make("fieldset", { className }, make("legend", {}, legend), ...children);

export const button = (text, onclick, label = text) =>
  make("button", { type: "button", className: "lab-button", onclick, "aria-label": label }, text);

/** Make a box or, of those with one name, a button of a radio, behind its words. */
export const option = (type, name, text, onchange) =>
  make("label", { className: "lab-option" }, make("input", { type, name, onchange }), make("span", { dir: "auto" }, text));

/** Put children into a parent if there are not as many as there should be. */
export function keep(parent, count, makeChild) {
  if (parent.children.length !== count)
    parent.replaceChildren(...Array.from({ length: count }, (_, i) => makeChild(i)));
  return [...parent.children];
}
