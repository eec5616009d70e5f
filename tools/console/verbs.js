/** The decisions for a parked lead, and what each means; tables only. A parked comment has a table of its own. */
import { commentStep } from './words.js';

/**
 * @typedef {object} Verb
 * @property {'resend' | 'confirm' | 'discard'} verb
 * @property {string} label
 * @property {string} means
 * @property {string} done
 * @property {string} [idLabel] the label of the upstream's id, if the decision needs one
 * @property {true} [isIdKnown] the lead's story has that id
 * @property {boolean} [isGrave]
 *
 * @typedef {object} Parked
 * @property {readonly Verb[]} verbs
 * @property {Readonly<Record<string, string>>} becauseOf an error's code → what is true
 * @property {string} otherwise
 */

/** @type {Parked} */
const wholeLead = {
  verbs: [
    {
      verb: 'resend',
      label: 'Send again',
      means: 'Only when you have looked in the upstream and it is not there: otherwise the person is in it twice.',
      done: 'The lead is being sent again',
    },
    {
      verb: 'confirm',
      label: 'It has arrived',
      means: 'When you have found it in the upstream: the lead goes on with the id that it has there.',
      done: 'The lead is confirmed and goes on',
      idLabel: 'Its id in the upstream',
    },
    {
      verb: 'discard',
      label: 'Discard',
      means: 'The lead ends here and is not sent. This cannot be taken back.',
      done: 'The lead is discarded',
      isGrave: true,
    },
  ],
  becauseOf: {
    OUTCOME_UNKNOWN: 'It is not known whether the lead arrived, so it is not sent again by itself.',
    UPSTREAM_PAUSED: 'The lead was not sent: its upstream was paused for too long. Send it again when the upstream is resumed.',
  },
  otherwise: 'The lead could not be sent for so long that it is not tried any more by itself.',
};

/** @type {Parked} */
const onlyComment = {
  verbs: [
    {
      verb: 'resend',
      label: 'Send again',
      means:
        'Only the comment is sent; the person is in the site system and is not sent again. Look first: a comment that is there is there twice then.',
      done: 'The comment is being sent again',
    },
    {
      verb: 'confirm',
      label: 'It has arrived',
      means: 'When the comment is there: you have found it, or have written it by hand in the site system.',
      done: 'The comment is confirmed and the lead goes on',
      idLabel: 'The patient’s id in the site system',
      isIdKnown: true,
    },
    {
      verb: 'discard',
      label: 'Discard',
      means: 'The lead ends here without its comment. The person is in the site system and stays there. This cannot be taken back.',
      done: 'The lead is discarded',
      isGrave: true,
    },
  ],
  becauseOf: {
    UPSTREAM_REJECTED:
      'The lead itself is in the site system. Its comment was refused: mend the cause and send the comment again, or write it there by hand and then say that it has arrived.',
    OUTCOME_UNKNOWN: 'The lead itself is in the site system. Only its comment is in doubt: sending again sends the comment alone.',
  },
  otherwise: 'The lead itself is in the site system. Only its comment could not be written: sending again sends the comment alone.',
};

/** @param {string | undefined} step */
export const parkedAt = (step) => (step === commentStep ? onlyComment : wholeLead);
