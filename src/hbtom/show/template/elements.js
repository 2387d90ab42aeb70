// Makes elements. Text is always inserted as text, so nothing from a file can become markup.

const SVG = "http://www.w3.org/2000/svg";

/** Make an HTML element: attributes, "on…" listeners, children that are elements or text. */
function make(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

/** Make an SVG element in the same way. */
function draw(name, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, name), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Set those attributes of an element that have changed. */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }
}

/** Mark an element as the current one of its kind, or not. */
function mark(element, isCurrent) {
  if (isCurrent) set(element, { "aria-current": "true" });
  else element.removeAttribute("aria-current");
}

/** Set an element's text only if it has changed, so that screen readers announce only changes. */
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const round = (value) => Math.round(value * 100) / 100;
const perCent = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)}\u00a0%`);
const decimals = (value, digits) =>
  value === null ? "–" : value.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−");
const three = (value) => (value >= 0.0005 ? value.toFixed(3) : "<0.001");
const prefersCalm = matchMedia("(prefers-reduced-motion: reduce)");
