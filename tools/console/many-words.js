/** The two kinds of orders for many leads, and what each page says; tables only. */

/**
 * @typedef {object} Kind
 * @property {string} page its name in the address
 * @property {string} path of the API
 * @property {'redriveId' | 'decisionId'} idName
 * @property {'redrives' | 'decisions'} listName
 * @property {'failed' | 'parked'} state of the leads
 * @property {string} title
 * @property {string} means
 * @property {string} doing
 * @property {string} done
 * @property {string} notDone
 * @property {string} usual the outcome of a lead for which it was carried out
 * @property {string} start
 * @property {string} stop
 */

/** @type {Kind} */
export const redriveMany = {
  page: 'redrive',
  path: '/api/redrives',
  idName: 'redriveId',
  listName: 'redrives',
  state: 'failed',
  title: 'Send many again',
  means:
    'When many leads failed for one cause and the cause is gone, send them all. They are counted first; nothing is sent before you say so.',
  doing: 'Sending again',
  done: 'sent again',
  notDone: 'could not be started',
  usual: 'started',
  start: 'are being sent again',
  stop: 'What was sent stays sent; the others stay as they are.',
};

/** @type {Kind} */
export const decideMany = {
  page: 'decide',
  path: '/api/decisions',
  idName: 'decisionId',
  listName: 'decisions',
  state: 'parked',
  title: 'Decide about many',
  means:
    'When many leads are parked for one cause, look in the upstream, then decide about all of them. They are counted first; nothing is done before you say so.',
  doing: 'Deciding',
  done: 'decided',
  notDone: 'could not be decided',
  usual: 'decided',
  start: 'are being decided',
  stop: 'What was decided stays decided; the others stay parked.',
};

/**
 * What can be decided about many leads; a confirmation needs each lead's own id.
 * @type {readonly (readonly [verb: string, words: string])[]}
 */
export const verbs = [
  ['resend', 'Send again: none is there'],
  ['discard', 'Discard: end without sending'],
];
