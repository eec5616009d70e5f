/** Shows the page that signs a person in at the issuer, or asks for a gateway key, once per tab. */
import { gatewayKey, get, Refused, wordsOf } from './api.js';
import { filled, h, message } from './dom.js';
import { place } from './sign-out.js';

/**
 * Asks for a key that can read `path`, or offers the issuer.
 * @param {HTMLElement} main
 * @param {() => void} done
 * @param {import('./api.js').Offer} [offer]
 */
export function openSignIn(main, done, offer, path = '/api/caller', kind = 'a key with the operator scope') {
  const hadKey = Boolean(gatewayKey.get());
  gatewayKey.forget();
  const input = filled(h('input', { id: 'key', type: 'password', autocomplete: 'off', spellcheck: 'false' }));
  const problem = h('div', {}, hadKey && message('bad', 'This key is unknown.'));

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    gatewayKey.set(input.value.trim());
    try {
      await get(path);
      done();
    } catch (error) {
      gatewayKey.forget();
      const words = error instanceof Refused && error.status === 401 ? 'This key is unknown.' : wordsOf(error);
      problem.replaceChildren(message('bad', words));
      input.focus();
    }
  }

  const means = offer ? `Or use ${kind}.` : `This gateway requires ${kind}.`;
  const link =
    offer &&
    h('a', { class: 'button primary', href: `${offer.url}?to=${location.pathname}`, onclick: place.keep }, `Sign in with ${offer.issuer}`);
  main.replaceChildren(
    h(
      'form',
      { class: 'panel narrow', onsubmit: submit },
      h('h1', {}, 'Sign in'),
      link && h('div', { class: 'actions' }, link),
      h('p', {}, `${means} The key is stored only in this tab, until you close it.`),
      h('label', { for: 'key' }, 'Gateway key'),
      input,
      problem,
      h('div', { class: 'actions' }, h('button', { class: offer ? undefined : 'primary' }, offer ? 'Sign in with the key' : 'Sign in')),
    ),
  );
  (link ?? input).focus();
  return { close: () => {} };
}
