/** Downloads a file through the browser. */
import { h } from './dom.js';

/** @param {string} name @param {Blob} blob */
export function save(name, blob) {
  const href = URL.createObjectURL(blob);
  h('a', { href, download: name }).click();
  URL.revokeObjectURL(href);
}
