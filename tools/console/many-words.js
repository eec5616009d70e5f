/** Declares the kinds of bulk orders and the texts of their pages. */
import { deliveryFields, fields } from './filter.js';

/**
 * @typedef {object} Act
 * @property {'resend' | 'discard'} [verb] of a decision
 * @property {string} words
 * @property {(count: string) => string} label of the button
 * @property {boolean} [isGrave]
 *
 * @typedef {object} Kind
 * @property {string} page the name in the address
 * @property {string} path of the API
 * @property {'redriveId' | 'decisionId' | 'resendId'} idName
 * @property {'redrives' | 'decisions' | 'resends'} listName
 * @property {'failed' | 'parked' | 'waiting' | 'given-up'} state that the filter has
 * @property {readonly [Act, ...Act[]]} acts one of which a person chooses
 * @property {'optional' | 'required'} [correction] of one field in all leads
 * @property {readonly [one: string, many: string]} leads that match
 * @property {string} list the address of their list
 * @property {typeof fields} fields of the filter
 * @property {readonly string[]} first of these fields
 * @property {string} title
 * @property {string} means
 * @property {string} doing
 * @property {Readonly<Record<string, string>>} [doingBy] what it does if the verb is none of its acts
 * @property {string} done
 * @property {string} notDone
 * @property {string} usual the outcome of a lead for which it was carried out
 * @property {string} start
 * @property {string} stop
 */

/** @param {string} count */
const sendAgain = (count) => `Send ${count} again`;
/** @type {Act} */
const discard = { verb: 'discard', words: 'Discard: they are not sent again', label: (count) => `Discard ${count}`, isGrave: true };

/** @type {Kind} */
export const redriveMany = {
  page: 'redrive',
  path: '/api/redrives',
  idName: 'redriveId',
  listName: 'redrives',
  state: 'failed',
  acts: [{ words: 'Send again', label: sendAgain }],
  correction: 'optional',
  leads: ['failed lead', 'failed leads'],
  list: '#/leads?state=failed',
  fields,
  first: ['flow', 'code', 'upstream', 'since'],
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
export const mendMany = {
  ...redriveMany,
  page: 'mend',
  state: 'waiting',
  acts: [{ words: 'Mend and send', label: (count) => `Mend and send ${count}` }],
  correction: 'required',
  leads: ['waiting lead', 'waiting leads'],
  list: '#/leads?state=waiting',
  title: 'Mend many',
  means:
    'If many leads wait because one field is wrong, correct it in all of them: their wait ends, and they are sent. They are counted first; nothing is sent before you confirm. A lead that misses only its comment is left unchanged.',
  start: 'are being sent with the corrected field',
  stop: 'Leads that were sent stay sent; the others wait on.',
};

/** @type {Kind} */
export const decideMany = {
  page: 'decide',
  path: '/api/decisions',
  idName: 'decisionId',
  listName: 'decisions',
  state: 'parked',
  // A confirmation needs each lead's own id.
  acts: [{ verb: 'resend', words: 'Send again: none is in the upstream', label: sendAgain }, discard],
  leads: ['parked lead', 'parked leads'],
  list: '#/leads?state=parked',
  fields,
  first: ['flow', 'code', 'upstream', 'since'],
  title: 'Decide many',
  means:
    'If many leads are parked for one cause, look in the upstream, then decide them together. They are counted first; nothing is done before you confirm.',
  doing: 'Deciding',
  doingBy: { apply: 'Carrying out the proposals of a reconciliation' },
  done: 'decided',
  notDone: 'could not be decided',
  usual: 'decided',
  start: 'are being decided',
  stop: 'Decided leads stay decided; the others stay parked.',
};

/** @type {Kind} */
export const discardMany = {
  ...decideMany,
  page: 'discard',
  state: 'waiting',
  acts: [discard],
  leads: ['waiting lead', 'waiting leads'],
  list: '#/leads?state=waiting',
  title: 'Discard many',
  means:
    'If many leads wait and must not be sent, discard them together. They are counted first; nothing is done before you confirm. This cannot be undone. Of a lead that misses only its comment, the patient stays in the site system.',
  start: 'are being discarded',
  stop: 'Discarded leads stay discarded; the others wait on.',
};

/** @type {Kind} */
export const resendMany = {
  page: 'resend',
  path: '/api/events/resends',
  idName: 'resendId',
  listName: 'resends',
  state: 'given-up',
  acts: [{ words: 'Send again', label: (count) => `Send events of ${count} again` }],
  leads: ['lead with events that were given up', 'leads with events that were given up'],
  list: '#/events?state=given-up',
  fields: deliveryFields.filter(([name]) => name !== 'state' && name !== 'leadId'),
  first: ['type', 'receiver', 'since', 'until'],
  title: 'Send events again',
  means:
    'If a receiver was down for longer than events are tried, send it again what was given up. Each event keeps its webhook-id. The leads are counted first; nothing is sent before you confirm.',
  doing: 'Sending events again',
  done: 'resent',
  notDone: 'could not be resent',
  usual: 'resent',
  start: 'have their events sent again',
  stop: 'Events that were sent stay sent; the others stay given up.',
};
