/** Shows the page that asks for a gateway key, once per tab. */
import { gatewayKey, get, Refused, wordsOf } from './api.js';
import { filled, h, message } from './dom.js';

/** Asks for a key that can read `path`. @param {HTMLElement} main @param {() => void} done */
export function openSignIn(main, done, path = '/api/caller', kind = 'a key with the operator scope') {
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

  main.replaceChildren(
    h(
      'form',
      { class: 'panel narrow', onsubmit: submit },
      h('h1', {}, 'Sign in'),
      h('p', {}, `This gateway requires ${kind}. The key is stored only in this tab, until you close it.`),
      h('label', { for: 'key' }, 'Gateway key'),
      input,
      problem,
      h('div', { class: 'actions' }, h('button', { class: 'primary' }, 'Sign in')),
    ),
  );
  input.focus();
  return { close: () => {} };
}
