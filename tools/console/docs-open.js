/** Loads a page of the reference with the gateway key, and asks for the key if it is missing or wrong. */
import { gatewayKey } from './api.js';
import { h, message } from './dom.js';
import { openSignIn } from './sign-in.js';

/** @param {() => void} start is called once the page is loaded */
export async function openWithKey(start) {
  const main = document.getElementById('main') ?? document.body;
  const { status, page } = gatewayKey.get() ? await ask() : { status: 401 };
  if (page) {
    document.title = page.title;
    document.body.replaceWith(document.adoptNode(page.body));
    start();
    if (location.hash) location.replace(location.hash);
  } else if (status === 401) openSignIn(main, () => void openWithKey(start), '/version', 'a key');
  else if (status === 0) main.replaceChildren(message('bad', 'The gateway does not answer. Reload this page.'));
  else main.replaceChildren(h('h1', {}, 'Page not found'), h('p', {}, h('a', { href: '/docs' }, 'Open the reference')));
}

/** An XMLHttpRequest parses HTML without running its scripts. @returns {Promise<{ status: number, page?: Document | null }>} */
const ask = () =>
  new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open('GET', location.pathname);
    request.responseType = 'document';
    request.setRequestHeader('authorization', `Bearer ${gatewayKey.get()}`);
    request.onloadend = () => done({ status: request.status, page: request.status === 200 ? request.responseXML : null });
    request.send();
  });
