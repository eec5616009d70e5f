/** Sends the request of an item, repeats it while that sends nothing twice, and waits for the end of a lead. */
import { sleep, type IDataObject, type IExecuteFunctions, type IHttpRequestOptions } from 'n8n-workflow';
import { answerOf, silence, type Answer } from './answer';
import { codes } from './generated/codes';
import { endingOf, isLost, isNotStarted, mayRepeat } from './generated/meaning';
import { deliveredStates, settledStates } from './generated/states';

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly query?: IDataObject;
  readonly body?: IDataObject;
  readonly headers?: IDataObject;
  /** The request only reads, or its repeat gets the first answer. */
  readonly isSafe: boolean;
}

export interface Ended {
  readonly answer: Answer;
  readonly leadId?: string;
}

/** Longer than Leadgate keeps any caller waiting. */
const timeoutMs = 150_000;
const longestLookS = 20;
const usualPauseMs = 5_000;
const betweenLooksMs = 1_000;

export class Asking {
  private readonly deadline: number;

  constructor(
    private readonly node: IExecuteFunctions,
    private readonly baseUrl: string,
    patienceMs: number,
  ) {
    this.deadline = Date.now() + patienceMs;
  }

  private async once({ method, path, query, body, headers }: Request): Promise<Answer> {
    const options: IHttpRequestOptions = {
      method,
      url: `${this.baseUrl}${path}`,
      qs: query,
      body,
      headers,
      json: true,
      timeout: timeoutMs,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      // A redirect would take the lead to another place.
      disableFollowRedirect: true,
    };
    let response: Parameters<typeof answerOf>[0];
    try {
      response = await this.node.helpers.httpRequestWithAuthentication.call(this.node, 'leadgateApi', options);
    } catch (error) {
      return silence(error);
    }
    return answerOf(response);
  }

  private async pause(ms: number): Promise<boolean> {
    if (Date.now() + ms >= this.deadline || this.node.getExecutionCancelSignal()?.aborted) return false;
    await sleep(ms);
    return true;
  }

  /** An answer that was lost stays so, whatever the repeats did not reach. */
  async answer(request: Request): Promise<Answer> {
    let lost: Answer | undefined;
    for (;;) {
      const answer = await this.once(request);
      if (answer.isDone || !mayRepeat(answer, request.isSafe)) return answer;
      if (isLost(answer)) lost ??= answer;
      const retryAfterS = Number(answer.headers['retry-after']);
      if (!(await this.pause(retryAfterS > 0 ? retryAfterS * 1000 : usualPauseMs))) return lost ?? answer;
    }
  }

  /** If the engine stopped answering during the hand-over, the lead itself tells whether it was started. */
  async lead(request: Request): Promise<Answer> {
    for (;;) {
      const answer = await this.answer(request);
      const { leadId } = answer.body;
      if (answer.code !== 'OUTCOME_UNKNOWN' || typeof leadId !== 'string' || answer.state) return answer;
      const look = await this.once(lookAt(leadId, 0));
      if (look.code !== 'NOT_FOUND' || !(await this.pause(usualPauseMs))) return answer;
    }
  }

  /** Looks at an accepted lead until it has ended, a person decides about it, or the patience is over. */
  async end(leadId: string): Promise<Answer> {
    for (;;) {
      const waitS = Math.max(0, Math.min(longestLookS, Math.floor((this.deadline - Date.now()) / 1000)));
      const look = await this.answer(lookAt(leadId, waitS));
      if (!look.isDone) return look.code === 'NOT_REACHED' || isLost(look) || isNotStarted(look) ? stillOpen(look) : look;
      const { result } = look.body;
      const state = String(look.body.state);
      if (deliveredStates.includes(state)) return { ...look, body: (result ?? {}) as IDataObject };
      if (settledStates.includes(state)) return endedAs(state, look);
      if (!(await this.pause(betweenLooksMs))) return stillOpen(look);
    }
  }
}

const lookAt = (leadId: string, wait: number): Request => ({
  method: 'GET',
  path: `/api/leads/${encodeURIComponent(leadId)}`,
  query: { wait },
  isSafe: true,
});

const stillOpen = (look: Answer): Answer => ({
  ...look,
  isDone: false,
  code: 'STILL_OPEN',
  message: 'The lead is accepted and goes on by itself; only the wait for its end is over',
  // With the same key the same lead is waited for.
  retryable: true,
});

interface Told {
  readonly error?: { readonly code: string; readonly message: string };
}

/** The lead ended, or is parked, with the error of its newest attempt. */
function endedAs(state: string, look: Answer): Answer {
  const [attempts, steps] = [look.body.attempts, look.body.steps].map((list) => (Array.isArray(list) ? (list as Told[]) : []));
  const error = attempts?.at(-1)?.error ?? steps?.find((step) => step.error)?.error;
  return {
    ...look,
    ...endingOf(state, error?.code, codes),
    isDone: false,
    state,
    retryable: false,
    message: error?.message ?? `The lead is ${state}`,
  };
}
