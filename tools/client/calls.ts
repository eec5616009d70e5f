/** Makes the methods of the endpoints: each builds its request, sends it, and retries it if that is safe. */
import { answerIn, isSafe, respond, textIn, type Answer, type Request } from './exchange.ts';
import { waitForEnd, keyOf, sendLead, type SendOnce } from './lead.ts';
import { linesIn } from './lines.ts';
import { patienceOf, retry, type Patience } from './patience.ts';
import { fileRequest, requestOf } from './request.ts';
import type { CallOptions, Calls, DoneLead, KeyedOptions, LeadgateOptions, LeadMethod, Method, SendOptions } from './types.ts';

const usualPatienceMs = 600_000;
/** Longer than any wait of the gateway. */
const usualTimeoutMs = 150_000;

export interface ClientCalls extends Calls {
  waitForLead<Output>(leadId: string, options?: CallOptions): Promise<DoneLead<Output>>;
}

const anySignal = (...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined => {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
};

export function createCalls(options: LeadgateOptions): ClientCalls {
  // JavaScript callers may pass an undefined variable.
  if (!options.baseUrl) throw new TypeError('baseUrl is missing: set it to the address of Leadgate, such as http://127.0.0.1:8080');
  const { apiKey, timeoutMs = usualTimeoutMs } = options;
  const address = { baseUrl: options.baseUrl.replace(/\/+$/, ''), apiKey };
  const patient = ({ patienceMs = options.patienceMs ?? usualPatienceMs, signal }: CallOptions): Patience =>
    patienceOf(patienceMs, anySignal(options.signal, signal));

  async function responseTo(request: Request, { signal }: Patience, { onAnswer }: CallOptions, timeLimit?: AbortSignal): Promise<Response> {
    const response = await respond(address, request, anySignal(signal, timeLimit));
    onAnswer?.(response);
    return response;
  }
  const sendOnce =
    (given: CallOptions): SendOnce =>
    async (request, patience) =>
      answerIn(await responseTo(request, patience, given, AbortSignal.timeout(timeoutMs)), request, address);

  async function answerTo<Output>(request: Request, given: CallOptions): Promise<Output> {
    const patience = patient(given);
    const { body } = await retry((): Promise<Answer> => sendOnce(given)(request, patience), patience, isSafe(request));
    return body as Output;
  }
  /** The cast is needed because the compiler cannot decide whether the input is optional. */
  const method = <Input, Output, Options>(made: (input: object, options: Options) => Promise<Output>, none: Options) =>
    ((input: object = {}, given: Options = none) => made(input, given)) as Method<Input, Output, Options>;

  return {
    get: <Input, Output>(path: string) =>
      method<Input, Output, CallOptions>((input, given) => answerTo(requestOf('GET', path, input), given), {}),
    act: <Input, Output>(verb: 'POST' | 'PATCH', path: string) =>
      method<Input, Output, CallOptions>((input, given) => answerTo(requestOf(verb, path, input), given), {}),
    keyed: <Input, Output>(verb: 'POST' | 'PATCH', path: string) =>
      method<Input, Output, KeyedOptions>(
        (input, given) => answerTo({ ...requestOf(verb, path, input), idempotencyKey: keyOf(given) }, given),
        {},
      ),
    lead: <Input, Output>(path: string) =>
      ((lead: object, given: SendOptions = {}) => sendLead(sendOnce(given), path, lead, given, patient(given))) as LeadMethod<
        Input,
        Output
      >,
    text: <Input>(path: string) =>
      method<Input, string, CallOptions>((input, given) => {
        const [request, patience] = [requestOf('GET', path, input), patient(given)];
        const once = async () => {
          const response = await responseTo(request, patience, given);
          if (!response.ok) await answerIn(response, request, address);
          return textIn(response, request, address);
        };
        return retry(once, patience, isSafe(request));
      }, {}),
    file:
      (path) =>
      (input, csv, given = {}) => {
        const [request, patience] = [fileRequest(path, input as object, csv), patient(given)];
        const once = async () => {
          const response = await responseTo(request, patience, given);
          const isLines = response.headers.get('content-type')?.startsWith('application/x-ndjson');
          return isLines ? linesIn<never>(response) : ((await answerIn(response, request, address)).body as never);
        };
        return retry(once, patience, isSafe(request));
      },
    waitForLead: (leadId, given = {}) => waitForEnd(sendOnce(given), leadId, patient(given)),
  };
}
