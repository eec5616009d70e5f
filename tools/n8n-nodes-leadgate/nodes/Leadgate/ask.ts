/** Sends the request of an item, retries it if that sends nothing twice, and waits for the end of a lead. */
import { sleep, type IDataObject, type IExecuteFunctions, type IHttpRequestOptions } from 'n8n-workflow';
import { answerOf, noAnswer, type Answer } from './answer';
import { codes } from './generated/codes';
import { endingOf, isLost, isNotStarted, canRetry } from './generated/meaning';
import { deliveredStates, settledStates } from './generated/states';

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly query?: IDataObject;
  readonly body?: IDataObject;
  readonly headers?: IDataObject;
  /** True if the request only reads, or if its repeat returns the original answer. */
  readonly isSafe: boolean;
}

/** Longer than any wait of Leadgate. */
const timeoutMs = 150_000;
const longestLookS = 20;
const usualPauseMs = 5_000;
const betweenLooksMs = 1_000;

export class GatewayRequests {
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
      // Following a redirect would send the lead to another server.
      disableFollowRedirect: true,
    };
    let response: Parameters<typeof answerOf>[0];
    try {
      response = await this.node.helpers.httpRequestWithAuthentication.call(this.node, 'leadgateApi', options);
    } catch (error) {
      return noAnswer(error);
    }
    return answerOf(response);
  }

  private async pause(ms: number): Promise<boolean> {
    if (Date.now() + ms >= this.deadline || this.node.getExecutionCancelSignal()?.aborted) return false;
    await sleep(ms);
    return true;
  }

  /** Sends a request and retries it. After a lost answer, the error stays NO_ANSWER even if no retry reaches Leadgate. */
  async answer(request: Request): Promise<Answer> {
    let lost: Answer | undefined;
    for (;;) {
      const answer = await this.once(request);
      if (answer.isDone || !canRetry(answer, request.isSafe)) return answer;
      if (isLost(answer)) lost ??= answer;
      const retryAfterS = Number(answer.headers['retry-after']);
      if (!(await this.pause(retryAfterS > 0 ? retryAfterS * 1000 : usualPauseMs))) return lost ?? answer;
    }
  }

  /** Sends a lead. If the engine stopped answering meanwhile, reads the lead to find out whether it was started. */
  async lead(request: Request): Promise<Answer> {
    for (;;) {
      const answer = await this.answer(request);
      const { leadId } = answer.body;
      if (answer.code !== 'OUTCOME_UNKNOWN' || typeof leadId !== 'string' || answer.state) return answer;
      const lead = await this.once(readRequest(leadId, 0));
      if (lead.code !== 'NOT_FOUND' || !(await this.pause(usualPauseMs))) return answer;
    }
  }

  /** Reads an accepted lead until it has ended or is parked, or the deadline has passed. */
  async end(leadId: string): Promise<Answer> {
    for (;;) {
      const waitS = Math.max(0, Math.min(longestLookS, Math.floor((this.deadline - Date.now()) / 1000)));
      const lead = await this.answer(readRequest(leadId, waitS));
      if (!lead.isDone) return lead.code === 'NOT_REACHED' || isLost(lead) || isNotStarted(lead) ? stillOpen(lead) : lead;
      const { result } = lead.body;
      const state = String(lead.body.state);
      if (deliveredStates.includes(state)) return { ...lead, body: (result ?? {}) as IDataObject };
      if (settledStates.includes(state)) return endedAs(state, lead);
      if (!(await this.pause(betweenLooksMs))) return stillOpen(lead);
    }
  }
}

const readRequest = (leadId: string, wait: number): Request => ({
  method: 'GET',
  path: `/api/leads/${encodeURIComponent(leadId)}`,
  query: { wait },
  isSafe: true,
});

const stillOpen = (lead: Answer): Answer => ({
  ...lead,
  isDone: false,
  code: 'STILL_OPEN',
  message: 'The lead is accepted and still in progress; only the wait for its end has timed out',
  // A repeat with the same key waits for the same lead.
  retryable: true,
});

interface ReportedError {
  readonly error?: { readonly code: string; readonly message: string };
}

/** Builds the error of an ended or parked lead, from its newest attempt. */
function endedAs(state: string, lead: Answer): Answer {
  const [attempts, steps] = [lead.body.attempts, lead.body.steps].map((list) => (Array.isArray(list) ? (list as ReportedError[]) : []));
  const error = attempts?.at(-1)?.error ?? steps?.find((step) => step.error)?.error;
  return {
    ...lead,
    ...endingOf(state, error?.code, codes),
    isDone: false,
    state,
    retryable: false,
    message: error?.message ?? `The lead is ${state}`,
  };
}
