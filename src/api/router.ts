/** Makes the routes of the contract: each checks the caller's scopes, reads the input, calls its handler and sends the answer. */
import { Router, type Request, type Response } from 'express';
import type { Trail } from '../audit/trail';
import type { Config } from '../config/config';
import { endpointTable, type EndpointName } from '../contract';
import { colonPath, type Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import type { Intake } from '../intake/intake';
import { withAudit, type KeepEvidence } from './audited';
import { callerWith, rightOf } from './auth';
import type { Handler, Handlers } from './handler';
import { inputOf, readFile } from './request';
import { requesterOf } from './requester';

interface RouterNeeds {
  readonly config: Config;
  readonly trail: Trail;
  readonly keepEvidence: KeepEvidence;
  readonly intake: Pick<Intake, 'problems'>;
  readonly handlers: Handlers;
  /** Makes the handler of a row that a run handles. */
  readonly runHandler: (name: EndpointName, endpoint: Endpoint) => Handler;
}

export function createRouter({ config, trail, keepEvidence, intake, handlers, runHandler }: RouterNeeds): Router {
  const router = Router();
  const ownHandlers: Partial<Record<EndpointName, Handler>> = handlers;
  const methods = new Map<string, Set<string>>();
  for (const [name, endpoint] of endpointTable) {
    const path = colonPath(endpoint.path);
    const handler = ownHandlers[name] ?? runHandler(name, endpoint);
    methods.set(path, (methods.get(path) ?? new Set()).add(endpoint.method.toUpperCase()));
    router[endpoint.method](path, async (request: Request, response: Response) => {
      const caller = callerWith(response, rightOf(endpoint));
      if (endpoint.upload) await readFile(request, response, config);
      const input = inputOf(request, endpoint, config, (given) => intake.problems(endpoint.flow, given));
      const requester = requesterOf(response, caller);
      const act = () => handler({ request, response, input, caller, requester });
      const { status, body, headers } = await (endpoint.audited
        ? withAudit(trail, endpoint.audited, requester, input, act, keepEvidence)
        : act());
      // The handler may have streamed the answer.
      if (response.headersSent) return void response.end();
      response
        .status(status)
        .set(headers ?? {})
        .json(body);
    });
  }
  for (const [path, allowed] of methods) {
    router.all(path, () => {
      throw new ApiError('METHOD_NOT_ALLOWED', `This path accepts only ${[...allowed].join(', ')}`, {
        headers: { Allow: [...allowed].join(', ') },
      });
    });
  }
  return router;
}
