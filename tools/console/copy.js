/** Creates a button that copies a text and confirms it. */
import { announce, h, svg } from './dom.js';

const saidForMs = 2_000;

/** Drawn as SVG, because not every font has these icons. */
const shapes = {
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  done: 'M3 8.500l3.500 3.500 6.500-7.500',
  refused: 'M4 4l8 8M12 4l-8 8',
};

/** @param {keyof typeof shapes} name */
const sign = (name) => svg('svg', { viewBox: '0 0 16 16', width: 16, height: 16, 'aria-hidden': 'true' }, svg('path', { d: shapes[name] }));

/** @param {string} text @param {string} [title] @param {string} [label] */
export function copyButton(text, title = 'Copy the id', label = `Copy ${text}`) {
  const button = h('button', { type: 'button', class: 'copy', title, 'aria-label': label, onclick: copy }, sign('copy'));

  async function copy() {
    const isCopied = await written(text);
    announce(isCopied ? 'Copied' : 'The browser does not allow this page to copy');
    button.replaceChildren(sign(isCopied ? 'done' : 'refused'));
    setTimeout(() => button.replaceChildren(sign('copy')), saidForMs);
  }

  return button;
}

/** Without TLS, browsers offer the clipboard only on localhost. Elsewhere the page copies a selection. @param {string} text */
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
