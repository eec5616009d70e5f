/** Makes every route from the contract's table: checks the caller's right, reads the input, calls the handler and sends the answer. */
import { Router, type Request, type Response } from 'express';
import type { Trail } from '../audit/trail';
import type { Config } from '../config/config';
import { endpointTable, type EndpointName } from '../contract';
import { colonPath, type Endpoint } from '../contract/endpoint';
import { ApiError } from '../contract/errors';
import type { Intake } from '../intake/intake';
import { audited } from './audited';
import { callerWith, rightOf } from './auth';
import type { Handler, Handlers } from './handler';
import { inputOf, readFile } from './request';

interface RouterNeeds {
  readonly config: Config;
  readonly trail: Trail;
  readonly intake: Pick<Intake, 'problems'>;
  readonly handlers: Handlers;
  /** The handler of a row that a run carries. */
  readonly carried: (name: EndpointName, endpoint: Endpoint) => Handler;
}

export function createRouter({ config, trail, intake, handlers, carried }: RouterNeeds): Router {
  const router = Router();
  const here: Partial<Record<EndpointName, Handler>> = handlers;
  const methods = new Map<string, Set<string>>();
  for (const [name, endpoint] of endpointTable) {
    const path = colonPath(endpoint.path);
    const handler = here[name] ?? carried(name, endpoint);
    methods.set(path, (methods.get(path) ?? new Set()).add(endpoint.method.toUpperCase()));
    router[endpoint.method](path, async (request: Request, response: Response) => {
      const caller = callerWith(response, rightOf(endpoint));
      if (endpoint.takes) await readFile(request, response, config);
      const input = inputOf(request, endpoint, config, (given) => intake.problems(endpoint.flow, given));
      const act = () => handler({ request, response, input, caller });
      const { status, body, headers } = await (endpoint.audited ? audited(trail, endpoint.audited, caller.name, input, act) : act());
      // The handler may have sent the answer itself, line by line.
      if (response.headersSent) return void response.end();
      response
        .status(status)
        .set(headers ?? {})
        .json(body);
    });
  }
  for (const [path, allowed] of methods) {
    router.all(path, () => {
      throw new ApiError('METHOD_NOT_ALLOWED', `This path takes ${[...allowed].join(', ')}`, {
        headers: { Allow: [...allowed].join(', ') },
      });
    });
  }
  return router;
}
