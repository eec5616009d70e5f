/** What operators and tools ask of the service itself: health, metrics, version, reference. */
import { Router } from 'express';
import type { Authorize } from '../auth';
import { consoleRoutes } from '../console';
import { baseOf, docsPage, docsPolicy } from '../../reference/docs';
import { ApiError } from '../../contract/errors';
import type { Metrics, Observed } from './metrics';
import { openApi } from '../../reference/openapi';
import type { Traffic } from './traffic';

export interface Operations {
  readonly routes: Router;
  observe(observed: Observed): void;
  /** Asked often, by machines: not worth a log line. */
  isQuiet(route: string): boolean;
}

export interface OperationsNeeds {
  readonly version: string;
  readonly authorize: Authorize;
  /** What is missing before leads can be taken; undefined when nothing is. */
  notReady(): Promise<string | undefined>;
  readonly traffic: Traffic;
  readonly metrics: Metrics;
}

const quiet = [
  '/health/live',
  '/health/ready',
  '/metrics',
  '/console',
  '/console/:file',
  '/api/leads/counts',
  '/api/traffic',
  '/api/upstreams',
];

/** Made when it is first asked for: the reference takes a fifth of a second, which every start would pay and few need. */
function madeOnce<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

export function createOperations({ version, authorize, notReady, traffic, metrics }: OperationsNeeds): Operations {
  const reference = madeOnce(() => {
    const document = openApi(version);
    return { document, page: docsPage(document) };
  });
  const routes = Router();

  routes.get('/', (_request, response) => response.redirect('/docs'));
  routes.get('/health/live', (_request, response) => void response.json({ status: 'live' }));
  routes.get('/health/ready', async (_request, response) => {
    const missing = await notReady();
    if (missing) throw new ApiError('NOT_ACCEPTED', missing, { headers: { 'Retry-After': '1' } });
    response.json({ status: 'ready' });
  });
  routes.use(['/metrics', '/openapi.json', '/docs', '/version'], (request, _response, next) => {
    authorize(request);
    next();
  });
  routes.get('/metrics', async (_request, response) => void response.type(metrics.contentType).send(await metrics.text()));
  routes.get('/version', (_request, response) => void response.json({ name: 'leadgate', version }));
  routes.get('/openapi.json', (_request, response) => void response.json(reference().document));
  routes.get('/docs', (request, response) => {
    response
      .set('Content-Security-Policy', docsPolicy)
      .type('html')
      .send(reference().page(baseOf(request.protocol, request.headers.host)));
  });

  routes.use(consoleRoutes());

  for (const path of ['/', '/health/live', '/health/ready', '/metrics', '/version', '/openapi.json', '/docs', '/console', '/console/:file'])
    routes.all(path, () => {
      throw new ApiError('METHOD_NOT_ALLOWED', 'This path takes GET', { headers: { Allow: 'GET' } });
    });

  const observe = (observed: Observed) => {
    metrics.observe(observed);
    traffic.observe(observed);
  };
  return { routes, observe, isQuiet: (route) => quiet.includes(route) };
}
