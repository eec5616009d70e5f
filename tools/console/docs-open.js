/** Loads a page of the reference with the gateway key or the session, and offers to sign in if both are missing or wrong. */
import { callerHeader, get, Refused } from './api.js';
import { h, message } from './dom.js';
import { openSignIn } from './sign-in.js';

/** @param {() => void} start is called once the page is loaded */
export async function openWithKey(start) {
  const main = document.getElementById('main') ?? document.body;
  const refused = await get('/version').then(
    () => undefined,
    (error) => error instanceof Refused && error,
  );
  const { status, page } = refused ? { status: refused.status } : await ask();
  if (page) {
    document.title = page.title;
    document.body.replaceWith(document.adoptNode(page.body));
    start();
    if (location.hash) location.replace(location.hash);
  } else if (status === 401) openSignIn(main, () => void openWithKey(start), refused ? refused.signIn : undefined, '/version', 'a key');
  else if (status === 0) main.replaceChildren(message('bad', 'The gateway does not answer. Reload this page.'));
  else main.replaceChildren(h('h1', {}, 'Page not found'), h('p', {}, h('a', { href: '/docs' }, 'Open the reference')));
}

/** An XMLHttpRequest parses HTML without running its scripts. @returns {Promise<{ status: number, page?: Document | null }>} */
const ask = () =>
  new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open('GET', location.pathname);
    request.responseType = 'document';
    for (const [name, value] of Object.entries(callerHeader())) request.setRequestHeader(name, value);
    request.onloadend = () => done({ status: request.status, page: request.status === 200 ? request.responseXML : null });
    request.send();
  });
