/** Adds copy buttons to the samples of the reference, and shows all samples in the language that was chosen last. */
import { copyButton } from './copy.js';

const keptUnder = 'leadgate-language';

/** @param {ParentNode} root */
export function addCopyButtons(root) {
  for (const block of root.querySelectorAll('.block')) block.append(copyButton(block.textContent ?? '', 'Copy', 'Copy this example'));
}

export function keepLanguage() {
  choose(localStorage.getItem(keptUnder) ?? 'curl');
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.closest('.samples')) return;
    localStorage.setItem(keptUnder, target.value);
    const before = target.getBoundingClientRect().top;
    choose(target.value);
    window.scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' });
  });
}

/** @param {string} language */
function choose(language) {
  for (const radio of document.querySelectorAll('.samples input'))
    if (radio instanceof HTMLInputElement && radio.value === language) radio.checked = true;
}
