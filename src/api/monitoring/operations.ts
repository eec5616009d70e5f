/** The routes about the service itself: health, metrics, version, reference and console. */
import { Router, type ErrorRequestHandler, type RequestHandler } from 'express';
import { ApiError } from '../../contract/errors';
import { baseOf, createDocs } from '../../reference/docs';
import { signInPage } from '../../reference/docs-frame';
import { openApi } from '../../reference/openapi';
import { consoleRoutes, pageHeaders } from '../console';
import type { Metrics } from './traffic';

export interface OperationsNeeds {
  readonly version: string;
  readonly authenticate: RequestHandler;
  readonly hasKeys: boolean;
  /** The reason why no lead can be taken; undefined if there is none. */
  notReady(): Promise<string | undefined>;
  readonly metrics: Metrics;
}

/** Delays making a value until it is first needed. The reference takes a fifth of a second, which few starts need. */
function madeOnce<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Answers a browser without a key with a form that asks for one. */
const signIn: ErrorRequestHandler = (error, request, response, next) => {
  const isAsked = error instanceof ApiError && error.code === 'UNAUTHORIZED' && request.accepts(['json', 'html']) === 'html';
  if (!isAsked) return next(error);
  response
    .status(401)
    .set({ ...error.extras.headers, ...pageHeaders })
    .type('html')
    .send(signInPage);
};

export function createOperations({ version, authenticate, hasKeys, notReady, metrics }: OperationsNeeds): Router {
  const reference = madeOnce(() => {
    const document = openApi(version);
    return { document, docs: createDocs(document, hasKeys) };
  });
  const routes = Router();

  routes.get('/', (_request, response) => response.redirect('/docs'));
  routes.get('/health/live', (_request, response) => void response.json({ status: 'live' }));
  routes.get('/health/ready', async (_request, response) => {
    const missing = await notReady();
    if (missing) throw new ApiError('NOT_ACCEPTED', missing, { headers: { 'Retry-After': '1' } });
    response.json({ status: 'ready' });
  });
  routes.use(['/metrics', '/openapi.json', '/docs', '/version'], authenticate);
  routes.get('/metrics', async (_request, response) => void response.type(metrics.contentType).send(await metrics.text()));
  routes.get('/version', (_request, response) => void response.json({ name: 'leadgate', version }));
  routes.get('/openapi.json', (_request, response) => void response.json(reference().document));
  routes.use('/docs', signIn);
  routes.get('/docs/search.json', (_request, response) => void response.json(reference().docs.search));
  const page: RequestHandler = ({ protocol, headers, params }, response) => {
    const html = reference().docs.page(String(params.page ?? ''), baseOf(protocol, headers.host));
    if (html === undefined) throw new ApiError('NOT_FOUND', 'There is no such path, see /docs');
    response.set(pageHeaders).type('html').send(html);
  };
  routes.get('/docs', page).get('/docs/:page', page);

  routes.use(consoleRoutes());

  const pages = ['/docs', '/docs/:page', '/console', '/console/:file'];
  for (const path of ['/', '/health/live', '/health/ready', '/metrics', '/version', '/openapi.json', ...pages])
    routes.all(path, () => {
      throw new ApiError('METHOD_NOT_ALLOWED', 'This path takes GET', { headers: { Allow: 'GET' } });
    });

  return routes;
}
