/** The words for states, steps and errors that the console shows; tables only. What there is comes from the contract. */
import { h } from './dom.js';
import * as contract from './generated/contract.js';

/**
 * @typedef {'good' | 'busy' | 'warn' | 'bad' | 'idle'} Tone
 * @typedef {(typeof contract.states)[number]} State
 * @typedef {(typeof contract.leadCodes)[number]} LeadCode
 * @typedef {(typeof contract.attemptFailures)[number]} AttemptFailure
 */

/** By state: its tone, and what it means. @type {Readonly<Record<string, readonly [tone: Tone, means: string]>>} */
const stateWords = /** @satisfies {Record<State, readonly [Tone, string]>} */ ({
  parked: ['warn', 'A person must decide'],
  failed: ['bad', 'Refused, and nothing was sent on; or its run was ended'],
  verifying: ['busy', 'It may have arrived: it is being looked up'],
  waiting: ['busy', 'Not sent yet: it waits for its next try or for its upstream'],
  running: ['busy', 'Under way'],
  delivered: ['good', 'It has arrived'],
  skipped: ['idle', 'Nothing had to be sent'],
  discarded: ['idle', 'Ended by a person without sending'],
});

/** Ordered by how soon a person is needed. */
export const states = Object.keys(stateWords);

/** @type {Record<string, Tone>} */
const tones = {
  ...Object.fromEntries(Object.entries(stateWords).map(([state, [tone]]) => [state, tone])),
  done: 'good',
  pending: 'idle',
  open: 'good',
  held: 'bad',
  paused: 'warn',
  probing: 'warn',
  draining: 'warn',
  stopped: 'idle',
};

/** A badge shows the state by word and colour, never by colour alone. @param {string} state */
export const badge = (state) => h('span', { class: `badge ${tones[state] ?? 'idle'}` }, state);

/** @param {HTMLElement} element @param {string} state */
export function rebadge(element, state) {
  if (element.textContent === state) return;
  element.className = `badge ${tones[state] ?? 'idle'}`;
  element.textContent = state;
}

/** @param {string} state @param {string} [step] where the lead is known to be @param {string} [code] of its newest attempt */
export function meaningOf(state, step, code) {
  if (state === 'failed' && code === runEnded) return 'Look in the upstream: it may have been sent';
  if (state === 'discarded' && step === commentStep) return 'Ended by a person without its comment; the lead itself is in the site system';
  return stateWords[state]?.[1] ?? '';
}

/** The code of a lead whose run Temporal's own tools or limits have ended. */
export const runEnded = 'RUN_ENDED';

/** The step after the send: if it parks, the lead itself is in the site system already. */
export const commentStep = 'send-comments';

export const { flows, upstreams } = contract;

/** The error codes of leads. @type {Readonly<Record<string, string>>} */
export const codes = /** @satisfies {Record<LeadCode, string>} */ ({
  UPSTREAM_REJECTED: 'refused',
  UPSTREAM_ERROR: 'the upstream failed',
  UPSTREAM_PAUSED: 'a person has paused it',
  OUTCOME_UNKNOWN: 'it may have arrived',
  RATE_LIMITED: 'too many requests',
  UNAUTHORIZED: 'the credential was refused',
  CONFIG_ERROR: 'a setting is missing',
  RUN_ENDED: 'its run was ended outside of Leadgate',
});

/** Why leads stand still or failed, in few words. @param {{ code?: string, upstream?: string }} trouble */
export const troubleWords = ({ code, upstream }) =>
  code === undefined ? 'after another lead of the person' : [upstream, codes[code] ?? code].filter(Boolean).join(': ');

/** @type {ReadonlySet<string>} */
export const over = new Set(contract.overStates);
/** Nothing more happens to these until a person acts. @type {ReadonlySet<string>} */
export const settled = new Set(contract.settledStates);
/** @type {ReadonlySet<string>} */
export const delivered = new Set(contract.deliveredStates);

/** @type {Record<string, string>} */
const steps = {
  'get-api-key': 'Get the access key',
  'check-email': 'Look the e-mail up',
  'format-data': 'Format the data',
  'send-to-rt': 'Send to V1',
  'send-comments': 'Write the comment',
  send: 'Send',
};

/** @param {string | undefined} name */
export const stepName = (name = '') => steps[name] ?? name;

/** Only of these may it be unknown whether they arrived. @type {ReadonlySet<string>} */
const sends = new Set(contract.sends);
const reads = new Set(['getApiKey', 'checkEmail', 'readComments']);

/** @param {string} call */
export const asksUpstream = (call) => sends.has(call) || reads.has(call);

/** @type {Record<string, string>} */
const calls = {
  getApiKey: 'Key service',
  checkEmail: 'Subjects of this e-mail',
  formatData: 'Formatting, in the gateway itself',
  sendToRt: 'V1 apply',
  sendComments: 'V2 comment',
  readComments: 'Comments, read back',
  forwardLead: 'The upstream',
};

/** @param {string} name */
export const callName = (name) => calls[name] ?? name;

/** @type {Readonly<Record<string, string>>} */
const errors = /** @satisfies {Record<AttemptFailure, string>} */ ({
  NOT_SENT: 'not sent',
  REFUSED: 'refused',
  KEY_REFUSED: 'the access key was refused',
  UNKNOWN: 'failed',
  CONFIG_ERROR: 'a setting is missing on the server',
});

/** What became of an exchange. @param {import('./story.js').Exchange} exchange */
export function outcomeOf({ call, endedAt, status, error }) {
  if (!endedAt) return 'under way';
  const http = status && `HTTP ${status}`;
  if (error)
    return [error.code === 'UNKNOWN' && sends.has(call) ? 'it is not known whether it arrived' : (errors[error.code] ?? error.code), http]
      .filter(Boolean)
      .join(', ');
  if (!asksUpstream(call)) return 'done';
  return http ? `answered, HTTP ${status}` : 'a kept key; nothing was asked';
}

/** Why no answer is shown. @param {import('./story.js').Exchange} exchange */
export function noAnswerOf({ call, endedAt, status, error }) {
  if (!endedAt) return 'Not yet.';
  if (status) return 'It is not kept.';
  return error && asksUpstream(call) ? 'None came.' : 'There is none.';
}
