/** Creates the button that saves all leads of a list as a CSV file. */
import { download, wordsOf } from './api.js';
import { announce, h, message } from './dom.js';
import { save } from './save.js';

/** @param {() => URLSearchParams} queryOf the filter of the list @param {string} [label] */
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
      const words = error instanceof TypeError ? 'The download failed, so no file was saved. Try again.' : wordsOf(error);
      problem.replaceChildren(message('bad', words));
    }
    button.disabled = false;
  }

  return { button, problem };
}
