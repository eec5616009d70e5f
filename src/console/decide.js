/** What a person may say about a parked lead. */
import { leadPath, post } from './api.js';
import { announce, h } from './dom.js';
import { openDialog, reasonInput } from './dialog.js';
import { verbs } from './words.js';

const upstreamInput = { name: 'upstreamId', label: 'Its id in the upstream' };

/**
 * @param {string} leadId
 * @param {{ step?: string }} lead
 * @param {() => void} changed
 */
export function decisions(leadId, { step }, changed) {
  const ask = (/** @type {import('./words.js').Verb} */ { verb, label, means, done, isGrave }) =>
    openDialog({
      title: label,
      means,
      label,
      isGrave,
      inputs: verb === 'confirm' ? [upstreamInput, reasonInput] : [reasonInput],
      act: async (values) => {
        await post(`${leadPath(leadId)}/${verb}`, values);
        announce(done);
        changed();
      },
    });
  return h(
    'section',
    { class: 'panel call-to-act', 'aria-labelledby': 'decide' },
    h('h2', { id: 'decide' }, 'Look in the upstream, then say what is true'),
    h(
      'p',
      {},
      step === 'send-comments'
        ? 'The lead itself is in the site system. Only its comment is in doubt: sending again sends the comment alone.'
        : 'It is not known whether the lead arrived, so it is not sent again by itself.',
    ),
    h(
      'div',
      { class: 'actions' },
      ...verbs.map((verb) =>
        h('button', { type: 'button', class: verb.isGrave ? 'grave' : undefined, title: verb.means, onclick: () => ask(verb) }, verb.label),
      ),
    ),
  );
}
