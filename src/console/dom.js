/** Elements without a framework. Text is only ever set as text, so nothing that a caller sent can become markup. */

/**
 * @typedef {Node | string | number | false | null | undefined} Child
 * @typedef {Record<string, unknown>} Properties
 */

/**
 * `on…` are listeners, `true` is an attribute without a value, absent values are left out.
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
 * The same for SVG.
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

/** Writes only what differs, so that a selection in the text stays. @param {Element} element @param {string} text */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Children by key, in this order: what stays is not touched, so focus and selection stay with it.
 * An update that puts another element in a child's place gives that one back.
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
    // Read before the update: an element that was replaced has no neighbours.
    if (isInPlace) at = known.nextElementSibling;
    const element = known ? (update?.(known, item) ?? known) : make(item);
    element.setAttribute('data-key', key);
    there.delete(key);
    if (!isInPlace) parent.insertBefore(element, at);
  }
  for (const gone of there.values()) gone.remove();
}

/** To be filled in, and not with spaces alone. @template {HTMLInputElement | HTMLTextAreaElement} Box @param {Box} box */
export function filled(box) {
  box.required = true;
  box.addEventListener('input', () => box.setCustomValidity(box.value && !box.value.trim() ? 'Spaces alone say nothing.' : ''));
  return box;
}

/** Said to whoever cannot see the change. @param {string} text */
export function announce(text) {
  const announcer = document.getElementById('announcer');
  if (announcer) announcer.textContent = text;
}

/** A message that stands where it belongs. @param {'bad' | 'warn' | 'good' | 'note'} tone @param {...(Child | Child[])} children */
export const message = (tone, ...children) => h('p', { class: `message ${tone}`, role: tone === 'bad' ? 'alert' : undefined }, ...children);
