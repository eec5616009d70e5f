/** Asks for confirmation before an action. Escape and Cancel change nothing. Navigation closes the dialog. */
import { fullWordsOf, newOrder } from './api.js';
import { filled, h, message } from './dom.js';

/**
 * @typedef {{ name: string, label: string, long?: boolean, value?: string, hint?: string }} Input
 * @typedef {object} Question
 * @property {string} title
 * @property {string} [leadId] the lead that the action concerns
 * @property {string} means
 * @property {string} label of the confirm button
 * @property {boolean} [isGrave]
 * @property {readonly Input[]} inputs all of them required
 * @property {(values: Record<string, string>, order: string) => Promise<void>} act `order` stays the same for a repeat
 */

/** @param {Question} question */
export function openDialog({ title, leadId, means, label, isGrave, inputs, act }) {
  const boxes = inputs.map(({ name, label, long, value, hint }) => {
    const id = `dialog-${name}`;
    const described = hint && `${id}-hint`;
    const input = filled(
      long ? h('textarea', { id, name, rows: 3 }) : h('input', { id, name, value, autocomplete: 'off', 'aria-describedby': described }),
    );
    const box = h(
      'div',
      { class: 'field' },
      h('label', { for: id }, label),
      input,
      hint && h('span', { id: described, class: 'soft' }, hint),
    );
    return { name, input, box };
  });
  const order = newOrder();
  const problem = h('div', {});
  const doIt = h('button', { class: isGrave ? 'grave' : 'primary' }, label);

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    doIt.disabled = true;
    try {
      await act(Object.fromEntries(boxes.map(({ name, input }) => [name, input.value.trim()])), order);
      dialog.close();
    } catch (error) {
      problem.replaceChildren(message('bad', fullWordsOf(error)));
      doIt.disabled = false;
    }
  }

  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'dialog-title', 'aria-describedby': leadId && 'dialog-lead', onclose: () => dialog.remove() },
    h(
      'form',
      { onsubmit: submit },
      h('h2', { id: 'dialog-title' }, title),
      leadId && h('p', { id: 'dialog-lead', class: 'id' }, leadId),
      h('p', {}, means),
      ...boxes.map(({ box }) => box),
      problem,
      h('div', { class: 'actions' }, doIt, h('button', { type: 'button', class: 'plain', onclick: () => dialog.close() }, 'Cancel')),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  (boxes.find(({ input }) => !input.value) ?? boxes[0])?.input.focus();
}

/** Closes all dialogs on navigation, because they concern the previous page; not those of the session. */
export function closeDialogs() {
  /** @type {NodeListOf<HTMLDialogElement>} */
  const dialogs = document.querySelectorAll('dialog:not(.session)');
  for (const dialog of dialogs) dialog.close();
}

export const reasonInput = { name: 'reason', label: 'Reason (stored with the lead)', long: true };
