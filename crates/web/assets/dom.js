// Small helpers for the page's elements.

/** The element with this id. */
export const $ = id => document.getElementById(id);

/** Makes an element. Properties that begin with "on" are listeners; the others are attributes. */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'class') node.className = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

const SVG = 'http://www.w3.org/2000/svg';

/** Makes an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Tells a screen reader something. */
export function announce(text) {
  const region = $('announce');
  region.textContent = '';
  // A reader notices the change only if the text differs for a moment.
  setTimeout(() => { region.textContent = text; }, 30);
}

/** Shows a one-line message that the user can dismiss. */
export function showMessage(text) {
  const box = $('messages');
  for (const old of box.children) if (old.dataset.text === text) old.remove();
  const message = el('div', { class: 'message', 'data-text': text, 'data-test': 'message' },
    el('span', {}, text),
    el('button', { type: 'button', class: 'quiet', 'aria-label': 'Dismiss the message', onclick: () => message.remove() }, '✕'));
  box.append(message);
  while (box.children.length > 3) box.firstChild.remove();
}

export function clearMessages() { $('messages').replaceChildren(); }

/** Reads a value from the browser's store; the fallback if there is none or the store is closed. */
export function load(key, fallback = null) {
  try {
    const text = localStorage.getItem(`jamboree.${key}`);
    return text === null ? fallback : JSON.parse(text);
  } catch { return fallback; }
}

export function save(key, value) {
  try { localStorage.setItem(`jamboree.${key}`, JSON.stringify(value)); } catch { /* the store is closed or full */ }
}

/** Is the page dark now? */
export function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

/** 12345678 becomes "12.3 M". */
export function short(number) {
  if (!Number.isFinite(number)) return '–';
  for (const [size, unit] of [[1e9, ' G'], [1e6, ' M'], [1e3, ' k']]) {
    if (number >= size) return (number / size).toFixed(number >= size * 100 ? 0 : 1) + unit;
  }
  return String(Math.round(number));
}
