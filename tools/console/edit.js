/**
 * Shows the form that redrives a failed lead, unchanged or with corrected fields, or a waiting lead with corrected fields. If its run was
 * ended, the user confirms that it is not in the upstream.
 */
import { againLine } from './again.js';
import { get, leadPath, newOrder, post, Refused, wordsOf } from './api.js';
import { openDialog, reasonInput } from './dialog.js';
import { filled, h, message } from './dom.js';

const inClear = 'The fields are shown in clear, which is recorded on the audit trail.';
const editLabel = 'Edit fields …';
const refused = {
  title: 'The upstream refused this lead. No later step ran',
  means: `Correct the fields and send it again. ${inClear}`,
  edit: editLabel,
  label: 'Send again unchanged',
  asked: 'The lead is sent again with the same fields. It keeps its id.',
};
const failed = { ...refused, title: 'This lead failed. No later step ran' };
const waiting = {
  title: 'This lead is not sent yet',
  means: `To send it with corrected fields, mend it: its wait ends, and it keeps its id. ${inClear}`,
  edit: 'Mend and send again …',
};
const ended = {
  edit: editLabel,
  title: 'Its run was ended: look in the upstream',
  means: 'It may have been sent. If it is in the upstream, do nothing. If it is not, send it again, unchanged or with corrected fields.',
  label: 'Not there: send again',
  asked: 'The lead is sent again with the same fields. It keeps its id. If it is in the upstream after all, it is entered twice.',
};

/** @typedef {{ title: string, means: string, edit: string, label?: string, asked?: string }} Words */
/** @type {Readonly<Record<'refused' | 'failed' | 'waiting' | 'ended', Words>>} */
const kinds = { refused, failed, waiting, ended };

/**
 * @param {string} leadId
 * @param {import('./lead.js').Story} story
 * @param {keyof typeof kinds} kind `ended`: outside of Leadgate
 * @param {(done: string) => void} changed
 * @param {readonly HTMLElement[]} [others] further buttons
 */
export function editForm(leadId, story, kind, changed, others = []) {
  const isEnded = kind === 'ended';
  const words = kinds[kind];
  const { label, asked } = words;
  const named = new Set(story.exchanges.flatMap(({ fields = [] }) => fields));
  const place = h('div', {});
  const edit = h('button', { type: 'button', class: kind === 'waiting' ? undefined : 'primary', onclick: open }, words.edit);

  /** @param {string} order @param {string} reason @param {Record<string, unknown>} [fields] */
  async function redrive(order, reason, fields) {
    await post(`${leadPath(leadId)}/redrive`, { reason, ...(fields && { fields }), ...(isEnded && { notThere: true }) }, order);
    changed('The lead is being sent again');
  }

  const asItIs = (/** @type {string} */ title, /** @type {string} */ means) =>
    openDialog({
      title,
      leadId,
      means,
      label: 'Send again',
      inputs: [reasonInput],
      act: ({ reason = '' }, order) => redrive(order, reason),
    });

  async function open() {
    edit.disabled = true;
    try {
      /** @type {import('./lead.js').Story} */
      const { lead } = await get(`${leadPath(leadId)}/exchanges?clear=true`);
      edit.hidden = true;
      place.replaceChildren(fieldsForm(lead, named, redrive, close));
      place.querySelector('input')?.focus();
    } catch (error) {
      place.replaceChildren(message('bad', wordsOf(error)));
      edit.disabled = false;
    }
  }

  /** Closes the form and discards the input. */
  function close() {
    place.replaceChildren();
    edit.hidden = false;
    edit.disabled = false;
    edit.focus();
  }

  return h(
    'section',
    { class: kind === 'waiting' ? 'panel' : 'panel call-to-act', 'aria-labelledby': 'mend' },
    h('h2', { id: 'mend' }, words.title),
    ...(kind === 'waiting' ? [] : againLine(story, story.steps.findLast(({ error }) => error)?.error)),
    h('p', {}, words.means),
    h(
      'div',
      { class: 'actions' },
      ...others,
      edit,
      label && asked && h('button', { type: 'button', onclick: () => asItIs(label, asked) }, `${label} …`),
    ),
    place,
  );
}

/** Formats a value for the form: objects and lists as JSON, absent values as empty. @param {unknown} value */
const written = (value) => (value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Converts the input to the field's former type: a number stays a number if the text is numeric. @param {string} text @param {unknown} before */
function read(text, before) {
  if (typeof before === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  if (typeof before === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (typeof before !== 'object' || before === null) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * @param {Record<string, unknown>} lead
 * @param {Set<string>} named fields that the upstream's refusal mentions, shown first
 * @param {(order: string, reason: string, fields?: Record<string, unknown>) => Promise<void>} redrive
 * @param {() => void} close
 */
function fieldsForm(lead, named, redrive, close) {
  const plain = (/** @type {string} */ name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const spoken = new Set([...named].map(plain));
  const entries = Object.entries(lead).toSorted(([one], [other]) => Number(spoken.has(plain(other))) - Number(spoken.has(plain(one))));
  const boxes = entries.map(([name, value]) => {
    const id = `field-${name}`;
    const input = h('input', {
      id,
      name,
      value: written(value),
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-describedby': `${id}-problem`,
    });
    const problem = h('span', { id: `${id}-problem`, class: 'wrong' }, spoken.has(plain(name)) ? 'named in the refusal' : '');
    return { name, value, input, problem, box: h('div', { class: 'field' }, h('label', { for: id }, name), input, problem) };
  });
  const order = newOrder();
  const reason = filled(h('textarea', { id: 'mend-reason', rows: 2 }));
  const problem = h('div', {});
  const go = h('button', { class: 'primary' }, 'Send with these fields');

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    const changed = boxes.filter(({ input, value }) => input.value !== written(value));
    const fields = Object.fromEntries(changed.map(({ name, input, value }) => [name, read(input.value, value)]));
    go.disabled = true;
    for (const box of boxes) mark(box, '');
    try {
      await redrive(order, reason.value.trim(), changed.length > 0 ? fields : undefined);
    } catch (error) {
      const details = error instanceof Refused ? error.details : [];
      for (const { field, message } of details) for (const box of boxes) if (box.name === field) mark(box, message);
      problem.replaceChildren(message('bad', wordsOf(error)));
      boxes.find(({ name }) => details.some(({ field }) => field === name))?.input.focus();
      go.disabled = false;
    }
  }

  return h(
    'form',
    { onsubmit: submit, class: 'edit' },
    h('div', { class: 'fields' }, ...boxes.map(({ box }) => box)),
    h('p', { class: 'soft' }, 'Fields you leave alone keep their value. Credentials are never shown: leave them, or enter new ones.'),
    h('div', { class: 'field' }, h('label', { for: 'mend-reason' }, reasonInput.label), reason),
    problem,
    h('div', { class: 'actions' }, go, h('button', { type: 'button', class: 'plain', onclick: close }, 'Cancel')),
  );
}

/** @param {{ input: HTMLElement, problem: HTMLElement }} box @param {string} words */
function mark({ input, problem }, words) {
  problem.textContent = words;
  input.toggleAttribute('aria-invalid', Boolean(words));
  if (words) input.setAttribute('aria-invalid', 'true');
}
