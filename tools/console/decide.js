/** A person's decision about a parked lead, and the button that tries a waiting one. */
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
    h('h2', { id: 'decide' }, 'Look in the upstream, then say what is true'),
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
            means: 'The lead does not wait for its next try. Before an upstream that is held, the next lead of its line goes.',
            label: 'Try now',
            inputs: [reasonInput],
            act: async (values, order) => {
              await post(`${leadPath(leadId)}/try`, values, order);
              changed('The wait is over. At an upstream that is held, the next lead of its line goes.');
            },
          }),
      },
      'Try now …',
    ),
  );

/** The patient of a comment, as V1 answered it. To show it is on record, like every look in clear. @param {string} leadId */
async function knownPatient(leadId) {
  /** @type {import('./lead.js').Story | undefined} */
  const story = await get(`${leadPath(leadId)}/exchanges?clear=true`).catch(() => undefined);
  const request = story?.exchanges.findLast(({ call }) => call === 'sendComments')?.request;
  return typeof request === 'object' && request !== null && 'subjectId' in request
    ? { value: String(request.subjectId), hint: 'It is what V1 answered. That it is shown here is on record.' }
    : {};
}
