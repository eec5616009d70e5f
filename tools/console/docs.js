/** Adds to the reference: copy buttons, one language for all samples, search, and forms that send requests. */
import { gatewayKey, get, listener } from './api.js';
import { h } from './dom.js';
import { openWithKey } from './docs-open.js';
import { addCopyButtons, keepLanguage } from './docs-samples.js';
import { addSearch } from './docs-search.js';
import { addForms } from './docs-try.js';
import { place, signOutPerson } from './sign-out.js';

function start() {
  addCopyButtons(document.body);
  keepLanguage();
  addSearch();
  addForms();
  if (gatewayKey.get()) addSignOut();
  else void get('/version').catch(() => undefined);
}

/** Adds the button once. */
function addSignOut() {
  if (document.getElementById('sign-out')) return;
  const button = h('button', { id: 'sign-out', type: 'button', class: 'plain', onclick: signOut }, 'Sign out');
  document.querySelector('.menu')?.before(button);
}

function signOut() {
  if (!gatewayKey.get()) return void signOutPerson();
  gatewayKey.forget();
  location.reload();
}

listener.left = addSignOut;
place.restore();
if (document.body.hasAttribute('data-locked')) void openWithKey(start);
else start();
