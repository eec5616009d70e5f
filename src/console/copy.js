/** A button that copies an id, and says that it did. */
import { announce, h } from './dom.js';

const saidForMs = 2_000;

/** @param {string} id */
export function copyButton(id) {
  const button = h('button', { type: 'button', class: 'copy', title: 'Copy the id', 'aria-label': `Copy ${id}`, onclick: copy }, '⧉');

  async function copy() {
    const isCopied = await written(id);
    announce(isCopied ? 'Copied' : 'The browser does not let this page copy');
    button.textContent = isCopied ? '✓' : '✗';
    setTimeout(() => (button.textContent = '⧉'), saidForMs);
  }

  return button;
}

/** Without TLS browsers offer no clipboard, except on the machine itself: there the page copies a selection. @param {string} text */
async function written(text) {
  if (navigator.clipboard)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const box = h('textarea', { class: 'unseen', readonly: true });
  box.value = text;
  document.body.append(box);
  box.select();
  const isCopied = document.execCommand('copy');
  box.remove();
  return isCopied;
}
