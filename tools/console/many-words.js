/** Declares the two kinds of bulk orders and the texts of their pages. */

/**
 * @typedef {object} Kind
 * @property {string} page the name in the address
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
  title: 'Redrive many',
  means:
    'If many leads failed for one cause and the cause is fixed, redrive them together. They are counted first; nothing is sent before you confirm.',
  doing: 'Sending again',
  done: 'sent again',
  notDone: 'could not be started',
  usual: 'started',
  start: 'are being sent again',
  stop: 'Leads that were sent stay sent; the others are unchanged.',
};

/** @type {Kind} */
export const decideMany = {
  page: 'decide',
  path: '/api/decisions',
  idName: 'decisionId',
  listName: 'decisions',
  state: 'parked',
  title: 'Decide many',
  means:
    'If many leads are parked for one cause, look in the upstream, then decide them together. They are counted first; nothing is done before you confirm.',
  doing: 'Deciding',
  done: 'decided',
  notDone: 'could not be decided',
  usual: 'decided',
  start: 'are being decided',
  stop: 'Decided leads stay decided; the others stay parked.',
};

/**
 * What can be decided about many leads; a confirmation needs each lead's own id.
 * @type {readonly (readonly [verb: string, words: string])[]}
 */
export const verbs = [
  ['resend', 'Send again: none is in the upstream'],
  ['discard', 'Discard: end without sending'],
];
