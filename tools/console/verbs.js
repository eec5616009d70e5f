/** Declares the decisions for a parked or waiting lead and their texts. A comment has its own texts. */
import { commentStep } from './words.js';

/**
 * @typedef {object} Verb
 * @property {'resend' | 'confirm' | 'discard'} verb
 * @property {string} label
 * @property {string} means
 * @property {string} done
 * @property {string} [idLabel] the label of the upstream's id, if the decision needs one
 * @property {true} [isIdKnown] the story has the id
 * @property {boolean} [isGrave]
 *
 * @typedef {object} Parked
 * @property {readonly Verb[]} verbs
 * @property {Readonly<Record<string, string>>} becauseOf error code → explanation
 * @property {string} otherwise
 */

/** @type {Parked} */
const wholeLead = {
  verbs: [
    {
      verb: 'resend',
      label: 'Send again',
      means: 'Only if you have looked in the upstream and it is not there: otherwise the person is entered twice.',
      done: 'The lead is being sent again',
    },
    {
      verb: 'confirm',
      label: 'It has arrived',
      means: 'If you have found it in the upstream: the lead continues with its id there.',
      done: 'The lead is confirmed and continues',
      idLabel: 'Its id in the upstream',
    },
    {
      verb: 'discard',
      label: 'Discard',
      means: 'The lead ends and is not sent again. This cannot be undone.',
      done: 'The lead is discarded',
      isGrave: true,
    },
  ],
  becauseOf: {
    OUTCOME_UNKNOWN: 'The outcome of the send is unknown, so the lead is not sent again automatically.',
    POSSIBLE_REPEAT:
      'Another lead of the same person and study was sent shortly before. Nothing of this one was sent. Send it if it is no repeat; otherwise discard it.',
    UPSTREAM_PAUSED: 'The lead was not sent, because its upstream was paused for too long. Send it again when the upstream is resumed.',
  },
  otherwise: 'The lead could not be sent for so long that it is no longer retried.',
};

/** @type {Parked} */
const onlyComment = {
  verbs: [
    {
      verb: 'resend',
      label: 'Send again',
      means: 'Only the comment is sent; the patient is already in the site system. Look first: otherwise the comment may be there twice.',
      done: 'The comment is being sent again',
    },
    {
      verb: 'confirm',
      label: 'It has arrived',
      means: 'If the comment is there: you have found it, or have written it by hand in the site system.',
      done: 'The comment is confirmed and the lead continues',
      idLabel: 'The patient’s id in the site system',
      isIdKnown: true,
    },
    {
      verb: 'discard',
      label: 'Discard',
      means: 'The lead ends without its comment. The patient stays in the site system. This cannot be undone.',
      done: 'The lead is discarded',
      isGrave: true,
    },
  ],
  becauseOf: {
    UPSTREAM_REJECTED:
      'The lead itself is in the site system. Its comment was refused: fix the cause and send the comment again, or write it by hand and confirm that it has arrived.',
    OUTCOME_UNKNOWN:
      'The lead itself is in the site system. Only the outcome of its comment is unknown: sending again sends only the comment.',
  },
  otherwise: 'The lead itself is in the site system. Only its comment could not be written: sending again sends only the comment.',
};

/** For a refused comment, what helps most comes first: it is written by hand, then confirmed. @param {string | undefined} step @param {string} [code] */
export function parkedAt(step, code) {
  const parked = step === commentStep ? onlyComment : wholeLead;
  if (step !== commentStep || code !== 'UPSTREAM_REJECTED') return parked;
  return { ...parked, verbs: parked.verbs.toSorted((one, other) => Number(other.verb === 'confirm') - Number(one.verb === 'confirm')) };
}
