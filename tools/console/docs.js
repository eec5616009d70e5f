/** Adds to the reference: copy buttons, one language for all samples, search, and forms that send requests. */
import { gatewayKey } from './api.js';
import { h } from './dom.js';
import { openWithKey } from './docs-open.js';
import { addCopyButtons, keepLanguage } from './docs-samples.js';
import { addSearch } from './docs-search.js';
import { addForms } from './docs-try.js';

function start() {
  addCopyButtons(document.body);
  keepLanguage();
  addSearch();
  addForms();
  if (gatewayKey.get())
    document.querySelector('.menu')?.before(h('button', { type: 'button', class: 'plain', onclick: signOut }, 'Sign out'));
}

function signOut() {
  gatewayKey.forget();
  location.reload();
}

if (document.body.hasAttribute('data-locked')) void openWithKey(start);
else start();
