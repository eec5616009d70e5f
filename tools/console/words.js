/** Declares the texts for states, steps and errors. Their names come from the contract. */
import { h } from './dom.js';
import * as contract from './generated/contract.js';

/**
 * @typedef {'good' | 'busy' | 'warn' | 'bad' | 'idle'} Tone
 * @typedef {(typeof contract.states)[number]} State
 * @typedef {(typeof contract.leadCodes)[number]} LeadCode
 * @typedef {(typeof contract.attemptFailures)[number]} AttemptFailure
 * @typedef {(typeof contract.findings)[number]} FindingName
 * @typedef {(typeof contract.proposals)[number]} Proposal
 */

/** By state: its tone, and what it means. @type {Readonly<Record<string, readonly [tone: Tone, means: string]>>} */
const stateWords = /** @satisfies {Record<State, readonly [Tone, string]>} */ ({
  parked: ['warn', 'Waits for a decision'],
  failed: ['bad', 'Refused by the upstream, or its run was ended'],
  verifying: ['busy', 'It may have arrived: looking it up'],
  waiting: ['busy', 'Not sent yet: waits for its next try or its upstream'],
  running: ['busy', 'In progress'],
  delivered: ['good', 'Delivered to the upstream'],
  skipped: ['idle', 'Nothing to send'],
  discarded: ['idle', 'Closed by a person; not sent again. It may be in the upstream'],
});

/** Ordered by urgency for operators. */
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
  told: 'good',
  'given-up': 'bad',
};

/** A badge shows the state by word and colour, never by colour alone. @param {string} state */
export const badge = (state) => h('span', { class: `badge ${tones[state] ?? 'idle'}` }, state);

/** The badge of a chip that chooses no state. */
export const allBadge = () => h('span', { class: 'badge idle' }, 'all');

/** @param {HTMLElement} element @param {string} state */
export function rebadge(element, state) {
  if (element.textContent === state) return;
  element.className = `badge ${tones[state] ?? 'idle'}`;
  element.textContent = state;
}

/** @param {string} state @param {string} [step] if known @param {string} [code] of its newest attempt */
export function meaningOf(state, step, code) {
  if (state === 'failed' && code === runEnded) return 'Look in the upstream: it may have been sent';
  if (state === 'discarded' && step === commentStep)
    return 'Closed by a person; its comment is not sent again. The lead is in the site system';
  return stateWords[state]?.[1] ?? '';
}

/**
 * True if no request of these exchanges may have left a lead in an upstream: each send was refused or never made.
 * @param {readonly import('./story.js').Exchange[]} exchanges
 */
export const isUnsent = (exchanges) =>
  exchanges.every(
    ({ call, endedAt, error }) => !sends.has(call) || (endedAt !== undefined && error !== undefined && error.code !== 'UNKNOWN'),
  );

/** The code of a lead whose run was ended by Temporal's tools or limits. */
export const runEnded = 'RUN_ENDED';

/** The step after the send: if it is parked, the lead itself is already in the site system. */
export const commentStep = 'send-comments';

/** The findings of a reconciliation, alarming ones first: tone, words, and what each means. @type {Readonly<Record<string, readonly [tone: Tone, words: string, means: string]>>} */
const findingWords = /** @satisfies {Record<FindingName, readonly [Tone, string, string]>} */ ({
  missing: ['bad', 'missing', 'The site system does not have the person or the comment'],
  twice: ['bad', 'twice', 'The site system has the person or the comment more than once'],
  'unknown-here': ['warn', 'unknown here', 'The site system has the person, but nothing was sent for the lead'],
  'not-comparable': ['idle', 'not comparable', 'Whether it arrived could not be found out'],
  matched: ['good', 'matched', 'The site system has it once'],
});

export const findings = Object.keys(findingWords);

/** @param {string} finding */
export function findingBadge(finding) {
  const [tone, words, means] = findingWords[finding] ?? ['idle', finding, ''];
  return h('span', { class: `badge ${tone}`, title: means }, words);
}

/** What apply does with a parked lead, in the words of its own page. @type {Readonly<Record<string, string>>} */
export const proposalWords = /** @satisfies {Record<Proposal, string>} */ ({ resend: 'Send again', confirm: 'It has arrived' });

export const { deliveryStates, eventTypes, flows, receivers, upstreams } = contract;

/** The error codes of leads. @type {Readonly<Record<string, string>>} */
export const codes = /** @satisfies {Record<LeadCode, string>} */ ({
  UPSTREAM_REJECTED: 'refused',
  UPSTREAM_ERROR: 'the upstream failed',
  UPSTREAM_PAUSED: 'paused by a person',
  OUTCOME_UNKNOWN: 'it may have arrived',
  RATE_LIMITED: 'too many requests',
  UNAUTHORIZED: 'the credential was refused',
  CONFIG_ERROR: 'a setting is missing',
  POSSIBLE_REPEAT: 'it may be a repeat',
  RUN_ENDED: 'its run was ended outside of Leadgate',
});

/** Why leads are stalled or failed, in short. @param {{ code?: string, upstream?: string }} trouble */
export const troubleWords = ({ code, upstream }) =>
  code === undefined ? 'waits for another lead of the person' : [upstream, codes[code] ?? code].filter(Boolean).join(': ');

/** @type {ReadonlySet<string>} */
export const over = new Set(contract.overStates);
/** Leads in these states change only if a person acts. @type {ReadonlySet<string>} */
export const settled = new Set(contract.settledStates);
/** @type {ReadonlySet<string>} */
export const delivered = new Set(contract.deliveredStates);

/** @type {Record<string, string>} */
const steps = {
  'get-api-key': 'Get the access key',
  'check-email': 'Look up the e-mail',
  'format-data': 'Format the data',
  'send-to-rt': 'Send to V1',
  'send-comments': 'Write the comment',
  send: 'Send',
};

/** @param {string | undefined} name */
export const stepName = (name = '') => steps[name] ?? name;

/** Only these can have an unknown outcome. @type {ReadonlySet<string>} */
const sends = new Set(contract.sends);
const reads = new Set(['getApiKey', 'checkEmail', 'readComments']);

/** @param {string} call */
export const asksUpstream = (call) => sends.has(call) || reads.has(call);

/** @type {Record<string, string>} */
const calls = {
  getApiKey: 'Key service',
  checkEmail: 'Subjects with this e-mail',
  formatData: 'Formatting, in the gateway',
  sendToRt: 'V1 apply',
  sendComments: 'V2 comment',
  readComments: 'Read comments back',
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

/** The outcome of an exchange. @param {import('./story.js').Exchange} exchange */
export function outcomeOf({ call, endedAt, status, error }) {
  if (!endedAt) return 'in progress';
  const http = status && `HTTP ${status}`;
  if (error)
    return [error.code === 'UNKNOWN' && sends.has(call) ? 'outcome unknown' : (errors[error.code] ?? error.code), http]
      .filter(Boolean)
      .join(', ');
  if (!asksUpstream(call)) return 'done';
  return http ? `answered, HTTP ${status}` : 'cached key; no request';
}

/** Describes an answer that was not understood. @param {NonNullable<import('./story.js').Exchange['rawAnswer']>} rawAnswer */
export const rawAnswerWords = ({ contentType = 'no content type', bytes, isCut, text }) =>
  `Not understood: ${contentType}, ${bytes} bytes${isCut ? ', only the beginning is kept' : ''}.${text === undefined ? ' Show in clear to read it.' : ''}`;

/** Why no answer is shown. @param {import('./story.js').Exchange} exchange */
export function noAnswerOf({ call, endedAt, status, error }) {
  if (!endedAt) return 'Not yet.';
  if (status) return 'Not stored.';
  return error && asksUpstream(call) ? 'No answer.' : 'None.';
}
