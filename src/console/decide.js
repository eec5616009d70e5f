/** The form for a person's decision about a parked lead. */
import { leadPath, post } from './api.js';
import { h } from './dom.js';
import { openDialog, reasonInput } from './dialog.js';
import { parkedAt } from './verbs.js';

/**
 * @param {string} leadId
 * @param {import('./lead.js').Lead} lead
 * @param {() => import('./lead.js').Story | undefined} told the story that is shown now
 * @param {(done: string) => void} changed
 */
export function decisions(leadId, { step, steps }, told, changed) {
  const { verbs, becauseOf, otherwise } = parkedAt(step);
  const code = steps.find(({ name }) => name === step)?.error?.code ?? '';
  const ask = (/** @type {import('./verbs.js').Verb} */ { verb, label, means, done, idLabel, isGrave }) =>
    openDialog({
      title: label,
      leadId,
      means,
      label,
      isGrave,
      inputs: idLabel ? [{ name: 'upstreamId', label: idLabel, ...patientIn(told()) }, reasonInput] : [reasonInput],
      act: async (values, order) => {
        await post(`${leadPath(leadId)}/${verb}`, values, order);
        changed(done);
      },
    });
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

/** The patient of a comment, if shown in clear; else where to find the id. @param {import('./lead.js').Story | undefined} story */
function patientIn(story) {
  const request = story?.exchanges.findLast(({ call }) => call === 'sendComments')?.request;
  if (typeof request !== 'object' || request === null || !('subjectId' in request)) return {};
  return typeof request.subjectId === 'number'
    ? { value: String(request.subjectId) }
    : { hint: 'It is the PatientID in the answer to “Send to V1”; after “Show in clear” it stands here by itself.' };
}
