/** The product's questions to the engine about runs, asked again if a busy machine did not answer. */
import { readHistory as readHistoryOnce } from '../../src/leads/history';
import { attemptsOf as attemptsOfOnce, newestRun as newestRunOnce } from '../../src/leads/runs';
import { patient } from './patiently';

export const attemptsOf = patient(attemptsOfOnce);
export const newestRun = patient(newestRunOnce);
export const readHistory = patient(readHistoryOnce);
