/** Creates and updates elements without a framework. Text is always set as text, so that data from a caller cannot become markup. */

/**
 * @typedef {Node | string | number | false | null | undefined} Child
 * @typedef {Record<string, unknown>} Properties
 */

/**
 * Creates an element. `on…` properties are listeners, `true` is an attribute without a value, and absent values are left out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Properties} [properties]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) set(element, name, value);
  append(element, children);
  return element;
}

/**
 * Creates an SVG element.
 * @param {string} tag
 * @param {Properties} [properties]
 * @param {...(Child | Child[])} children
 */
export function svg(tag, properties = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(properties)) set(element, name, value);
  append(element, children);
  return element;
}

/** @param {Element} element @param {string} name @param {unknown} value */
export function set(element, name, value) {
  if (name.startsWith('on') && typeof value === 'function') {
    element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
  } else if (value === undefined || value === null || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : String(value));
}

/** @param {Element} element @param {(Child | Child[])[]} children */
function append(element, children) {
  for (const child of children.flat()) {
    if (child === false || child === null || child === undefined) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Sets the text only if it differs, to keep a selection in it. @param {Element} element @param {string} text */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Updates children by key, in this order. An unchanged child is not touched, so it keeps focus and selection.
 * If an update replaces the child's element, it returns the new one.
 * @template Item
 * @param {Element} parent
 * @param {readonly Item[]} items
 * @param {(item: Item) => string} keyOf
 * @param {(item: Item) => HTMLElement} make
 * @param {(element: HTMLElement, item: Item) => HTMLElement | void} [update]
 */
export function keyed(parent, items, keyOf, make, update) {
  const there = new Map([...parent.children].map((child) => [child.getAttribute('data-key'), /** @type {HTMLElement} */ (child)]));
  /** @type {Element | null} */
  let at = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    const known = there.get(key);
    const isInPlace = known !== undefined && known === at;
    // Read this before the update, because a replaced element has no siblings.
    if (isInPlace) at = known.nextElementSibling;
    const element = known ? (update?.(known, item) ?? known) : make(item);
    element.setAttribute('data-key', key);
    there.delete(key);
    if (!isInPlace) parent.insertBefore(element, at);
  }
  for (const gone of there.values()) gone.remove();
}

/** Makes a field required, and rejects spaces alone. @template {HTMLInputElement | HTMLTextAreaElement} Box @param {Box} box */
export function filled(box) {
  box.required = true;
  box.addEventListener('input', () => box.setCustomValidity(box.value && !box.value.trim() ? 'Enter more than spaces.' : ''));
  return box;
}

/** A link to another site, which opens in a new tab. @param {string} href @param {string} words */
export const outside = (href, words) => h('a', { href, target: '_blank', rel: 'noreferrer' }, words);

/** Announces a change to screen readers. @param {string} text */
export function announce(text) {
  const announcer = document.getElementById('announcer');
  if (announcer) announcer.textContent = text;
}

/** A message on the page. @param {'bad' | 'warn' | 'good' | 'note'} tone @param {...(Child | Child[])} children */
export const message = (tone, ...children) => h('p', { class: `message ${tone}`, role: tone === 'bad' ? 'alert' : undefined }, ...children);

/** `1 row`, `2,000 rows`. @param {number} many @param {string} one */
export const counted = (many, one) => `${many.toLocaleString()} ${one}${many === 1 ? '' : 's'}`;
