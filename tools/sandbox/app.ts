/**
 * Creates the HTTP server of the sandbox, with all simulators on one port. An upstream is a row in `simulators`, a call is a row in its
 * simulator, and a failure is a row in effects.ts.
 */
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler, type Response } from 'express';
import { setTimeout as pause } from 'node:timers/promises';
import { isOwnPage } from '../../src/lib/loopback';
import type { Copies, SimulatedCall, SimulatedRequest, Simulator } from './call';
import { createClinicsys } from './clinicsys';
import { controls, type ControlTarget } from './controls';
import { idsFromNow } from './ids';
import { indexPage } from './index-page';
import { createJournal } from './journal';
import { createLeadforms } from './leadforms';
import { answerNormally, send, write, type CallContext } from './plays';
import { createRecruitment } from './recruitment';
import { createScreening } from './screening';
import { createSentinels } from './sentinels';
import { createTaskboard } from './taskboard';

export type SandboxOptions = { keyLifetimeMs?: number; copyDelayMs?: number };
export type Sandbox = { handler: Express; calls: SimulatedCall[]; reset(): void };

const bodyLimitBytes = 1024 * 1024;

export function createSandbox({ keyLifetimeMs = 3_600_000, copyDelayMs = 1_500 }: SandboxOptions = {}): Sandbox {
  const nextId = idsFromNow();
  const simulators: Simulator[] = [
    createTaskboard({ copyDelayMs }),
    createRecruitment(nextId),
    createLeadforms(nextId),
    createScreening(nextId),
    createClinicsys({ keyLifetimeMs, nextId }),
  ];
  const calls = simulators.flatMap((simulator) => simulator.calls);
  const sentinels = createSentinels();
  const journal = createJournal();
  const timers = new Set<NodeJS.Timeout>();
  const latency = { ms: 0 };
  let held: (() => void)[] = [];

  function reset(): void {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
    latency.ms = 0;
    held = [];
    for (const part of [...simulators, sentinels, journal]) part.reset();
  }

  function workLater(work: () => unknown, ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms).unref();
    timers.add(timer);
  }

  const waitForRelease = () => new Promise<void>((go) => void held.push(go));

  function release(): number {
    const waiting = held;
    held = [];
    for (const go of waiting) go();
    return waiting.length;
  }

  const serve =
    (call: SimulatedCall): RequestHandler =>
    async (request, response, next) => {
      const incoming = readRequest(request);
      if (call.matches?.(incoming) === false) return next();
      const sentinel = sentinels.take(call.name, call.sentinelTexts(incoming));
      record(call.name, request, response, sentinel?.word, call.redact);
      if (latency.ms) await pause(latency.ms, undefined, { ref: false });
      const work = (copies: Copies = 1) => call.answer(incoming, copies);
      const later = (ms: number) => workLater(work, ms);
      const turn: CallContext = {
        call,
        request: incoming,
        response,
        ms: sentinel?.ms ?? 0,
        work,
        workLater: later,
        released: waitForRelease,
      };
      await (sentinel?.effect.play ?? answerNormally)(turn);
    };

  function record(
    call: string,
    { method, originalUrl, headers, body }: Request,
    response: Response,
    sentinel?: string,
    shown = (text: string) => text,
  ): void {
    const contentType = headers['content-type'] ?? '';
    const entry = { at: new Date().toISOString(), call, method, url: originalUrl, contentType, body: shown(String(body ?? '')), sentinel };
    journal.note(response, entry);
  }

  const target: ControlTarget = { simulators, journal, latency, release, reset };
  const app = express().disable('x-powered-by').disable('etag');
  app.use((_request, response, next) => {
    response.setHeader('X-Leadgate-Sandbox', 'true');
    next();
  });
  app.use(refuseForeignPages);
  app.get('/', (_request, response) => void response.type('html').send(indexPage(simulators)));
  for (const { method, path, run } of controls) {
    app[method](path, (request, response) => {
      const answer = run(target, readRequest(request).query);
      if ('csv' in answer) write(response, 200, 'text/csv; charset=utf-8', answer.csv);
      else send(response, answer);
    });
  }
  app.use(express.text({ type: () => true, limit: bodyLimitBytes }));
  for (const call of calls) app[call.method](call.path, serve(call));
  app.use((request, response) => {
    record('unknown', request, response);
    send(response, { status: 404, body: { error: 'No call is simulated at this path; GET / lists the calls' } });
  });
  app.use(onUnreadable);

  return { handler: app, calls, reset };
}

/** Blocks other web pages, which could change the simulators and read their data. */
const refuseForeignPages: RequestHandler = ({ headers }, response, next) => {
  if (isOwnPage(headers)) return next();
  send(response, {
    status: 403,
    body: {
      error: 'The sandbox accepts requests only from programs of this machine and from its own page, at 127.0.0.1, [::1] or localhost',
    },
  });
};

function readRequest({ params, originalUrl, headers, body }: Request): SimulatedRequest {
  return {
    params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value ?? '')])),
    query: new URL(originalUrl, 'http://sandbox').searchParams,
    bearer: /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '',
    apiKey: [headers['x-api-key']].flat()[0] ?? '',
    contentType: headers['content-type']?.toLowerCase() ?? '',
    header: (name) => [headers[name]].flat()[0] ?? '',
    text: typeof body === 'string' ? body : '',
  };
}

/**
 * Answers unreadable requests: a body that is too large or badly compressed, or a path that cannot be decoded. Express requires the four
 * parameters.
 */
const onUnreadable: ErrorRequestHandler = (error: { status?: number; message?: string }, _request, response, _next) => {
  send(response, { status: error.status ?? 500, body: { error: error.message ?? 'Internal server error' } });
};
