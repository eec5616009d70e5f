/** Sends a request from the reference, and shows the status, headers and body of the answer. */
import { addCopyButtons } from './docs-samples.js';
import { announce, h, message } from './dom.js';

const mostCharacters = 50_000;

/** @param {HTMLElement} place @param {string} path @param {RequestInit} request @param {boolean} isDryRun */
export async function showAnswer(place, path, request, isDryRun) {
  const from = performance.now();
  try {
    const response = await fetch(path, request);
    const body = pretty(await response.text());
    const took = Math.round(performance.now() - from);
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    place.replaceChildren(
      h('p', { class: `message ${response.ok ? 'good' : 'bad'}` }, `${response.status} ${response.statusText} · ${took} ms`),
      h('p', { class: 'soft' }, reached(response, isDryRun)),
      h('h3', {}, 'Headers'),
      block(headers),
      h('h3', {}, 'Body'),
      block(body.slice(0, mostCharacters)),
      ...(body.length > mostCharacters ? [h('p', { class: 'soft' }, `The first ${mostCharacters} characters of ${body.length}.`)] : []),
    );
    addCopyButtons(place);
    announce(`The answer is ${response.status}`);
  } catch (error) {
    const words = error instanceof TypeError ? error.message : 'The connection broke';
    place.replaceChildren(message('bad', `No answer: ${words}`));
  }
}

/** @param {Response} response @param {boolean} isDryRun */
function reached({ status, headers }, isDryRun) {
  if (status === 401) return 'You are signed out, or the key is unknown. Sign in in another tab and send again, or reload this page.';
  if (isDryRun) return 'This was a dry run: no lead was sent.';
  return headers.has('x-leadgate-sandbox') ? 'The sandbox answered: nothing real was sent.' : '';
}

/** @param {string} text */
const block = (text) => h('div', { class: 'block' }, h('pre', {}, text));

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
