/** The button that saves the leads of a list, all pages of it, as a CSV file. */
import { download, wordsOf } from './api.js';
import { announce, h, message } from './dom.js';
import { save } from './save.js';

/** @param {() => URLSearchParams} queryOf what the list shows @param {string} [label] */
export function exportButton(queryOf, label = 'Save as CSV') {
  const problem = h('div', {});
  const button = h('button', { type: 'button', onclick: () => void run() }, label);

  async function run() {
    button.disabled = true;
    problem.replaceChildren();
    try {
      save('leads.csv', await download(`/api/leads.csv?${queryOf()}`));
      announce('The leads are saved as leads.csv');
    } catch (error) {
      const words = error instanceof TypeError ? 'The file broke off, so it was not saved. Try again.' : wordsOf(error);
      problem.replaceChildren(message('bad', words));
    }
    button.disabled = false;
  }

  return { button, problem };
}
