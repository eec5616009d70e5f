/** Shows the decisions for a parked lead, and the button that retries a waiting lead. */
import { get, leadPath, post } from './api.js';
import { h } from './dom.js';
import { openDialog, reasonInput } from './dialog.js';
import { parkedAt } from './verbs.js';

/**
 * @param {string} leadId
 * @param {import('./lead.js').Lead} lead
 * @param {(done: string) => void} changed
 */
export function decisions(leadId, { step, steps }, changed) {
  const { verbs, becauseOf, otherwise } = parkedAt(step);
  const code = steps.find(({ name }) => name === step)?.error?.code ?? '';

  /** @param {import('./verbs.js').Verb} verb */
  async function ask({ verb, label, means, done, idLabel, isIdKnown, isGrave }) {
    const place = location.hash;
    const known = isIdKnown ? await knownPatient(leadId) : {};
    if (location.hash !== place) return;
    openDialog({
      title: label,
      leadId,
      means,
      label,
      isGrave,
      inputs: idLabel ? [{ name: 'upstreamId', label: idLabel, ...known }, reasonInput] : [reasonInput],
      act: async (values, order) => {
        await post(`${leadPath(leadId)}/${verb}`, values, order);
        changed(done);
      },
    });
  }

  return h(
    'section',
    { class: 'panel call-to-act', 'aria-labelledby': 'decide' },
    h('h2', { id: 'decide' }, 'Look in the upstream, then decide'),
    h('p', {}, becauseOf[code] ?? otherwise),
    h(
      'div',
      { class: 'actions' },
      ...verbs.map((verb) =>
        h('button', { type: 'button', class: verb.isGrave ? 'grave' : undefined, title: verb.means, onclick: () => ask(verb) }, verb.label),
      ),
    ),
  );
}

/** @param {string} leadId @param {(done: string) => void} changed */
export const tryButton = (leadId, changed) =>
  h(
    'div',
    { class: 'actions' },
    h(
      'button',
      {
        type: 'button',
        onclick: () =>
          openDialog({
            title: 'Try now',
            leadId,
            means:
              'The lead is tried without waiting further. If the upstream is held, the first lead in its queue is tried, maybe not this one.',
            label: 'Try now',
            inputs: [reasonInput],
            act: async (values, order) => {
              await post(`${leadPath(leadId)}/try`, values, order);
              changed('The lead no longer waits. If the upstream is held, the first lead in its queue is tried, maybe not this one.');
            },
          }),
      },
      'Try now …',
    ),
  );

/** The patient id of a comment, from V1's answer. Reading it is recorded on the audit trail, like every read in clear. @param {string} leadId */
async function knownPatient(leadId) {
  /** @type {import('./lead.js').Story | undefined} */
  const story = await get(`${leadPath(leadId)}/exchanges?clear=true`).catch(() => undefined);
  const request = story?.exchanges.findLast(({ call }) => call === 'sendComments')?.request;
  return typeof request === 'object' && request !== null && 'subjectId' in request
    ? { value: String(request.subjectId), hint: 'From the answer of V1. Showing it is recorded on the audit trail.' }
    : {};
}
